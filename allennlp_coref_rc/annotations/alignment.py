import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from os.path import commonprefix
from typing import Optional

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span
from allennlp_coref_rc.common.errors import ConfigurationError

UNKNOWN = "\0"
"""Stands for a token whose characters are not known. A text that has one is aligned token by token."""

BRACKETS = {"-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "-lcb-": "{", "-rcb-": "}"}

ESCAPED = re.compile(r"-[lr][rsc]b-|\\[/*]", re.IGNORECASE)

# One character at a time, so that it does not matter where tokens end: `` may be one token or two.
SPELLINGS = str.maketrans(
    {**dict.fromkeys("`‘’", "'"), **dict.fromkeys('"“”', "''"), **dict.fromkeys("–—", "--"), "…": "..."}
)


def normalized(token: str, ignore_case: bool = False) -> str:
    r"""
    A token's characters, whatever the tokeniser: without white space and the Penn Treebank's escapes
    (`-LRB-`, `\/`), and with one spelling of quotation marks, dashes and dots.
    """
    token = ESCAPED.sub(lambda match: BRACKETS.get(match[0].lower(), match[0][1]), "".join(token.split()))
    token = token.translate(SPELLINGS)
    return token.casefold() if ignore_case else token


class Alignment:
    """
    Maps spans of one tokenisation of a text (the source) to spans of another (the target), by their
    characters in the form of `normalized`, which have to be the same. With `beginning`, the source may end
    before the target does.
    """

    def __init__(
        self, source: Sequence[str], target: Sequence[str], ignore_case: bool = False, beginning: bool = False
    ) -> None:
        self._known = UNKNOWN not in source
        self.end = len(target)
        """The number of the target's tokens that the source covers."""
        if not self._known:
            _check_tokens(source, target, ignore_case)
            self.end = len(source)
            return
        characters, self._source_starts = _characters(source, ignore_case)
        target_characters, self._target_starts = _characters(target, ignore_case)
        if characters != target_characters and not (beginning and target_characters.startswith(characters)):
            common = len(commonprefix([characters, target_characters]))
            # Where a token begins in both, so that whole words are shown.
            start = max(n for n in set(self._source_starts) & set(self._target_starts) if n <= common)
            raise ConfigurationError(
                f"the annotation and the text part ways: found {_excerpt(source, self._source_starts, start)} of the "
                f"annotation, expected {_excerpt(target, self._target_starts, start)} of the text"
            )
        if characters != target_characters:
            self.end = bisect_left(self._target_starts, len(characters))

    def span(self, span: Span) -> Optional[Span]:
        """The tokens of the target that share characters with the span; `None` if there are none."""
        if not self._known:
            return span
        start, stop = self._source_starts[span[0]], self._source_starts[span[1]]
        if start == stop:
            return None
        return bisect_right(self._target_starts, start) - 1, bisect_right(self._target_starts, stop - 1)

    def spans(self, spans: Sequence[Span]) -> list[Span]:
        """The target's spans for several spans of the source, without duplicates."""
        return list(dict.fromkeys(placed for placed in map(self.span, spans) if placed))


def _characters(tokens: Sequence[str], ignore_case: bool) -> tuple[str, list[int]]:
    """
    The characters of all tokens, and the index at which each token begins, followed by the number of
    characters.
    """
    parts = [normalized(token, ignore_case) for token in tokens]
    return "".join(parts), [0, *accumulate(map(len, parts))]


def _excerpt(tokens: Sequence[str], starts: Sequence[int], character: int) -> str:
    token = bisect_right(starts, character) - 1
    return (
        "the end" if token >= len(tokens) else f"token {token}, {' '.join(tokens[token : token + 30])[:30]!r}"
    )


def _check_tokens(source: Sequence[str], target: Sequence[str], ignore_case: bool) -> None:
    if len(source) > len(target):
        raise ConfigurationError(
            f"found {len(source)} or more tokens in the annotation, expected {len(target)}"
        )
    for i, (token, expected) in enumerate(zip(source, target)):
        if token != UNKNOWN and normalized(token, ignore_case) != normalized(expected, ignore_case):
            raise ConfigurationError(
                f"the annotation and the text part ways: found token {i}, {token[:30]!r}, of the annotation, expected "
                f"{expected[:30]!r}"
            )


def transfer(
    source: AnnotatedText,
    target: AnnotatedText,
    ignore_case: bool = False,
    beginning: bool = False,
    sentences: bool = False,
) -> AnnotatedText:
    """
    Adds the source's annotations to the target's, but for spans of white space, frames that lose their
    predicate, and relations and edges that lose an end. `Alignment` describes `ignore_case` and `beginning`.
    With `sentences`, the source's replace the target's, as far as the source reaches.
    """
    alignment = Alignment(source.tokens, target.tokens, ignore_case, beginning)
    clusters = [mentions for cluster in source.clusters if (mentions := alignment.spans(cluster))]
    relations = []
    for relation in source.relations:
        arg1, arg2 = alignment.spans(relation.arg1), alignment.spans(relation.arg2)
        if arg1 and arg2:
            connective = alignment.spans(relation.connective)
            relations.append(replace(relation, arg1=arg1, arg2=arg2, connective=connective))
    # Clusters and relations lose duplicates, and relations need both arguments.
    others = replace(source.layers, clusters=[], relations=[])
    kept = others.kept(alignment.span, lambda span: alignment.spans([span]))
    if sentences:
        target = replace(target, sentences=_sentences(source, target, alignment))
    return target.with_more(**vars(replace(kept, clusters=clusters, relations=relations)))


def _sentences(source: AnnotatedText, target: AnnotatedText, alignment: Alignment) -> list[Span]:
    starts = {start for start, _ in alignment.spans(source.sentences)[1:]}
    starts.update(start for start, _ in target.sentences if start >= alignment.end)
    starts.update(position for position in (0, alignment.end) if position < len(target))
    ordered = sorted(starts)
    return list(zip(ordered, ordered[1:] + [len(target)]))
