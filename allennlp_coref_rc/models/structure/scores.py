"""The scores of annotations, as `evaluate_annotator.py` prints them and as the heads report them in training."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Frame, Span
from allennlp_coref_rc.annotations.annotators.senses import conll_sense

Scores = tuple[float, ...]
"""Precision, recall and F1, or one figure alone; as shares."""

Pairs = Sequence[tuple[AnnotatedText, AnnotatedText]]
"""Texts with the annotator's annotations, and as they are annotated in the corpus."""


def prf(right: float, predicted: float, annotated: float) -> Scores:
    """Precision, recall and F1."""
    return right / (predicted or 1), right / (annotated or 1), 2 * right / (predicted + annotated or 1)


def arguments(frame: Frame) -> Iterator[tuple[str, tuple[Span, ...]]]:
    """The arguments of a frame with the spans of their parts."""
    parts: dict[str, list[list[Span]]] = defaultdict(list)
    for role, span in sorted(frame.arguments, key=lambda argument: argument[1]):
        base = role.removeprefix("C-")
        if base != role and parts[base]:
            parts[base][-1].append(span)
        elif base != "V":
            parts[role].append([span])
    return ((role, tuple(spans)) for role, listed in parts.items() for spans in listed)


def score_frames(pairs: Pairs) -> Iterator[tuple[str, Scores]]:
    items: dict[str, list[set]] = {"predicates": [set(), set()], "arguments": [set(), set()]}
    for number, pair in enumerate(pairs):
        for which, text in enumerate(pair):
            for frame in text.frames:
                predicate = (number, frame.predicate[0])
                items["predicates"][which].add(predicate)
                items["arguments"][which].update((predicate, *argument) for argument in arguments(frame))
    for name, (predicted, gold) in items.items():
        yield name, prf(len(predicted & gold), len(predicted), len(gold))


def tokens_of(spans: Iterable[Span]) -> set[int]:
    return {token for span in spans for token in range(*span)}


def explicit(text: AnnotatedText) -> list[tuple[set[int], str]]:
    """The tokens of the connectives, and their senses."""
    return [(tokens_of(r.connective), r.sense) for r in text.relations if r.type == "Explicit"]


def score_connectives(pairs: Pairs) -> Iterator[tuple[str, Scores]]:
    right, found, predicted, annotated = 0, 0, 0, 0
    for text, gold in pairs:
        ours, theirs = explicit(text), explicit(gold)
        right += sum(any(tokens & other for other, _ in theirs) for tokens, _ in ours)
        found += sum(any(tokens & other for other, _ in ours) for tokens, _ in theirs)
        predicted, annotated = predicted + len(ours), annotated + len(theirs)
    precision, recall = right / (predicted or 1), found / (annotated or 1)
    yield "explicit connectives", (precision, recall, 2 * precision * recall / (precision + recall or 1))


def words_of(text: AnnotatedText, spans: Iterable[Span]) -> set[int]:
    return {i for i in tokens_of(spans) if any(map(str.isalnum, text.tokens[i]))}


def score_arguments(pairs: Pairs) -> Iterator[tuple[str, Scores]]:
    relations, right = 0, 0
    for text, gold in pairs:
        theirs = {i: r for r in gold.relations if r.type == "Explicit" for i in tokens_of(r.connective)}
        for ours in (r for r in text.relations if r.type == "Explicit"):
            other = next((theirs[i] for i in sorted(tokens_of(ours.connective)) if i in theirs), None)
            if other:
                relations += 1
                right += all(
                    words_of(text, one) == words_of(text, two)
                    for one, two in ((ours.arg1, other.arg1), (ours.arg2, other.arg2))
                )
    yield f"arguments of {relations} explicit relations", (right / (relations or 1),)


def score_senses(pairs: Pairs) -> Iterator[tuple[str, Scores]]:
    senses, right = 0, 0
    implicit: Counter = Counter(right=0, predicted=0, annotated=0)
    for text, gold in pairs:
        sense_of = {i: conll_sense(sense) for tokens, sense in explicit(gold) for i in tokens}
        for tokens, sense in explicit(text):
            expected = next((sense_of[i] for i in sorted(tokens) if i in sense_of), None)
            senses += expected is not None
            right += expected is not None and expected == sense
        ours = [r for r in text.relations if r.type == "Implicit"]
        theirs = [r for r in gold.relations if r.type == "Implicit" and conll_sense(r.sense)]
        implicit.update(predicted=len(ours), annotated=len(theirs))
        implicit["right"] += sum(
            any(
                conll_sense(relation.sense) == other.sense
                and tokens_of(relation.arg1) & tokens_of(other.arg1)
                and tokens_of(relation.arg2) & tokens_of(other.arg2)
                for other in ours
            )
            for relation in theirs
        )
    yield f"senses of {senses} explicit relations", (right / (senses or 1),)
    yield "implicit relations", prf(**implicit)
