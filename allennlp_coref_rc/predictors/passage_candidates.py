"""Answers that a reader does not know: words of the passage as candidates beside the answers seen in training."""

from typing import Any, Optional

from allennlp.data import Instance, Vocabulary

from allennlp_coref_rc.data.fields import CANDIDATE_LABELS, CandidatesField, QuestionField, metadata_of
from allennlp_coref_rc.predictors.unknown_words import WordKnowledge, content_words

FROM_PASSAGE = (
    "none of the answers that the reader knows occurs in the passage; the candidates are words of the passage"
)


def with_passage_candidates(
    instance: Instance, answered: bool, knowledge: WordKnowledge, vocab: Vocabulary
) -> Optional[Instance]:
    """
    The same question with more candidates: the content words of its passage that the reader does not know, and that are
    not in the question. (Those that it knows were not answers in training.) A reader that knows all words gets all, but
    only where it has not `answered`. `None` if the candidates are given, or if there are no such words.
    """
    if answered and knowledge.knows_all:
        return None
    metadata = metadata_of(instance)
    if "candidates" not in instance.fields or metadata["candidates"] is not None:
        return None
    tokens = metadata["passage_tokens"]
    labels = list(vocab.get_index_to_token_vocabulary(CANDIDATE_LABELS).values())
    known = {*labels, *map(str.lower, metadata["question_tokens"])}
    new = [
        word
        for word in content_words(tokens)
        if word.lower() not in known and (knowledge.knows_all or not knowledge.knows(word))
    ]
    if not new:
        return None
    present = set(map(str.lower, tokens))
    names = [label for label in labels if label in present] + new
    fields = {name: field for name, field in instance.fields.items() if name != "answer"}
    fields["candidates"] = CandidatesField(tokens, [[name] for name in names])
    fields["metadata"] = QuestionField({**metadata, "candidates": names})
    return Instance(fields)


def improve(output: dict[str, Any], other: dict[str, Any], vocab: Vocabulary) -> list[str]:
    """
    Warns if the answer with more candidates, in the output `other`, is not one that the reader knows. Where it knows no
    candidate of the passage, the output gets that answer.
    """
    if other["answer"] is None or other["answer"] in vocab.get_token_to_index_vocabulary(CANDIDATE_LABELS):
        return []
    if output["answer"] is None:
        output.update({key: other[key] for key in ("answer", "candidate_probabilities", "attention")})
        output.pop("unanswered", None)
        return [FROM_PASSAGE]
    probability = other["candidate_probabilities"][other["answer"]]
    return [
        "if words of the passage that the reader does not know were candidates too, it would answer "
        f"{other['answer']!r} (probability {probability:.2f})"
    ]
