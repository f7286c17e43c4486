"""
Some cases of every kind of file, the same ones each time, and the cases that were found before. More of them:
FUZZ_CASES=1000 python -m pytest tests/fuzz, or python -m tests.fuzz.
"""

import logging
import os
import shutil
from dataclasses import replace

import pytest

from allennlp_coref_rc.common.errors import ConfigurationError
from tests.fuzz.run import KINDS, READ, REFUSED, Outcome, judge, kind_of, make_case, run_cases
from tests.training_config.configs import FIXTURES

CASES = int(os.environ.get("FUZZ_CASES", "12"))

FOUND = sorted((FIXTURES / "found").glob("*/*"))
"""Folders of cases that went wrong once: KIND/WHAT.OUTCOME, where the outcome is the right one."""


@pytest.fixture(autouse=True)
def _no_logs():
    logging.disable(logging.ERROR)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_damaged_files_are_read_or_refused_clearly(kind, tmp_path):
    finds = [find for find in run_cases(kind, range(CASES), tmp_path / "files") if find]
    assert not finds, "\n".join(map(str, finds[:5]))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_whole_files_are_read(kind, tmp_path):
    files = kind.files()
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    assert judge(kind, tmp_path / next(iter(files))) == Outcome(READ)


@pytest.mark.parametrize("case", FOUND, ids=lambda case: f"{case.parent.name} {case.name}")
def test_what_was_found_is_mended(case, tmp_path):
    kind = kind_of(case.parent.name)
    folder = shutil.copytree(case, tmp_path / "files")
    assert judge(kind, folder / next(iter(kind.files()))) == Outcome(case.suffix[1:])


def test_a_case_is_the_same_each_time(tmp_path):
    kind = kind_of("wikihop")
    contents = [
        [make_case(kind, number, tmp_path / "files").read_bytes() for number in range(30)] for _ in range(2)
    ]
    assert contents[0] == contents[1] and len(set(contents[0])) > 20


@pytest.mark.parametrize(
    "error, outcome",
    [
        (None, READ),
        (ConfigurationError("{path}, line 1: found a, expected b"), REFUSED),
        (ConfigurationError("found a, expected b"), "unclear refusal"),
        (ConfigurationError("{path}: found a, expected b"), "unclear refusal"),
        (AssertionError("a label of -1"), "wrong acceptance"),
        (KeyError("a"), "unclear exception"),
    ],
    ids=repr,
)
def test_the_judge_sees_what_is_wrong(tmp_path, error, outcome):
    def use(path):
        if error is not None:
            raise type(error)(str(error.args[0]).format(path=path))

    assert judge(replace(kind_of("wikihop"), use=use), tmp_path / "a").name == outcome
