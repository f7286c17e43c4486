"""
Times the recurrence of C-GRU and of MAGE-GRU beside `torch.nn.GRU`, and measures what memory they take.

    python scripts/benchmarks/recurrence.py --json recurrence.json

Every row is one direction of one layer, its input projection included, with a hidden size and an input size that are
the same. C-GRU: half the state along sequential edges, half along coreference edges, both weighted by a softmax over
learnt keys. MAGE: a quarter of the state is coreferent, and edges have weight one. Every token belongs to one of so
many random clusters and reads the token of its cluster before it.

Time: each round runs every competitor once, and what is printed is the median over the rounds and the median over the
rounds of the ratio to `torch.nn.GRU` in the same round.

Memory: each number is from a process of its own, which runs the pass once at (2, 4) to have everything loaded, and then
once at the shape with its peak resident size taken before and after (`getrusage`); so it counts temporaries, gradients
and outputs, but neither parameters nor inputs. On a GPU it is `torch.cuda.max_memory_allocated`, less what was
allocated before.

Nothing is printed for a shape at which the backends' outputs or gradients disagree: the script then exits with status
1.
"""

import argparse
import itertools
import json
import multiprocessing
import resource
import statistics
import sys
import time
from typing import Callable, Dict, List, NamedTuple

import torch

from allennlp_coref_rc.modules.recurrence import NO_SOURCE, Edges, recurrence, sequential_sources

SHAPES = [(32, 100, 64), (32, 400, 64), (16, 2000, 64), (64, 100, 256)]
CLUSTERS = [5, 50, 500]
BACKENDS = {"cpu": ["plain", "cpp"], "cuda": ["plain", "triton"]}
BASELINE = "torch.nn.GRU"


class Competitor(NamedTuple):
    name: str
    backend: str
    clusters: int


def latest_of_same_cluster(clusters: torch.Tensor) -> torch.Tensor:
    """For each token the token before it of its cluster. Shape of both: (batch_size, sequence_length)."""
    sources = torch.full_like(clusters, NO_SOURCE)
    latest = clusters.new_full((clusters.size(0), int(clusters.max()) + 1), NO_SOURCE)
    for t in range(clusters.size(1)):
        sources[:, t : t + 1] = latest.gather(1, clusters[:, t : t + 1])
        latest.scatter_(1, clusters[:, t : t + 1], t)
    return sources


class Task:
    """What all competitors compute on: inputs, parameters and the gradient from outside."""

    def __init__(self, batch_size: int, length: int, size: int, device: str) -> None:
        torch.manual_seed(0)
        self.size = size
        self.inputs = torch.randn(batch_size, length, size, device=device).requires_grad_()
        self.upstream = torch.randn(batch_size, length, size, device=device)
        self.mask = torch.ones(batch_size, length, dtype=torch.bool, device=device)
        self.gru = torch.nn.GRU(size, size, batch_first=True).to(device)
        self.keys = (0.1 * torch.randn(2, size, device=device)).requires_grad_()
        self.sequential = sequential_sources(self.mask)
        self.parameters = [self.inputs, *self.gru.parameters(), self.keys]

    def function(self, competitor: Competitor) -> Callable[[], torch.Tensor]:
        if competitor.name == BASELINE:
            return lambda: self.gru(self.inputs)[0]
        batch_size, length = self.mask.shape
        generator = torch.Generator().manual_seed(competitor.clusters)
        clusters = torch.randint(competitor.clusters, (batch_size, length), generator=generator)
        coref = latest_of_same_cluster(clusters).unsqueeze(-1).to(self.mask.device)
        return lambda: self.recurrence(competitor, coref)

    def recurrence(self, competitor: Competitor, coref: torch.Tensor) -> torch.Tensor:
        weight_ih, weight_hh, bias_ih, bias_hh = self.gru.parameters()
        bias_hr_hz, bias_hn = bias_hh.split([2 * self.size, self.size])
        bias = bias_ih + torch.nn.functional.pad(bias_hr_hz, (0, self.size))
        projected = torch.nn.functional.linear(self.inputs, weight_ih, bias)
        if competitor.name == "C-GRU":
            split = self.size // 2
            scores = torch.nn.functional.linear(self.inputs, self.keys)
            nothing = torch.cat([torch.zeros_like(coref, dtype=torch.bool), coref == NO_SOURCE], dim=-1)
            weights = scores.masked_fill(nothing, -torch.inf).softmax(dim=-1).split(1, dim=-1)
        else:
            split = 3 * self.size // 4
            weights = [torch.ones_like(coref, dtype=projected.dtype)] * 2
        edges = [Edges(self.sequential, weights[0], 0, split), Edges(coref, weights[1], split, self.size)]
        return recurrence(projected, edges, weight_hh, bias_hn, self.mask, backend=competitor.backend)

    def forward(self, competitor: Competitor) -> Callable[[], None]:
        function = self.function(competitor)

        def run() -> None:
            with torch.no_grad():
                function()

        return run

    def forward_backward(self, competitor: Competitor) -> Callable[[], None]:
        function = self.function(competitor)

        def run() -> None:
            for parameter in self.parameters:
                parameter.grad = None
            function().backward(self.upstream)

        return run


PASSES = {"forward": Task.forward, "forward+backward": Task.forward_backward}


def disagreements(task: Task, competitors: List[Competitor]) -> List[str]:
    """
    Each backend is held against the first of its name and clusters: their difference, relative to the largest number,
    may be what rounding adds up to over the sequence.
    """
    problems, expected = [], {}
    for competitor in competitors:
        if competitor.name == BASELINE:
            continue
        output = task.function(competitor)()
        used = task.parameters if competitor.name == "C-GRU" else task.parameters[:-1]
        results = [output.detach(), *torch.autograd.grad(output, used, task.upstream)]
        first, others = expected.setdefault((competitor.name, competitor.clusters), (competitor.backend, results))
        for result, other in zip(results, others):
            error = ((result - other).abs().max() / other.abs().max()).item()
            if not error < 1e-4:
                problems.append(f"{competitor} differs from {first} by {error:.1e} of the largest number")
    return problems


def milliseconds(runs: Dict[Competitor, Callable[[], None]], rounds: int, device: str) -> Dict[Competitor, List[float]]:
    times: Dict[Competitor, List[float]] = {competitor: [] for competitor in runs}
    for i in range(rounds + 1):
        for competitor, run in runs.items():
            start = now(device)
            run()
            # The first round warms up.
            if i:
                times[competitor].append(1000 * (now(device) - start))
    return times


def now(device: str) -> float:
    if device != "cpu":
        torch.cuda.synchronize()
    return time.perf_counter()


def peak_bytes(*case) -> int:
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(measure_memory, case)


def measure_memory(competitor: Competitor, shape, name: str, device: str) -> int:
    PASSES[name](Task(2, 4, shape[2], device), competitor)()
    run = PASSES[name](Task(*shape, device), competitor)
    if device != "cpu":
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        run()
        return torch.cuda.max_memory_allocated() - before
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    run()
    # Kilobytes, but on macOS bytes.
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * (1 if sys.platform == "darwin" else 1024)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="FILE", help="write the rows to FILE")
    parser.add_argument("--shape", type=int, nargs=3, action="append", metavar=("BATCH", "TOKENS", "SIZE"))
    parser.add_argument("--clusters", type=int, nargs="+", default=CLUSTERS)
    parser.add_argument("--backends", nargs="+", help="the first is what others are held to (default: the device's)")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, help="of the CPU (default: PyTorch's)")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--no-memory", action="store_true")
    arguments = parser.parse_args()
    if arguments.threads:
        torch.set_num_threads(arguments.threads)
    device = arguments.device

    competitors = [Competitor(BASELINE, "torch", 0)] + [
        Competitor(name, backend, clusters)
        for name in ("C-GRU", "MAGE")
        for backend in arguments.backends or BACKENDS[torch.device(device).type]
        for clusters in arguments.clusters
    ]
    shapes = [tuple(shape) for shape in arguments.shape or SHAPES]
    peaks = {}
    if not arguments.no_memory:
        for case in itertools.product(competitors, shapes, PASSES):
            peaks[case] = peak_bytes(*case, device)
    rows = []
    for shape in shapes:
        task = Task(*shape, device)
        problems = disagreements(task, competitors)
        if problems:
            print(f"No timings at {shape}, the backends disagree:", *problems, sep="\n  ", file=sys.stderr)
            return 1
        print(f"\n{shape} (batch, tokens, size), {device}, {torch.get_num_threads()} threads")
        print(f"{'':14}{'backend':10}{'clusters':>8}  {'pass':18}{'ms':>9}{'ratio':>7}{'MiB':>8}{'ratio':>7}")
        for name, start in PASSES.items():
            times = milliseconds({c: start(task, c) for c in competitors}, arguments.rounds, device)
            for competitor in competitors:
                ratio = statistics.median(a / b for a, b in zip(times[competitor], times[competitors[0]]))
                peak, baseline = peaks.get((competitor, shape, name)), peaks.get((competitors[0], shape, name))
                rows.append(
                    {
                        "name": competitor.name,
                        "backend": competitor.backend,
                        "device": device,
                        "threads": torch.get_num_threads(),
                        "shape": list(shape),
                        "clusters": competitor.clusters,
                        "pass": name,
                        "milliseconds": statistics.median(times[competitor]),
                        "ratio": ratio,
                        "peak_bytes": peak,
                    }
                )
                memory = "" if peak is None else f"{peak / 2**20:8.1f}{peak / baseline:7.2f}"
                print(
                    f"{competitor.name:14}{competitor.backend:10}{competitor.clusters:8}  {name:18}"
                    f"{rows[-1]['milliseconds']:9.1f}{ratio:7.2f}{memory}"
                )
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(rows, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
