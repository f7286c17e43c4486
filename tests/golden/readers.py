"""
The layouts of golden GA Readers with Coref-GRU, as the authors' code has them for WikiHop and for LAMBADA:
the arrays that a file must have, and its variables in the order of their creation.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy

from allennlp_coref_rc.common.errors import ConfigurationError
from tests.golden import coref_gru, coref_gru_lambada

GRU = [name + gate for gate in "ruh" for name in "WUb"]
COREF_GRU = [*GRU, "Watt"]

DIMENSIONS = {"filter": 4, **{name: 1 for name in GRU if name.startswith("b")}}
"""Of variables that are no matrices."""


class Layout(NamedTuple):
    differences: Callable[[Mapping[str, numpy.ndarray]], dict[str, float]]
    arrays: list[str]
    """Names, where " or " is between those of which a file has one."""
    coref_grus: int
    """In a layer, before the plain ones."""
    grus: int

    def fits(self, golden: Mapping[str, numpy.ndarray]) -> bool:
        layer = self.coref_grus * COREF_GRU + self.grus * GRU
        embeddings = coref_gru.embeddings_of(golden)
        layers, left = divmod(len(golden["var_names"]) - len(embeddings), len(layer))
        if (
            layers < 1
            or left
            or not all(any(name in golden for name in names.split(" or ")) for names in self.arrays)
        ):
            return False
        variables = enumerate(embeddings + layers * layer)
        return all(golden[f"v{i:02d}"].ndim == DIMENSIONS.get(name, 2) for i, name in variables)


TEXTS = ["dw", "qw", "md", "mq", "dei", "deo", "cand", "ans"]
OUTPUTS = ["probc", "loss"]

LAYOUTS = {
    "WikiHop": Layout(
        coref_gru.model_differences,
        [*TEXTS, *OUTPUTS],
        coref_grus=2,
        grus=2,
    ),
    "LAMBADA": Layout(
        coref_gru_lambada.model_differences,
        [*TEXTS, "qei", "qeo", " or ".join(coref_gru_lambada.CLOZE), *OUTPUTS],
        coref_grus=4,
        grus=0,
    ),
}


def differences(golden: Mapping[str, numpy.ndarray]) -> dict[str, float]:
    """By output the largest difference of a reader of the layout that fits."""
    layout = next((layout for layout in LAYOUTS.values() if layout.fits(golden)), None)
    if layout is None:
        names = golden["var_names"].ravel().tolist()
        raise ConfigurationError(
            f"found the variables {names}, expected the layout of {' or '.join(LAYOUTS)}"
        )
    return layout.differences(golden)
