"""The networks of `ranked_coref` in NumPy. scripts/train_ranked_coref.py trains them with PyTorch."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from allennlp_coref_rc.annotations.annotated_text import Span
from allennlp_coref_rc.annotations.annotators.coref.english_coref.network import Weights, score
from allennlp_coref_rc.annotations.annotators.coref.ranked.candidates import head_of
from allennlp_coref_rc.common.errors import ConfigurationError

MODEL = Path(__file__).parent / "model.npz"

DILATIONS = (1, 2, 4, 1)
LIKELY = 0.05
"""How likely a token has to be a mention's first, or last, so that mentions from there, or to there, are judged."""

LONGEST = 40
"""The most tokens of a mention."""

PAIR_WEIGHTS = {
    "earlier": "pair.earlier",
    "later": "pair.later",
    "later_bias": "pair.bias",
    "pair": "pair.features",
    "output": "pair.output",
    "output_bias": "pair.output.bias",
    "new": "new",
    "new_bias": "new.bias",
    "new_output": "new.output",
    "new_output_bias": "new.output.bias",
}
"""The weights of the network of `coref`, and their names here."""

LENGTHS = 16
"""Lengths up to 8, and then by fives, are told apart."""


def length_classes(length: np.ndarray) -> np.ndarray:
    """`length` is one less than the number of tokens."""
    return np.where(length < 8, length, np.minimum(8 + (length - 8) // 5, LENGTHS - 1))


@lru_cache(maxsize=4)
def load_weights(path: Path) -> tuple[Weights, dict[str, int]]:
    """The weights of both networks and the number of each known word."""
    if not path.is_file():
        raise ConfigurationError(f"ranked_coref: there is no model file {path}")
    with np.load(path, allow_pickle=False) as archive:
        weights = {name: archive[name].astype(np.float32) for name in archive.files if name != "words"}
        words = bytes(archive["words"]).decode().split("\n")
    return weights, {word: i + 1 for i, word in enumerate(words)}


def possible_spans(first: np.ndarray, last: np.ndarray, sentence_of: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First and last tokens of all spans of a sentence that begin at one of `first` and end at one of `last`."""
    low = np.searchsorted(last, first)
    counts = np.searchsorted(last, first + LONGEST) - low
    begin = np.repeat(first, counts)
    offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    end = last[np.repeat(low, counts) + offsets] if len(last) else begin
    inside = sentence_of[begin] == sentence_of[end]
    return begin[inside], end[inside]


def _relu(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 0, out=x)


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x.clip(-30, 30)))


def encode(w: Weights, words: np.ndarray, features: np.ndarray) -> np.ndarray:
    """
    Vectors of tokens: a layer over the word and its features, then convolutions, the output of each added to its input.

    # Shape: (length, hidden)
    """
    x = _relu(w["embedding"][words] @ w["input.words"] + features @ w["input.features"] + w["input.bias"])
    for layer, dilation in enumerate(DILATIONS):
        before, own, after = w[f"convolution.{layer}"]
        y = x @ own
        y[dilation:] += x[:-dilation] @ before
        y[:-dilation] += x[dilation:] @ after
        x = x + _relu(y + w[f"convolution.{layer}.bias"])
    return x


def span_chances(
    w: Weights, words: np.ndarray, features: np.ndarray, sentence_of: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """First tokens, last tokens and probabilities of the spans that may be mentions."""
    x = encode(w, words, features)
    bounds = _sigmoid(x @ w["bounds"] + w["bounds.bias"])
    first, last = (np.flatnonzero(bounds[:, column] > LIKELY) for column in (0, 1))
    begin, end = possible_spans(first, last, sentence_of)
    total = np.concatenate([np.zeros((1, x.shape[1]), x.dtype), np.cumsum(x, axis=0, dtype=np.float64)])
    length = end - begin
    mean = ((total[end + 1] - total[begin]) / (length + 1)[:, None]).astype(np.float32)
    hidden = (x @ w["span.first"])[begin] + (x @ w["span.last"])[end] + mean @ w["span.mean"]
    hidden += w["span.length"][length_classes(length)]
    return begin, end, _sigmoid(_relu(hidden) @ w["span.output"] + w["span.output.bias"])[:, 0]


def choose_spans(
    begin: np.ndarray,
    end: np.ndarray,
    chances: np.ndarray,
    least: float,
    words: Sequence[str],
    sentence_of: np.ndarray,
) -> tuple[list[Span], np.ndarray]:
    """
    The most likely spans and their probabilities, in order. No two of them cross or have the same head. In the input,
    `end` are the last tokens of spans; the spans that are returned end one token later.
    """
    chosen: dict[Span, float] = {}
    heads = set()
    by_sentence: dict[int, list[Span]] = {}
    likely = np.flatnonzero(chances >= least)
    for k in likely[np.argsort(-chances[likely], kind="stable")].tolist():
        first, stop = int(begin[k]), int(end[k]) + 1
        head = head_of(words, first, stop)
        others = by_sentence.setdefault(int(sentence_of[first]), [])
        if head in heads or any(a < first < b < stop or first < a < stop < b for a, b in others):
            continue
        heads.add(head)
        others.append((first, stop))
        chosen[first, stop] = float(chances[k])
    spans = sorted(chosen)
    return spans, np.array([chosen[span] for span in spans], np.float32)


def pair_scores(
    w: Weights, vectors: np.ndarray, blocks: Iterable[np.ndarray], earlier: np.ndarray, later: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The scores of pairs of mentions, and of mentions for beginning a new entity (see `network.score` of `coref`)."""
    weights = {ours: w[name] for ours, name in PAIR_WEIGHTS.items()}
    return score(weights, vectors, blocks, earlier, later)
