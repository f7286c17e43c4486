"""
Golden values of the GA Reader with Coref-GRU as its authors' code has it for LAMBADA, the authors' and our
own: a Coref-GRU over the question too, and a place to fill; usually no characters and no feature of the question.
"""

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any

import numpy
import torch
from allennlp.common import Lazy
from allennlp.common.checks import ConfigurationError
from torch.func import functional_call

from allennlp_coref_rc.data.annotation_layers.edges import OTHER_SEQUENCE
from allennlp_coref_rc.models import GAReader
from allennlp_coref_rc.modules.answer_layers import AttentionSum
from allennlp_coref_rc.modules.seq2seq_encoders import CorefGRU
from tests.golden.coref_gru import (
    EMBEDDER,
    State,
    Variables,
    candidates_of,
    embedder_of,
    embedding_state,
    embeddings_of,
    output_differences,
    reads_feature,
    sources,
    text_of,
)
from tests.golden.derivatives import difference, leaves

EPSILON = 1e-30
"""What the authors' code adds to probabilities here."""

CLOZE = ("cl", "cloze")
"""Names that the place to fill may have."""

ENCODERS = [(part, suffix) for part in ("passage", "question") for suffix in ("", "_reverse")]
"""The four encoders of a layer, in our order."""


def model_of(golden: Mapping[str, Any], order: Sequence[tuple[str, str]]) -> GAReader:
    state = model_state(golden, order)
    vocab, embedder = embedder_of(state)
    encoders: dict[str, list[CorefGRU]] = {"passage": [], "question": []}
    options = {"questions_padded_to": golden["mq"].shape[1]}
    for name, value in state.items():
        if name.endswith(".weight_ih_l0"):
            encoders[name[1:].partition("_")[0]].append(
                CorefGRU(value.size(1), value.size(0) // 3, **options)
            )
    model = GAReader(
        vocab,
        embedder,
        encoders["passage"],
        encoders["question"],
        stack_question=True,
        read_out="cloze",
        qe_comm="_qe_comm.weight" in state,
        pointer=Lazy(AttentionSum, constructor_extras={"epsilon": float(golden.get("epsilon", EPSILON))}),
    )
    model.to(state[f"{EMBEDDER}word.weight"].dtype).load_state_dict(state)
    return model


def model_state(golden: Mapping[str, Any], order: Sequence[tuple[str, str]]) -> State:
    """The authors' variables as a state dict, where each layer has its encoders in this order."""
    variables, names = Variables(golden, "v"), embeddings_of(golden)
    # An encoder has ten variables, a layer four encoders.
    layers = (len(golden["var_names"]) - len(names)) // 40
    state = embedding_state(variables, names, reads_feature(golden, layers))
    for i in range(layers):
        for part, suffix in order:
            state.update({f"_{part}_encoders.{i}.{k}": v for k, v in variables.gru(True, suffix).items()})
    variables.finished()
    return state


def padded(golden: Mapping[str, Any]) -> dict[str, Any]:
    """With a token of padding after the questions."""
    return {
        name: numpy.pad(array, [(0, 0), (0, 1), *[(0, 0)] * (array.ndim - 2)])
        if name in ("qw", "qc", "mq", "qei", "qeo")
        else array
        for name, array in golden.items()
    }


def model_inputs(golden: Mapping[str, Any]) -> dict[str, Any]:
    cloze = next(golden[name] for name in CLOZE if name in golden)
    width = golden["mq"].shape[1]
    golden = padded(golden)
    passage_mask, question_mask = golden["md"] > 0, golden["mq"] > 0
    length, question_length = passage_mask.shape[1], question_mask.shape[1]

    def joined(of_passage: str, of_question: numpy.ndarray, reverse: bool = False) -> torch.LongTensor:
        other = {"dei": "deo", "deo": "dei"}[of_passage]
        question = {"dei": golden["qei"], "deo": golden["qeo"]}
        reads = numpy.concatenate([golden[of_passage], question[of_passage]], axis=1)
        writes = numpy.concatenate([golden[other], question[other] * of_question], axis=1)
        return sources(reads, writes, reverse)

    def of_other(source: torch.Tensor, begins: int, ends: int, first: int) -> torch.Tensor:
        """Positions in a joint text as one of its parts counts them."""
        own = (source >= begins) & (source < ends)
        return torch.where(
            source < 0, source, torch.where(own, source - begins, OTHER_SEQUENCE - (source - first))
        )

    everything, last = numpy.ones((question_length, 1)), numpy.zeros((question_length, 1))
    last[width - 1] = 1
    # Backward, what the passage reads of the question was written at its last position.
    descendants = joined("deo", last, reverse=True)[:, :length]
    antecedents = joined("dei", everything)[:, length:]
    of_passage = {
        "antecedents": sources(golden["dei"], golden["deo"]),
        "descendants": of_other(descendants, 0, length, length),
    }
    of_question = {
        "antecedents": of_other(antecedents, length, length + question_length, 0),
        "descendants": sources(golden["qeo"], golden["qei"], reverse=True),
    }
    return {
        "passage": text_of(golden, "d"),
        "question": text_of(golden, "q"),
        "candidates": candidates_of(golden),
        # Where there is no place to fill, a vector of zeros, as that of the padding: see `padded`.
        "cloze": torch.tensor(numpy.where(cloze < 0, width, cloze)).long().reshape(-1, 1),
        "answer": torch.tensor(golden["ans"]).long().flatten(),
        "passage_annotations": {"coref": of_passage},
        "question_annotations": {"coref": of_question},
    }


def model_differences(golden: Mapping[str, Any]) -> dict[str, float]:
    """
    By output the largest difference of the whole reader. The names of the variables do not say which encoder
    is which: of the orders that fit, the one that comes closest counts.
    """
    inputs = model_inputs(golden)
    found, refused = [], Exception()
    for order in permutations(ENCODERS):
        try:
            model = model_of(golden, order)
        except (ConfigurationError, RuntimeError) as error:
            # In this order the sizes do not fit: an encoder of the question would read the feature.
            refused = error
            continue
        with torch.no_grad():
            output = model(**inputs)
        result = output_differences(golden, model, output)
        found.append((result["probc"], len(found), result, order, model))
    if not found:
        raise refused
    _, _, result, order, model = min(found)
    if "grad" in golden:
        by = leaves(golden, [f"v{i:02d}" for i in range(len(golden["var_names"]))])
        loss = functional_call(model, model_state({**golden, **by}, order), kwargs=inputs)["loss"]
        result["grad"] = difference(golden, by, loss)
    return result
