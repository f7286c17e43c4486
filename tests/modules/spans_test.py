import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.modules.spans import best_span, span_loss


@st.composite
def scores(draw):
    length = draw(st.integers(1, 7))
    row = st.lists(st.integers(-3, 3), min_size=length, max_size=length)
    rows = st.lists(row, min_size=2, max_size=2)
    return torch.tensor(draw(rows), dtype=torch.float), torch.tensor(draw(rows), dtype=torch.float)


@given(scores(), st.one_of(st.none(), st.integers(1, 9)))
@settings(max_examples=200, derandomize=True, deadline=None)
def test_the_best_span_is_that_of_brute_force(scores, max_length):
    starts, ends = scores
    length = starts.size(1)
    spans = best_span(starts, ends, max_length)
    assert spans.dtype == torch.long
    for row, (start, end) in enumerate(spans.tolist()):
        allowed = [(i, j) for i in range(length) for j in range(i, min(length, i + (max_length or length)))]
        assert (start, end) in allowed
        assert starts[row, start] + ends[row, end] == max(starts[row, i] + ends[row, j] for i, j in allowed)


@pytest.mark.parametrize("max_length", [None, 2, 3, 4])
def test_of_equal_spans_padding_chooses_none(max_length):
    scores = torch.zeros(1, 3)
    padded = torch.nn.functional.pad(scores, (0, 5), value=torch.finfo(torch.float).min)
    assert torch.equal(best_span(scores, scores, max_length), best_span(padded, padded, max_length))


def test_there_is_no_number_for_each_span():
    """Of 100,000 tokens there are 10 thousand million: 40 GB."""
    scores = torch.arange(100_000.0).unsqueeze(0)
    assert best_span(scores, -scores).tolist() == [[0, 0]]
    assert best_span(scores, scores, 50).tolist() == [[99_999, 99_999]]


def test_the_loss_is_the_mean_over_the_spans_that_are_known():
    torch.manual_seed(0)
    starts, ends = (torch.randn(3, 4).log_softmax(dim=1).requires_grad_() for _ in range(2))
    span_start, span_end = torch.tensor([[1], [-1], [0]]), torch.tensor([[3], [-1], [0]])
    loss = span_loss(starts, ends, span_start, span_end)
    assert loss.item() == pytest.approx(-(starts[0, 1] + ends[0, 3] + starts[2, 0] + ends[2, 0]).item() / 2)
    loss.backward()
    assert (starts.grad[1] == 0).all() and (ends.grad[1] == 0).all()
    none = torch.full((3, 1), -1)
    assert span_loss(starts, ends, none, none).item() == 0.0
