from collections.abc import Sequence
from typing import Optional

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span
from allennlp_coref_rc.pages.annotated_text import html_fragment
from allennlp_coref_rc.pages.templates import render

MAX_CANDIDATES = 20


def answer_fragment(
    passage: AnnotatedText,
    question: str,
    answer: Optional[str],
    probability: Optional[float],
    candidates: dict[str, float],
    warnings: Sequence[str],
    spans: Optional[Sequence[Span]] = None,
    weights: Optional[Sequence[float]] = None,
) -> str:
    """
    An answer above its passage, as a piece of HTML like that of `html_fragment`.

    # Parameters

    passage : `AnnotatedText`
    question : `str`
    answer : `str`, optional
        `None` means that the reader has no answer.
    probability : `float`, optional
        The probability of the answer, if it is known.
    candidates : `dict[str, float]`
        The probabilities of the candidates, the largest first. The first `MAX_CANDIDATES` are in a list that can be
        unfolded.
    warnings : `Sequence[str]`
    spans : `list[Span]`, optional (default = `None`)
        The spans of the answer in the passage. By default it is framed wherever it occurs.
    weights : `list[float]`, optional (default = `None`)
        How much each token of the passage counted for the answer.
    """
    return render(
        "answer.html.jinja",
        passage=html_fragment(passage, answer=spans or answer, weights=weights),
        question=question,
        answer=answer,
        probability=probability,
        candidates=candidates,
        shown=list(candidates.items())[:MAX_CANDIDATES],
        warnings=warnings,
    )
