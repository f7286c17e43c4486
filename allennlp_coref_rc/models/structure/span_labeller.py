from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Optional, Self

import torch
from allennlp.modules.input_variational_dropout import InputVariationalDropout
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from allennlp_coref_rc.annotations.annotated_text import Span

DISTANCES = (0, 1, 2, 3, 4, 5, 8, 16, 32)
"""The least distances of the classes of distance, in words. Those to the left have classes of their own."""

WEIGHT = 0.2
"""The weight of a tag's loss. The tags of a window depend on each other, and they outnumber a text's other losses."""

REACH = 200
"""How many words before and after its anchor a window has at most. Without a limit, time would grow with its square."""

LEAST = 1e-6
"""The least probability of a span. Padding has a smaller one."""

MAX_PAIRS = 8_000
"""The most pairs of an anchor and a word that are labelled at once, when not training."""

LabelledSpan = tuple[float, str, Span]
"""A probability, a label, and a span of words in the text."""


class Anchors(NamedTuple):
    """
    Words that spans belong to, such as predicates: each by the number of its text and by its position there,
    and the window [start, stop) of words in which the spans lie. *Shape:* (anchors,) each.
    """

    text: Tensor
    position: Tensor
    start: Tensor
    stop: Tensor

    @classmethod
    def of(cls, places: Iterable[Sequence[int]], device: torch.device) -> Self:
        """From (text, position, start, stop) of each anchor. Windows end `REACH` words from their anchors."""
        within = [
            (text, position, max(start, position - REACH), min(stop, position + REACH + 1))
            for text, position, start, stop in places
        ]
        return cls(*torch.tensor(within, dtype=torch.long, device=device).reshape(-1, 4).T)

    def batches(self) -> Iterator[tuple[list[int], Self]]:
        """Some at a time, those with windows of similar lengths together, and their numbers."""
        lengths = self.stop - self.start
        for some in torch.argsort(lengths).split(max(1, MAX_PAIRS // max([1, *lengths.tolist()]))):
            if len(some):
                yield some.tolist(), type(self)(*(column[some] for column in self))


class SpanLabeller(nn.Module):
    """
    Labels spans that belong to a word, by BIO tags. A pair of this word, the anchor, and a word of its window
    is the sum of projections of both and of an embedding of their distance. Residual convolutions over the
    window follow, which also see the maximum over its pairs.

    # Parameters

    input_dim : `int`
        The size of the words' vectors.
    labels : `Sequence[str]`
    hidden_dim : `int`, optional (default = `192`)
    dropout : `float`, optional (default = `0.2`)
    """

    def __init__(
        self,
        input_dim: int,
        labels: Sequence[str],
        hidden_dim: int = 192,
        dropout: float = 0.2,
    ) -> None:
        super().__init__()
        self.labels = list(labels)
        self.of_word = nn.Linear(input_dim, hidden_dim)
        self.of_anchor = nn.Linear(input_dim, hidden_dim, bias=False)
        self.distance = nn.Embedding(2 * len(DISTANCES), hidden_dim)
        nn.init.normal_(self.distance.weight, std=0.1)
        self.convolutions = nn.ModuleList(
            nn.Conv1d(hidden_dim, hidden_dim, 3, padding=dilation, dilation=dilation) for dilation in (1, 3)
        )
        self.of_window = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.tags = nn.Linear(hidden_dim, 2 * len(labels) + 1)
        self.dropout = InputVariationalDropout(dropout)

    def forward(
        self, vectors: Tensor, anchors: Anchors, of_words: Optional[Tensor] = None
    ) -> tuple[Tensor, Tensor]:
        """
        The scores of `O`, of each label's `B-` and of each label's `I-` for the words of each window, and the
        maximum over the pairs of each window. Scores after the end of a window are those of `O`. `of_words` is
        `of_word` of the vectors, if it is known from other anchors.

        *Shape:* vectors (texts, words, input_dim), scores (anchors, window, 2 * labels + 1), maximum
        (anchors, hidden_dim).
        """
        text, start, stop = (column.unsqueeze(1) for column in (anchors.text, anchors.start, anchors.stop))
        places = start + torch.arange(
            max((anchors.stop - anchors.start).tolist(), default=1), device=start.device
        )
        offset = places - anchors.position.unsqueeze(1)
        least = torch.tensor(DISTANCES, device=offset.device)
        distance = torch.bucketize(offset.abs(), least, right=True) - 1 + len(least) * (offset < 0)
        of_words = self.of_word(vectors) if of_words is None else of_words
        pairs = of_words[text, places.clamp(max=vectors.shape[1] - 1)] + self.distance(distance)
        pairs = pairs + self.of_anchor(vectors[anchors.text, anchors.position]).unsqueeze(1)
        mask = (places < stop).unsqueeze(-1)
        pairs = torch.relu(pairs) * mask
        pooled = pairs.amax(1)
        of_window = self.of_window(pooled).unsqueeze(1)
        for convolution in self.convolutions:
            around = convolution((self.dropout(pairs) * mask).transpose(1, 2)).transpose(1, 2)
            pairs = pairs + torch.relu(around + of_window)
        scores = self.tags(self.dropout(pairs))
        outside = torch.full_like(scores, -1e4)
        outside[..., 0] = 0
        return torch.where(mask, scores, outside), pooled

    def loss(self, scores: Tensor, anchors: Anchors, spans: Iterable[Iterable[tuple[str, Span]]]) -> Tensor:
        """
        The cross entropy, summed over all words of all windows and weighed by `WEIGHT`, for each anchor's
        labelled spans. Spans that begin outside of the window, and other labels, do not count.
        """
        tags = torch.zeros(scores.shape[:2], dtype=torch.long)
        index = {label: 1 + i for i, label in enumerate(self.labels)}
        for row, begin, end, labelled in zip(tags, anchors.start.tolist(), anchors.stop.tolist(), spans):
            for label, (start, stop) in labelled:
                if label in index and begin <= start < end:
                    row[start - begin : min(stop, end) - begin] = index[label] + len(index)
                    row[start - begin] = index[label]
        tags = tags.flatten().to(scores.device)
        return WEIGHT * cross_entropy(scores.flatten(0, 1), tags, reduction="sum")

    def spans(self, scores: Tensor, anchors: Anchors, least: float) -> list[list[LabelledSpan]]:
        """
        For each anchor, the spans with this probability or more that do not overlap, the most probable first.
        """
        found: list[list[LabelledSpan]] = [[] for _ in scores]
        starts = anchors.start.tolist()
        for probability, anchor, label, start, stop in probable_spans(scores, least):
            span = starts[anchor] + start, starts[anchor] + stop
            found[anchor].append((probability, self.labels[label], span))
        return found


def probable_spans(scores: Tensor, least: float) -> Iterator[tuple[float, int, int, int, int]]:
    """
    The spans with this probability or more, the most probable first: each as probability, sequence, number of
    its label, start and stop. Of spans that overlap, only the most probable one is given. A span begins with the
    probability of its `B-`. It goes on with that of its `I-` among the tags that may follow, which are all but
    the `I-` of other labels.

    *Shape:* scores (sequences, words, 2 * labels + 1).
    """
    number, length = scores.shape[-1] // 2, scores.shape[1]
    outside, begin, inside = scores.float().softmax(-1).split([1, number, number], dim=-1)
    going_on = inside / (inside + outside + begin.sum(-1, keepdim=True))
    sequence, start, label = torch.nonzero(begin >= max(least, LEAST), as_tuple=True)
    # From the start, as long spans would take memory by the square of a text.
    places = start.unsqueeze(1) + torch.arange(min(2 * REACH, length), device=scores.device)
    in_text = places < length
    going_on = going_on[sequence.unsqueeze(1), places.clamp(max=length - 1), label.unsqueeze(1)] * in_text
    nothing = torch.zeros_like(going_on[:, :1])
    through = torch.cat([nothing + 1, going_on[:, 1:]], dim=1).cumprod(1)
    ends = 1 - torch.cat([going_on[:, 1:], nothing], dim=1)
    chances = begin[sequence, start, label].unsqueeze(1) * through * ends * in_text
    row, more = torch.nonzero(chances >= max(least, LEAST), as_tuple=True)
    columns = chances[row, more], sequence[row], label[row], start[row], start[row] + more + 1
    taken: list[set[int]] = [set() for _ in scores]
    for span in sorted(zip(*(column.tolist() for column in columns)), reverse=True):
        words = range(*span[3:])
        if taken[span[1]].isdisjoint(words):
            taken[span[1]].update(words)
            yield span
