"""
Random arguments of the recurrence, and how exact its results are. Tests and the benchmarks on a GPU use it.
"""

import math
import warnings
from contextlib import contextmanager

import torch

from allennlp_coref_rc.modules.recurrence import (
    NO_SOURCE,
    Edges,
    RecurrenceInput,
    recurrence,
    sequential_sources,
)


class Case:
    """
    Random arguments of `recurrence`: a sequential relation, one with several edges a token whose sources lie
    anywhere (before, after, at padding, in the memory, nowhere), one that overlaps both, and one without
    edges. With `extra` columns m_t is that much wider than the state, and slices are added elsewhere than
    where they come from. With `features` the recurrence projects the inputs itself; with `keys` it also
    weighs the edges, but for some.
    """

    def __init__(
        self,
        batch_size,
        length,
        size,
        memory_length=None,
        reverse=False,
        seed=0,
        extra=0,
        features=None,
        keys=False,
    ):
        generator = torch.Generator().manual_seed(seed)

        def randn(*shape):
            return torch.randn(*shape, generator=generator, dtype=torch.float64)

        self.mask = torch.rand(batch_size, length, generator=generator) < 0.8
        self.mask[:1] = True
        self.mask[1:2] = False
        self.mask[2:3, : length // 2] = False
        self.mask[3:4, length // 2 :] = False
        self.reverse = reverse
        num_states = length + (memory_length or 0)
        shape = (batch_size, length, 3)
        anywhere = torch.randint(NO_SOURCE, max(num_states, 1), shape, generator=generator)
        twice = anywhere[:, :, :1].expand(-1, -1, 2)
        half = size // 2
        self.sources = [sequential_sources(self.mask, reverse), anywhere, twice, anywhere[:, :, :0]]
        self.slices = [(0, half), (half, size), (size // 4, size), (0, size)]
        if extra:
            self.slices = [
                (start, stop, to)
                for (start, stop), to in zip(self.slices, (0, extra + half, extra // 2, extra))
            ]
        self.tensors = {
            "inputs": randn(batch_size, length, 3 * size),
            "weight_hh": randn(3 * size, size + extra) / math.sqrt(size + extra),
            "bias_hn": randn(size),
        }
        if memory_length is not None:
            self.tensors["memory"] = randn(batch_size, memory_length, size)
        for i, sources in enumerate(self.sources):
            self.tensors[f"weights_{i}"] = 0.6 * randn(*sources.shape)
        self.upstream = randn(batch_size, length, size)
        if features:
            self.tensors["inputs"] = randn(batch_size, length, features)
            self.tensors["weight_ih"] = randn(3 * size, features) / math.sqrt(features)
            self.tensors["bias"] = randn(3 * size)
        if keys:
            self.tensors["keys"] = randn(len(self.sources), features)
            for i, sources in enumerate(self.sources):
                self.tensors[f"weights_{i}"] = (randn(*sources.shape) > -0.5).double()

    def on(self, device, relations=None):
        """This case on a device, by default with all relations."""
        self.sources = [sources.to(device) for sources in self.sources[:relations]]
        missing = {f"weights_{i}" for i in range(len(self.sources), len(self.slices))}
        self.tensors = {
            name: tensor.to(device) for name, tensor in self.tensors.items() if name not in missing
        }
        self.mask, self.upstream = self.mask.to(device), self.upstream.to(device)
        return self

    def function(self, backend):
        def run(*tensors):
            named = dict(zip(self.tensors, tensors))
            edges = [
                Edges(sources, named[f"weights_{i}"], *self.slices[i])
                for i, sources in enumerate(self.sources)
            ]
            given = {name: tensor for name, tensor in named.items() if not name.startswith("weights")}
            given = RecurrenceInput(edges=edges, mask=self.mask, reverse=self.reverse, **given)
            return recurrence(given, backend=backend)

        return run

    def run(self, backend, dtype):
        """Output and every gradient, as float64."""
        tensors = [tensor.to(dtype).requires_grad_() for tensor in self.tensors.values()]
        output = self.function(backend)(*tensors)
        gradients = torch.autograd.grad(output, tensors, self.upstream.to(dtype), allow_unused=True)
        results = {"output": output.detach().double()}
        for name, tensor, gradient in zip(self.tensors, tensors, gradients):
            results[name] = torch.zeros_like(tensor).double() if gradient is None else gradient.double()
        return results


def assert_as_good_as(results, oracle, yardstick, dtype):
    """
    The error against float64 may be twice that of the reference in the same dtype. A sum of few numbers is
    sometimes exact by luck, so a few units in the last place are allowed too. Returns the largest error as a
    share of the largest number, that of the reference, and where it is.
    """
    assert results.keys() == oracle.keys()
    worst = 0.0, 0.0, ""
    for name, expected in oracle.items():
        assert results[name].shape == expected.shape, name
        if expected.numel():
            error, allowed = ((x[name] - expected).abs().max().item() for x in (results, yardstick))
            largest = expected.abs().max().item()
            slack = 32 * torch.finfo(dtype).eps * max(1.0, largest)
            assert error <= 2 * allowed + slack, (
                f"{name}: error {error:.1e}, the reference's own is {allowed:.1e}"
            )
            worst = max(worst, (error / (largest or 1.0), allowed / (largest or 1.0), name))
    return worst


@contextmanager
def poisoned_memory():
    """Within this, new memory is filled with NaN, which shows if a kernel does not write a number."""
    before = (
        torch.are_deterministic_algorithms_enabled(),
        torch.is_deterministic_algorithms_warn_only_enabled(),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.use_deterministic_algorithms(True, warn_only=True)
        try:
            yield
        finally:
            torch.use_deterministic_algorithms(before[0], warn_only=before[1])
