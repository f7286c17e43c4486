import json
import mmap
from argparse import Namespace
from typing import NamedTuple

import pytest

from scripts.benchmarks import harness
from scripts.benchmarks.harness import MIB, Report, Subject, take_turns
from tests.scripts.benchmarks.conftest import table


def allocate(mebibytes):
    """Memory that was not this process's before; a `bytearray` may get what was let go."""
    return mmap.mmap(-1, mebibytes * MIB, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE)


class Size(NamedTuple):
    mebibytes: int


class Allocation(NamedTuple):
    times: int


class Allocations(Subject):
    wrong: list = []
    results: list = []

    def settings(self):
        return [Size(8), Size(16)]

    def competitors(self, setting):
        return [Allocation(1), Allocation(2)]

    def small(self, setting):
        return Size(1)

    def prepare(self, competitor, setting):
        def run():
            allocate(competitor.times * setting.mebibytes)
            return self.results.pop() if self.results else None

        return run

    def problems(self, setting):
        return self.wrong


@pytest.fixture
def allocations(monkeypatch, tmp_path):
    monkeypatch.setattr(harness, "in_own_process", lambda function, *arguments: function(*arguments))
    arguments = Namespace(rounds=3, warm_up=1, threads=1, device="cpu", no_memory=False, seconds=60)
    arguments.json = tmp_path / "rows.json"
    return Allocations(arguments)


def test_competitors_take_turns_and_end_in_time():
    order = []
    runs = {name: lambda name=name: order.append(name) or name for name in "AB"}
    turns = take_turns(runs, rounds=3)
    assert order == list("ABABAB") and [turn.result for turn in turns["A"]] == ["A"] * 3
    assert len(take_turns(runs, rounds=9, least=2, seconds=0)["B"]) == 2


def test_a_table_of_all_settings_and_competitors_and_the_same_as_json(allocations, capsys):
    assert allocations.measure(Report(allocations.arguments)) == 0
    rows = table(capsys.readouterr().out)
    assert list(rows[0]) == ["mebibytes", "times", "processor ms", "clock ms", "ratio", "MiB", "MiB ratio"]
    expected = [("8", "1"), ("8", "2"), ("16", "1"), ("16", "2")]
    assert [(row["mebibytes"], row["times"]) for row in rows] == expected
    assert [float(row["MiB"]) for row in rows] == pytest.approx([8, 16, 16, 32], abs=1)
    content = json.loads(allocations.arguments.json.read_text())
    expected = set(content["machine"])
    assert {"processor", "instruction set", "caches", "cores", "threads", "torch", "Python"} <= expected
    assert content["arguments"]["rounds"] == 3 and len(content["rows"]) == 4
    row = content["rows"][3]
    assert row["mebibytes"] == 16 and row["times"] == 2 and row["MiB ratio"] == pytest.approx(2, abs=0.2)
    assert set(row["ratio"]) == {"median", "min", "max"}


@pytest.mark.parametrize("given", [{"wrong": ["A is not B"]}, {"results": [1, 1, 1, 1, 1, 1, 2, 1]}])
def test_no_figures_where_values_disagree(allocations, capsys, given):
    for name, value in given.items():
        setattr(allocations, name, value)
    with pytest.raises(harness.Disagreement, match=r"A is not B|times=2.: rounds return .2, 1, 1, 1"):
        allocations.measure(Report(allocations.arguments))
    assert capsys.readouterr().out == "" and not allocations.arguments.json.exists()
