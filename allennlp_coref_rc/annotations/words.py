from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.language import Language

MOST_STRINGS = 500_000
"""spaCy keeps every string that it has seen, which takes about 120 MiB for so many. It is then cleared."""


def split_words(text: str, language: str = "en") -> list[tuple[str, int]]:
    """
    The words of a text, each with the position of its first character. They are found by spaCy's rules for the
    language, which need no downloaded model. Punctuation marks and clitics are words too; white space is left out.
    """
    pipeline = _pipeline(language)
    if len(pipeline.vocab.strings) > MOST_STRINGS:
        _pipeline.cache_clear()
    return [(token.text, token.idx) for token in pipeline.tokenizer(text) if not token.is_space]


@lru_cache(maxsize=None)
def _pipeline(language: str) -> "Language":
    import spacy

    return spacy.blank(language)
