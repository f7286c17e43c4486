"""The configs that come with the package, by their names in `training_config`, and the strings in any config."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import check_is_file
from allennlp_coref_rc.common.messages import most_similar

FOLDER = Path(__file__).resolve().parents[1] / "training_config"
"""In a clone this is a link to the folder at the top; a wheel has the files here."""

EXAMPLE = """for instance '{"trainer.num_epochs": 5}'"""

SUFFIX = ".jsonnet"

LIBRARY = "lib"
"""The folder in `FOLDER` with the files that configs import."""


def names() -> list[str]:
    """The names of all configs, such as `babi/ga_gru.jsonnet`, in order."""
    paths = sorted(FOLDER.rglob("*.jsonnet"))
    return [path.relative_to(FOLDER).as_posix() for path in paths if path.parent.name != LIBRARY]


def locate(path: str) -> str:
    """
    The path of a config, which may be its name in the package, with or without `training_config/` and
    `.jsonnet`.
    """
    if os.path.exists(path):
        return path
    name = path.removeprefix(f"{FOLDER.name}/")
    for candidate in (name, f"{name}{SUFFIX}"):
        if not os.path.isabs(candidate) and (FOLDER / candidate).is_file():
            return str(FOLDER / candidate)
    return path


def load_config(path: str, overrides: str = "") -> dict[str, Any]:
    """The values of a config file, with overrides (JSON or Jsonnet, as `-o` takes them)."""
    from allennlp.common import Params

    check_overrides(overrides)
    if not os.path.exists(path):
        advice = "coref-rc configs lists those that come with the package"
        for similar in _similar(path.removeprefix(f"{FOLDER.name}/").removesuffix(SUFFIX)):
            advice = f"did you mean {similar}?"
        raise ConfigurationError(f"{path}: no such config; {advice}")
    # Given a directory, Jsonnet would end the process.
    check_is_file(path)
    try:
        values = Params.from_file(path, overrides).as_dict(quiet=True)
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path}: found text that is not UTF-8: {error}") from error
    except RuntimeError as error:
        # Jsonnet's message has several lines: the error, and then the places that led to it.
        raise ConfigurationError(f"{path}: found no Jsonnet: {' '.join(str(error).split())}") from error
    except ValueError as error:
        raise ConfigurationError(f"{path}{f', or -o {overrides}' if overrides else ''}: {error}") from error
    if not isinstance(values, dict):
        raise ConfigurationError(f"{path}: found a {type(values).__name__}, expected an object")
    return values


def _similar(name: str) -> list[str]:
    """The configs of the package with the most similar names, with their folders, or else without."""
    known = {full.removesuffix(SUFFIX): full for full in names()}
    by_file = {os.path.basename(short): full for short, full in known.items()}
    return [known[match] for match in most_similar(name, known)] or [
        by_file[match] for match in most_similar(os.path.basename(name), by_file)
    ]


def check_overrides(overrides: str) -> None:
    """Raises a `ConfigurationError` if the overrides are not a JSON or Jsonnet object."""
    from allennlp.common.params import parse_overrides

    try:
        values = parse_overrides(overrides)
    except RuntimeError as error:
        reason = " ".join(str(error).split())
        raise ConfigurationError(f"-o {overrides}: found no JSON ({reason}), expected {EXAMPLE}") from error
    if not isinstance(values, dict):
        raise ConfigurationError(f"-o {overrides}: found no object, expected {EXAMPLE}")


def type_of(config: Any) -> Any:
    """The registered name in the config of an object, which may be the name alone."""
    return config.get("type") if isinstance(config, dict) else config


def strings(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Yields the strings in a config, with their dotted keys."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, (dict, list)):
        for name, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from strings(part, f"{key}.{name}" if key else str(name))
