from collections.abc import Sequence
from dataclasses import replace

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Frame, shift_by
from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.annotators.archived_model import ArchivedModel
from allennlp_coref_rc.annotations.bio import frame_of
from allennlp_coref_rc.common.errors import ConfigurationError


@Annotator.register("trained_srl")
class TrainedSrl(Annotator):
    """
    PropBank frames by two models, trained with `training_config/annotators/srl_predicates.jsonnet` and
    `srl_roles.jsonnet`: the first finds the predicates of each sentence, the second the arguments of each predicate.

    Registered as an `Annotator` with name "trained_srl".

    # Parameters

    predicates : `str`
        The archive of the first model, a file or a URL.
    roles : `str`
        The archive of the second model.
    batch_size : `int`, optional (default = `64`)
        Sentences in a batch of the first model, and predicates in a batch of the second.

    # Example

    ```jsonnet
    {
      "type": "trained_srl",
      "predicates": "output/srl_predicates/model.tar.gz",
      "roles": "output/srl_roles/model.tar.gz"
    }
    ```
    """

    def __init__(self, predicates: str, roles: str, batch_size: int = 64) -> None:
        self._predicates = ArchivedModel(predicates, batch_size)
        self._roles = ArchivedModel(roles, batch_size)

    def annotate_batch(self, texts: Sequence[AnnotatedText]) -> list[AnnotatedText]:
        sentences = [(i, span) for i, text in enumerate(texts) for span in text.sentences]
        words = [texts[i].tokens[start:stop] for i, (start, stop) in sentences]
        tags = _predict(self._predicates, "predicates", [(sentence,) for sentence in words])
        predicates = [
            (sentence, position)
            for sentence, tags_of_sentence in enumerate(tags)
            for position, tag in enumerate(tags_of_sentence)
            if tag != "O"
        ]
        roles = _predict(self._roles, "roles", [(words[sentence], position) for sentence, position in predicates])
        frames: list[list[Frame]] = [list(text.frames) for text in texts]
        for (sentence, position), tags_of_predicate in zip(predicates, roles):
            i, (start, _) = sentences[sentence]
            frames[i].append(frame_of(tags_of_predicate, position).moved(shift_by(start)))
        return [replace(text, frames=frames_of_text) for text, frames_of_text in zip(texts, frames)]


def _predict(model: ArchivedModel, task: str, inputs: Sequence) -> list[list[str]]:
    if not inputs:
        return []
    trained_for = getattr(model.reader, "task", None)
    if trained_for != task:
        raise ConfigurationError(
            f"trained_srl.{task}: {model.path} is a model for the task {trained_for!r}, expected one for {task!r}"
        )
    return model.predict([model.reader.text_to_instance(*values) for values in inputs], "tags")
