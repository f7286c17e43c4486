from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Optional

from allennlp.data import Instance

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, DiscourseRelation, Span
from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.annotators.archived_model import ArchivedModel
from allennlp_coref_rc.annotations.annotators.connective_discourse import ConnectiveDiscourse
from allennlp_coref_rc.annotations.annotators.senses import NO_RELATION
from allennlp_coref_rc.common.errors import ConfigurationError


@Annotator.register("trained_discourse_senses")
class TrainedDiscourseSenses(Annotator):
    """
    Discourse relations with senses from a trained classifier, as in DASSA (Mihaylov & Frank, EMNLP 2019). Another
    annotator finds candidates. A model trained with `training_config/annotators/discourse_senses.jsonnet` reads their
    arguments and connectives, and says which sense they have, or that they are not a relation.

    Registered as an `Annotator` with name "trained_discourse_senses".

    # Parameters

    archive : `str`
        The model's file, or its URL.
    candidates : `Annotator`, optional (default = `ConnectiveDiscourse(exclude=[], implicit=True)`)
        Finds the candidates. By default all connectives and all neighbouring sentences.
    no_relation : `float`, optional (default = `0.5`)
        Leave out a candidate if the probability that it is not a relation is higher; 1 leaves none out. A model
        that was trained without `find_connectives` takes every candidate for a relation.
    batch_size : `int`, optional (default = `64`)
        Relations in a batch.

    # Example

    ```jsonnet
    {"type": "trained_discourse_senses", "archive": "output/discourse_senses/model.tar.gz"}
    ```
    """

    def __init__(
        self, archive: str, candidates: Optional[Annotator] = None, no_relation: float = 0.5, batch_size: int = 64
    ) -> None:
        if not 0.0 <= no_relation <= 1.0:
            raise ConfigurationError(f"trained_discourse_senses: no_relation is {no_relation}, expected 0 to 1")
        self._model = ArchivedModel(archive, batch_size)
        self._no_relation = no_relation
        self._candidates = candidates or ConnectiveDiscourse(exclude=[], implicit=True)

    def annotate_batch(self, texts: Sequence[AnnotatedText]) -> list[AnnotatedText]:
        candidates = [
            annotated.relations[len(text.relations) :]
            for text, annotated in zip(texts, self._candidates.annotate_batch(texts))
        ]
        instances = [
            self._model.reader.text_to_instance(
                *(_words(text, spans) for spans in (relation.arg1, relation.arg2, relation.connective))
            )
            for text, relations in zip(texts, candidates)
            for relation in relations
        ]
        senses = iter(self._senses(instances))
        return [
            replace(text, relations=text.relations + _with_senses(relations, senses))
            for text, relations in zip(texts, candidates)
        ]

    def _senses(self, instances: Sequence[Instance]) -> list[Optional[str]]:
        """The most probable sense of each candidate, or `None` if it seems not to be a relation."""
        if not instances:
            return []
        labels = self._model.model.vocab.get_index_to_token_vocabulary("labels")
        senses = []
        for probabilities in self._model.predict(instances, "probs"):
            by_label = {label: float(probabilities[i]) for i, label in labels.items()}
            none = by_label.pop(NO_RELATION, 0.0)
            senses.append(None if none > self._no_relation else max(by_label, key=by_label.__getitem__, default=None))
        return senses


def _words(text: AnnotatedText, spans: Sequence[Span]) -> list[str]:
    return [token for start, stop in spans for token in text.tokens[start:stop]]


def _with_senses(relations: Sequence[DiscourseRelation], senses: Iterator[Optional[str]]) -> list[DiscourseRelation]:
    # Takes one sense for each relation; the rest are for the next texts.
    named = [(relation, next(senses)) for relation in relations]
    return [replace(relation, type=_type(relation, sense), sense=sense) for relation, sense in named if sense]


def _type(relation: DiscourseRelation, sense: str) -> str:
    if relation.type in ("Implicit", "EntRel"):
        return "EntRel" if sense == "EntRel" else "Implicit"
    return relation.type
