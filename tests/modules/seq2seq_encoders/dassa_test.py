import json
import re
from operator import itemgetter

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.modules import Seq2SeqEncoder
from allennlp_models.rc.modules.seq2seq_encoders.qanet_encoder import QaNetEncoder

from allennlp_coref_rc.data.annotation_layers import label_namespace
from allennlp_coref_rc.data.annotation_layers.edges import PADDING
from allennlp_coref_rc.modules.pair import TokenVectors
from allennlp_coref_rc.modules.seq2seq_encoders import DASSA, encode
from tests.golden import qanet as golden_qanet
from tests.modules.seq2seq_encoders.pairs import encode_both

DIM, LENGTH = 12, 9
SMALL = {
    "hidden_dim": DIM,
    "num_blocks": 3,
    "num_attention_heads": 4,
    "feedforward_hidden_dim": 10,
    "annotated_blocks": [0, 2],
}
HEADS = {"srl": 2, "coref": 1}
LABELS = {"srl": 6, "coref": 5}


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def vocabulary():
    return Vocabulary(
        counter={label_namespace(name): {str(i): 1 for i in range(n - 2)} for name, n in LABELS.items()}
    )


def dassa(input_dim=DIM, **options):
    encoder = DASSA(input_dim, **{**SMALL, "heads": HEADS, "vocab": vocabulary(), **options}).double().eval()
    for parameter in encoder.parameters():
        if parameter.dim() == 1:
            torch.nn.init.normal_(parameter, std=0.5)
    return encoder


def batch(lengths, input_dim=DIM):
    """Inputs, mask and annotations; what is padding is no number, or an impossible one."""
    longest = max(lengths)
    mask = torch.arange(longest) < torch.tensor(lengths).unsqueeze(1)
    inputs = torch.randn(len(lengths), longest, input_dim, dtype=torch.float64)
    annotations = {}
    for name, number in HEADS.items():
        shape = (*mask.shape, number)
        labels, scopes = torch.randint(LABELS[name], shape), torch.randint(4, shape).sort(dim=1)[0]
        numbers = {"labels": labels, "scopes": scopes}
        annotations[name] = {
            key: value.masked_fill(~mask.unsqueeze(-1), PADDING) for key, value in numbers.items()
        }
    return TokenVectors(inputs, mask, annotations)


def map_annotations(annotations, function):
    return {
        layer: {name: function(value) for name, value in views.items()}
        for layer, views in annotations.items()
    }


def without_heads(encoder):
    """A plain encoder with the same parameters."""
    plain = dassa(encoder.get_input_dim(), heads={})
    plain.load_state_dict(
        {name: value for name, value in encoder.state_dict().items() if ".labels." not in name}
    )
    return plain


@pytest.mark.parametrize("input_dim", [DIM, 7])
def test_without_annotated_heads_it_is_the_qanet_encoder_of_allennlp(input_dim):
    theirs = QaNetEncoder(input_dim, DIM, 16, 10, 3, 2, 5, 4).double().eval()
    ours = dassa(input_dim, heads={}, attention_projection_dim=16)
    state = {name: value.clone() for name, value in golden_qanet.qanet_state(theirs.state_dict()).items()}
    for block in range(3):
        for kind in ("weight", "bias"):
            # Theirs divides scores by the root of input_dim // heads, ours by that of the size of a head.
            state[f"blocks.{block}.attention.projection.{kind}"][:16] *= (16 // 4) ** 0.5 / (DIM // 4) ** 0.5
    ours.load_state_dict(state)
    inputs = torch.randn(2, LENGTH, input_dim, dtype=torch.float64, requires_grad=True)
    mask = torch.ones(2, LENGTH, dtype=torch.bool)
    outputs = [encoder(inputs, mask) for encoder in (ours, theirs)]
    assert torch.allclose(*outputs, atol=1e-10)
    upstream = torch.randn_like(outputs[0])
    gradients = [torch.autograd.grad(output, inputs, upstream)[0] for output in outputs]
    assert torch.allclose(*gradients, atol=1e-9)


@pytest.mark.parametrize("join_unannotated", [True, False])
def test_without_annotations_it_is_the_plain_encoder(join_unannotated):
    encoder = dassa(join_unannotated=join_unannotated)
    inputs, mask, annotations = batch([LENGTH, 5])
    expected = without_heads(encoder)(inputs, mask, annotations)
    assert torch.allclose(encoder(inputs, mask), expected)
    # Nor does it matter to have layers in which nothing is annotated, or no view at all.
    nothing = {
        name: {"labels": views["labels"].clamp(max=0), "scopes": views["scopes"].clamp(max=0)}
        for name, views in annotations.items()
    }
    assert torch.allclose(encoder(inputs, mask, nothing), expected)
    assert torch.allclose(
        encoder(inputs, mask, map_annotations(annotations, lambda value: value[..., :0])), expected
    )
    assert not torch.allclose(encoder(inputs, mask, annotations), expected)


def test_annotations_of_another_batch_are_refused():
    encoder = dassa()
    inputs, mask, annotations = batch([LENGTH, 5])
    for own in (itemgetter(slice(0, 1)), itemgetter((slice(None), slice(1)))):
        with pytest.raises(ConfigurationError, match=r"dassa: annotations\.\w+\.labels has shape"):
            encoder(inputs, mask, map_annotations(annotations, own))


@pytest.mark.parametrize("join_unannotated", [True, False])
def test_padding_changes_nothing(join_unannotated):
    encoder = dassa(join_unannotated=join_unannotated)
    inputs, mask, annotations = batch([LENGTH, 4, 1, 6])
    outputs = encoder(inputs, mask, annotations)
    assert (outputs[~mask] == 0).all()
    for i, length in enumerate(mask.sum(dim=1).tolist()):
        row = slice(i, i + 1), slice(length)
        own = map_annotations(annotations, itemgetter(row))
        assert torch.allclose(encoder(inputs[row], mask[row], own)[0], outputs[i, :length], atol=1e-12)
    for value in (1e3, torch.nan):
        garbage = torch.where(mask.unsqueeze(-1), inputs, value)
        found = encoder(garbage, mask, annotations)
        assert torch.equal(found, outputs)
    gradients = torch.autograd.grad(found.sum(), list(encoder.parameters()), allow_unused=True)
    assert all(gradient.isfinite().all() for gradient in gradients if gradient is not None)


def test_a_text_of_no_tokens_is_zeros_and_has_a_gradient():
    encoder = dassa().train()
    inputs, mask, annotations = batch([3, 0])
    inputs.requires_grad_()
    outputs = encoder(inputs, mask, annotations)
    outputs.sum().backward()
    assert outputs.isfinite().all() and (outputs[1] == 0).all() and inputs.grad.isfinite().all()


def test_every_parameter_has_a_gradient():
    encoder = dassa(input_dim=7)
    inputs, mask, annotations = batch([LENGTH, 5], 7)
    (encoder(inputs, mask, annotations) ** 2).sum().backward()
    for name, parameter in encoder.named_parameters():
        assert parameter.grad is not None and parameter.grad.any(), name


def test_a_head_that_sees_annotations_keeps_within_its_scope():
    """With nothing else in the encoder that looks around, far tokens do not matter."""
    encoder = dassa(num_blocks=1, annotated_blocks=[0], num_convs_per_block=0, heads={"srl": 4})
    inputs, mask, _ = batch([LENGTH])
    labels = torch.randint(LABELS["srl"], (1, LENGTH, 4))
    scopes = (torch.arange(LENGTH) // 3 + 1).view(1, LENGTH, 1).expand(1, LENGTH, 4)
    inputs.requires_grad_()
    outputs = encoder(inputs, mask, {"srl": {"labels": labels, "scopes": scopes}})
    (seen,) = torch.autograd.grad(outputs[0, 4].sum(), inputs)
    assert seen.abs().sum(dim=-1).nonzero()[:, 1].tolist() == [3, 4, 5]


def test_views_that_a_batch_does_not_have_leave_their_heads_the_whole_text():
    encoder = dassa()
    inputs, mask, annotations = batch([LENGTH, 5])
    fewer = dict(annotations, srl={name: value[..., :1] for name, value in annotations["srl"].items()})
    padded = dict(annotations, srl={name: value.clone() for name, value in annotations["srl"].items()})
    for value in padded["srl"].values():
        value[..., 1] = PADDING
    assert torch.equal(encoder(inputs, mask, fewer), encoder(inputs, mask, padded))


def test_the_order_of_heads_in_a_config_does_not_matter():
    one, other = dassa(), dassa(heads=dict(reversed(HEADS.items())))
    other.load_state_dict(one.state_dict())
    sequence = batch([LENGTH, 5])
    assert torch.equal(one(*sequence), other(*sequence))


def test_layers_are_dropped_as_often_as_evaluation_supposes():
    block = dassa(heads={}, dropout_prob=0.0, layer_dropout_undecayed_prob=0.8).train().blocks[0]
    inputs = torch.randn(1, 3, DIM, dtype=torch.float64)
    one = torch.ones_like(inputs)
    for index in range(4):
        probability = 0.8 * (index + 1) / 4
        dropped = [torch.equal(block._residual(index, inputs, lambda _: one), inputs) for _ in range(1000)]
        assert abs(sum(dropped) / 1000 - probability) < 4 * (probability * (1 - probability) / 1000) ** 0.5
    assert torch.allclose(block.eval()._residual(3, inputs, lambda _: one), inputs + 0.2)


def test_position_encodings_are_made_for_longer_texts_alone():
    """On a GPU each time takes a copy."""
    positions = dassa().positions
    of_nine, of_five, of_ten = (positions(torch.zeros(1, length, DIM)) for length in (9, 5, 10))
    assert of_five.data_ptr() == of_nine.data_ptr() != of_ten.data_ptr()


def test_dropped_layers_do_not_stop_distributed_training():
    torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
    try:
        block = dassa(heads={}, layer_dropout_undecayed_prob=0.8).train().blocks[0]
        parallel = torch.nn.parallel.DistributedDataParallel(block)
        for _ in range(8):
            block.zero_grad(set_to_none=True)
            parallel(torch.randn(2, 3, DIM, dtype=torch.float64)).sum().backward()
            assert all(parameter.grad is not None for parameter in block.parameters())
        # Destroyed after its process group, it can wait for ever.
        del parallel
    finally:
        torch.distributed.destroy_process_group()


def test_outputs_with_a_layer_norm():
    plain, normed = dassa(), dassa(normalize_outputs=True)
    normed.load_state_dict(
        {**plain.state_dict(), "output_norm.weight": torch.ones(DIM), "output_norm.bias": torch.zeros(DIM)}
    )
    inputs, mask, annotations = batch([LENGTH, 5])
    outputs = normed(inputs, mask, annotations)
    expected = plain(inputs, mask, annotations)[mask]
    expected = (expected - expected.mean(-1, keepdim=True)) / expected.std(-1, keepdim=True, unbiased=False)
    assert torch.allclose(outputs[mask], expected, atol=1e-4) and (outputs[~mask] == 0).all()


def test_reduced_precision():
    encoder = dassa().float()
    inputs, mask, annotations = batch([LENGTH, 5])
    expected = encoder(inputs.float(), mask, annotations)
    for training in (False, True):
        encoder.train(training)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            outputs = encoder(inputs.float(), mask, annotations)
        outputs.float().sum().backward()
        assert outputs.isfinite().all()
        if not training:
            assert (outputs - expected).abs().max() < 0.1 * expected.abs().max()
    outputs = encoder.eval().bfloat16()(inputs.bfloat16(), mask, annotations)
    assert outputs.dtype == torch.bfloat16
    assert (outputs - expected).abs().max() < 0.1 * expected.abs().max()


def test_it_is_made_from_a_config_as_its_docstring_has_it():
    example = json.loads(re.search(r"```jsonnet\n(.*?)```", DASSA.__doc__, re.DOTALL).group(1))
    counter = {label_namespace(name): {"x": 1} for name in example["heads"]}
    encoder = Seq2SeqEncoder.from_params(Params(example), vocab=Vocabulary(counter=counter))
    assert isinstance(encoder, DASSA) and len(encoder.blocks) == 7
    annotated = [i for i, block in enumerate(encoder.blocks) if block.attention.labels]
    assert annotated == [1, 3, 5]


def test_passage_and_question_are_encoded_by_any_two_encoders():
    encoder, other = dassa(), QaNetEncoder(DIM, DIM, DIM, DIM, 1, 1, 3, 2).double().eval()
    passage, question = batch([LENGTH, 5]), batch([3, 4])
    encoded = encode_both(encoder, other, passage, question)
    assert torch.equal(encoded[0], encode(encoder, passage))
    assert torch.equal(encoded[1], encode(other, question))


@pytest.mark.parametrize(
    "options, message",
    [
        ({"conv_kernel_size": 4}, "conv_kernel_size is 4, expected an odd number"),
        ({"hidden_dim": 13}, "hidden_dim is 13, expected an even number"),
        ({"num_attention_heads": 5}, "attention_projection_dim is 12, expected a multiple of"),
        (
            {"heads": {"srl": 3, "coref": 2}},
            "expected positive numbers, together at most num_attention_heads",
        ),
        ({"annotated_blocks": [1, 3]}, "annotated_blocks is [1, 3], expected numbers below num_blocks, 3"),
        ({"vocab": None}, "labels is None, expected those of ['coref', 'srl'], or their numbers"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(ConfigurationError) as error:
        dassa(**options)
    assert "dassa: " in str(error.value) and message in str(error.value)


def test_annotations_that_do_not_fit_are_refused():
    encoder = dassa()
    inputs, mask, annotations = batch([LENGTH])
    with pytest.raises(ConfigurationError, match=r"layer 'coref', but .* has \['srl'\]"):
        encoder(inputs, mask, {"srl": annotations["srl"]})
    edges = {"antecedents": torch.zeros(1, LENGTH, 1, dtype=torch.long)}
    with pytest.raises(ConfigurationError, match=r"coref makes \['antecedents'\]; .* views"):
        encoder(inputs, mask, dict(annotations, coref=edges))
    more = {name: value.repeat(1, 1, 2) for name, value in annotations["srl"].items()}
    with pytest.raises(ConfigurationError, match="2 heads for .* 'srl', which makes 4 views"):
        encoder(inputs, mask, dict(annotations, srl=more))
    # The label would be the first one of the next head.
    known = next(iter(encoder.blocks[-1].attention.labels)).table.num_embeddings
    unknown = dict(annotations["coref"], labels=torch.full_like(annotations["coref"]["labels"], known))
    with pytest.raises(ConfigurationError, match=f"found labels up to .* expected less than .{known}"):
        encoder(inputs, mask, dict(annotations, coref=unknown))
