"""Encoders with what PyTorch offers for modules."""

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from torch.nn.utils import parametrizations, parametrize, prune

from allennlp_coref_rc.modules.pair import TokenVectors
from allennlp_coref_rc.modules.seq2seq_encoders import CorefGRU, MageGRU, encode
from tests.modules.seq2seq_encoders import dassa_test
from tests.modules.seq2seq_encoders.pairs import encode_both, fields, tensors

recurrent = pytest.mark.parametrize(
    "make",
    [lambda: CorefGRU(5, 8), lambda: MageGRU(5, 8)],
    ids=["coref_gru", "mage_gru"],
)


def pair():
    """A passage of six tokens and a question of three, about one entity."""
    made = fields({"coref": [[(0, 1), (4, 5), (7, 8)]]}, 9, 6)
    texts = [(torch.randn(1, length, 5), torch.ones(1, length) > 0) for length in (6, 3)]
    return [TokenVectors(*text, tensors(field)) for text, field in zip(texts, made)]


@recurrent
def test_a_parametrization_keeps_the_shared_memory(make):
    encoders, texts = (make(), make()), pair()
    expected = encode_both(*encoders, *texts)
    for encoder in encoders:
        parametrize.register_parametrization(encoder, "weight_hh_l0", torch.nn.Identity())
    assert all(map(torch.equal, encode_both(*encoders, *texts), expected))


@recurrent
def test_hooks_that_would_not_run_are_refused(make):
    encoders, texts = (make(), make()), pair()
    prune.l1_unstructured(encoders[1], "weight_hh_l0", 0.5)
    with pytest.raises(ConfigurationError, match="found hooks before forward"):
        encode_both(*encoders, *texts)


@recurrent
def test_a_wrapper_that_would_lose_annotations_is_refused(make):
    passage, _ = pair()
    encoder = make()
    wrapped = torch.nn.DataParallel(encoder)
    with pytest.raises(
        ConfigurationError, match="found a DataParallel around a .*GRU, which gets no annotations"
    ):
        encode(wrapped, passage)
    plain = passage._replace(annotations=None)
    assert torch.equal(encode(wrapped, plain), encode(encoder, plain))
    assert torch.equal(wrapped(*passage), encode(encoder, passage))


@recurrent
def test_a_hidden_state_is_no_annotation(make):
    passage, _ = pair()
    with pytest.raises(ConfigurationError, match="found a Tensor as annotations"):
        make()(*passage[:2], torch.zeros(2, 1, 8))


@recurrent
def test_weights_of_a_parametrization_are_copied_to_torch(make):
    encoder = make()
    expected = encoder.to_torch()
    parametrizations.weight_norm(encoder, "weight_ih_l0")
    torch.testing.assert_close(encoder.to_torch().state_dict(), expected.state_dict())
    with pytest.raises(ConfigurationError, match="found parametrizations"):
        encoder.load_torch(expected)


@recurrent
@pytest.mark.parametrize("shape", [(0, 3), (2, 0)])
def test_an_empty_batch_gives_all_parameters_a_gradient(make, shape):
    encoder = make()
    encoder(torch.randn(*shape, 5), torch.ones(shape) > 0).sum().backward()
    of_annotations = {"keys", "keys_reverse"}
    gradients = {name: one.grad for name, one in encoder.named_parameters() if name not in of_annotations}
    assert all(gradient is not None and not gradient.any() for gradient in gradients.values())


def test_dassa_with_an_empty_batch():
    inputs, mask, annotations = dassa_test.batch([3, 2])
    none = dassa_test.map_annotations(annotations, lambda values: values[:0])
    assert dassa_test.dassa()(inputs[:0], mask[:0], none).shape == (0, 3, dassa_test.DIM)


def test_dassa_calls_its_convolutions():
    """As pruning and offloading need it, which change weights before a call."""
    pruned, loaded = dassa_test.dassa(), dassa_test.dassa()
    for encoder, prunes in ((pruned, prune.l1_unstructured), (loaded, prune.identity)):
        for module in [part for part in encoder.modules() if isinstance(part, torch.nn.Conv1d)]:
            prunes(module, "weight", *[0.5][: prunes is prune.l1_unstructured])
    loaded.load_state_dict(pruned.state_dict())
    text = dassa_test.batch([4])
    assert torch.equal(loaded(*text), pruned(*text))


def test_dassa_has_the_default_dtype_and_device():
    torch.set_default_dtype(torch.float64)
    try:
        with torch.device("meta"):
            encoder = dassa_test.DASSA(
                dassa_test.DIM, **dassa_test.SMALL, heads={"srl": 2}, vocab=dassa_test.vocabulary()
            )
    finally:
        torch.set_default_dtype(torch.float32)
    assert {(one.dtype, one.device.type) for one in encoder.parameters()} == {(torch.float64, "meta")}


def test_dassa_with_dynamic_quantization():
    encoder, text = dassa_test.dassa().float(), dassa_test.batch([5, 3])
    text = text._replace(vectors=text.vectors.float())
    quantized = torch.ao.quantization.quantize_dynamic(encoder, {torch.nn.Linear})
    torch.testing.assert_close(quantized(*text), encoder(*text), atol=0.3, rtol=0)
