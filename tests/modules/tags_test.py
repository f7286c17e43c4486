from itertools import product

import pytest
import torch

from allennlp_coref_rc.modules.tags import best_spans, tag_loss

LENGTHS = (1, 5, 7)


@pytest.fixture
def batch():
    torch.manual_seed(0)
    log_probabilities = torch.randn(len(LENGTHS), max(LENGTHS), 3).log_softmax(dim=-1)
    mask = torch.arange(max(LENGTHS)) < torch.tensor(LENGTHS).unsqueeze(1)
    return log_probabilities, mask


def spans_of(tags):
    """The spans of tags 0 (outside), 1 (begin) and 2 (inside), or None if the tags make no sense."""
    text = "".join("OBI"[tag] for tag in tags)
    if "OI" in "O" + text or "B" not in text:
        return None
    starts = [i for i, tag in enumerate(text) if tag == "B"]
    return [(start, start + len(text[start + 1 :]) - len(text[start + 1 :].lstrip("I"))) for start in starts]


def test_spans_of_tags():
    assert spans_of([0, 1, 2, 1, 0]) == [(1, 2), (3, 3)]
    assert spans_of([2, 0, 1]) is spans_of([0, 0]) is spans_of([1, 0, 2]) is None


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("outside", [0.0, 4.0], ids=["any", "mostly outside"])
def test_the_best_spans_are_those_of_the_best_tags_that_make_sense(batch, seed, outside):
    _, mask = batch
    torch.manual_seed(seed)
    logits = torch.randn(*mask.shape, 3)
    logits[:, :, 0] += outside
    log_probabilities = logits.log_softmax(dim=-1)
    found = best_spans(log_probabilities, mask)
    for i, length in enumerate(LENGTHS):
        scores = {}
        for tags in product(range(3), repeat=length):
            if spans_of(tags) is not None:
                scores[tags] = sum(log_probabilities[i, j, tag].item() for j, tag in enumerate(tags))
        assert len(scores) < 3**length
        assert found[i] == spans_of(max(scores, key=scores.get))


def test_the_loss_is_that_of_the_probability_among_all_tags(batch):
    """A softmax over the scores of all 3^n sequences of tags, of the questions that have a span."""
    log_probabilities, mask = batch
    logits = log_probabilities + torch.randn(len(LENGTHS), max(LENGTHS), 1)
    tags = torch.tensor([[0, 1, 1, 1, 1, 1, 1], [0, 1, 2, 0, 1, 2, 2], [1, 0, 0, 1, 2, 2, 0]])
    expected = []
    for i, length in list(enumerate(LENGTHS))[1:]:
        every = torch.tensor(list(product(range(3), repeat=length)))
        scores = logits[i, :length].gather(1, every.T).sum(dim=0)
        chosen = (every == tags[i, :length]).all(dim=1).nonzero().item()
        expected.append(-scores.log_softmax(dim=0)[chosen])
    loss = tag_loss(logits.log_softmax(dim=-1), tags, mask)
    torch.testing.assert_close(loss, torch.stack(expected).mean())
    assert tag_loss(log_probabilities, torch.zeros_like(tags), mask) == 0
