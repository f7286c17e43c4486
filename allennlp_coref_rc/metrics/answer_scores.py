"""The scores of answers in words: counts of each question that add up to scores."""

from collections.abc import Sequence
from typing import Any, Optional

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.metrics.overlap import MAX_ORDER, bleu, bleu_counts, rouge_l, squad_f1, squad_tokens
from allennlp_coref_rc.metrics.ptb_tokens import ptb_tokens

MEANS = ("rouge_l", "exact_match", "f1")

NUM_COUNTS = 1 + len(MEANS) + 2 + 2 * MAX_ORDER


def correctness(prediction: dict[str, Any]) -> Optional[float]:
    """
    Whether an answer is correct, as 1 or `True`, by the prediction's own `correct`, Quoref's `exact_match`,
    because it is one of the `answer_texts` as SQuAD's exact match compares them, or the `gold` answer in
    upper or lower case; `None` if nothing is known.
    """
    for key in ("correct", "exact_match"):
        if key in prediction:
            return prediction[key] if isinstance(prediction[key], (int, float)) else None
    answer, gold, texts = map(prediction.get, ("answer", "gold", "answer_texts"))
    is_answered = answer is not None and not prediction.get("unanswered")
    if isinstance(texts, list) and texts and all(isinstance(text, str) for text in texts):
        return is_answered and squad_tokens(str(answer)) in map(squad_tokens, texts)
    return is_answered and str(answer).lower() == gold.lower() if isinstance(gold, str) else None


def answer_counts(prediction: str, references: Sequence[str]) -> list[float]:
    """
    The counts that a question adds to the sums for `scores_of`: 1, Rouge-L, exact match, F1, and those of
    Bleu.
    """
    if isinstance(references, str) or not references:
        raise ConfigurationError(f"references: found {references!r}, expected a list of one or more")
    predicted, expected = ptb_tokens(prediction), [ptb_tokens(text) for text in references]
    words, alternatives = squad_tokens(prediction), [squad_tokens(text) for text in references]
    return [
        1,
        rouge_l(predicted, expected),
        float(words in alternatives),
        max(squad_f1(words, reference) for reference in alternatives),
        *bleu_counts(predicted, expected),
    ]


def scores_of(sums: Sequence[float]) -> dict[str, float]:
    """The scores of the questions whose `answer_counts` were added up."""
    number, *means = sums[: 1 + len(MEANS)]
    scores = {name: value / max(number, 1) for name, value in zip(MEANS, means)}
    orders = bleu(sums[1 + len(MEANS) :])
    scores.update({f"bleu_{order}": score for order, score in enumerate(orders, start=1)})
    return scores
