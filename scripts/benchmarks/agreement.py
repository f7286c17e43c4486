"""Compares a backend's recurrence with the reference in float64, in outputs and in all gradients."""

import itertools
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, Optional

import torch
from harness import relative_error

from allennlp_coref_rc.modules.recurrence import NO_SOURCE, Edges, RecurrenceInput, recurrence, sequential_sources


class Disagreement(Exception):
    """A backend computes something different from the reference."""


class Case(NamedTuple):
    """
    A recurrence in one direction, with edges of this many relations, and with or without a memory of another sequence.
    """

    relations: int
    memory: bool
    reverse: bool

    def __str__(self) -> str:
        words = [f"{self.relations} relations", "memory" if self.memory else "", "reverse" if self.reverse else ""]
        return ", ".join(filter(None, words))


CASES = [Case(*case) for case in itertools.product((0, 1, 2), (False, True), (False, True))]
"""The first relation is the sequential edges. The second has two edges for each token."""


class Errors(NamedTuple):
    """The largest errors of a backend and of the reference in the same type, as shares of the largest number."""

    own: float
    reference: float
    where: str


def errors(case: Case, size: int, dtype: torch.dtype, device: str, backend: str, shape: Any) -> Errors:
    """
    The largest of the errors of the output and the gradients. If it is more than twice the error of the reference in
    the same type, a `Disagreement` is raised. A sum of few numbers is sometimes exact by luck, so a few units in the
    last place are allowed too.
    """
    made = _made(case, size, device, *shape)
    exact = _results(case, made, torch.float64, "reference")
    same_type = _results(case, made, dtype, "reference")
    with poisoned():
        found = _results(case, made, dtype, backend)
    worst = Errors(0.0, 0.0, "")
    for name, expected in exact.items():
        own, allowed = (relative_error(results[name].double(), expected) for results in (found, same_type))
        if not own <= 2 * allowed + 32 * torch.finfo(dtype).eps:
            raise Disagreement(
                f"{case}: {name} is wrong by {own:.1e} of the largest number, the reference {allowed:.1e}"
            )
        worst = max(worst, Errors(own, allowed, f"{name}: {case}"))
    return worst


@contextmanager
def poisoned() -> Iterator[None]:
    """Within this, new memory is filled with NaN, which shows if a kernel does not write a number."""
    before = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.use_deterministic_algorithms(True, warn_only=True)
        try:
            yield
        finally:
            torch.use_deterministic_algorithms(before[0], warn_only=before[1])


def _made(case: Case, size: int, device: str, batch: int, length: int, memory: int) -> dict[str, Any]:
    """Tensors in float64 and sources. They are made on the CPU, so that they are the same on any device."""
    generator = torch.Generator().manual_seed(size)

    def normal(*shape: int, scale: float = 1.0) -> torch.Tensor:
        return (scale * torch.randn(*shape, generator=generator, dtype=torch.float64)).to(device)

    lengths = torch.randint(1, length + 1, (batch, 1), generator=generator)
    lengths[0] = length
    mask = torch.arange(length) < lengths
    if length > 2:
        # This makes a hole in the mask.
        mask[-1, 1] = False
    states = length + (memory if case.memory else 0)
    coref = torch.randint(NO_SOURCE, states, (batch, length, 2), generator=generator)
    relations = [sequential_sources(mask, case.reverse), coref][: case.relations]
    tensors = {
        "inputs": normal(batch, length, 3 * size),
        "weight_hh": normal(3 * size, size, scale=size**-0.5),
        "bias_hn": normal(size),
        **({"memory": normal(batch, memory, size)} if case.memory else {}),
        **{f"weights {i}": normal(*sources.shape, scale=0.5) for i, sources in enumerate(relations)},
    }
    upstream = normal(batch, length, size)
    return {
        "tensors": tensors,
        "sources": [sources.to(device) for sources in relations],
        "mask": mask.to(device),
        "upstream": upstream,
    }


def _results(case: Case, made: dict[str, Any], dtype: torch.dtype, backend: str) -> dict[str, torch.Tensor]:
    """The output and the gradients."""
    tensors = {name: tensor.to(dtype).requires_grad_() for name, tensor in made["tensors"].items()}
    size = tensors["bias_hn"].size(0)
    middle = size // 2
    slices = {0: [], 1: [(0, size)], 2: [(0, middle), (middle, size)]}[case.relations]
    edges: list[Edges] = [
        Edges(sources, tensors[f"weights {i}"], *part) for i, (sources, part) in enumerate(zip(made["sources"], slices))
    ]
    memory: Optional[torch.Tensor] = tensors.get("memory")
    given = RecurrenceInput(
        tensors["inputs"], edges, tensors["weight_hh"], tensors["bias_hn"], made["mask"], memory, case.reverse
    )
    output = recurrence(given, backend=backend)
    gradients = torch.autograd.grad(output, list(tensors.values()), made["upstream"].to(dtype), allow_unused=True)
    found = {f"gradient of {name}": gradient for name, gradient in zip(tensors, gradients)}
    # Without edges, nothing reads the memory; without an earlier state, nothing uses the recurrent weights.
    return {"output": output.detach(), **{name: x for name, x in found.items() if x is not None and x.abs().max() > 0}}
