import numpy
import pytest
import torch
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.modules.seq2vec_encoders import CharacterCnn, ProjectedGru

LENGTHS = (6, 1, 3, 0)


def words(length=6):
    torch.manual_seed(0)
    mask = torch.arange(length) < torch.tensor(LENGTHS).unsqueeze(1)
    return torch.randn(4, length, 3), mask


def build(name):
    return {
        "character_cnn": lambda: CharacterCnn(3, 4, width=5),
        "projected_gru": lambda: ProjectedGru(3, 2, 4),
    }[name]()


def test_windows_begin_at_every_character_and_see_zeros_after_the_word():
    inputs, mask = words()
    torch.manual_seed(1)
    module = CharacterCnn(3, 4, width=5)
    weight, bias = (p.detach().numpy() for p in module.parameters())
    out = module(inputs, mask).detach().numpy()
    for word, length in enumerate(LENGTHS):
        padded = numpy.concatenate([inputs[word, :length].numpy(), numpy.zeros((5, 3))])
        windows = [(weight * padded[i : i + 5].T).sum((1, 2)) + bias for i in range(length)]
        expected = numpy.maximum(numpy.max(windows, axis=0), 0) if windows else numpy.zeros(4)
        numpy.testing.assert_allclose(out[word], expected, atol=1e-6)
    assert (out[1] > 0).any()


@pytest.mark.parametrize("name", ["character_cnn", "projected_gru"])
def test_padding_changes_nothing(name):
    torch.manual_seed(1)
    module = build(name)
    inputs, mask = words()
    longer = torch.nn.functional.pad(inputs, (0, 0, 0, 9), value=7.0)
    longer_mask = torch.nn.functional.pad(mask, (0, 9))
    torch.testing.assert_close(module(longer, longer_mask)[:3], module(inputs, mask)[:3])
    torch.testing.assert_close(module(inputs[2:3, :3], mask[2:3, :3])[0], module(inputs, mask)[2])


@pytest.mark.parametrize("name", ["character_cnn", "projected_gru"])
def test_dimensions_and_gradients(name):
    module = build(name)
    inputs, mask = words()
    inputs.requires_grad_()
    assert module.get_input_dim() == 3 and module.get_output_dim() == 4
    module(inputs, mask).sum().backward()
    assert (inputs.grad[~mask] == 0).all() and (inputs.grad[mask] != 0).any()
    assert all(p.grad is not None for p in module.parameters())


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: CharacterCnn(0, 4), "character_cnn: embedding_dim is 0, expected 1 or more"),
        (lambda: CharacterCnn(3, 0), "character_cnn: num_filters is 0, expected 1 or more"),
        (lambda: ProjectedGru(3, 0, 4), "projected_gru: hidden_size is 0, expected 1 or more"),
    ],
)
def test_sizes_below_1_are_refused(make, message):
    with pytest.raises(ConfigurationError, match=message):
        make()
