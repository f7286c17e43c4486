"""Input from pipes, which can be read only once, and output to pipes."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import is_in_place, known_as, whole_file


@contextmanager
def pipes(input: str, output: str) -> Iterator[tuple[str, str]]:
    """
    The paths of files that stand for an input and an output that are pipes or "-". The output, which may also
    be a device, is written at the end.
    """
    with tempfile.TemporaryDirectory() as folder:
        given, made = input, output
        if _is_pipe(input):
            given = _copy(input, os.path.join(folder, "stdin"))
        if _is_pipe(output):
            made = os.path.join(folder, "output.jsonl")
        with known_as(input, given):
            yield given, made
        if made == output or not os.path.exists(made):
            return
        with open(made, "rb") as file:
            if output == "-":
                shutil.copyfileobj(file, sys.stdout.buffer)
                sys.stdout.flush()
                return
            with whole_file(output) as part, open(part, "wb") as target:
                shutil.copyfileobj(file, target)


def _is_pipe(path: str) -> bool:
    return path == "-" or is_in_place(path)


def _copy(path: str, copy: str) -> str:
    with open(copy, "wb") as target:
        if path == "-":
            shutil.copyfileobj(sys.stdin.buffer, target)
        elif Path(path).is_char_device() or Path(path).is_block_device():
            # It may have no end.
            raise ConfigurationError(f"{path}: found a device, expected a file, a pipe or - (standard input)")
        else:
            with open(path, "rb") as source:
                shutil.copyfileobj(source, target)
    return copy
