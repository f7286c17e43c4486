import logging
from copy import deepcopy
from itertools import product

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import Model
from allennlp.modules import Seq2SeqEncoder
from allennlp.modules.seq2seq_encoders import ComposeEncoder

from allennlp_coref_rc.modules.pair import TokenVectors
from allennlp_coref_rc.modules.seq2seq_encoders import DASSA, CorefGRU, MageGRU, encode
from allennlp_coref_rc.modules.seq2seq_encoders.annotated_seq2seq_encoder import REPORTED
from tests.modules.seq2seq_encoders.pairs import encode_both

PARTS = [
    {"type": "coref_gru", "input_size": 6, "hidden_size": 4},
    {"type": "gru", "input_size": 8, "hidden_size": 3, "bidirectional": True},
    {"type": "coref_gru", "input_size": 6, "hidden_size": 2},
]


def composed(seed=1, parts=PARTS):
    torch.manual_seed(seed)
    return Seq2SeqEncoder.from_params(Params({"type": "compose", "encoders": deepcopy(parts)}))


def text(length, source):
    """Two sequences, the second of which is shorter; the last tokens read from `source`."""
    edges = torch.full((2, length, 1), -2)
    edges[0, -1], edges[1, -2] = source, source
    mask = torch.ones(2, length, dtype=torch.bool)
    mask[1, -1] = False
    return TokenVectors(
        torch.randn(2, length, 6), mask, {"coref": {"antecedents": edges, "descendants": edges}}
    )


def test_parts_of_compose_get_the_annotations():
    encoder, sequence = composed(), text(5, 1)
    first, gru, last = encoder.encoders
    expected = last(gru(first(*sequence), sequence.mask), sequence.mask, sequence.annotations)
    assert torch.equal(encode(encoder, sequence), expected)
    other = sequence._replace(annotations=text(5, 2).annotations)
    assert not torch.allclose(encode(encoder, other), expected)


def test_parts_of_two_composes_read_each_other():
    encoders, sequences = (composed(1), composed(2)), (text(5, 1), text(4, -3 - 1))
    found = encode_both(*encoders, *sequences)
    expected = sequences
    for parts in zip(*(encoder.encoders for encoder in encoders)):
        expected = [seq._replace(vectors=h) for seq, h in zip(expected, encode_both(*parts, *expected))]
    assert all(torch.equal(h, seq.vectors) for h, seq in zip(found, expected))
    apart = [encode(encoder, sequence) for encoder, sequence in zip(encoders, sequences)]
    assert not any(torch.allclose(h, alone) for h, alone in zip(found, apart))
    # Where they do not match, each reads for itself.
    assert torch.equal(encode_both(encoders[0], composed(parts=PARTS[:1]), *sequences)[0], apart[0])


def test_compose_of_one_encoder_is_that_encoder():
    encoders, sequences = (CorefGRU(6, 4), CorefGRU(6, 4)), (text(5, 1), text(4, -3 - 1))
    expected = encode_both(*encoders, *sequences)
    wrapped = [[one, ComposeEncoder([one]), ComposeEncoder([ComposeEncoder([one])])] for one in encoders]
    for pair in product(*wrapped):
        assert all(map(torch.equal, encode_both(*pair, *sequences), expected))


X, MASK = torch.randn(2, 3, 6), torch.ones(2, 3, dtype=torch.bool)

TYPES = "found inputs of torch.{} and a mask of torch.{}, expected floats and torch.bool"


@pytest.mark.parametrize(
    "encoder", [CorefGRU(6, 4), MageGRU(6, state_sizes={"sequential": 4}), DASSA(6, 4, num_attention_heads=2)]
)
@pytest.mark.parametrize(
    "inputs, mask, message",
    [
        (X, None, "mask is NoneType, expected a dense tensor with values"),
        (X.to_sparse(), MASK, "inputs is torch.sparse_coo, expected a dense tensor with values"),
        (X, MASK.to_sparse(), "mask is torch.sparse_coo, expected a dense tensor with values"),
        (X.to("meta"), MASK.to("meta"), "inputs is on the device meta, expected a dense tensor with values"),
        (X, MASK.to("meta"), "mask is on the device meta, expected a dense tensor with values"),
        (X[0], MASK[0], "inputs has shape (3, 6), expected (batch_size, sequence_length, 6)"),
        (X[..., 1:], MASK, "inputs has shape (2, 3, 5), expected (batch_size, sequence_length, 6)"),
        (X, MASK[:, 1:], "mask has shape (2, 2), expected (2, 3)"),
        (X, MASK.long(), TYPES.format("float32", "int64")),
        (X.long(), MASK, TYPES.format("int64", "bool")),
    ],
)
def test_inputs_that_cannot_be_encoded_are_refused(encoder, inputs, mask, message):
    with pytest.raises(ConfigurationError) as error:
        encoder(inputs, mask)
    assert str(error.value) == f"{type(encoder).__name__}: {message}"


@pytest.fixture
def said(caplog):
    REPORTED.clear()
    yield lambda: [record.message for record in caplog.records if record.levelno == logging.WARNING]
    REPORTED.clear()


def test_an_encoder_without_annotations_says_so_once(said):
    x, mask = torch.randn(1, 3, 8), torch.ones(1, 3, dtype=torch.bool)
    for _ in range(2):
        CorefGRU(8, 4, relations=["coref", "srl", "discourse"])(x, mask)
        DASSA(8, 8, heads={"sentences": 1}, num_attention_heads=2, annotated_blocks=[0], vocab=Vocabulary())(
            x, mask
        )
    CorefGRU(8, 4, relations=[])(x, mask)
    DASSA(8, 8, num_attention_heads=2)(x, mask)
    first, second = said()
    assert first.startswith(
        "CorefGRU reads annotations (coref, discourse, srl) but got none, and works as a plain"
    )
    assert second.startswith("DASSA reads annotations (sentences) but got none")


def test_so_does_one_in_a_model_of_allennlp(said):
    vocab = Vocabulary({"tokens": {"Mary": 1}, "labels": {"A": 1}})
    params = {
        "type": "simple_tagger",
        "text_field_embedder": {"token_embedders": {"tokens": {"type": "embedding", "embedding_dim": 6}}},
        "encoder": {"type": "compose", "encoders": deepcopy(PARTS)},
    }
    model = Model.from_params(Params(params), vocab=vocab)
    model({"tokens": {"tokens": torch.ones(1, 3, dtype=torch.long)}})
    (message,) = said()
    assert "AllenNLP's own models" in message and "dataset_reader.annotation_layers" in message
