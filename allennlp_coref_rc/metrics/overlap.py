import math
import re
import string
from collections import Counter
from collections import Counter as CounterOf
from collections.abc import Sequence

from allennlp_coref_rc.metrics.lcs import lcs_length

Ngrams = CounterOf[tuple[str, ...]]

MAX_ORDER = 4
"""The longest n-grams that Bleu counts, in tokens."""

BETA = 1.2
"""How much more recall counts than precision in Rouge-L."""

# Added to numerators and denominators, as COCO's caption evaluation does, so that none is 0.
TINY, SMALL = 1e-15, 1e-9

ARTICLE = re.compile(r"\b(a|an|the)\b")
NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def squad_tokens(text: str) -> list[str]:
    """
    The words of a text as SQuAD's evaluation has them: in lower case, without ASCII punctuation and articles.
    """
    return ARTICLE.sub(" ", text.lower().translate(NO_PUNCTUATION)).split()


def squad_f1(prediction: Sequence[str], reference: Sequence[str]) -> float:
    """The F1 of the words that two answers share (Rajpurkar et al. 2016); 1 if both have none."""
    common = (Counter(prediction) & Counter(reference)).total()
    if not common:
        return float(not prediction and not reference)
    precision, recall = common / len(prediction), common / len(reference)
    return 2 * precision * recall / (precision + recall)


def rouge_l(prediction: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """
    Rouge-L (Lin 2004) of a tokenised prediction, as in COCO's caption evaluation, which the papers on
    NarrativeQA use: it combines the best precision and the best recall over the references, which may come
    from different references. Recall counts `BETA` times as much as precision. An empty text counts as one
    empty token.
    """
    prediction = prediction or [""]
    common = [(lcs_length(prediction, reference or [""]), len(reference) or 1) for reference in references]
    precision = max(length for length, _ in common) / len(prediction)
    recall = max(length / size for length, size in common)
    return (
        (1 + BETA**2) * precision * recall / (recall + BETA**2 * precision) if precision and recall else 0.0
    )


def bleu_counts(prediction: Sequence[str], references: Sequence[Sequence[str]]) -> list[int]:
    """
    The counts that corpus Bleu sums over predictions: the length of the prediction and that of the reference
    closest to it (of two the shorter); then, for n = 1 … 4, how many n-grams the prediction has, and how many
    of them a reference has too, each counted as often as in the reference that has it most.
    """
    closest = min((abs(len(reference) - len(prediction)), len(reference)) for reference in references)[1]
    counts = [len(prediction), closest]
    for order in range(1, MAX_ORDER + 1):
        ngrams = _ngrams(prediction, order)
        allowed: Ngrams = Counter()
        for reference in references:
            allowed |= _ngrams(reference, order)
        counts += [ngrams.total(), (ngrams & allowed).total()]
    return counts


def bleu(counts: Sequence[float]) -> list[float]:
    """
    Corpus Bleu-1 … Bleu-4 (Papineni et al. 2002) of summed `bleu_counts`: geometric means of the n-grams'
    precisions, times a penalty if predictions are shorter than the references.
    """
    predicted, expected, *pairs = counts
    ratio = (predicted + TINY) / (expected + SMALL)
    penalty = math.exp(min(0.0, 1 - 1 / ratio))
    scores, product = [], 1.0
    for order in range(1, MAX_ORDER + 1):
        total, matched = pairs[2 * order - 2 : 2 * order]
        product *= (matched + TINY) / (total + SMALL)
        scores.append(product ** (1 / order) * penalty)
    return scores


def _ngrams(tokens: Sequence[str], order: int) -> Ngrams:
    return Counter(zip(*(tokens[i:] for i in range(order))))
