"""
Golden values of the GA Reader with Coref-GRU as its authors' code has it for LAMBADA: a Coref-GRU over the
question too, and a place to fill; no characters and no feature of the question.
"""

from collections.abc import Mapping
from typing import Any

import numpy
import torch
from allennlp.common import Lazy
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
    output_differences,
    sources,
    text_of,
)
from tests.golden.derivatives import difference, leaves

ENCODERS = [(part, suffix) for part in ("passage", "question") for suffix in ("", "_reverse")]
"""The four encoders of a layer, in our order."""


def model_of(golden: Mapping[str, Any]) -> GAReader:
    state = model_state(golden)
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
        pointer=Lazy(AttentionSum, constructor_extras={"epsilon": float(golden["epsilon"])}),
    )
    model.to(state[f"{EMBEDDER}word.weight"].dtype).load_state_dict(state)
    return model


def model_state(golden: Mapping[str, Any]) -> State:
    """The authors' variables as a state dict: the words, and in a layer four encoders of ten variables."""
    variables = Variables(golden, "v")
    state = embedding_state(variables, ["words"], False)
    for i in range((len(golden["var_names"]) - 1) // 40):
        for part, suffix in ENCODERS:
            state.update({f"_{part}_encoders.{i}.{k}": v for k, v in variables.gru(True, suffix).items()})
    variables.finished()
    return state


def padded(golden: Mapping[str, Any]) -> dict[str, Any]:
    """With a token of padding after the questions."""
    return {
        name: numpy.pad(array, [(0, 0), (0, 1), *[(0, 0)] * (array.ndim - 2)])
        if name in ("qw", "mq", "qei", "qeo")
        else array
        for name, array in golden.items()
    }


def model_inputs(golden: Mapping[str, Any]) -> dict[str, Any]:
    cloze, width = golden["cl"], golden["mq"].shape[1]
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
    """By output the largest difference of the whole reader."""
    model, inputs = model_of(golden), model_inputs(golden)
    with torch.no_grad():
        result = output_differences(golden, model, model(**inputs))
    if "grad" in golden:
        by = leaves(golden, [f"v{i:02d}" for i in range(len(golden["var_names"]))])
        loss = functional_call(model, model_state({**golden, **by}), kwargs=inputs)["loss"]
        result["grad"] = difference(golden, by, loss)
    return result
