"""
What the subjects share: turns, ratios, memory, agreement, the machine, and the table that is printed.

docs/benchmarks.md says how they measure.
"""

import argparse
import concurrent.futures
import contextlib
import ctypes
import json
import multiprocessing
import os
import platform
import resource
import statistics
import sys
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, NamedTuple, Optional

from allennlp_coref_rc.allennlp_runtime.environment_report import processor
from allennlp_coref_rc.commands.arguments import whole_number
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.script import ScriptParser
from allennlp_coref_rc.common.workers import num_cpus

MIB = 2**20

Run = Callable[[], Any]

Row = dict[str, Any]
"""The cells of a table's row, by the names of their columns."""

positive = whole_number(1)

HEAVY = ("allennlp", "allennlp_models", "allennlp_coref_rc")
"""
Packages that take long to import. If this process has imported one, its processes are forks that have it
already.
"""


class Disagreement(ConfigurationError):
    """Values that should be the same are not, so there are no figures."""


class Turn(NamedTuple):
    """The seconds of the clock's time and of processor time that a run took, and what it returned."""

    clock: float
    processor: float
    result: Any = None


def now() -> tuple[float, float]:
    """The clock's time and the processor time of this process and those that it waited for, in seconds."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        torch.cuda.synchronize()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter(), time.process_time() + children.ru_utime + children.ru_stime


class Spread(NamedTuple):
    """The median, smallest and largest of some values."""

    median: float
    min: float
    max: float

    @classmethod
    def of(cls, values: Iterable[float]) -> "Spread":
        values = list(values)
        return cls(statistics.median(values), min(values), max(values))

    def __str__(self) -> str:
        spread = f" ({number(self.min)}–{number(self.max)})" if self.min < self.max else ""
        return f"{number(self.median)}{spread}"


def number(value: float) -> str:
    """With three significant digits or, from 100 on, without decimals."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


Nothing = NamedTuple("Nothing", [])


class Subject:
    """
    Competitors that do the same work at several settings. The others are compared with the first. Settings
    and competitors are named tuples, whose fields are columns. A subject that measures something else
    overrides `measure`.
    """

    unit = "ms"
    memory = True

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.clock = "processor" if (arguments.device, arguments.threads) == ("cpu", 1) else "clock"

    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        """Adds the options that other subjects do not have."""

    def settings(self) -> list[Any]:
        return [Nothing()]

    def competitors(self, setting: Any) -> list[Any]:
        raise NotImplementedError

    def prepare(self, competitor: Any, setting: Any) -> Run:
        """A function that does the work once."""
        raise NotImplementedError

    def small(self, setting: Any) -> Any:
        """
        A setting whose work takes only a moment, but loads everything that the work needs; `None` if none
        does.
        """

    def problems(self, setting: Any) -> list[str]:
        """The values in which the competitors disagree. This is called before anything is measured."""
        return []

    def disagreements(self, turns: Mapping[Any, Sequence[Turn]]) -> list[str]:
        """
        The results in which turns disagree, those that warm up included. By default, they have to be equal.
        """
        results = {name: [turn.result for turn in rounds] for name, rounds in turns.items()}
        return [f"{name}: rounds return {x}" for name, x in results.items() if x.count(x[0]) < len(x)]

    def details(self, setting: Any, competitor: Any, turns: Sequence[Turn]) -> Row:
        """More columns."""
        return {}

    def times(self, turns: Sequence[Turn], others: Sequence[Turn]) -> Row:
        """Columns with times, and their ratios to another competitor's."""
        factor = {"ms": 1000, "s": 1}[self.unit]
        ratios = [a / b if b else 1.0 for a, b in zip(self.seconds(turns), self.seconds(others))]
        return {
            f"processor {self.unit}": Spread.of(factor * turn.processor for turn in turns),
            f"clock {self.unit}": Spread.of(factor * turn.clock for turn in turns),
            "ratio": Spread.of(ratios),
        }

    def rates(self, turns: Sequence[Turn], **amounts: int) -> Row:
        """Columns with amounts of something, and how many a second takes."""
        seconds = self.seconds(turns)
        return {
            **amounts,
            **{f"{name}/s": Spread.of(number / x for x in seconds) for name, number in amounts.items()},
        }

    def seconds(self, turns: Sequence[Turn]) -> list[float]:
        """The times by which competitors are compared."""
        return [getattr(turn, self.clock) for turn in turns]

    def measure(self, report: "Report") -> int:
        """Measures all competitors at all settings. Returns the exit status."""
        skip, memory = self.arguments.warm_up, self.memory and not self.arguments.no_memory
        for setting in self.settings():
            refuse(self.problems(setting))
            competitors = self.competitors(setting)
            runs = {competitor: self.prepare(competitor, setting) for competitor in competitors}
            turns = take_turns(runs, skip + self.arguments.rounds, skip + 3, self.arguments.seconds)
            refuse(self.disagreements(turns))
            # They would take memory from what comes next.
            runs.clear()
            peaks = [peak_mib(self, competitor, setting) if memory else None for competitor in competitors]
            for competitor, peak in zip(competitors, peaks):
                own, first = (turns[one][skip:] for one in (competitor, competitors[0]))
                row = {**self.times(own, first), **self.details(setting, competitor, own)}
                if memory:
                    row.update({"MiB": peak, "MiB ratio": peak and peaks[0] and peak / peaks[0]})
                report.add({**setting._asdict(), **competitor._asdict(), **row})
        return 0


def refuse(problems: Sequence[str]) -> None:
    """Raises a `Disagreement` if there are problems."""
    if problems:
        raise Disagreement(f"no figures, values disagree: {'; '.join(problems)}")


def take_turns(
    runs: Mapping[Hashable, Run], rounds: int, least: int = 0, seconds: float = float("inf")
) -> dict[Any, list[Turn]]:
    """
    Rounds in which all runs take their turn. After these seconds they end, but not before `least` rounds.
    """
    turns: dict[Any, list[Turn]] = {name: [] for name in runs}
    began = time.monotonic()
    for i in range(rounds):
        if i >= least and time.monotonic() - began > seconds:
            break
        for name, run in runs.items():
            start = now()
            result = run()
            clock, processor = (after - before for after, before in zip(now(), start))
            turns[name].append(Turn(clock, processor, result))
    return turns


def in_own_process(function: Callable, *arguments: Any) -> Any:
    """Runs a function of a module in a fresh process of its own, and returns its result."""
    # It is forked from a server that has only imported the heavy packages, so it inherits neither threads nor
    # a GPU.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([name for name in sys.modules if name.partition(".")[0] in HEAVY])
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(function, *arguments).result()


def peak_mib(subject: Subject, competitor: Any, setting: Any) -> Optional[float]:
    """
    The MiB by which memory grows at its peak while the work is done: in a process of its own, which has done
    it at a small size before, or on a GPU. `None` if the process was killed.
    """
    if subject.arguments.device == "cpu":
        with contextlib.suppress(BrokenProcessPool):
            return in_own_process(_growth_of, subject, competitor, setting) / MIB
        return None
    from torch import cuda

    run = subject.prepare(competitor, setting)
    cuda.reset_peak_memory_stats()
    before = cuda.memory_allocated()
    run()
    return (cuda.max_memory_allocated() - before) / MIB


def _growth_of(subject: Subject, competitor: Any, setting: Any) -> int:
    prepare(subject.arguments)
    small = subject.small(setting)
    if small is not None:
        subject.prepare(competitor, small)()
    return growth(subject.prepare(competitor, setting))


def growth(run: Run) -> int:
    """The growth of this process's resident memory at its peak during a run, in bytes."""
    with contextlib.suppress(AttributeError, OSError):
        # Freed memory that the allocator keeps would hide the growth, and so would an earlier peak. This is
        # for Linux.
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")
    before = _peak()
    run()
    return _peak() - before


def _peak() -> int:
    with contextlib.suppress(OSError, IndexError):
        return 1024 * int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
    # This is in kilobytes, but on macOS in bytes.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def relative_error(found: Any, expected: Any) -> float:
    """The largest difference of two tensors, as a share of the largest number expected."""
    return ((found - expected).abs().max() / expected.abs().max()).item()


class Report:
    """
    Markdown tables, which are printed row by row below the machine. With --json, they are also written as
    JSON.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._path, self._columns = arguments.json, [""]
        values = {name: value for name, value in vars(arguments).items() if name != "json"}
        facts = machine(arguments.device)
        self.content: dict[str, Any] = {"arguments": values, "machine": facts, "rows": [], "notes": []}

    def add(self, row: Row) -> None:
        """Adds a row. A row with other columns than the last begins a new table."""
        lines = [list(row.values())]
        if list(row) != self._columns:
            self._columns = list(row)
            lines = [[], self._columns, ["---"] * len(row), *lines]
        plain = {name: value._asdict() if isinstance(value, Spread) else value for name, value in row.items()}
        self._write("rows", plain, *(f"| {' | '.join(map(_cell, line))} |" if line else "" for line in lines))

    def note(self, text: str) -> None:
        """Adds a line between tables."""
        self._columns = [""]
        self._write("notes", text, "", text)

    def _write(self, name: str, content: Any, *lines: str) -> None:
        # All is written after each row, so that a run that is stopped leaves what it has measured.
        if not self.content["rows"] and not self.content["notes"]:
            print(
                "| machine | |\n|---|---|",
                *(f"| {x} | {y} |" for x, y in self.content["machine"].items()),
                sep="\n",
            )
        print(*lines, sep="\n", flush=True)
        self.content[name].append(content)
        if self._path:
            Path(self._path).write_text(json.dumps(self.content, indent=1, default=str) + "\n")


def _cell(value: Any) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return number(value) if isinstance(value, float) else "" if value is None else str(value)


def machine(device: str) -> dict[str, str]:
    """The properties of this machine on which the figures depend."""
    import torch

    gpu = "not used"
    if device != "cpu":
        gpu = f"{torch.cuda.get_device_name()}, CUDA {torch.version.cuda}, cuDNN {torch.backends.cudnn.version()}"
    caches = sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"))
    return {
        "processor": processor(),
        "instruction set": torch.backends.cpu.get_cpu_capability(),
        "caches": ", ".join(
            " ".join((x / y).read_text().strip() for y in ("level", "type", "size")) for x in caches
        ),
        "cores": str(num_cpus()),
        "threads": f"{torch.get_num_threads()}, OMP_WAIT_POLICY {os.environ.get('OMP_WAIT_POLICY', 'not set')}",
        "GPU": gpu,
        "torch": torch.__version__,
        "Python": platform.python_version(),
        "system": platform.platform(),
        "load before": f"{os.getloadavg()[0]:.2f}",
    }


def add_options(parser: ScriptParser, subject: type[Subject]) -> None:
    """Adds the options that all subjects have, and those of one."""
    add = parser.add_argument
    add("--rounds", type=positive, default=7, help="default: %(default)s")
    add("--warm-up", type=whole_number(0), default=1, help="rounds that do not count (default: %(default)s)")
    add(
        "--seconds", type=float, default=float("inf"), help="after these, no round begins but the first three"
    )
    add("--threads", type=positive, default=1, help="of PyTorch (default: %(default)s)")
    add("--device", default="cpu", choices=("cpu", "cuda"), help="default: %(default)s")
    add("--no-memory", action="store_true", help="measure time alone")
    add("--json", metavar="FILE", help="write the figures there too")
    subject.add_arguments(parser)


def prepare(arguments: argparse.Namespace) -> None:
    """Looks for the GPU, and sets the number of threads."""
    import torch

    if arguments.device != "cpu" and not torch.cuda.is_available():
        raise ConfigurationError(
            f"found --device {arguments.device} and no GPU that PyTorch can use, expected cpu"
        )
    # Otherwise cuDNN rounds what is called float32 to 10 bits.
    torch.backends.cudnn.allow_tf32 = False
    torch.set_num_threads(arguments.threads)
