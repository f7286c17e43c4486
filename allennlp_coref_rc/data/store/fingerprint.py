"""What the columns of a data set depend on. If any of it changes, they are made again."""

import hashlib
import json
import sys
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, entry_points, version
from pathlib import Path
from typing import Optional

from allennlp.common import Registrable

from allennlp_coref_rc.allennlp_runtime.lazy_registry import INCLUDED
from allennlp_coref_rc.common.config_files import strings
from allennlp_coref_rc.common.named_files import content_of, named_content

PACKAGE = Path(__file__).parents[2]

CODE = ("annotations", "common", "data", "metrics", "models", "modules", "safe_archives")
"""The folders of this package whose files decide what a reader, with its annotator, makes of a file."""

PACKAGES = (
    "allennlp",
    "allennlp-models",
    "coreferee",
    "fastcoref",
    "inflect",
    "maverick-coref",
    "nltk",
    "numpy",
    "peft",
    "spacy",
    "torch",
    "transformers",
)
"""Other packages that do, if they are installed. So do the models of spaCy."""


def fingerprint(config: str, data_path: str, files: list[str]) -> str:
    """
    A number for the config of a reader (JSON), a data path, the content of its files and of those that the
    config names, the code of users' packages, and the versions of what reads them.
    """
    values = [
        config,
        data_path,
        [content_of(path) for path in files],
        named_content(json.loads(config)),
        [_hash_of([file]) for file in users_sources(config) if file is not None],
        _code(),
        _versions(),
    ]
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:32]


@lru_cache(maxsize=None)
def _code() -> str:
    return _hash_of(_own_files())


def users_sources(config: str) -> list[Optional[Path]]:
    """
    The files of the packages that are included, and of others whose registered classes a config names. Of classes
    that were typed in, it is `None`.
    """
    named = {name for _, name in strings(json.loads(config))}
    classes = (
        cls for names in Registrable._registry.values() for name, (cls, _) in names.items() if name in named
    )
    # A config may also name a class by its module.
    written_out = {name.rpartition(".")[0] for name in named} & sys.modules.keys()
    modules = {cls.__module__ for cls in classes} | written_out
    known = {"allennlp", "allennlp_models", PACKAGE.name}
    packages = {module.partition(".")[0] for module in modules} - known | INCLUDED.keys()
    return [file for name in sorted(packages) for file in _sources(name)]


def _sources(package: str) -> list[Optional[Path]]:
    module = sys.modules.get(package)
    files = [file for folder in getattr(module, "__path__", ()) for file in Path(folder).rglob("*.py")]
    if files:
        return [*sorted(files)]
    file = getattr(module, "__file__", None)
    return [None if file is None else Path(file)]


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
