"""
Measures the time and memory of the recurrence of C-GRU and of MAGE-GRU with each backend, and of
`torch.nn.GRU`.

    python -m scripts.benchmarks recurrence --threads 2 --json recurrence.json

A row is one direction of one layer, with its input projection. Input and state have the same size. In C-GRU,
half of the state follows coreference edges, and a softmax over learnt keys weights the edges. In MAGE, a
quarter does, and all edges have the weight 1. Each token is in a random cluster, and reads from the token
before it in this cluster. oneDNN computes `torch.nn.LSTM`.

Values checked: all backends have the same outputs and gradients. With only sequential edges, they are those
of `torch.nn.GRU`.
"""

import argparse
import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch

from allennlp_coref_rc.modules.recurrence import (
    NO_SOURCE,
    Edges,
    RecurrenceInput,
    recurrence,
    sequential_sources,
)
from scripts.benchmarks.harness import Row, Run, Spread, Subject, Turn, positive, relative_error

SHAPES = [(32, 100, 64), (32, 400, 64), (16, 2000, 64), (64, 100, 256)]
PASSES = ("forward", "forward+backward")
BACKENDS = {"cpu": ["plain", "cpp"], "cuda": ["plain", "triton"]}
BASELINE, LSTM, GRU = "torch.nn.GRU", "torch.nn.LSTM", "GRU"
TOLERANCE = {"float32": 1e-4, "bfloat16": 0.1}
"""The largest difference that rounding may cause over a sequence, as a share of the largest number."""

Shape = NamedTuple("Shape", [("batch", int), ("tokens", int), ("size", int), ("passes", str), ("dtype", str)])


class Layer(NamedTuple):
    layer: str
    backend: str = ""
    clusters: int = 0


def latest_of_same_cluster(clusters: torch.Tensor) -> torch.Tensor:
    """
    For each token, the token before it in its cluster. Shape, also of `clusters`: (batch_size, num_tokens).
    """
    sources = torch.full_like(clusters, NO_SOURCE)
    latest = clusters.new_full((clusters.size(0), int(clusters.max()) + 1), NO_SOURCE)
    for t in range(clusters.size(1)):
        sources[:, t : t + 1] = latest.gather(1, clusters[:, t : t + 1])
        latest.scatter_(1, clusters[:, t : t + 1], t)
    return sources


class Task:
    """The inputs, the parameters and the gradient of the output, which are the same for all layers."""

    def __init__(self, shape: Shape, device: str) -> None:
        torch.manual_seed(0)
        self.size = shape.size
        options: dict[str, Any] = {"device": device, "dtype": getattr(torch, shape.dtype)}
        self.inputs = torch.randn(*shape[:3]).to(**options).requires_grad_()
        self.upstream = torch.randn(*shape[:3]).to(**options)
        self.mask = torch.ones(*shape[:2], dtype=torch.bool, device=device)
        self.modules = {
            name: module(shape.size, shape.size, batch_first=True).to(**options)
            for name, module in ((BASELINE, torch.nn.GRU), (LSTM, torch.nn.LSTM))
        }
        self.keys = (0.1 * torch.randn(2, shape.size)).to(**options).requires_grad_()
        self.sequential = sequential_sources(self.mask)

    def parameters(self, layer: Layer) -> list[torch.Tensor]:
        module = self.modules.get(layer.layer, self.modules[BASELINE])
        return [self.inputs, *module.parameters(), *([self.keys] if layer.layer == "C-GRU" else [])]

    def function(self, layer: Layer) -> Callable[[], torch.Tensor]:
        if layer.layer in self.modules:
            return lambda: self.modules[layer.layer](self.inputs)[0]
        generator = torch.Generator().manual_seed(layer.clusters)
        clusters = torch.randint(max(layer.clusters, 1), self.mask.shape, generator=generator)
        coref = latest_of_same_cluster(clusters).unsqueeze(-1).to(self.mask.device)
        return lambda: self.recurrence(layer, coref)

    def recurrence(self, layer: Layer, coref: torch.Tensor) -> torch.Tensor:
        weight_ih, weight_hh, bias_ih, bias_hh = self.modules[BASELINE].parameters()
        bias_hr_hz, bias_hn = bias_hh.split([2 * self.size, self.size])
        bias = bias_ih + torch.nn.functional.pad(bias_hr_hz, (0, self.size))
        ones = torch.ones_like(coref, dtype=self.inputs.dtype)
        split = {"C-GRU": self.size // 2, "MAGE": 3 * self.size // 4, GRU: self.size}[layer.layer]
        keys = self.keys if layer.layer == "C-GRU" else None
        exists = ones if keys is None else (coref != NO_SOURCE).to(ones.dtype)
        edges = [Edges(self.sequential, ones, 0, split), Edges(coref, exists, split, self.size)]
        projection = {"weight_ih": weight_ih, "bias": bias, "keys": keys}
        given = RecurrenceInput(self.inputs, edges, weight_hh, bias_hn, self.mask, **projection)
        return recurrence(given, backend=layer.backend)


class Recurrence(Subject):
    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--shape", type=positive, nargs=3, action="append", metavar=("BATCH", "TOKENS", "SIZE")
        )
        parser.add_argument("--clusters", type=positive, nargs="+", default=[5, 50, 500])
        parser.add_argument("--backends", nargs="+", help="default: all that the device has")
        parser.add_argument("--dtype", default="float32", choices=TOLERANCE)

    def settings(self) -> list[Shape]:
        shapes = itertools.product(self.arguments.shape or SHAPES, PASSES)
        return [Shape(*shape, passes, self.arguments.dtype) for shape, passes in shapes]

    def competitors(self, setting: Shape) -> list[Layer]:
        backends = self.arguments.backends or BACKENDS[self.arguments.device]
        ours = itertools.product(("C-GRU", "MAGE"), backends, self.arguments.clusters)
        return [*map(Layer, (BASELINE, LSTM)), *itertools.starmap(Layer, ours)]

    def small(self, setting: Shape) -> Shape:
        return setting._replace(batch=2, tokens=4)

    def prepare(self, competitor: Layer, setting: Shape) -> Run:
        task = Task(setting, self.arguments.device)
        function, parameters = task.function(competitor), task.parameters(competitor)

        def forward() -> None:
            with torch.no_grad():
                function()

        def forward_backward() -> None:
            for parameter in parameters:
                parameter.grad = None
            function().backward(task.upstream)

        return forward if setting.passes == "forward" else forward_backward

    def details(self, setting: Shape, competitor: Layer, turns: Sequence[Turn]) -> Row:
        return {"µs a token": Spread.of(1e6 * value / setting.tokens for value in self.seconds(turns))}

    def problems(self, setting: Shape) -> list[str]:
        task, problems = Task(setting, self.arguments.device), []
        expected: dict[Any, tuple[Layer, list[torch.Tensor]]] = {}
        layers = [layer for layer in self.competitors(setting) if layer.layer != LSTM]
        layers += [Layer(GRU, backend) for backend in {layer.backend for layer in layers} - {""}]
        for layer in layers:
            output = task.function(layer)()
            results = [output.detach(), *torch.autograd.grad(output, task.parameters(layer), task.upstream)]
            same = BASELINE if layer.layer == GRU else layer.layer, layer.clusters
            first, others = expected.setdefault(same, (layer, results))
            error = max(relative_error(*pair) for pair in zip(results, others))
            if not error <= TOLERANCE[setting.dtype]:
                problems.append(f"{layer} differs from {first} by {error:.1e} of the largest number")
        return problems
