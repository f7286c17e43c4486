"""How what is optional is installed."""

import subprocess
import sys

import pytest

from allennlp_coref_rc.common import extras

REQUIRES = [
    "numpy>=1",
    'one<4,>=2.21; extra == "mine"',
    'two; python_version >= "3.11" and extra == "mine"',
    'x; extra == "z"',
]


@pytest.mark.parametrize("has_pip", [True, False])
def test_the_command_is_one_for_a_wheel_and_a_clone(monkeypatch, has_pip):
    monkeypatch.setattr(extras, "requires", lambda name: REQUIRES)
    monkeypatch.setattr(extras, "distributions", lambda name: [name] * has_pip)
    pip = "pip install" if has_pip else f"uv pip install --python {sys.executable}"
    assert extras.install_command("mine") == f"{pip} 'one<4,>=2.21' 'two'"


def test_a_clone_that_is_not_installed_knows_no_extras(monkeypatch):
    def requires(name):
        raise extras.PackageNotFoundError(name)

    monkeypatch.setattr(extras, "requires", requires)
    assert extras.install_command("mine").endswith(" --editable '.[mine]'")


def test_setuptools_can_be_imported_afterwards():
    """It builds the recurrence, in a process that may have asked for a package before."""
    code = "from allennlp_coref_rc.common.extras import install_command; install_command('mine'); import setuptools"
    subprocess.run([sys.executable, "-c", code], check=True)
