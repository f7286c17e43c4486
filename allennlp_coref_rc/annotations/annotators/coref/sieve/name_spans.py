"""Finds the names in a text by capital letters, or, if there are none, by word lists and by what names do."""

import re
from collections.abc import Sequence

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span
from allennlp_coref_rc.annotations.annotators import lexicon

OPENING = frozenset(["``", "“", "‘", "«", "„", '"', "'", "--", "—", ":", "(", "[", "_", "*"])
"""Signs after which a capital letter says nothing."""

PARTICLES = frozenset("of de du la le van von der den del di da the 's d'".split())
"""Words that may stand inside a name, but not begin or end it."""

BEFORE_CLAUSES = frozenset(
    ". ! ? `` '' ` ' “ ” ‘ \" , ; : -- — and but as when that while if because then before until".split()
)

MIN_CAPITALS = 0.01
"""The share of tokens with a capital letter; text with fewer is taken to be lower-cased."""

COMPANIES = frozenset(
    "black/decker ernst/young johnson/johnson marks/spencer procter/gamble simon/schuster".split()
)
"""Companies whose "&" is often an "and"."""

JOINTS = lexicon.COMPANY_ENDINGS - {"co"} | {"&", ",", "and"}
"""Words in the names of companies and couples that need no capital letter."""

LETTERS = {
    **dict.fromkeys(lexicon.GIVEN_NAMES, "g"),
    **dict.fromkeys("associates bros bros. brothers company partners son sons".split(), "p"),
    **dict.fromkeys(lexicon.COMPANY_ENDINGS, "e"),
    **dict.fromkeys(lexicon.TITLES, "t"),
    **dict.fromkeys(lexicon.CLOSED | lexicon.NOT_NAMES, "."),
    **{sign: sign for sign in "&,"},
    "and": "a",
}

COMPOUND = re.compile("t[&a]t[gpw]+|[gpwx]+(?:(?:(?<!g)&|&(?!g))[gpwx]+)*(?:&e|a[ep])?(?:,?e)*")
"""
A couple or company, or any other capitalised words, in letters. Given names around an "&" are two persons.
"""

NOT_ALONE = lexicon.KIN | lexicon.BARE_PARTS
"""Words that are no names alone."""


def compound_names(tokens: Sequence[str], sentences: Sequence[Span]) -> dict[int, int]:
    """
    Maps the first token of each name of a couple ("Mr. and Mrs. Smith") or company ("Smith & Co.", "Acme
    Inc.", "AT&T") to the token after its last one. Only a couple's name begins with a title.
    """
    words = [token.lower() for token in tokens]
    capital = [token[:1].isupper() for token in tokens]
    if _is_lower_cased(capital):
        capital = [_is_unknown(w) or w in lexicon.GIVEN_NAMES or w in lexicon.BARE_PARTS for w in words]
    letters = "".join(
        [_letter(words, i) if capital[i] or word in JOINTS else "." for i, word in enumerate(words)]
    )
    runs = (match for sentence in sentences for match in COMPOUND.finditer(letters, *sentence))
    return {run.start(): run.end() for run in runs if run[0].strip("gpw")}


def _letter(words: Sequence[str], i: int) -> str:
    word = words[i]
    if word == "and" and "/".join(words[max(i - 1, 0) : i + 2 : 2]) in COMPANIES:
        return "&"
    return LETTERS.get(word) or ("x" if "&" in word[1:-1] else "w" if word[0].isalpha() else ".")


def _is_lower_cased(capital: Sequence[bool]) -> bool:
    return sum(capital) < MIN_CAPITALS * len(capital)


def name_spans(text: AnnotatedText, words: Sequence[str], acting: bool) -> dict[int, int]:
    """
    Maps the first token of each name to the token after its last one. Hyphens without white space join words
    ("Jean-Luc"). With `acting`, an unknown word that begins a sentence and does something ("Norvik said") is a
    name too.
    """
    tokens, sentences, spaced = text.tokens, text.sentences, text.spaced
    capital = [token[:1].isupper() for token in tokens]
    compounds = compound_names(tokens, sentences)
    if _is_lower_cased(capital):
        return _lower_cased_spans(words) | compounds
    starts = {start for start, _ in sentences}
    hyphens = {
        i
        for i in range(1, len(tokens) - 1)
        if tokens[i] == "-"
        and not (spaced[i] or spaced[i + 1])
        and capital[i - 1]
        and capital[i + 1]
        and starts.isdisjoint((i, i + 1))
    }
    opens = [(i in starts or tokens[i - 1] in OPENING) and i + 1 not in hyphens for i in range(len(tokens))]
    lower = {token for token in tokens if token.islower()}
    inside = {
        words[i] for i, token in enumerate(tokens) if capital[i] and not opens[i] and not _is_heading(token)
    }
    good = [
        capital[i] and _may_be_in_name(words, i, opens[i] or _is_heading(token), lower, inside)
        for i, token in enumerate(tokens)
    ]
    if acting:
        actors = {
            words[i]
            for i in starts
            if capital[i]
            and not good[i]
            and words[i] not in lower
            and _is_unknown(words[i])
            and _acts(words, i)
        }
        good = [is_good or capital[i] and words[i] in actors for i, is_good in enumerate(good)]
    spans: dict[int, int] = {}
    for start, stop in sentences:
        while start < stop:
            end = compounds.get(start, start)
            if end == start:
                while good[end : end + 1] == [True] and end < stop:
                    end = _past_particles(words, end + 1, stop, good)
                    end += end in hyphens and good[end + 1]
            if end > start and (end > start + 1 or words[start] not in NOT_ALONE):
                spans[start] = end
            start = max(end, start + 1)
    return spans


def _may_be_in_name(
    words: Sequence[str], i: int, any_is_capital: bool, lower: set[str], inside: set[str]
) -> bool:
    """Whether a capitalised word may be part of a name, even where any word has a capital letter."""
    word = words[i]
    if word in lexicon.NOT_NAMES or word in lexicon.CLOSED or not word[0].isalpha():
        return False
    if word in lexicon.TITLES:
        return True
    if any_is_capital:
        known = word in lexicon.GIVEN_NAMES or word in lexicon.PLACE_NAMES
        return word not in lexicon.VERBS and (word in inside or known and word not in lower)
    # An initial has a full stop.
    return len(word) > 1 or words[i + 1 : i + 2] == ["."]


def _is_heading(token: str) -> bool:
    return len(token) > 1 and token.isupper() and not token.endswith(".")


def _past_particles(words: Sequence[str], position: int, stop: int, good: list[bool]) -> int:
    """
    The position, or the one after particles if the name continues there: "Duke of York", "Lincoln 's Inn".
    """
    if position < stop and words[position] == "." and len(words[position - 1]) == 1:
        return position + 1 if position + 1 < stop and good[position + 1] else position
    end = position
    while end < stop and end - position < 2 and words[end] in PARTICLES:
        end += 1
    if end == position or end >= stop or not good[end] or words[position] == "the":
        return position
    if words[position] == "'s" and words[end] not in lexicon.PLACE_HEADS:
        return position
    return end


def _lower_cased_spans(words: Sequence[str]) -> dict[int, int]:
    """
    The names in a text without capital letters: unknown words after a title; known names that are not also
    words; and unknown words that somewhere in the text speak, or begin a clause without a determiner.
    """
    acting: set[str] = set()
    for i, word in enumerate(words[:-1]):
        after = words[i + 1]
        if _is_unknown(word) and (i == 0 or words[i - 1] in BEFORE_CLAUSES):
            acts = after in lexicon.AUXILIARIES or after in lexicon.VERBS or after.endswith("ed")
            if acts or after in lexicon.SPEECH_VERBS:
                acting.add(word)
        if (
            word in lexicon.SPEECH_VERBS
            and i
            and words[i - 1] in ("''", '"', "”", "'")
            and _is_unknown(after)
        ):
            acting.add(after)
    spans: dict[int, int] = {}
    i = 0
    while i < len(words):
        word, end = words[i], i
        if (
            word in lexicon.TITLES
            and word not in lexicon.NOUNS
            and i + 1 < len(words)
            and _is_unknown(words[i + 1])
        ):
            end = i + 2
        elif (
            word in acting
            or word not in lexicon.ALSO_WORDS
            and (word in lexicon.GIVEN_NAMES or word in lexicon.PLACE_NAMES)
        ):
            end = i + (word in acting or word not in lexicon.NOUNS)
        if end > i:
            spans[i] = end
        i = max(end, i + 1)
    return spans


def _acts(words: Sequence[str], i: int) -> bool:
    """Whether a verb follows, or a comma and a noun phrase."""
    after = words[i + 1] if i + 1 < len(words) else "."
    if after == ",":
        return words[i + 2 : i + 3] in (["a"], ["an"], ["the"])
    return after in lexicon.AUXILIARIES or after in lexicon.VERBS or after in lexicon.SPEECH_VERBS


def _is_unknown(word: str) -> bool:
    """
    Whether a lower-cased word may be a name: it is in no list of words, and does not end like other words. What
    matters of "o'neill" is "neill".
    """
    word = word[2:] if word[1:2] == "'" else word
    return (
        word.isalpha()
        and len(word) > 2
        and word not in lexicon.CLOSED
        and word not in lexicon.NOUNS
        and word not in lexicon.VERBS
        and word not in lexicon.SPEECH_VERBS
        and word not in lexicon.BARE_WORDS
        and word not in lexicon.NOT_NAMES
        and not word.endswith(("ly", "ing", "ed", "s"))
    )
