"""
wip
"""

import re
from collections import defaultdict
from collections.abc import Iterator

from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from allennlp_coref_rc.annotations.formats.conllu import BRACKET, Sentence, read_conllu_sentences


def read_docs(path: str, vocab: Vocab) -> Iterator[Doc]:
    """
    The documents of a file in Universal Dependencies as docs of spaCy, with tags, morphology, lemmas and dependencies.
    If GUM's `Entity=` is there, the entities are the mentions that are no pronouns: their minimal spans, or their heads
    if the head is not in the minimal span. Of spans that overlap, the longest is kept.
    """
    sentences: list[Sentence] = []
    for sentence in read_conllu_sentences(path):
        if sentence.begins and sentences:
            yield _doc(sentences, vocab)
            sentences = []
        sentences.append(sentence)
    if sentences:
        yield _doc(sentences, vocab)


def _doc(sentences: list[Sentence], vocab: Vocab) -> Doc:
    offsets = [0]
    for sentence in sentences:
        offsets.append(offsets[-1] + len(sentence.words))
    rows = [(offset, word.columns) for offset, s in zip(offsets, sentences) for word in s.words]
    heads = [offset + int(columns[6]) - 1 if columns[6] != "0" else i for i, (offset, columns) in enumerate(rows)]
    doc = Doc(
        vocab,
        words=[columns[1].replace(" ", "") for _, columns in rows],
        spaces=["SpaceAfter=No" not in columns[9] for _, columns in rows],
        lemmas=[columns[2] for _, columns in rows],
        pos=[columns[3] for _, columns in rows],
        tags=[columns[4] for _, columns in rows],
        morphs=["" if columns[5] == "_" else columns[5] for _, columns in rows],
        heads=heads,
        deps=["ROOT" if columns[7] == "root" else columns[7] for _, columns in rows],
        sent_starts=[i in offsets for i in range(len(rows))],
    )
    entities = _entities([columns[9] for _, columns in rows], doc)
    doc.set_ents(entities, default="outside" if entities else "missing")
    return doc


def _entities(misc: list[str], doc: Doc) -> list[Span]:
    opened: dict[str, list[tuple[int, str]]] = defaultdict(list)
    types: dict[tuple[int, int], str] = {}
    for i, value in enumerate(misc):
        brackets = re.search(r"(?:^|\|)Entity=([^|]*)", value)
        for bracket in BRACKET.finditer(brackets[1]) if brackets else ():
            opens, entity, _, _, values, closes = bracket.groups()
            if opens:
                opened[entity].append((i, values))
            if closes:
                start, values = opened[entity].pop()
                _, type, _, _, _, minimal, *_ = values.split("-")
                head = next(t for t in doc[start : i + 1] if t.head == t or not start <= t.head.i <= i)
                if head.pos_ != "PRON":
                    places = [start + int(number) - 1 for number in minimal.split(",")]
                    first, last = places[0], places[-1]
                    if not (first <= head.i <= last and len(places) == last - first + 1):
                        first = last = head.i
                    types.setdefault((first, last + 1), type)
    taken: set[int] = set()
    entities = []
    for (start, end), type in sorted(types.items(), key=lambda item: item[0][0] - item[0][1]):
        if taken.isdisjoint(range(start, end)):
            taken.update(range(start, end))
            entities.append(Span(doc, start, end, label=type))
    return entities
