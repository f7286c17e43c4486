"""What the columns of a data set depend on. If any of it changes, they are made again."""

import glob
import hashlib
import json
import os
import sys
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, entry_points, version
from pathlib import Path
from typing import Any

from allennlp_coref_rc.allennlp_runtime.lazy_registry import INCLUDED

PACKAGE = Path(__file__).parents[2]

CODE = ("annotations", "common", "data")
"""The folders of this package whose files decide what a reader makes of a file."""

PACKAGES = (
    "allennlp",
    "coreferee",
    "fastcoref",
    "maverick-coref",
    "nltk",
    "numpy",
    "spacy",
    "torch",
    "transformers",
)
"""Other packages that do, if they are installed. So do the models of spaCy."""


def fingerprint(config: str, data_path: str, files: list[str]) -> str:
    """
    A number for the config of a reader (JSON), a data path, the content of its files and of those that the
    config names, the code of packages that are included, and the versions of what reads them.
    """
    values = [
        config,
        data_path,
        [_content(path) for path in files],
        named_content(json.loads(config)),
        [_hash_of(_sources(name)) for name in INCLUDED],
        _code(),
        _versions(),
    ]
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:32]


def named_content(config: Any) -> dict[str, Any]:
    """
    The content of each file that a config names, itself or by a pattern, as a number. A folder is known by
    the names, sizes and times of its files, which may be many.
    """
    return {path: _content(path) for path in _named_files(config)}


def _named_files(config: Any) -> Iterator[str]:
    # A pipe would be waited for, and "." and "/" are more likely patterns than folders.
    if isinstance(config, str):
        if os.path.isfile(config) or (config.strip("./") and os.path.isdir(config)):
            yield config
        elif glob.has_magic(config):
            yield from sorted(filter(os.path.isfile, glob.glob(config)))
    elif isinstance(config, dict):
        # A folder may have the name of a class.
        config = [value for key, value in config.items() if key != "type"]
    for value in config if isinstance(config, list) else ():
        yield from _named_files(value)


def _content(path: str) -> Any:
    if os.path.isdir(path):
        files = sorted(
            file for folder, _, names in os.walk(path) for file in (os.path.join(folder, n) for n in names)
        )
        # A link may lead nowhere.
        states = [
            (os.path.relpath(file, path), (os.stat if os.path.exists(file) else os.lstat)(file))
            for file in files
        ]
        return _hash(
            json.dumps([(name, state.st_size, state.st_mtime_ns) for name, state in states]).encode()
        )
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@lru_cache(maxsize=None)
def _code() -> str:
    return _hash_of(_own_files())


def _sources(package: str) -> list[Path]:
    module = import_module(package)
    folders = [file for folder in getattr(module, "__path__", ()) for file in Path(folder).rglob("*.py")]
    return sorted(folders) or [Path(str(module.__file__))]


def _hash_of(files: list[Path]) -> str:
    return _hash(b"".join(hashlib.sha256(file.read_bytes()).digest() for file in files))


def _own_files() -> list[Path]:
    """The code and the weights, whose files may have names without an ending."""
    found = (file for name in CODE for file in (PACKAGE / name).rglob("*"))
    return sorted(file for file in found if file.is_file() and file.suffix != ".pyc")


@lru_cache(maxsize=None)
def _versions() -> list[str]:
    models = (model.dist for model in entry_points(group="spacy_models"))
    found = [f"{model.name} {model.version}" for model in models if model is not None]
    for name in PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return [*sorted(found), sys.version]


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
