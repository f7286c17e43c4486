"""Words that a reader does not know: warnings about them, and those of the passage as candidates."""

from collections.abc import Sequence
from typing import Optional

from allennlp.data import DatasetReader, Instance, Vocabulary
from allennlp.data.token_indexers import SingleIdTokenIndexer

from allennlp_coref_rc.annotations.annotators.exact_match_coref import NOT_ENTITIES
from allennlp_coref_rc.data.fields import CANDIDATE_LABELS, CandidatesField, QuestionField, metadata_of

NAMED = 5

FROM_PASSAGE = (
    "none of the answers that the reader knows occurs in the passage; the candidates are words of the passage"
)


class WordKnowledge:
    """
    Which words a reader knows: those of its vocabulary, if it reads words by their number alone. One that
    also reads characters or pieces of words can make something of any word, and so counts as one that knows
    all.
    """

    def __init__(self, reader: DatasetReader, vocab: Vocabulary) -> None:
        indexers = list(getattr(reader, "_token_indexers", {}).values())
        self._indexers = (
            indexers if all(isinstance(indexer, SingleIdTokenIndexer) for indexer in indexers) else []
        )
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
    """
    The different words, without function words, frequent verbs and marks such as "@begin". Case does not
    count.
    """
    words: dict[str, str] = {}
    for token in dict.fromkeys(tokens):
        words.setdefault(token.lower(), token)
    return [
        token
        for word, token in words.items()
        if word not in NOT_ENTITIES and any(map(str.isalnum, word)) and not word.startswith("@")
    ]


def with_passage_candidates(instance: Instance, knowledge: WordKnowledge, vocab: Vocabulary) -> Instance:
    """
    The same question, where none of the answers of training occurs, with other candidates: the content words
    of its passage that are not in the question, and that the reader does not know, unless it knows all. (Those
    that it knows were not answers in training.) Given candidates stay as they are, and so does a question
    whose answer is known: predictions are scored as by `evaluate`.
    """
    metadata = metadata_of(instance)
    if "candidates" not in instance.fields or metadata["candidates"] is not None or "answer" in instance:
        return instance
    tokens, labels = metadata["passage_tokens"], vocab.get_token_to_index_vocabulary(CANDIDATE_LABELS)
    if not {*map(str.lower, labels)}.isdisjoint(map(str.lower, tokens)):
        return instance
    asked = {*map(str.lower, metadata["question_tokens"])}
    names = [
        word
        for word in content_words(tokens)
        if word.lower() not in asked and (knowledge.knows_all or not knowledge.knows(word))
    ]
    if not names:
        return instance
    candidates = CandidatesField(tokens, [[name] for name in names])
    question = QuestionField({**metadata, "candidates": names})
    return Instance({**instance.fields, "candidates": candidates, "metadata": question})
