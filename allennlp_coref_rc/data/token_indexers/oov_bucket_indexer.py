from typing import Any
from zlib import crc32

from allennlp.data import IndexedTokenList, Token, TokenIndexer, Vocabulary
from allennlp.data.token_indexers import SingleIdTokenIndexer

ALWAYS_IN_THE_VOCABULARY = 1_000_000_000
"""A count so high that neither `min_count` nor `max_vocab_size` leaves the word out."""


@TokenIndexer.register("oov_buckets")
class OovBucketIndexer(SingleIdTokenIndexer):
    """
    Like AllenNLP's `single_id`, but there are several unknown words. A word that is not in the vocabulary
    always becomes the same one of them. So models can see that the word occurs in both passage and question.
    The authors' code of Coref-GRU (Dhingra et al., NAACL 2018) numbers the unknown words of each question,
    modulo 100. Here the word's checksum decides, so two different words become the same one a little more
    often.

    Registered as a `TokenIndexer` with name "oov_buckets". It also takes the parameters of AllenNLP's
    `SingleIdTokenIndexer`.

    # Parameters

    oov_buckets : `int`, optional (default = `100`)
        The number of unknown words.
    namespace : `str`, optional (default = `"tokens"`)
        The vocabulary namespace of the words.
    lowercase_tokens : `bool`, optional (default = `True`)
        Whether words are lower-cased.
    """

    namespace: str

    def __init__(
        self, oov_buckets: int = 100, namespace: str = "tokens", lowercase_tokens: bool = True, **kwargs: Any
    ) -> None:
        super().__init__(namespace=namespace, lowercase_tokens=lowercase_tokens, **kwargs)
        self._oov_buckets = oov_buckets

    def count_vocab_items(self, token: Token, counter: dict[str, dict[str, int]]) -> None:
        super().count_vocab_items(token, counter)
        counts = counter[self.namespace]
        for i in range(self._oov_buckets):
            if _name(i) in counts:
                break
            counts[_name(i)] = ALWAYS_IN_THE_VOCABULARY

    def tokens_to_indices(self, tokens: list[Token], vocabulary: Vocabulary) -> IndexedTokenList:
        known = vocabulary.get_token_to_index_vocabulary(self.namespace)
        indices = []
        for token in tokens:
            word = self._get_feature_value(token)
            word = word.lower() if self.lowercase_tokens else word
            if word not in known:
                word = _name(crc32(word.encode("utf-8", "surrogatepass")) % self._oov_buckets)
            indices.append(vocabulary.get_token_index(word, self.namespace))
        return {"tokens": indices}


def _name(number: int) -> str:
    return f"@unknown{number}"
