import json
import mmap
import os
from typing import NamedTuple

import pytest

MIB = 2**20


def allocate(mebibytes):
    """Memory that was not this process's before; a `bytearray` may get what was let go."""
    return mmap.mmap(-1, mebibytes * MIB, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE)


class Size(NamedTuple):
    mebibytes: int


class Allocation(NamedTuple):
    times: int


def make_benchmark(harness, found=()):
    class Allocations(harness.Benchmark):
        def settings(self):
            return [Size(8), Size(16)]

        def competitors(self, setting):
            return [Allocation(1), Allocation(2)]

        def small(self, setting):
            return Size(1)

        def prepare(self, competitor, setting):
            return lambda: allocate(competitor.times * setting.mebibytes)

        def problems(self, setting):
            return list(found)

    return Allocations


def options(harness):
    return harness.comparison_parser("", rounds=3)


def test_competitors_take_turns_and_what_warms_up_does_not_count(load):
    harness, order = load("harness"), []
    runs = {name: lambda name=name: order.append(name) for name in "AB"}
    times = harness.take_turns(runs, rounds=2, warm_up=1)
    assert order == list("ABABAB") and {name: len(seconds) for name, seconds in times.items()} == {"A": 2, "B": 2}


def test_ratios_are_of_the_same_round(load):
    harness = load("harness")
    own, other = ([harness.Seconds(wall, 0.0) for wall in values] for values in ([2.0, 30.0, 8.0], [1.0, 10.0, 2.0]))
    seconds, ratio = harness.spreads(own, other, "wall")
    assert seconds == harness.Spread(8.0, 2.0, 30.0) and ratio == harness.Spread(3.0, 2.0, 4.0)
    assert f"{ratio:.1f}" == "3.0 (2.0–4.0)"


def test_processor_time_counts_processes_that_were_waited_for(load):
    harness = load("harness")

    def run():
        child = os.fork()
        if not child:
            sum(range(3_000_000))
            os._exit(0)
        os.waitpid(child, 0)

    assert harness.take_turns({"": run}, rounds=1, warm_up=0)[""][0].processor > 0.005


def test_growth_of_memory_is_that_of_the_peak_since_it_began(load):
    harness = load("harness")
    allocate(64).close()  # let go before
    assert 15 * MIB <= harness.growth(lambda: allocate(16)) < 20 * MIB


def test_a_process_of_its_own(load, monkeypatch):
    """The real function is called, unlike in the other tests here."""
    harness = load("harness")
    monkeypatch.undo()
    monkeypatch.setattr(harness, "HEAVY", ())
    assert harness.in_own_process(os.getpid) != os.getpid()
    with pytest.raises(ValueError, match="invalid literal"):
        harness.in_own_process(int, "no number")


def test_memory_is_unknown_where_the_process_is_killed(load, monkeypatch):
    harness = load("harness")
    monkeypatch.setattr(
        harness, "in_own_process", lambda *_: exec("raise harness.BrokenProcessPool", {"harness": harness})
    )
    assert harness.peak_bytes(None, None, None) is None


def test_a_table_of_all_settings_and_competitors_and_the_same_as_json(load, compare, tmp_path, monkeypatch):
    harness = load("harness")
    monkeypatch.setattr(harness, "Allocations", make_benchmark(harness), raising=False)
    monkeypatch.setattr(harness, "options", lambda: options(harness), raising=False)
    header, *found = compare("harness", "Allocations", "--json", tmp_path / "rows.json")
    assert header == ["mebibytes", "times", "ms", "ratio", "MiB", "ratio"]
    assert [row[:2] for row in found] == [["8", "1"], ["8", "2"], ["16", "1"], ["16", "2"]]
    assert [float(row[4]) for row in found] == pytest.approx([8, 16, 16, 32], abs=1)
    content = json.loads((tmp_path / "rows.json").read_text())
    assert {"processor", "instruction set", "caches", "cores", "threads", "torch", "Python"} <= set(content["machine"])
    assert content["arguments"]["rounds"] == 3 and len(content["rows"]) == 4
    row = content["rows"][3]
    assert row["mebibytes"] == 16 and row["times"] == 2 and 31 * MIB <= row["peak_bytes"] < 34 * MIB
    assert set(row["ratio"]) == set(row["milliseconds"]) == {"median", "min", "max"}


def test_no_figures_where_values_disagree(load, capsys):
    harness = load("harness")
    assert harness.compare(make_benchmark(harness, ["A is not B"])(harness.parse(options(harness), []))) == 1
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.startswith(
        "No figures at Size(mebibytes=8), values disagree:\n  A is not B"
    )


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--rounds", "0"], "argument --rounds: found 0, expected an integer, 1 or more"),
        (["--device", "cuda"], "no GPU that PyTorch can use"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(load, capsys, monkeypatch, arguments, message):
    harness = load("harness")
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(SystemExit) as error:
        harness.parse(options(harness), arguments)
    assert error.value.code == 2
    text = capsys.readouterr().err
    assert message in text and text.count("\n") == 1
