"""Labels of spans against loops over single words."""

import math
from itertools import product

import pytest
import torch

from allennlp_coref_rc.models.structure.span_labeller import (
    DISTANCES,
    Anchors,
    SpanLabeller,
    probable_spans,
)

LABELS = ["A", "B"]


def labeller(**options):
    with torch.random.fork_rng():
        torch.manual_seed(2)
        return SpanLabeller(5, LABELS, hidden_dim=4, **{"dropout": 0.0, **options}).double()


def vectors(*lengths):
    generator = torch.Generator().manual_seed(3)
    return [torch.randn(length, 5, generator=generator, dtype=torch.float64) for length in lengths]


def one_by_one(model, words, position, start, stop):
    """The scores of a window, word by word."""
    pairs = []
    for i in range(start, stop):
        row = sum(least <= abs(i - position) for least in DISTANCES) - 1 + len(DISTANCES) * (i < position)
        pair = model.of_word(words[i]) + model.of_anchor(words[position]) + model.distance.weight[row]
        pairs.append(pair.clamp(min=0))
    pooled = model.of_window(torch.stack(pairs).max(0).values)
    for convolution, dilation in zip(model.convolutions, (1, 3)):
        around = []
        for i in range(len(pairs)):
            total = convolution.bias
            for k in range(3):
                place = i + dilation * (k - 1)
                if 0 <= place < len(pairs):
                    total = total + convolution.weight[:, :, k] @ pairs[place]
            around.append((total + pooled).clamp(min=0))
        pairs = [pair + more for pair, more in zip(pairs, around)]
    return torch.stack([model.tags(pair) for pair in pairs])


def test_scores_are_those_of_a_loop_whatever_is_beside_them():
    model, (short, long) = labeller(), vectors(4, 9)
    places = [(0, 1, 0, 4), (1, 0, 0, 9), (1, 7, 5, 9), (1, 3, 2, 6)]
    batch = torch.nn.utils.rnn.pad_sequence([short, long], batch_first=True, padding_value=7.0)
    scores, pooled = model(batch, Anchors.of(places, batch.device))
    assert scores.shape == (4, 9, 5) and pooled.shape == (4, 4)
    for (text, *place), row in zip(places, scores):
        expected = one_by_one(model, (short, long)[text], *place)
        torch.testing.assert_close(row[: len(expected)], expected)
        assert (row[len(expected) :].argmax(-1) == 0).all()


def test_the_loss_is_the_cross_entropy_of_bio_tags():
    model, (words,) = labeller(), vectors(7)
    anchors = Anchors.of([(0, 1, 0, 5), (0, 6, 2, 7)], words.device)
    scores, _ = model(words[None], anchors)
    # The last span of the first anchor ends after its window; labels that it does not know are left out.
    spans = [[("A", (0, 1)), ("B", (3, 6))], [("A", (2, 5)), ("C", (5, 6))]]
    tags = [["B-A", "O", "O", "B-B", "I-B"], ["B-A", "I-A", "I-A", "O", "O"]]
    numbers = {"O": 0, "B-A": 1, "B-B": 2, "I-A": 3, "I-B": 4}
    expected = -sum(
        row.log_softmax(-1)[numbers[tag]] for window, of in zip(scores, tags) for row, tag in zip(window, of)
    )
    torch.testing.assert_close(model.loss(scores, anchors, spans), 0.2 * expected)


def test_gradients():
    model, (words,) = labeller(), vectors(6)
    anchors = Anchors.of([(0, 1, 0, 5), (0, 4, 3, 6)], words.device)

    def loss(words):
        scores, pooled = model(words, anchors)
        return model.loss(scores, anchors, [[("A", (1, 3))], []]) + pooled.square().sum()

    assert torch.autograd.gradcheck(loss, words[None].requires_grad_())


@pytest.mark.parametrize("least", [0.01, 0.3])
def test_probable_spans(least):
    """Against a walk along the tags, which counts each span that begins and ends; the likeliest keep others out."""
    scores = 2 * torch.randn(2, 4, 5, generator=torch.Generator().manual_seed(5))
    found = {tuple(span): p for p, *span in probable_spans(scores, least)}
    expected = {}
    for number, rows in enumerate(scores.softmax(-1).tolist()):
        for label, start, stop in product(range(2), range(4), range(1, 5)):
            if start < stop:

                def goes_on(i, row=rows, label=label):
                    inside = row[i][3 + label]
                    return inside / (1 - row[i][4 - label])

                p = rows[start][1 + label] * math.prod(goes_on(i) for i in range(start + 1, stop))
                p *= 1 - goes_on(stop) if stop < 4 else 1
                if p >= least:
                    expected[number, label, start, stop] = p
    kept = []
    for number, label, start, stop in sorted(expected, key=expected.get, reverse=True):
        if all(stop <= a or b <= start for other, _, a, b in kept if other == number):
            kept.append((number, label, start, stop))
    assert list(found) == kept and len(found) > 2
    assert all(math.isclose(found[span], expected[span], rel_tol=1e-4) for span in kept)


def test_the_more_probable_one_of_two_spans_stays():
    model = labeller()
    scores = torch.full((1, 3, 5), -9.0)
    scores[0, :, 0] = 0
    scores[0, 0, 1], scores[0, 1, 3] = 3.0, 0.2  # A begins, and perhaps goes on
    scores[0, 2, 2] = 1.0  # B
    anchors = Anchors.of([(0, 11, 10, 13)], scores.device)
    spans = model.spans(scores, anchors, 0.4)[0]
    assert [(label, span) for _, label, span in spans] == [("B", (12, 13)), ("A", (10, 12))]
