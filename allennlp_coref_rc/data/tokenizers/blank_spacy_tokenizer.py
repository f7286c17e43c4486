from functools import lru_cache
from typing import List

import spacy
from allennlp.data.tokenizers import Token, Tokenizer
from spacy.language import Language

MOST_STRINGS = 500_000
"""spaCy keeps every string that it has seen, which takes about 120 MiB for so many. It then begins anew."""


@Tokenizer.register("blank_spacy")
class BlankSpacyTokenizer(Tokenizer):
    """
    Splits texts by spaCy's rules for a language: punctuation and clitics become tokens of their own. Unlike AllenNLP's
    `spacy` it needs no downloaded model. Drops white space.

    Registered as a `Tokenizer` with name "blank_spacy".

    # Parameters

    language : `str`, optional (default = `"en"`)
    """

    def __init__(self, language: str = "en") -> None:
        self._language = language

    def tokenize(self, text: str) -> List[Token]:
        pipeline = _pipeline(self._language)
        if len(pipeline.vocab.strings) > MOST_STRINGS:
            _pipeline.cache_clear()
        return [Token(token.text, idx=token.idx) for token in pipeline.tokenizer(text) if not token.is_space]


@lru_cache(maxsize=None)
def _pipeline(language: str) -> Language:
    return spacy.blank(language)
