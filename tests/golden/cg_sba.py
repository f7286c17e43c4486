"""Golden values of CG+SBA: a reader with the parameters of the file, and how far apart outputs are."""

from collections.abc import Mapping
from typing import Any

import torch
from allennlp.common import Lazy
from allennlp.data import Vocabulary
from allennlp.modules import Seq2SeqEncoder
from allennlp.modules.seq2seq_encoders import GruSeq2SeqEncoder
from allennlp.modules.text_field_embedders import BasicTextFieldEmbedder
from allennlp.modules.token_embedders import Embedding
from torch.func import functional_call
from torch.nn.functional import pad

from allennlp_coref_rc.models import GAReader
from allennlp_coref_rc.modules.answer_layers import AttentionSum
from allennlp_coref_rc.modules.gating import CollaborativeGating
from allennlp_coref_rc.modules.self_belief_aggregation import SelfBeliefAggregation
from tests.golden.coref_gru import State, gru_state, occurrences, unpacked
from tests.golden.derivatives import difference, leaves

LAYERS = 2
ENCODERS = {
    **{f"passage{i}": f"_passage_encoders.{i}" for i in range(LAYERS)},
    **{f"question{i}": f"_question_encoders.{i}" for i in range(LAYERS)},
    "belief": "_question_self_belief.encoder",
}
"""Encoders of the file, and where they are in the reader."""


def state_of(golden: Mapping[str, Any]) -> State:
    # The id 0 is padding.
    state = {
        "_text_field_embedder.token_embedder_tokens.weight": pad(
            torch.as_tensor(golden["embeddings"]), (0, 0, 1, 0)
        )
    }
    for name, place in ENCODERS.items():
        for direction, suffix in (("fwd", ""), ("bwd", "_reverse")):
            gates = gru_state(unpacked(golden, f"{name}_{direction}_"), suffix=suffix)
            state.update({f"{place}._module.{key}": value for key, value in gates.items()})
    return state


def model_of(golden: Mapping[str, Any]) -> GAReader:
    def encoder(name: str) -> Seq2SeqEncoder:
        _, inputs, size = golden[f"{name}_fwd_W"].shape
        return GruSeq2SeqEncoder(inputs, size, bidirectional=True)

    def encoders(name: str) -> list[Seq2SeqEncoder]:
        return [encoder(f"{name}{i}") for i in range(LAYERS)]

    words, dim = golden["embeddings"].shape
    model = GAReader(
        Vocabulary(),
        BasicTextFieldEmbedder({"tokens": Embedding(dim, num_embeddings=words + 1)}),
        encoders("passage"),
        encoders("question"),
        stack_question=False,
        gating=CollaborativeGating(),
        read_out="cloze",
        question_self_belief=SelfBeliefAggregation(encoder("belief")),
        pointer=Lazy(AttentionSum, constructor_extras={"epsilon": 0.0}),
    )
    model.double().load_state_dict(state_of(golden))
    return model


def differences(golden: Mapping[str, Any]) -> dict[str, float]:
    """By output the largest difference."""
    model = model_of(golden)
    inputs = {name: {"tokens": {"tokens": torch.as_tensor(golden[name])}} for name in ("passage", "question")}
    inputs["candidates"] = occurrences(golden["candidates"])
    inputs.update(
        cloze=torch.as_tensor(golden["cloze"]).unsqueeze(1), answer=torch.as_tensor(golden["answer"])
    )
    by = leaves(golden, sorted(set(golden["grad_of"].tolist())))
    output = functional_call(model, state_of({**golden, **by}), kwargs=inputs)
    return {
        "probabilities": (output["probabilities"] - torch.as_tensor(golden["probabilities"]))
        .abs()
        .max()
        .item(),
        "loss": abs(output["loss"].item() - golden["loss"].item()),
        "grad": difference(golden, by, output["loss"]),
    }
