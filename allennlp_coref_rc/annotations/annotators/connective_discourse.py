from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Optional

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, DiscourseRelation, Span
from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.annotators.connectives import (
    AMBIGUOUS,
    CONNECTIVES,
    SUBORDINATING,
    find_connectives,
)
from allennlp_coref_rc.common.errors import ConfigurationError

Arguments = tuple[list[Span], list[Span]]


@Annotator.register("connective_discourse")
class ConnectiveDiscourse(Annotator):
    """
    Discourse relations by a list of connectives, similar to those that DASSA (Mihaylov & Frank, EMNLP 2019)
    uses. Every connective makes an explicit relation with the sense that it most often has. A list cannot
    tell "and" between sentences from "and" between nouns; `discourse` can.

    Connectives match whole tokens; where matches overlap, the longest counts. Arg1 is the part of the
    sentence before the connective, and Arg2 the part after it, with these exceptions:

    - A connective that begins a sentence, apart from other connectives and signs, has the sentence before as
      Arg1.
    - If it is subordinating ("Because X, Y"), Arg2 ends at the first comma, and the rest of the sentence is
      Arg1.
    - A connective that ends a sentence has the sentence before as Arg1, and its own sentence as Arg2.

    There is no relation if an argument would have no words. Implicit relations can be added: they link whole
    neighbouring sentences that no explicit relation links.

    `paper_like` follows the authors' published code for finding candidates:

    - Only the first occurrence of a connective in a sentence counts, and only if its case is as listed, it
      does not begin the sentence, and it stands between blanks, commas or hyphens.
    - Connectives may overlap.
    - Arg1 and Arg2 are all tokens before and after the connective.
    - Relations are listed sentence by sentence, the longest connective first.
    - Implicit relations link any two neighbouring sentences.

    The authors' list has 102 connectives; here the list is ours, and a sentence is its tokens with blanks
    between them.

    Registered as an `Annotator` with name "connective_discourse".

    # Parameters

    connectives : `dict[str, str]`, optional (default = `None`)
        The senses of connectives. A connective is its tokens in lower case with blanks between them. By
        default those of `connectives.py`.
    exclude : `list[str]`, optional (default = `None`)
        Connectives to leave out. By default the connectives of our own list that most often make no relation,
        such as "for" (see `connectives.py`); none if `paper_like`.
    implicit : `bool`, optional (default = `False`)
        Add implicit relations, with the sense that is the most frequent in PDTB and GDTB,
        "Expansion.Conjunction".
    paper_like : `bool`, optional (default = `False`)
        Follow the rule of the authors' code.

    # Example

    ```jsonnet
    {"type": "connective_discourse", "exclude": ["and", "as", "for", "or"], "implicit": true}
    ```
    """

    def __init__(
        self,
        connectives: Optional[dict[str, str]] = None,
        exclude: Optional[Iterable[str]] = None,
        implicit: bool = False,
        paper_like: bool = False,
    ) -> None:
        self._connectives = dict(CONNECTIVES if connectives is None else connectives)
        if exclude is None:
            exclude = AMBIGUOUS if connectives is None and not paper_like else ()
        for connective in exclude:
            if self._connectives.pop(connective, None) is None:
                raise ConfigurationError(
                    f"connective_discourse: exclude has {connective!r}, expected one that is listed"
                )
        for connective in self._connectives:
            if not connective or connective != " ".join(connective.split()):
                raise ConfigurationError(
                    f"connective_discourse: found the connective {connective!r}, expected words with one blank between"
                )
        self._implicit = implicit
        self._paper_like = paper_like

    def annotate(self, text: AnnotatedText) -> AnnotatedText:
        relations: list[DiscourseRelation] = []
        find_arguments = _Arguments(text)
        for i, (start, stop) in enumerate(text.sentences):
            tokens = text.tokens[start:stop]
            find = first_occurrences if self._paper_like else find_connectives
            matches = [
                ((a + start, b + start), connective) for (a, b), connective in find(tokens, self._connectives)
            ]
            content = find_arguments.content((start, stop), [span for span, _ in matches])
            for span, connective in matches:
                if self._paper_like:
                    arguments: Optional[Arguments] = ([(start, span[0])], [(span[1], stop)])
                else:
                    arguments = find_arguments(i, span, connective, content)
                if arguments:
                    relations.append(
                        DiscourseRelation("Explicit", self._connectives[connective], *arguments, [span])
                    )
        if self._implicit:
            relations.extend(self._implicit_relations(text, relations))
        return text.with_more(relations=relations)

    def _implicit_relations(
        self, text: AnnotatedText, explicit: Sequence[DiscourseRelation]
    ) -> Iterator[DiscourseRelation]:
        linked = {relation.arg1[0] for relation in explicit}
        for first, second in zip(text.sentences, text.sentences[1:]):
            if self._paper_like or first not in linked:
                yield DiscourseRelation("Implicit", "Expansion.Conjunction", [first], [second])


class _Arguments:
    """
    Finds the arguments of the connectives of a text, each in a time that does not grow with its sentence.
    """

    def __init__(self, text: AnnotatedText) -> None:
        self._sentences = text.sentences
        self._is_word = list(map(_is_word, text.tokens))
        self._words = [0, *accumulate(self._is_word)]
        """How many words stand before each token."""
        # From the end, so that each token knows what comes after it.
        self._next_word, self._next_comma = [len(text)], [len(text)]
        for position in reversed(range(len(text))):
            self._next_word.append(position if self._is_word[position] else self._next_word[-1])
            self._next_comma.append(position if text.tokens[position] == "," else self._next_comma[-1])
        self._next_word.reverse()
        self._next_comma.reverse()

    def content(self, sentence: Span, connectives: Sequence[Span]) -> int:
        """The first word of a sentence that is in no connective; the end of the sentence if there is none."""
        inside = {token for span in connectives for token in range(*span)}
        words = (token for token in range(*sentence) if self._is_word[token] and token not in inside)
        return next(words, sentence[1])

    def __call__(self, sentence: int, span: Span, connective: str, content: int) -> Optional[Arguments]:
        """Arg1 and Arg2 of a connective in the sentence of this number, whose `content` begins there."""
        start, stop = self._sentences[sentence]
        before, after = (start, span[0]), (span[1], stop)
        earlier = self._sentences[sentence - 1] if sentence else None
        previous = earlier if earlier and self._has_words(earlier) else None
        if content < span[0]:
            if self._has_words(after):
                return [before], [after]
            return ([previous], [before]) if previous else None
        if connective in SUBORDINATING:
            comma = self._next_comma[min(self._next_word[span[1]], stop)]
            if comma < stop and self._has_words((comma, stop)):
                return [(comma + 1, stop)], [(after[0], comma)]
        return ([previous], [after]) if previous and self._has_words(after) else None

    def _has_words(self, span: Span) -> bool:
        return self._words[span[0]] < self._words[span[1]]


def first_occurrences(tokens: Sequence[str], connectives: Iterable[str]) -> list[tuple[Span, str]]:
    """
    The connectives that the authors' rule finds in a sentence, the longest first, with the tokens they touch.
    """
    sentence = " ".join(tokens)
    ends, end = [], -1
    for token in tokens:
        end += 1 + len(token)
        ends.append(end)
    matches = []
    for connective in sorted(connectives, key=lambda connective: (-len(connective), connective)):
        start = sentence.find(connective)
        stop = start + len(connective)
        if start > 0 and stop < len(sentence) and sentence[start - 1] in " ,-" and sentence[stop] in " ,-":
            first = bisect_right(ends, start)
            last = bisect_left(ends, stop) + 1
            if first > 0 and last < len(tokens):
                matches.append(((first, last), connective))
    return matches


def _is_word(token: str) -> bool:
    return any(character.isalnum() for character in token)
