from typing import List, NamedTuple, Optional, Sequence

import numpy

from allennlp_coref_rc.common.lcs import lcs_lengths

CONTEXT = 15
"""How many tokens on either side of a span decide between spans that are equally like an answer."""


class OracleSpan(NamedTuple):
    """A span of the passage, its end excluded, and its Rouge-L, from 0 to 1, with the answer that it was found for."""

    start: int
    end: int
    rouge_l: float


def oracle_span(
    passage: Sequence[str], question: Sequence[str], answers: Sequence[Sequence[str]]
) -> Optional[OracleSpan]:
    """
    The span of a passage that is most like one of the free-form answers to a question: what models that point at spans
    are trained with on NarrativeQA (Mihaylov and Frank 2019, section 4). `None` if there is nothing to compare.

    Candidates are all spans as long as one of the answers, each compared with that answer. The one with the highest
    Rouge-L wins; of equals the one whose context, 15 tokens to the left and right in a row, has the highest Rouge-L with
    the question. Their program was never published. Where the paper says nothing: letters are in lower case, there is no
    stemming, answers and questions are without final punctuation (as in its figures 6 and 7), Rouge-L is the harmonic
    mean of precision and recall, ties between both answers are broken by context too, and what then is still equal by
    the earliest start, and the earliest end. If no word of an answer is in the passage, that leaves context alone.

    # Parameters

    passage : `Sequence[str]`
    question : `Sequence[str]`
    answers : `Sequence[Sequence[str]]`
        Tokens of each.
    """
    passage, question = _lower(passage), _bare(question)
    best, tied = 0.0, []
    for answer in dict.fromkeys(tuple(_bare(answer)) for answer in answers):
        width = min(len(answer), len(passage))
        if not width:
            continue
        starts = numpy.arange(len(passage) - width + 1)
        common = lcs_lengths(answer, passage, starts[:, None] + numpy.arange(width))
        # Division rounds equal fractions to equal numbers, so that ties are exact.
        score = 2 * common.max() / (len(answer) + width)
        if score >= best:
            tied = [] if score > best else tied
            best = score
            tied.extend((start, start + width) for start in starts[common == common.max()])
    if not tied:
        return None
    spans = numpy.array(sorted(tied))
    start, end = spans[numpy.argmax(_context_scores(passage, question, spans))].tolist()
    return OracleSpan(start, end, float(best))


def _context_scores(passage: List[str], question: List[str], spans: numpy.ndarray) -> numpy.ndarray:
    left = spans[:, :1] + numpy.arange(-CONTEXT, 0)
    right = spans[:, 1:] + numpy.arange(CONTEXT)
    context = numpy.concatenate([left, right], axis=1)
    inside = (context >= 0) & (context < len(passage))
    common = lcs_lengths(question, passage, numpy.where(inside, context, -1))
    return 2 * common / numpy.maximum(inside.sum(axis=1) + len(question), 1)


def _lower(tokens: Sequence[str]) -> List[str]:
    return [token.lower() for token in tokens]


def _bare(tokens: Sequence[str]) -> List[str]:
    end = len(tokens)
    while end > 1 and not any(character.isalnum() for character in tokens[end - 1]):
        end -= 1
    return _lower(tokens[:end])
