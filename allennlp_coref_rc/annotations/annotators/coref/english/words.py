"""What is known about single words: their classes in WordNet, and the groups of pronouns."""

import lzma
import re
from functools import lru_cache
from pathlib import Path

from allennlp_coref_rc.annotations.annotators import lexicon

UNKNOWN = "0" * 16

I, WE, YOU, PERSON, IT, THEY, THIS, NO_PRONOUN = range(8)  # noqa: E741
"""Groups of pronouns. "He" and "she" are one group; "someone", "all" and the like are in none."""

PRONOUN_GROUPS = (
    lexicon.FIRST_SINGULAR,
    lexicon.FIRST_PLURAL,
    lexicon.SECOND_PRONOUNS,
    lexicon.MALE_PRONOUNS | lexicon.FEMALE_PRONOUNS,
    lexicon.NEUTER_PRONOUNS,
    lexicon.PLURAL_PRONOUNS,
    frozenset("this that these those here there".split()),
)
PRONOUN_GROUP: dict[str, int] = {word: i for i, group in enumerate(PRONOUN_GROUPS) for word in group}

DETERMINERS: dict[str, int] = {
    **dict.fromkeys(lexicon.INDEFINITE, 2),
    **dict.fromkeys(lexicon.POSSESSIVES, 4),
    **dict.fromkeys(("this", "these", "that", "those"), 3),
    **dict.fromkeys(("no", "any", "every", "each", "all"), 5),
    "the": 1,
}


@lru_cache(maxsize=1)
def word_table() -> dict[str, str]:
    """The classes of each word, one digit per class, as written by scripts/build_word_classes.py."""
    text = lzma.decompress((Path(__file__).parent / "words.xz").read_bytes()).decode()
    head, words = text.split("\n\n")
    entries, table, before = head.split("\n"), {}, ""
    for shared, rest, index in re.findall(r"^(\d+)(\S*) (\d+)$", words, re.MULTILINE):
        before = before[: int(shared)] + rest
        table[before] = entries[int(index)]
    return table


@lru_cache(maxsize=50_000)
def singular(word: str) -> tuple[str, str]:
    """The singular of a lower-cased noun, as far as WordNet has it, and its classes."""
    table = word_table()
    if word not in table:
        for ending, others in (("ies", ("y",)), ("es", ("", "e")), ("s", ("",)), ("men", ("man",))):
            if word.endswith(ending):
                for other in others:
                    form = word[: -len(ending)] + other
                    if form in table and table[form][0] != "0":
                        return form, table[form]
    return word, table.get(word) or table.get(word.rpartition("-")[2], UNKNOWN)
