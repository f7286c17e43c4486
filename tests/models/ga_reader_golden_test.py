import numpy
import pytest
import torch
from allennlp.data import Vocabulary
from allennlp.modules.seq2seq_encoders import GruSeq2SeqEncoder
from allennlp.modules.seq2vec_encoders import CnnEncoder
from allennlp.modules.text_field_embedders import BasicTextFieldEmbedder
from allennlp.modules.token_embedders import Embedding, TokenCharactersEncoder

from allennlp_coref_rc.models import GAReader
from allennlp_coref_rc.modules.seq2seq_encoders import CorefGru
from tests.golden import gru_state, sources
from tests.shared import GOLDEN, needs_golden

TOLERANCE = 1e-4
LAYERS = 3


@pytest.fixture(scope="module")
def golden():
    return numpy.load(GOLDEN / "corefgru_model.npz")


class Variables:
    """The authors' variables in the order of their creation."""

    def __init__(self, golden, prefix):
        self._values = iter(golden[f"{prefix}{i:02d}"] for i in range(len(golden["var_names"])))

    def next(self):
        return next(self._values)

    def gru(self, with_keys, suffix):
        # Reset, update and candidate, each with W, U and b.
        gates = {name + gate: self.next() for gate in "rzh" for name in "WUb"}
        return gru_state(gates, self.next() if with_keys else None, suffix)


def build_model():
    vocab = Vocabulary(non_padded_namespaces=["*"])
    for i in range(21):
        vocab.add_token_to_namespace(str(i), "tokens")
    embedder = BasicTextFieldEmbedder(
        {
            # Concatenated in the order of their names.
            "word": Embedding(7, num_embeddings=21),
            "word_characters": TokenCharactersEncoder(
                Embedding(2, num_embeddings=10), CnnEncoder(2, 3, ngram_filter_sizes=(2,))
            ),
        }
    )
    sizes = [10, 12, 12]
    feature = [0, 0, 2]
    return GAReader(
        vocab,
        embedder,
        passage_encoders=[CorefGru(size + extra, 6) for size, extra in zip(sizes, feature)],
        question_encoders=[GruSeq2SeqEncoder(size, 6, bidirectional=True) for size in sizes],
        question_feature=True,
    )


def authors_state(golden, prefix):
    """The authors' variables as a state dict; ids count from 1 here, since 0 is padding in AllenNLP."""
    variables = Variables(golden, prefix)
    embedder = "_text_field_embedder.token_embedder_"
    characters = embedder + "word_characters."
    state = {
        embedder + "word.weight": numpy.pad(variables.next(), ((1, 0), (0, 0))),
        "_question_feature.weight": variables.next(),
        characters + "_embedding._module.weight": numpy.pad(variables.next(), ((1, 0), (0, 0))),
        # TensorFlow's (1, width, channels, filters) as torch's (filters, channels, width).
        characters + "_encoder._module.conv_layer_0.weight": variables.next()[0].transpose(2, 1, 0),
        characters + "_encoder._module.conv_layer_0.bias": numpy.zeros(3),
    }
    for i in range(LAYERS):
        for suffix in ("", "_reverse"):
            state.update({f"_passage_encoders.{i}.{k}": v for k, v in variables.gru(True, suffix).items()})
        for suffix in ("", "_reverse"):
            state.update({f"_question_encoders.{i}._module.{k}": v for k, v in variables.gru(False, suffix).items()})
    return {name: torch.as_tensor(numpy.ascontiguousarray(value), dtype=torch.float32) for name, value in state.items()}


def inputs_of(golden):
    passage_mask, question_mask = golden["md"] > 0, golden["mq"] > 0

    def text(words, characters, mask):
        # The authors give padding the id of a real word and never look at it; AllenNLP masks the id 0.
        return {
            "word": {"tokens": torch.tensor((words + 1) * mask).long()},
            "word_characters": {"token_characters": torch.tensor(characters + 1).long()},
        }

    occurrences = [numpy.argwhere(cand * cm[:, None]) for cand, cm in zip(golden["cand"], golden["cm"])]
    width = max(map(len, occurrences))
    padded = torch.full((len(occurrences), width, 2), -1)
    for row, pairs in zip(padded, occurrences):
        row[: len(pairs)] = torch.tensor(pairs)
    candidates = {
        "positions": padded[..., 0],
        "candidates": padded[..., 1],
        "mask": torch.ones(golden["probc"].shape, dtype=torch.bool),
    }
    edges = {
        "antecedents": sources(golden["dei"], golden["deo"]),
        "descendants": sources(golden["deo"], golden["dei"], reverse=True),
    }
    return {
        "passage": text(golden["dw"], golden["dc"], passage_mask),
        "question": text(golden["qw"], golden["qc"], question_mask),
        "candidates": candidates,
        "answer": torch.tensor(golden["ans"]).long(),
        "passage_annotations": {"coref": edges},
    }


@needs_golden
def test_model_agrees_with_the_authors_code_before_and_after_an_update(golden):
    model = build_model()
    model.load_state_dict(authors_state(golden, "v"))
    output = model(**inputs_of(golden))
    assert numpy.abs(output["probabilities"].detach().numpy() - golden["probc"]).max() < TOLERANCE
    assert abs(output["loss"].item() - golden["loss"]) < TOLERANCE
    assert abs(model.get_metrics()["accuracy"] - golden["acc"]) < 1e-6

    # The authors have one bias a gate, and none in the convolution.
    for name, parameter in model.named_parameters():
        if "bias_hh" in name or name.endswith("conv_layer_0.bias"):
            parameter.requires_grad_(False)
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=0.01)
    output["loss"].backward()
    gradients = {name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None}
    optimizer.step()
    assert abs(model(**inputs_of(golden))["loss"].item() - golden["loss_after_step"]) < TOLERANCE

    after = authors_state(golden, "after")
    compared = 0
    for name, parameter in model.named_parameters():
        if name in gradients:
            # TensorFlow's Adam adds its epsilon before the bias correction, which shows where gradients are tiny.
            clear = gradients[name].abs() > 1e-4
            compared += clear.sum().item()
            torch.testing.assert_close(parameter.detach()[clear], after[name][clear], atol=TOLERANCE, rtol=0)
    assert compared > 1000
