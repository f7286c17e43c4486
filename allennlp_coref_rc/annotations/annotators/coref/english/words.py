"""What is known about single words: their classes in WordNet, and the groups of pronouns and determiners."""

import lzma
import re
from collections import namedtuple
from enum import IntEnum
from functools import lru_cache
from pathlib import Path

from allennlp_coref_rc.annotations.annotators import lexicon

PronounGroup = IntEnum("PronounGroup", "I WE YOU HE IT THEY THIS NONE", start=0)
"""Groups of pronouns. HE is also "she", THIS also "there"; "someone", "all" and the like are in none."""

PRONOUN_GROUPS: dict[str, PronounGroup] = {
    **dict.fromkeys(lexicon.FIRST_SINGULAR, PronounGroup.I),
    **dict.fromkeys(lexicon.FIRST_PLURAL, PronounGroup.WE),
    **dict.fromkeys(lexicon.SECOND_PRONOUNS, PronounGroup.YOU),
    **dict.fromkeys(lexicon.MALE_PRONOUNS | lexicon.FEMALE_PRONOUNS, PronounGroup.HE),
    **dict.fromkeys(lexicon.NEUTER_PRONOUNS, PronounGroup.IT),
    **dict.fromkeys(lexicon.PLURAL_PRONOUNS, PronounGroup.THEY),
    **dict.fromkeys("this that these those here there".split(), PronounGroup.THIS),
}

Determiner = IntEnum(
    "Determiner", "NONE DEFINITE INDEFINITE DEMONSTRATIVE PRONOUN QUANTIFIER POSSESSOR", start=0
)
"""How a noun phrase begins. PRONOUN is "his", POSSESSOR "Ann's"."""

DETERMINERS: dict[str, Determiner] = {
    **dict.fromkeys(lexicon.INDEFINITE, Determiner.INDEFINITE),
    **dict.fromkeys(lexicon.POSSESSIVES, Determiner.PRONOUN),
    **dict.fromkeys(("this", "these", "that", "those"), Determiner.DEMONSTRATIVE),
    **dict.fromkeys(("no", "any", "every", "each", "all"), Determiner.QUANTIFIER),
    "the": Determiner.DEFINITE,
}

WordClasses = namedtuple(
    "WordClasses",
    "noun verb adjective adverb person group place vehicle animal body artifact time "
    "male female certain_place certain_person",
)
"""
What scripts/build_word_classes.py says of a word: how often, from 0 to 3, it is a noun and so on, and how
often the noun names persons and so on; and whether it names men, women, or a certain place or person.
"""

UNKNOWN = WordClasses(*[0] * 16)


@lru_cache(maxsize=1)
def word_table() -> dict[str, WordClasses]:
    text = lzma.decompress((Path(__file__).parent / "words.xz").read_bytes()).decode()
    head, words = text.split("\n\n")
    entries = [WordClasses(*map(int, entry)) for entry in head.split("\n")]
    table, before = {}, ""
    for shared, rest, index in re.findall(r"^(\d+)(\S*) (\d+)$", words, re.MULTILINE):
        before = before[: int(shared)] + rest
        table[before] = entries[int(index)]
    return table


@lru_cache(maxsize=50_000)
def singular(word: str) -> tuple[str, WordClasses]:
    """The singular of a lower-cased noun, as far as WordNet has it, and its classes."""
    table = word_table()
    if word not in table:
        for ending, others in (("ies", ("y",)), ("es", ("", "e")), ("s", ("",)), ("men", ("man",))):
            if word.endswith(ending):
                for other in others:
                    form = word[: -len(ending)] + other
                    if form in table and table[form].noun:
                        return form, table[form]
    return word, table.get(word) or table.get(word.rpartition("-")[2], UNKNOWN)
