"""
The common parts of the benchmarks: turns, memory, agreement, the machine, and the table that is printed.

* Time: competitors take turns (A B A B) in one run, after rounds that warm up. The table has the median over the rounds
  and, in brackets, the smallest and the largest value. It has the same for the ratios to the first competitor. A ratio
  is that of two times of the same round, so that the machine's other work affects both. If one thread of a CPU does the
  work, times are the processor time of the process and of those that it waits for, otherwise the clock's time.
* Memory: how much the memory of a process grows at its peak while it does the work. The process has done the same work
  at a small size before. On a GPU, it is the memory that PyTorch allocates there.
* Agreement: a benchmark checks the values that its competitors compute. If they disagree, it prints no figures.
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
import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, Optional

from allennlp_coref_rc.allennlp_runtime.environment_report import processor
from allennlp_coref_rc.commands.arguments import whole_number
from allennlp_coref_rc.common.script import ScriptParser
from allennlp_coref_rc.common.workers import num_cpus

positive = whole_number(1)

Run = Callable[[], Any]

HEAVY = ("allennlp", "allennlp_models", "allennlp_coref_rc")
"""Packages that take long to import. If this process has imported one, its processes are forks that have it already."""

# torchvision warns of this whenever it is imported with a torch that it was not built for.
NOISE = "Failed to load image Python extension"
warnings.filterwarnings("ignore", message=NOISE)
os.environ.setdefault("PYTHONWARNINGS", f"ignore:{NOISE}")


class Seconds(NamedTuple):
    """Seconds of the clock's time and of processor time."""

    wall: float
    processor: float

    @classmethod
    def now(cls) -> "Seconds":
        _synchronize()
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return cls(time.perf_counter(), time.process_time() + children.ru_utime + children.ru_stime)

    def since(self, start: "Seconds") -> "Seconds":
        return Seconds(self.wall - start.wall, self.processor - start.processor)


class Spread(NamedTuple):
    """The median, smallest and largest of some values."""

    median: float
    min: float
    max: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        return cls(statistics.median(values), min(values), max(values))

    def __format__(self, spec: str) -> str:
        return f"{self.median:{spec}} ({self.min:{spec}}–{self.max:{spec}})"


class Benchmark:
    """
    Competitors that do the same work at several settings. The other competitors are compared with the first. Settings
    and competitors are named tuples, whose fields are columns of the table.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments

    def settings(self) -> list[Any]:
        raise NotImplementedError

    def competitors(self, setting: Any) -> list[Any]:
        raise NotImplementedError

    def prepare(self, competitor: Any, setting: Any) -> Run:
        """A function that does the work once."""
        raise NotImplementedError

    def small(self, setting: Any) -> Any:
        """A setting whose work takes only a moment, but loads everything that the work needs."""
        raise NotImplementedError

    def share(self, competitor: Any) -> float:
        """The factor by which its times are multiplied, if it does more than the others."""
        return 1

    def problems(self, setting: Any) -> list[str]:
        """The values in which the competitors disagree."""
        raise NotImplementedError


def take_turns(runs: Mapping[Hashable, Run], rounds: int, warm_up: int = 1) -> dict[Any, list[Seconds]]:
    """The times of each run, in rounds in which all runs take their turn."""
    times: dict[Any, list[Seconds]] = {name: [] for name in runs}
    for i in range(warm_up + rounds):
        for name, run in runs.items():
            start = Seconds.now()
            run()
            seconds = Seconds.now().since(start)
            if i >= warm_up:
                times[name].append(seconds)
    return times


def in_own_process(function: Callable, *arguments: Any) -> Any:
    """Runs a function of a module in a fresh process of its own, and returns its result."""
    # It is forked from a server that has only imported the heavy packages, so it inherits neither threads nor a GPU.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([name for name in sys.modules if name.partition(".")[0] in HEAVY])
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(function, *arguments).result()


def peak_bytes(benchmark: Benchmark, competitor: Any, setting: Any) -> Optional[int]:
    """
    The number of bytes by which the work makes memory grow, in a process of its own; `None` if the process was killed,
    as when memory is full.
    """
    try:
        return in_own_process(_measure_peak, benchmark, competitor, setting)
    except BrokenProcessPool:
        return None


def _measure_peak(benchmark: Benchmark, competitor: Any, setting: Any) -> int:
    _set_threads(benchmark.arguments)
    benchmark.prepare(competitor, benchmark.small(setting))()
    run = benchmark.prepare(competitor, setting)
    return peak(run, getattr(benchmark.arguments, "device", "cpu"))


def peak(run: Run, device: str) -> int:
    """The growth of memory during a run in this process, in bytes. On a GPU, it is what PyTorch allocates there."""
    if device == "cpu":
        return growth(run)
    import torch

    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    run()
    return torch.cuda.max_memory_allocated() - before


def growth(run: Run) -> int:
    """The growth of this process's resident memory at its peak during a run, in bytes."""
    with contextlib.suppress(AttributeError, OSError):
        # Freed memory that the allocator keeps would hide the growth. Not all systems have this function.
        ctypes.CDLL(None).malloc_trim(0)
    before = _peak_so_far(forget=True)
    run()
    return _peak_so_far() - before


def _peak_so_far(forget: bool = False) -> int:
    """The largest resident size so far, in bytes. With `forget` (on Linux), it counts anew from now."""
    try:
        if forget:
            Path("/proc/self/clear_refs").write_text("5")
        status = Path("/proc/self/status").read_text()
        return 1024 * int(status.split("VmHWM:")[1].split()[0])
    except (OSError, IndexError):
        # This is in kilobytes, but on macOS in bytes.
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def relative_error(found: Any, expected: Any) -> float:
    """The largest difference of two tensors, as a share of the largest number expected."""
    return ((found - expected).abs().max() / expected.abs().max()).item()


def machine(device: str = "cpu") -> dict[str, str]:
    """The properties of this machine on which the figures depend."""
    import torch

    facts = {
        "processor": processor(),
        "instruction set": torch.backends.cpu.get_cpu_capability(),
        "caches": _caches(),
        "cores": str(num_cpus()),
        "threads": f"{torch.get_num_threads()}, OMP_WAIT_POLICY {os.environ.get('OMP_WAIT_POLICY', 'not set')}",
        "GPU": "not used",
        "torch": torch.__version__,
        "AllenNLP": version("allennlp"),
        "Python": platform.python_version(),
        "system": platform.platform(),
        "load before": f"{os.getloadavg()[0]:.2f}",
    }
    if device != "cpu":
        facts["GPU"] = (
            f"{torch.cuda.get_device_name()}, CUDA {torch.version.cuda}, cuDNN {torch.backends.cudnn.version()}"
        )
    return facts


def _caches() -> str:
    caches = []
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = ((folder / name).read_text().strip() for name in ("level", "type", "size"))
        caches.append(f"L{level}{kind[0].lower() if level == '1' else ''} {size}")
    return ", ".join(caches) or "unknown"


class Report:
    """A Markdown table, which is printed row by row below the machine. With --json, it is also written as JSON."""

    def __init__(self, arguments: argparse.Namespace, columns: Sequence[str]) -> None:
        self._path = arguments.json
        self._columns = list(columns)
        values = {name: value for name, value in vars(arguments).items() if name != "json"}
        facts = machine(getattr(arguments, "device", "cpu"))
        self._content = {"arguments": values, "machine": facts, "rows": []}

    def add(self, cells: Sequence[Any], row: dict[str, Any]) -> None:
        """Adds a row, given as printed cells and as JSON."""
        if not self._content["rows"]:
            _print_row(["machine", ""], header=True)
            for fact in self._content["machine"].items():
                _print_row(fact)
            print()
            _print_row(self._columns, header=True)
        _print_row(cells)
        plain = {name: value._asdict() if isinstance(value, Spread) else value for name, value in row.items()}
        self._content["rows"].append(plain)
        if self._path:
            # It is written after each row, so that a run that is stopped leaves what it has measured.
            Path(self._path).write_text(json.dumps(self._content, indent=1, default=str) + "\n")


def _print_row(cells: Sequence[Any], header: bool = False) -> None:
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)
    if header:
        print("|" + "---|" * len(cells), flush=True)


def parser(description: str, rounds: Optional[int], threads: Optional[int] = None) -> ScriptParser:
    """A parser with the options of all scripts that print tables. `rounds` is `None` if there are no rounds."""
    result = ScriptParser(description)
    if rounds is not None:
        result.add_argument("--rounds", type=positive, default=rounds, help="default: %(default)s")
        result.add_argument("--warm-up", type=int, default=1, help="rounds that do not count (default: %(default)s)")
    result.add_argument("--threads", type=positive, default=threads, help=f"default: {threads or 'as PyTorch has it'}")
    result.add_argument("--json", metavar="FILE", help="write the figures there too")
    return result


def comparison_parser(description: str, rounds: int, threads: Optional[int] = None) -> ScriptParser:
    """A parser with the options of benchmarks that `compare`."""
    result = parser(description, rounds, threads)
    result.add_argument("--device", default="cpu", help="cpu or cuda (default: %(default)s)")
    result.add_argument("--no-memory", action="store_true", help="measure time alone")
    return result


def parse(options: ScriptParser, arguments: Optional[Sequence[str]] = None) -> argparse.Namespace:
    """The options, by default those of the command line. It also sets the number of threads."""
    result = options.parse_args(arguments)
    if getattr(result, "device", "cpu") != "cpu":
        import torch

        if not torch.cuda.is_available():
            options.error(f"found --device {result.device} and no GPU that PyTorch can use, expected --device cpu")
    _set_threads(result)
    return result


def _set_threads(arguments: argparse.Namespace) -> None:
    if arguments.threads:
        import torch

        torch.set_num_threads(arguments.threads)


def compare(benchmark: Benchmark) -> int:
    """Measures all competitors at all settings. Returns the exit status."""
    arguments = benchmark.arguments
    report = None
    for setting in benchmark.settings():
        problems = benchmark.problems(setting)
        if problems:
            print(f"No figures at {setting}, values disagree:", *problems, sep="\n  ", file=sys.stderr)
            return 1
        competitors = benchmark.competitors(setting)
        clock = _clock(arguments)
        columns = ("ms", "ratio", "MiB", "ratio")
        report = report or Report(arguments, [*setting._fields, *competitors[0]._fields, *columns])
        times = take_turns({c: benchmark.prepare(c, setting) for c in competitors}, arguments.rounds, arguments.warm_up)
        times = {competitor: shared(benchmark, competitor, found) for competitor, found in times.items()}
        peaks = {c: None if arguments.no_memory else peak_bytes(benchmark, c, setting) for c in competitors}
        for competitor, peak in peaks.items():
            seconds, ratio = spreads(times[competitor], times[competitors[0]], clock)
            memory = ["" if peak is None else f"{peak / 2**20:.1f}", _ratio(peak, peaks[competitors[0]])]
            milliseconds = Spread(*(1000 * value for value in seconds))
            row = {**setting._asdict(), **competitor._asdict(), "clock": clock, "milliseconds": milliseconds}
            row.update(ratio=ratio, peak_bytes=peak)
            report.add([*setting, *competitor, f"{milliseconds:.1f}", f"{ratio:.2f}", *memory], row)
    return 0


def shared(benchmark: Benchmark, competitor: Any, times: Sequence[Seconds]) -> list[Seconds]:
    """A competitor's times, multiplied by its share."""
    share = benchmark.share(competitor)
    return [Seconds(*(share * value for value in one)) for one in times]


def _ratio(peak: Optional[int], first: Optional[int]) -> str:
    return f"{peak / first:.2f}" if peak is not None and first else ""


def _clock(arguments: argparse.Namespace) -> str:
    return "processor" if arguments.device == "cpu" and arguments.threads == 1 else "wall"


def spreads(times: Sequence[Seconds], others: Sequence[Seconds], clock: str) -> tuple[Spread, Spread]:
    """The spreads of the seconds, and of their ratios to another competitor's in the same rounds."""
    own, other = ([getattr(seconds, clock) for seconds in values] for values in (times, others))
    return Spread.of(own), Spread.of([a / b for a, b in zip(own, other)])


def _synchronize() -> None:
    """Waits for the GPU, if this process uses one."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        torch.cuda.synchronize()
