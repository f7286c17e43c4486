from itertools import accumulate
from typing import Optional
from unicodedata import normalize

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.layers import Layers
from allennlp_coref_rc.annotations.tokenization import Span

INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
"""Soft hyphens, spaces and joiners of no width, and byte order marks, as `str.translate` takes them away."""


class SplitTokens:
    """
    A text for annotators that know names by their words. Its tokens are split at blanks, since spaCy can merge
    the tokens of "John Smith"; a letter and its accent are one character, and invisible characters are left
    out. `text` has the words, without annotations; it is the given text if nothing changes.
    """

    def __init__(self, text: AnnotatedText) -> None:
        words = [_plain(token).split() or [token] for token in text.tokens]
        bounds = [0, *accumulate(map(len, words))]
        self.text = text
        tokens = [word for of_token in words for word in of_token]
        if tokens != list(text.tokens):
            sentences = [(bounds[start], bounds[stop]) for start, stop in text.sentences]
            self.text = AnnotatedText(tokens, sentences)
        self._token_at = {bound: token for token, bound in enumerate(bounds)}

    def layers(self, of_words: Layers) -> Layers:
        """Annotations of the words as those of the tokens, without mentions that are only a part of a token."""

        def whole(span: Span) -> Optional[Span]:
            start, stop = self._token_at.get(span[0]), self._token_at.get(span[1])
            return None if start is None or stop is None else (start, stop)

        return of_words.kept(whole, lambda span: [])


def _plain(token: str) -> str:
    return token if token.isascii() else normalize("NFC", token.translate(INVISIBLE))
