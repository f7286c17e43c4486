"""
Measures the time and memory of the recurrence of C-GRU and of MAGE-GRU with each backend, and of `torch.nn.GRU`.

    python scripts/benchmarks/recurrence.py --threads 2 --rounds 7 --json recurrence.json

A row is one direction of one layer, with its input projection. Input and state have the same size. In C-GRU, half of
the state follows sequential edges and half follows coreference edges, and a softmax over learnt keys weights both. In
MAGE, a quarter of the state follows coreference edges, and edges have the weight 1. Each token is in a random cluster,
and reads from the token before it in this cluster.

Two more rows are closer to what a processor can do. One is 0.75 of the time of `torch.nn.LSTM`, which oneDNN computes:
it has four products where a GRU has three. The other, only forward, is the GRU of ONNX Runtime, if the packages onnx
and onnxruntime are installed.

Values checked: all backends have the same outputs and gradients. With only sequential edges, they are those of
`torch.nn.GRU`.
"""

import importlib.util
import io
import warnings
from collections.abc import Callable
from typing import NamedTuple

import torch
from harness import Benchmark, Run, compare, comparison_parser, parse, positive, relative_error

from allennlp_coref_rc.common.script import ScriptParser, run
from allennlp_coref_rc.modules.recurrence import NO_SOURCE, Edges, RecurrenceInput, recurrence, sequential_sources

SHAPES = [(32, 100, 64), (32, 400, 64), (16, 2000, 64), (64, 100, 256)]
CLUSTERS = [5, 50, 500]
PASSES = ("forward", "forward+backward")
BACKENDS = {"cpu": ["plain", "cpp"], "cuda": ["plain", "triton"]}
BASELINE, GRU = "torch.nn.GRU", "GRU"
LSTM, LSTM_SHARE = "0.75 torch.nn.LSTM", 0.75
ONNX = "ONNX Runtime GRU"
TOLERANCE = {"float32": 1e-4, "bfloat16": 0.1}
"""The largest difference that rounding may cause over a sequence, as a share of the largest number."""


class Shape(NamedTuple):
    batch: int
    tokens: int
    size: int
    passes: str


class Layer(NamedTuple):
    layer: str
    backend: str
    clusters: int


def latest_of_same_cluster(clusters: torch.Tensor) -> torch.Tensor:
    """
    For each token, the token before it in its cluster. Shape of `clusters` and the result: (batch_size,
    sequence_length).
    """
    sources = torch.full_like(clusters, NO_SOURCE)
    latest = clusters.new_full((clusters.size(0), int(clusters.max()) + 1), NO_SOURCE)
    for t in range(clusters.size(1)):
        sources[:, t : t + 1] = latest.gather(1, clusters[:, t : t + 1])
        latest.scatter_(1, clusters[:, t : t + 1], t)
    return sources


class Task:
    """The inputs, the parameters and the gradient of the output, which are the same for all layers."""

    def __init__(self, shape: Shape, device: str, dtype: str) -> None:
        torch.manual_seed(0)
        self.size = shape.size
        options = {"device": device, "dtype": getattr(torch, dtype)}
        self.inputs = torch.randn(*shape[:3]).to(**options).requires_grad_()
        self.upstream = torch.randn(*shape[:3]).to(**options)
        self.mask = torch.ones(*shape[:2], dtype=torch.bool, device=device)
        self.gru = torch.nn.GRU(shape.size, shape.size, batch_first=True).to(**options)
        self.lstm = torch.nn.LSTM(shape.size, shape.size, batch_first=True).to(**options)
        self.keys = (0.1 * torch.randn(2, shape.size)).to(**options).requires_grad_()
        self.sequential = sequential_sources(self.mask)

    def parameters(self, layer: Layer) -> list[torch.Tensor]:
        if layer.layer == LSTM:
            return [self.inputs, *self.lstm.parameters()]
        return [self.inputs, *self.gru.parameters(), *([self.keys] if layer.layer == "C-GRU" else [])]

    def function(self, layer: Layer) -> Callable[[], torch.Tensor]:
        if layer.layer == BASELINE:
            return lambda: self.gru(self.inputs)[0]
        if layer.layer == LSTM:
            return lambda: self.lstm(self.inputs)[0]
        if layer.layer == ONNX:
            return self.onnx()
        generator = torch.Generator().manual_seed(layer.clusters)
        clusters = torch.randint(max(layer.clusters, 1), self.mask.shape, generator=generator)
        coref = latest_of_same_cluster(clusters).unsqueeze(-1).to(self.mask.device)
        return lambda: self.recurrence(layer, coref)

    def onnx(self) -> Callable[[], torch.Tensor]:
        import onnxruntime

        file = io.BytesIO()
        with warnings.catch_warnings():
            # The warning is that the export is for a single batch size.
            warnings.simplefilter("ignore")
            torch.onnx.export(self.gru, (self.inputs.detach(),), file, dynamo=False, input_names=["inputs"])
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = torch.get_num_threads()
        # Its threads would wait for work in a loop, and take a core away from what comes next.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        session = onnxruntime.InferenceSession(file.getvalue(), options, providers=["CPUExecutionProvider"])
        inputs = {"inputs": self.inputs.detach().numpy()}
        return lambda: torch.from_numpy(session.run(None, inputs)[0])

    def recurrence(self, layer: Layer, coref: torch.Tensor) -> torch.Tensor:
        weight_ih, weight_hh, bias_ih, bias_hh = self.gru.parameters()
        bias_hr_hz, bias_hn = bias_hh.split([2 * self.size, self.size])
        bias = bias_ih + torch.nn.functional.pad(bias_hr_hz, (0, self.size))
        ones = torch.ones_like(coref, dtype=self.inputs.dtype)
        split = {"C-GRU": self.size // 2, "MAGE": 3 * self.size // 4, GRU: self.size}[layer.layer]
        keys = self.keys if layer.layer == "C-GRU" else None
        exists = ones if keys is None else (coref != NO_SOURCE).to(ones.dtype)
        edges = [Edges(self.sequential, ones, 0, split), Edges(coref, exists, split, self.size)]
        given = RecurrenceInput(
            self.inputs, edges, weight_hh, bias_hn, self.mask, weight_ih=weight_ih, bias=bias, keys=keys
        )
        return recurrence(given, backend=layer.backend)


class Recurrence(Benchmark):
    def settings(self) -> list[Shape]:
        return [Shape(*shape, passes) for shape in self.arguments.shape or SHAPES for passes in PASSES]

    def backends(self) -> list[str]:
        return self.arguments.backends or BACKENDS[torch.device(self.arguments.device).type]

    def competitors(self, setting: Shape) -> list[Layer]:
        layers = (
            Layer(name, backend, clusters)
            for name in ("C-GRU", "MAGE")
            for backend in self.backends()
            for clusters in self.arguments.clusters
        )
        on_cpu = (self.arguments.device, self.arguments.dtype) == ("cpu", "float32")
        onnx = [ONNX] if setting.passes == "forward" and on_cpu and has_onnx() else []
        return [*(Layer(name, "", 0) for name in (BASELINE, LSTM, *onnx)), *layers]

    def share(self, competitor: Layer) -> float:
        return LSTM_SHARE if competitor.layer == LSTM else 1

    def small(self, setting: Shape) -> Shape:
        return setting._replace(batch=2, tokens=4)

    def task(self, setting: Shape) -> Task:
        return Task(setting, self.arguments.device, self.arguments.dtype)

    def prepare(self, competitor: Layer, setting: Shape) -> Run:
        task = self.task(setting)
        function, parameters = task.function(competitor), task.parameters(competitor)

        def forward() -> None:
            with torch.no_grad():
                function()

        def forward_backward() -> None:
            for parameter in parameters:
                parameter.grad = None
            function().backward(task.upstream)

        return forward if setting.passes == "forward" else forward_backward

    def problems(self, setting: Shape) -> list[str]:
        task, problems, expected = self.task(setting), [], {}
        if Layer(ONNX, "", 0) in self.competitors(setting):
            error = relative_error(task.onnx()(), task.gru(task.inputs)[0])
            if not error <= TOLERANCE[self.arguments.dtype]:
                problems.append(f"{ONNX} differs from {BASELINE} by {error:.1e} of the largest number")
        if setting.passes == "forward":
            # Outputs and gradients are checked together, with a setting that has gradients.
            setting = setting._replace(passes=PASSES[-1])
        plain = [Layer(GRU, backend, 0) for backend in self.backends()]
        for layer in [*self.competitors(setting), *plain]:
            if layer.layer == LSTM:
                continue
            output = task.function(layer)()
            results = [output.detach(), *torch.autograd.grad(output, task.parameters(layer), task.upstream)]
            same = BASELINE if layer.layer == GRU else layer.layer, layer.clusters
            first, others = expected.setdefault(same, (layer, results))
            error = max(relative_error(*pair) for pair in zip(results, others))
            if not error <= TOLERANCE[self.arguments.dtype]:
                problems.append(f"{layer} differs from {first} by {error:.1e} of the largest number")
        return problems


def has_onnx() -> bool:
    return all(importlib.util.find_spec(name) for name in ("onnx", "onnxruntime"))


def options() -> ScriptParser:
    result = comparison_parser(__doc__, rounds=15)
    result.add_argument("--shape", type=positive, nargs=3, action="append", metavar=("BATCH", "TOKENS", "SIZE"))
    result.add_argument("--clusters", type=positive, nargs="+", default=CLUSTERS)
    result.add_argument("--backends", nargs="+", help="default: all that the device has")
    result.add_argument("--dtype", default="float32", choices=TOLERANCE)
    return result


if __name__ == "__main__":
    run(lambda: compare(Recurrence(parse(options()))))
