"""Words that a reader does not know: warnings about them, and those of the passage as candidates."""

from collections.abc import Iterable, Sequence
from typing import Any, Optional

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
    The same question with more candidates: the content words of its passage that the reader does not know,
    and that are not in the question. (Those that it knows were not answers in training.) A reader that knows
    all words gets all, but only where no answer of training occurs. Given candidates stay as they are, and so
    does a question whose answer is known: predictions are scored as by `evaluate`.
    """
    metadata = metadata_of(instance)
    if "candidates" not in instance.fields or metadata["candidates"] is not None or "answer" in instance:
        return instance
    tokens, labels = metadata["passage_tokens"], list(vocab.get_token_to_index_vocabulary(CANDIDATE_LABELS))
    if knowledge.knows_all and _occur(labels, tokens):
        return instance
    known = {*map(str.lower, labels), *map(str.lower, metadata["question_tokens"])}
    new = [
        word
        for word in content_words(tokens)
        if word.lower() not in known and (knowledge.knows_all or not knowledge.knows(word))
    ]
    if not new:
        return instance
    names = labels + new
    candidates = CandidatesField(tokens, [[name] for name in names])
    return Instance(
        {
            **instance.fields,
            "candidates": candidates,
            "metadata": QuestionField({**metadata, "candidates": names}),
        }
    )


def restrict(output: dict[str, Any], vocab: Vocabulary) -> list[str]:
    """
    Takes the passage's unknown words out of an output, which is then the one without them: attention, and so
    the probabilities, are normalised over the tokens of candidates. Returns the warning that the reader
    prefers such a word as its answer. If no answer of training occurs, they stay, and the others go.
    """
    labels, tokens = vocab.get_token_to_index_vocabulary(CANDIDATE_LABELS), output["passage_tokens"]
    answer, probabilities = output["answer"], output["candidate_probabilities"]
    new = {name: probability for name, probability in probabilities.items() if name not in labels}
    if not _occur(labels, tokens):
        output["candidate_probabilities"] = new
        return [FROM_PASSAGE]
    words = set(map(str.lower, new))
    attention = [
        0.0 if token.lower() in words else weight for token, weight in zip(tokens, output["attention"])
    ]
    total = sum(attention)
    # One that does not occur has no attention, and the least probability whatever the others have.
    present = set(map(str.lower, tokens))
    known = {name: probabilities[name] / (total if name.lower() in present else 1) for name in labels}
    output.update(
        answer=max(known, key=known.__getitem__),
        candidate_probabilities=known,
        attention=[weight / total for weight in attention],
    )
    if answer not in new:
        return []
    return [
        "if words of the passage that the reader does not know were candidates too, it would answer "
        f"{answer!r} (probability {new[answer]:.2f})"
    ]


def _occur(labels: Iterable[str], tokens: Sequence[str]) -> bool:
    present = set(map(str.lower, tokens))
    return any(label.lower() in present for label in labels)
