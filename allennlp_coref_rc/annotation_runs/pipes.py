"""Input from pipes, which can be read only once, and output to pipes."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from allennlp_coref_rc.common.files import destination, is_in_place, known_as, whole_file


@contextmanager
def pipes(input: str, output: str) -> Iterator[tuple[str, str]]:
    """
    The paths of files that stand for an input and an output that are pipes, devices or "-". The output is written at
    the end.
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
    return path == "-" or is_in_place(destination(path))


def _copy(path: str, copy: str) -> str:
    with open(copy, "wb") as target:
        if path == "-":
            shutil.copyfileobj(sys.stdin.buffer, target)
        else:
            with open(path, "rb") as source:
                shutil.copyfileobj(source, target)
    return copy
