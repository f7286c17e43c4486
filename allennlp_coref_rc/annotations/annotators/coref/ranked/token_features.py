"""Features of words (their classes in WordNet, and the word lists of the sieve) and of the tokens of a text."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from allennlp_coref_rc.annotations.annotators import lexicon
from allennlp_coref_rc.annotations.annotators.coref.english_coref.words import UNKNOWN, singular, word_table
from allennlp_coref_rc.annotations.annotators.coref.sieve.entities import NAME, NOMINAL
from allennlp_coref_rc.annotations.annotators.coref.sieve.name_spans import OPENING
from allennlp_coref_rc.annotations.annotators.coref.sieve.sieve_coref import Resolution
from allennlp_coref_rc.annotations.annotators.lexicon import FEMALE, MALE, NEUTER, PLURAL

RELATIVES = frozenset("who whom whose which that where".split())
NUMBERS = frozenset("one two three four five six seven eight nine ten eleven twelve twenty hundred thousand".split())

LISTS = (
    frozenset(["the"]),
    frozenset(["a", "an"]),
    frozenset(["this", "these"]),
    frozenset(["that", "those"]),
    frozenset(["no", "any", "every", "each"]),
    lexicon.INDEFINITE,
    lexicon.POSSESSIVES,
    lexicon.POSSESSIVE_MARKS,
    lexicon.PREPOSITIONS,
    lexicon.PLACE_PREPOSITIONS,
    frozenset(["of"]),
    frozenset(["and", "or"]),
    lexicon.CONJUNCTIONS,
    RELATIVES,
    lexicon.AUXILIARIES,
    lexicon.ADVERBS,
    lexicon.INTENSIFIERS,
    lexicon.VERBS,
    lexicon.SPEECH_VERBS,
    lexicon.REFLEXIVES,
    NUMBERS,
    lexicon.PLACE_NAMES,
    lexicon.PLACE_HEADS,
    lexicon.GROUP_HEADS,
    frozenset([","]),
    frozenset([".", "!", "?"]),
    frozenset([";", ":", "--", "—", "-"]),
    frozenset(["``", "“", "‘", "(", "["]),
    frozenset(["''", "”", "’", ")", "]"]),
    frozenset(['"', "'", "`"]),
)
ENDINGS = ("ed", "ing", "ly", "s", "er", "est", "ion", "ness", "ment", "man", "men", "ous", "al", "ful")


def word_classes(word: str) -> tuple[str, bool]:
    """The classes of a lower-cased word, or of the word that it is a form of, and whether it looks like a plural."""
    table = word_table()
    noun, classes = singular(word)
    if word in table or noun != word:
        return classes, noun != word
    for ending in ("ied", "ed", "ing"):
        if word.endswith(ending):
            stem = word[: -len(ending)]
            for form in (stem, stem + "e", stem + "y", stem[:-1]):
                if form in table and table[form][1] != "0":
                    return f"03{UNKNOWN[2:]}", False
    return classes, False


@lru_cache(maxsize=50_000)
def word_features(word: str) -> np.ndarray:
    """The features of a lower-cased word. Their number is `len(word_features(""))`."""
    classes, is_plural = word_classes(word)
    features = [int(level) / 3 for level in classes]
    features += [classes == UNKNOWN, is_plural]
    features += [word in words for words in LISTS]
    features += [word.endswith(ending) for ending in ENDINGS]
    person, gender, number = lexicon.PRONOUNS.get(word, (0, 0, 0))
    features += [
        person == 1,
        person == 2,
        person == 3,
        gender == MALE,
        gender == FEMALE,
        gender == NEUTER,
    ]
    features += [person and number == PLURAL, word in lexicon.SUBJECTS]
    name = lexicon.GIVEN_NAMES.get(word, 0)
    features += [
        bool(name),
        bool(name & MALE),
        bool(name & FEMALE),
        word in lexicon.TITLES,
        word.rstrip(".") in lexicon.TITLES,
    ]
    noun = lexicon.NOUNS.get(word)
    features += [noun is not None, bool(noun and noun.is_person), bool(noun and noun.number == PLURAL)]
    features += [word.isalpha(), len(word) == 1, "-" in word, word[:1].isdigit(), word.endswith(".")]
    return np.array(features, np.float32)


def token_features(tokens: Sequence[str], rules: Resolution) -> np.ndarray:
    """
    The features of each token: the features of its word; its capital letters; whether the document also has the word in
    lower case, or with a capital letter at a place that does not require one; whether the token begins a sentence;
    whether it is quoted; and whether a mention of the sieve begins, has its head or ends there.

    Shape: (length, features)
    """
    length, words = len(tokens), rules.words
    types = {word: i for i, word in enumerate(dict.fromkeys(words))}
    by_type = np.stack([word_features(word) for word in types])
    numbers = np.array([types[word] for word in words])
    capital = np.array([token[:1].isupper() for token in tokens])
    heading = np.array([len(token) > 1 and token.isupper() for token in tokens])
    first = np.zeros(length, bool)
    first[[start for start, _ in rules.sentences]] = True
    opens = first.copy()
    opens[1:] |= np.array([token in OPENING for token in tokens[:-1]], bool)
    lower = np.zeros(len(types), bool)
    lower[numbers[~capital]] = True
    inside = np.zeros(len(types), bool)
    inside[numbers[capital & ~opens & ~heading]] = True
    counts = np.bincount(numbers)
    quoted = np.zeros(length, bool)
    for quote in rules.quotes:
        quoted[quote.start : quote.stop] = True
    own = np.stack(
        [
            capital,
            heading,
            first,
            opens,
            capital & ~opens,
            lower[numbers],
            inside[numbers],
            np.minimum(counts[numbers], 10) / 10,
            capital * np.minimum(counts[numbers], 10) / 10,
            quoted,
            np.full(length, capital.mean() < 0.01),
        ],
        axis=1,
    ).astype(np.float32)
    sieve = np.zeros((length, 6), np.float32)
    for kind, column in ((NAME, 0), (NOMINAL, 3)):
        spans = [(mention.start, mention.head, mention.stop - 1) for mention in rules.mentions if mention.kind == kind]
        if spans:
            for i, positions in enumerate(zip(*spans)):
                sieve[list(positions), column + i] = 1
    return np.concatenate([by_type[numbers], own, sieve], axis=1)
