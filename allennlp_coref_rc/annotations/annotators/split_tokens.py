from itertools import accumulate
from typing import Optional

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.layers import Layers
from allennlp_coref_rc.annotations.tokenization import Span


class SplitTokens:
    """
    A text whose tokens are split at blanks, for annotators that know names by their words: spaCy can merge
    the tokens of "John Smith". `text` has the words, without annotations; it is the given text if no token
    has a blank inside.
    """

    def __init__(self, text: AnnotatedText) -> None:
        words = [token.split() or [token] for token in text.tokens]
        bounds = [0, *accumulate(map(len, words))]
        self.text = text
        if bounds[-1] > len(text):
            sentences = [(bounds[start], bounds[stop]) for start, stop in text.sentences]
            self.text = AnnotatedText([word for of_token in words for word in of_token], sentences)
        self._token_at = {bound: token for token, bound in enumerate(bounds)}

    def layers(self, of_words: Layers) -> Layers:
        """Annotations of the words as those of the tokens, without mentions that are only a part of a token."""

        def whole(span: Span) -> Optional[Span]:
            start, stop = self._token_at.get(span[0]), self._token_at.get(span[1])
            return None if start is None or stop is None else (start, stop)

        return of_words.kept(whole, lambda span: [])
