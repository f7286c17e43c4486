"""Describes the mentions of a text before they are linked, with an array for each property."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

import numpy as np

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span
from allennlp_coref_rc.annotations.annotators import lexicon
from allennlp_coref_rc.annotations.annotators.coref.ranked.token_features import RELATIVES, word_classes
from allennlp_coref_rc.annotations.annotators.coref.sieve.entities import NAME, Mention
from allennlp_coref_rc.annotations.annotators.coref.sieve.sieve_coref import Resolution
from allennlp_coref_rc.annotations.annotators.lexicon import FEMALE, MALE, NEUTER, PERSON, PLURAL, SINGULAR

IS_PRONOUN, IS_NAME, IS_NOMINAL = 0, 1, 2

DETERMINERS: dict[str, int] = {
    **dict.fromkeys(lexicon.INDEFINITE, 2),
    **dict.fromkeys(lexicon.POSSESSIVES, 4),
    **dict.fromkeys(("this", "these", "that", "those"), 3),
    **dict.fromkeys(("no", "any", "every", "each"), 5),
    "the": 1,
}
OWNED = 6
"""The determiner of "Anne 's sister"."""

CASES = (
    lexicon.SUBJECTS,
    lexicon.POSSESSIVES,
    lexicon.REFLEXIVES,
    frozenset("him me them us thee".split()),
    frozenset("mine yours his hers ours theirs".split()),
)

PHRASE_ENDS = (
    (lexicon.PREPOSITIONS | lexicon.CONJUNCTIONS | lexicon.AUXILIARIES | RELATIVES) - lexicon.POSSESSIVE_MARKS
) - frozenset(["like", "past", "round", "but"])

PRONOUN_GROUPS = (
    lexicon.FIRST_SINGULAR,
    lexicon.FIRST_PLURAL,
    lexicon.SECOND_PRONOUNS,
    lexicon.MALE_PRONOUNS,
    lexicon.FEMALE_PRONOUNS,
    lexicon.NEUTER_PRONOUNS,
    lexicon.PLURAL_PRONOUNS,
)
PRONOUN_GROUP: dict[str, int] = {word: i for i, group in enumerate(PRONOUN_GROUPS) for word in group}
NO_GROUP = len(PRONOUN_GROUPS)

FEW_WORDS = lexicon.DETERMINERS | lexicon.POSSESSIVES | lexicon.PREPOSITIONS | PHRASE_ENDS
BITS = 61

COLUMNS = "head kind group gender number voted head_word text determiner sieve speaker is_subject".split()
"""The properties of `Candidates` that `describe` finds mention by mention."""


@dataclass
class Candidates:
    """
    The mentions of a text in order, and their properties, each an array with an entry a mention.

    `group` is a pronoun's group (`PRONOUN_GROUPS`) or `NO_GROUP`. `head_word` and `text` are numbers that are equal for
    equal heads (in the singular) and texts. `bits` and `more_bits` have a bit for each content word.
    `sieve` is the number of the mention's entity by the rules, or -1; `turn` that of the quotation it is in, or -1;
    `speaker` the entity that speaks there by the rules, or -1. `classes` has, at several levels, the word classes of
    the head; `chances` are the probabilities that the candidates are mentions; `vectors` are the features that a
    network sees.
    """

    spans: list[Span]
    start: np.ndarray
    stop: np.ndarray
    head: np.ndarray
    sentence: np.ndarray
    kind: np.ndarray
    group: np.ndarray
    gender: np.ndarray
    number: np.ndarray
    voted: np.ndarray
    head_word: np.ndarray
    text: np.ndarray
    bits: np.ndarray
    more_bits: np.ndarray
    determiner: np.ndarray
    sieve: np.ndarray
    turn: np.ndarray
    speaker: np.ndarray
    is_subject: np.ndarray
    classes: np.ndarray
    chances: np.ndarray
    vectors: np.ndarray


def head_of(words: Sequence[str], start: int, stop: int) -> int:
    """The last word of the first part of a phrase, before a preposition, a comma, "who" and the like."""
    position = start
    while position < stop - 1 and words[position] in DETERMINERS:
        position += 1
    while position + 1 < stop:
        word = words[position + 1]
        if word in PHRASE_ENDS or word == "," or not (word[:1].isalnum() or word[:1] == "'"):
            break
        position += 1
    if words[position] in lexicon.POSSESSIVE_MARKS and position > start:
        position -= 1
    return position


def describe(
    text: AnnotatedText, rules: Resolution, sentence_of: np.ndarray, spans: Sequence[Span], chances: np.ndarray
) -> Candidates:
    """
    The properties of the mentions with these spans, in order. `chances` are the probabilities that they are mentions at
    all.
    """
    words, entities, quotes = rules.words, rules.entities, rules.quotes
    numbers = {id(entity): i for i, entity in enumerate(entities)}
    by_head = {mention.head: mention for mention in rules.mentions if mention in entities}
    turn_of = np.full(len(text) + 1, -1)
    speakers = [-1] * len(quotes)
    turns = {id(quote): i for i, quote in enumerate(quotes)}
    for i, quote in enumerate(quotes):
        turn_of[quote.start : quote.stop] = turns[id(quote.turn)]
        entity = entities.get(quote.turn.speaker)
        speakers[i] = numbers[id(entity)] if entity else -1
    types: dict[str, int] = {}
    texts: dict[tuple[str, ...], int] = {}
    capital = [token[:1].isupper() for token in text.tokens]
    rows: list[tuple[int, ...]] = []
    classes: list[list[int]] = []
    bits: list[int] = []
    more_bits: list[int] = []
    for start, stop in spans:
        word = words[start]
        pronoun = lexicon.PRONOUNS.get(word) if stop == start + 1 else None
        head = start if pronoun else head_of(words, start, stop)
        mention = by_head.get(head)
        head_word = words[head]
        codes, is_plural = word_classes(head_word)
        gender, number, kind = lexicon.ANY_GENDER, lexicon.ANY_NUMBER, IS_NOMINAL
        if pronoun:
            gender, number, kind = pronoun.gender, pronoun.number, IS_PRONOUN
        else:
            if capital[head] and (head > start or mention is None or mention.kind == NAME):
                kind = IS_NAME
            gender, number = _attributes(mention, head_word, codes, is_plural, kind)
        entity = entities.get(mention)
        determiner = DETERMINERS.get(word, 0) if stop > start + 1 else 0
        if not determiner and "'s" in words[start:head]:
            determiner = OWNED
        if head_word.endswith("men"):
            head_word = head_word[:-3] + "man"
        elif is_plural or number == PLURAL:
            head_word = head_word.rstrip("s")
        own, other = 0, 0
        for inside in words[start : head + 1]:
            if inside not in FEW_WORDS and (inside[:1].isalnum()):
                index = types.setdefault(inside.rstrip("s."), len(types))
                own |= 1 << index % BITS
                other |= 1 << (index * 7 // BITS + index * 3) % BITS
        bits.append(own)
        more_bits.append(other)
        core = tuple(words[start + 1 : stop] if determiner in (1, 2, 3) else words[start:stop])
        rows.append(
            (
                head,
                kind,
                PRONOUN_GROUP.get(word, NO_GROUP) if pronoun else NO_GROUP,
                gender,
                number,
                entity.gender if entity else gender,
                types.setdefault(head_word, len(types)),
                texts.setdefault(core, len(texts)),
                determiner,
                numbers[id(entity)] if entity else -1,
                speakers[turn_of[start]] if turn_of[start] >= 0 else -1,
                _is_subject(words, start, stop, mention),
            )
        )
        classes.append([int(code) for code in codes[:12]])
    columns = np.array(rows, np.int64).reshape(len(rows), len(COLUMNS)).T
    first = np.array([start for start, _ in spans], np.int64)
    result = Candidates(
        spans=list(spans),
        start=first,
        stop=np.array([stop for _, stop in spans], np.int64),
        sentence=sentence_of[first],
        bits=np.array(bits, np.int64),
        more_bits=np.array(more_bits, np.int64),
        turn=turn_of[first],
        classes=np.array(classes, np.float32).reshape(len(rows), 12) / 3,
        chances=np.array(chances, np.float32),
        vectors=np.zeros((0, 0), np.float32),
        **dict(zip(COLUMNS, columns)),
    )
    result.vectors = _vectors(result, words)
    return result


def _attributes(mention: Optional[Mention], head_word: str, codes: str, is_plural: bool, kind: int) -> tuple[int, int]:
    """The genders and numbers that a name or nominal may have."""
    if mention is not None:
        return mention.gender, mention.number
    noun = lexicon.NOUNS.get(head_word)
    if noun:
        return noun.gender, noun.number
    if kind == IS_NAME:
        return lexicon.GIVEN_NAMES.get(head_word, lexicon.TITLES.get(head_word, lexicon.ANY_GENDER)), lexicon.ANY_NUMBER
    gender = lexicon.ANY_GENDER
    if codes[12] == "1":
        gender = MALE
    elif codes[13] == "1":
        gender = FEMALE
    elif codes[4] == "3":
        gender = PERSON
    elif codes[4] == "0" and codes[0] != "0":
        gender = NEUTER
    return gender, PLURAL if is_plural else SINGULAR


def _is_subject(words: Sequence[str], start: int, stop: int, mention: Optional[Mention]) -> int:
    if stop == start + 1 and words[start] in lexicon.PRONOUNS and words[start] not in ("it", "you"):
        return int(words[start] in lexicon.SUBJECTS)
    if mention is not None and mention.stop == stop:
        return int(mention.is_subject)
    if start and words[start - 1] in lexicon.PREPOSITIONS:
        return 0
    after = words[stop] if stop < len(words) else "."
    return int(after in lexicon.AUXILIARIES or after in lexicon.VERBS or after.endswith("ed"))


def _one_hot(values: np.ndarray, size: int) -> np.ndarray:
    return values[:, None] == np.arange(size)


def _vectors(mentions: Candidates, words: Sequence[str]) -> np.ndarray:
    """The features of single mentions. Shape: (mentions, features)"""
    length = len(words)
    m = mentions
    case = np.array([[words[start] in group for group in CASES] for start in m.start], np.float32).reshape(-1, 5)
    case *= (m.kind == IS_PRONOUN)[:, None]
    before = [words[start - 1] if start else "." for start in m.start]
    after = [words[stop] if stop < length else "." for stop in m.stop]
    around = np.array(
        [
            (
                b in lexicon.PREPOSITIONS,
                b in lexicon.PLACE_PREPOSITIONS,
                b in lexicon.SPEECH_VERBS,
                b in lexicon.VERBS or b.endswith("ed"),
                b in lexicon.AUXILIARIES,
                b in ("and", "or", ","),
                a in lexicon.AUXILIARIES,
                a in lexicon.VERBS or a.endswith("ed"),
                a in lexicon.SPEECH_VERBS,
                a in (",", "and"),
                a in lexicon.POSSESSIVE_MARKS,
                a in lexicon.PREPOSITIONS,
                not a[:1].isalnum(),
            )
            for b, a in zip(before, after)
        ],
        np.float32,
    ).reshape(-1, 13)
    quoted = m.turn >= 0
    narrating = ((m.group == 0) & ~quoted).sum()
    total = max(len(m.start), 1)
    counts = np.bincount(m.head_word, minlength=1)[m.head_word] if len(m.start) else m.start
    same_text = np.bincount(m.text, minlength=1)[m.text] if len(m.start) else m.start
    first = np.zeros(len(m.start), bool)
    first[np.unique(m.head_word, return_index=True)[1]] = True
    size = m.stop - m.start
    return np.concatenate(
        [
            _one_hot(m.kind, 3),
            _one_hot(m.group, NO_GROUP + 1),
            case,
            (m.gender[:, None] & np.array([MALE, FEMALE, NEUTER])) > 0,
            _one_hot(m.gender, 8)[:, [1, 2, 3, 4]],
            (m.voted[:, None] & np.array([MALE, FEMALE, NEUTER])) > 0,
            (m.number[:, None] & np.array([SINGULAR, PLURAL])) > 0,
            _one_hot(m.determiner, 7),
            m.classes,
            around,
            np.stack(
                [
                    m.chances,
                    m.chances > 0.5,
                    m.is_subject,
                    m.sieve >= 0,
                    quoted,
                    quoted & (m.speaker >= 0),
                    np.full(len(m.start), narrating > 0.03 * total),
                    np.full(len(m.start), min(narrating / total, 0.3)),
                    np.minimum(size, 12) / 12,
                    size > 3,
                    np.minimum(counts, 8) / 8,
                    counts > 1,
                    np.minimum(same_text, 8) / 8,
                    first,
                    m.start < 150,
                    m.start / max(length, 1),
                ],
                axis=1,
            ),
        ],
        axis=1,
    ).astype(np.float32)
