"""The content of the files that a config names, by which a change of one is found."""

import glob
import hashlib
import json
import os
from collections.abc import Iterator
from typing import Any

from allennlp_coref_rc.common.files import bare


def named_content(config: Any) -> dict[str, str]:
    """
    The content of each file that a config names, itself or by a pattern, as a number. A folder is known by
    the names, sizes and times of its files, which may be many.
    """
    return {path: content_of(path) for path in _named_files(config)}


def _named_files(config: Any) -> Iterator[str]:
    # A pipe would be waited for, and "." and "/" are more likely patterns than folders.
    if isinstance(config, str):
        path = os.path.expanduser(config)
        if path.strip("./") and os.path.isdir(path):
            yield path
        for file in sorted(filter(os.path.isfile, {path, *glob.glob(path)})):
            yield file
            yield from filter(os.path.isfile, _read_with(file))
    elif isinstance(config, list):
        for value in config:
            yield from _named_files(value)
    elif isinstance(config, dict):
        for key, value in config.items():
            # A folder may have the name of a class.
            if key != "type":
                yield from _named_files(value)


def _read_with(path: str) -> tuple[str, str]:
    """The files that brat and CoNLL-2016 have beside one of annotations."""
    return bare(path).removesuffix(".ann") + ".txt", os.path.join(os.path.dirname(path), "parses.json")


def content_of(path: str) -> str:
    """A number for the content of a file, or for the names, sizes and times of the files in a folder."""
    if os.path.isdir(path):
        files = sorted(
            file for folder, _, names in os.walk(path) for file in (os.path.join(folder, n) for n in names)
        )
        # A link may lead nowhere.
        states = [
            (os.path.relpath(file, path), (os.stat if os.path.exists(file) else os.lstat)(file))
            for file in files
        ]
        listed = json.dumps([(name, state.st_size, state.st_mtime_ns) for name, state in states])
        return hashlib.sha256(listed.encode()).hexdigest()
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
