"""The experiments' configs that come with the package, found by their names below `training_config`."""

import os
from functools import partial
from pathlib import Path
from typing import Any, List

FOLDER = Path(__file__).resolve().parents[1] / "training_config"
"""In a clone this is a link to the folder at its top; in a wheel the files lie here."""

LIBRARY = "lib"
"""Below `FOLDER`, what configs import."""


def names() -> List[str]:
    """The names of all configs, such as `babi/ga_gru.jsonnet`, in order."""
    paths = sorted(FOLDER.rglob("*.jsonnet"))
    return [path.relative_to(FOLDER).as_posix() for path in paths if path.parent.name != LIBRARY]


def locate(path: str) -> str:
    """
    The path of a config: `path` itself, if there is such a file, else the config of that name that comes with the
    package, with or without `training_config/` and `.jsonnet`; else `path`, as it was.
    """
    if os.path.exists(path):
        return path
    name = path.removeprefix(f"{FOLDER.name}/")
    for candidate in (name, f"{name}.jsonnet"):
        if not os.path.isabs(candidate) and (FOLDER / candidate).is_file():
            return str(FOLDER / candidate)
    return path


def let_configs_import(params: Any) -> None:
    """
    Changes AllenNLP's `params`, given the module, so that a config anywhere may import those that come with the package, by
    their names. What is found beside the config comes first.
    """
    for name in ("evaluate_file", "evaluate_snippet"):
        setattr(params, name, partial(getattr(params, name), jpathdir=[str(FOLDER)]))
