import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.modules import scopes as scopes_module
from allennlp_coref_rc.modules.scopes import Scopes


def together(numbers, mask, join_unannotated):
    """Which tokens attend to which, by definition. Shape: (batch_size, heads, length, length)."""
    scope = numbers.clamp(min=0).transpose(1, 2)
    same = scope.unsqueeze(-1) == scope.unsqueeze(-2)
    if not join_unannotated:
        # Between tokens of one stretch there is none that is in a scope.
        annotated_before = (scope > 0).cumsum(dim=-1)
        in_a_row = annotated_before.unsqueeze(-1) == annotated_before.unsqueeze(-2)
        same &= (scope > 0).unsqueeze(-1) | in_a_row
    return same & mask[:, None, :, None] & mask[:, None, None, :]


def dense(projected, allowed):
    """Attention with the scores of all pairs, as papers write it."""
    queries, keys, values = projected.permute(3, 0, 2, 1, 4)
    scores = queries @ keys.transpose(-1, -2) / math.sqrt(projected.size(-1))
    weights = scores.masked_fill(~allowed, -torch.inf).softmax(dim=-1).nan_to_num(0.0)
    return (weights @ values).transpose(1, 2)


def weigh(scopes, projected):
    """Attention by the weights that are given out, each pair of tokens once at most."""
    batch_size, length, heads = projected.shape[:3]
    matrix = torch.zeros(batch_size, heads, length, length, dtype=projected.dtype)
    for text, head, tokens, weights in scopes.weights(projected):
        assert tokens == sorted(tokens) and weights.shape == (len(tokens), len(tokens))
        at = torch.tensor(tokens)
        assert (matrix[text, head, at[:, None], at] == 0).all()
        matrix[text, head, at[:, None], at] = weights
    return torch.einsum("bhij,bjhd->bihd", matrix, projected[..., 2, :])


def check(numbers, mask, join_unannotated=False, dim=3):
    projected = torch.randn(*numbers.shape, 3, dim, dtype=torch.float64, requires_grad=True)
    scopes = Scopes(numbers, mask, join_unannotated)
    found = scopes.attend(projected)
    assert torch.allclose(weigh(scopes, projected), found, atol=1e-12)
    expected = dense(projected, together(numbers, mask, join_unannotated))
    assert torch.allclose(found, expected, atol=1e-12)
    assert (found[~mask] == 0).all()
    if not mask.any():
        return
    upstream = torch.randn_like(found)
    gradients = [torch.autograd.grad(output, projected, upstream)[0] for output in (found, expected)]
    assert torch.allclose(*gradients, atol=1e-12)


@settings(derandomize=True, deadline=None, max_examples=100)
@given(data=st.data())
def test_attention_is_that_of_a_dense_mask(data):
    sizes = [data.draw(st.integers(1, most)) for most in (3, 6, 3)]
    count = math.prod(sizes)
    numbers = data.draw(st.lists(st.integers(-2, 3), min_size=count, max_size=count))
    exist = data.draw(st.lists(st.booleans(), min_size=sizes[0] * sizes[1], max_size=sizes[0] * sizes[1]))
    torch.manual_seed(0)
    check(torch.tensor(numbers).view(sizes), torch.tensor(exist).view(sizes[:2]), data.draw(st.booleans()))


@pytest.mark.parametrize("join_unannotated", [True, False])
def test_a_single_token_that_one_head_has_in_a_scope_and_the_next_in_none(join_unannotated):
    torch.manual_seed(0)
    check(
        torch.tensor([[[2, 0, 0, 2]], [[0, 2, 2, 0]]]), torch.ones(2, 1, dtype=torch.bool), join_unannotated
    )


@pytest.mark.parametrize("join_unannotated", [True, False])
def test_scopes_of_all_sizes(join_unannotated):
    torch.manual_seed(0)
    sizes = [1, 31, 32, 33, 2, 64, 65, 70]
    scopes = [number for number, size in enumerate(sizes) for _ in range(size)]
    numbers = torch.tensor([scopes, scopes[::-1]]).unsqueeze(-1).repeat(1, 1, 2)
    numbers[:, :, 1] = 1
    mask = torch.ones(2, len(scopes), dtype=torch.bool)
    mask[1, 250:] = False
    check(numbers, mask, join_unannotated)


def test_more_groups_than_fit_into_one_call(monkeypatch):
    monkeypatch.setattr(scopes_module, "MAX_GROUPS", 3)
    torch.manual_seed(0)
    check(torch.arange(20).view(1, 20, 1) // 2 + 1, torch.ones(1, 20, dtype=torch.bool))


def test_nothing_but_padding():
    check(torch.ones(2, 3, 2, dtype=torch.long), torch.zeros(2, 3, dtype=torch.bool))


def test_what_lies_in_different_scopes_is_neither_multiplied_nor_stored():
    length, size = 512, 16
    numbers = (torch.arange(length) // size + 1).view(1, length, 1)
    projected = torch.randn(1, length, 1, 3, 4, requires_grad=True)
    stored = []
    with torch.autograd.graph.saved_tensors_hooks(
        lambda tensor: stored.append(tensor.numel()) or tensor, lambda t: t
    ):
        Scopes(numbers, torch.ones(1, length, dtype=torch.bool)).attend(projected)
    assert max(stored) < length * size + 1 < length * length
