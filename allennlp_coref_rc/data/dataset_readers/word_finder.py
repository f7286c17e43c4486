from collections.abc import Sequence

from allennlp_coref_rc.annotations.annotated_text import Span


class WordFinder:
    """
    Finds words that follow one another in a text, in upper or lower case, even if the two are split into tokens
    differently: it finds "st", ".", "petersburg" in a text with "St.", "Petersburg".
    """

    def __init__(self, tokens: Sequence[str]) -> None:
        tokens = [token.lower() for token in tokens]
        self._text = "".join(tokens)
        self._token_at: dict[int, int] = {}
        offset = 0
        for position, token in enumerate(tokens):
            self._token_at[offset] = position
            offset += len(token)
        self._token_at[offset] = len(tokens)

    def find(self, words: Sequence[str]) -> list[Span]:
        """The spans of whole tokens that match the words, in order."""
        wanted = "".join(words).lower()
        spans = []
        start = self._text.find(wanted) if wanted else -1
        while start >= 0:
            if start in self._token_at and start + len(wanted) in self._token_at:
                spans.append((self._token_at[start], self._token_at[start + len(wanted)]))
            start = self._text.find(wanted, start + 1)
        return spans
