from collections.abc import Sequence
from typing import Optional

from allennlp.data import DatasetReader, Vocabulary
from allennlp.data.token_indexers import SingleIdTokenIndexer

from allennlp_coref_rc.annotations.annotators.word_lists import NOT_ENTITIES

NAMED = 5
"""The most words that a warning names."""


class WordKnowledge:
    """
    Which words a reader knows: those of its vocabulary, if it reads words by their number alone. One that also reads
    characters or pieces of words can make something of any word, and so counts as one that knows all.

    # Parameters

    reader : `DatasetReader`
    vocab : `Vocabulary`
    """

    def __init__(self, reader: DatasetReader, vocab: Vocabulary) -> None:
        indexers = list(getattr(reader, "_token_indexers", {}).values())
        self._indexers = indexers if all(isinstance(indexer, SingleIdTokenIndexer) for indexer in indexers) else []
        self._vocab = vocab

    @property
    def knows_all(self) -> bool:
        return not self._indexers

    def knows(self, word: str) -> bool:
        return self.knows_all or any(
            (word.lower() if indexer.lowercase_tokens else word)
            in self._vocab.get_token_to_index_vocabulary(indexer.namespace)
            for indexer in self._indexers
        )

    def warning(self, side: str, tokens: Sequence[str]) -> Optional[str]:
        """A warning where half of the content words of a passage or a question, or more, are unknown."""
        if self.knows_all:
            return None
        words = content_words(tokens)
        unknown = [word for word in words if not self.knows(word)]
        if not unknown or 2 * len(unknown) < len(words):
            return None
        more = ", …" if len(unknown) > NAMED else ""
        return (
            f"the reader does not know {len(unknown)} of {len(words)} content words of the {side}: "
            f"{', '.join(unknown[:NAMED])}{more}"
        )


def content_words(tokens: Sequence[str]) -> list[str]:
    """The different words, without function words, frequent verbs and marks such as "@begin". Case does not count."""
    words: dict[str, str] = {}
    for token in dict.fromkeys(tokens):
        words.setdefault(token.lower(), token)
    return [
        token
        for word, token in words.items()
        if word not in NOT_ENTITIES and any(map(str.isalnum, word)) and not word.startswith("@")
    ]
