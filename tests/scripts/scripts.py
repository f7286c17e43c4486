"""Programs as modules."""

import importlib.util
import sys
from types import ModuleType

from tests.shared import PROJECT


def load_script(name: str) -> ModuleType:
    """A script of the project; it may import those beside it."""
    path = PROJECT / "scripts" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent))
    return module
