"""How the packages are installed that only a part of this one needs, which are its extras."""

import shlex
import sys
from importlib.metadata import PackageNotFoundError, distributions, requires

from packaging.requirements import Requirement


def install_command(extra: str) -> str:
    """The command that installs the packages of an extra in this environment, made from a wheel or a clone."""
    # To look for the module would keep setuptools from being imported later, on Python 3.11.
    has_pip = any(distributions(name="pip"))
    pip = "pip install" if has_pip else f"uv pip install --python {shlex.quote(sys.executable)}"
    try:
        listed = list(map(Requirement, requires("allennlp_coref_rc") or ()))
    except PackageNotFoundError:
        # A clone can be used without being installed.
        return f"{pip} --editable '.[{extra}]'"
    markers = [(one, one.marker) for one in listed if one.marker]
    needed = [
        one for one, marker in markers if marker.evaluate({"extra": extra}) > marker.evaluate({"extra": ""})
    ]
    return " ".join([pip, *(f"'{one.name}{one.specifier}'" for one in needed)])
