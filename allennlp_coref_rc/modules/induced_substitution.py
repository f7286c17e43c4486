import json
import logging
import os
from collections.abc import Iterable
from typing import Any

from allennlp.data import Instance
from allennlp.training.callbacks import TrainerCallback
from allennlp.training.gradient_descent_trainer import GradientDescentTrainer

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import write_text
from allennlp_coref_rc.data.exchangeable_words import exchangeable_words
from allennlp_coref_rc.data.question_contexts import asked_questions
from allennlp_coref_rc.modules.entity_substitution import MAX_CLASS_NAMES, EntitySubstitution, Group

logger = logging.getLogger(__name__)

FOUND = "exchangeable_words.json"
"""The file with the groups that were found, in the folder of the training."""


@EntitySubstitution.register("induced")
class InducedSubstitution(EntitySubstitution):
    """
    Exchanges words that it finds in the training data: those of `exchangeable_words`. Before training, the
    callback `induce_substitution` gives it the training questions. Otherwise nothing is exchanged. Not in the
    papers.

    Groups of which words are in classes of answers are exchanged in answers too, if they have up to 6 names.
    Larger ones are left out.

    Registered as an `EntitySubstitution` with name "induced".

    # Parameters

    vocab : `Vocabulary`
    """

    def induce(self, instances: Iterable[Instance]) -> dict[str, list[Group]]:
        """Finds the words in the training data, and returns the `groups` and `class_groups`."""
        in_answers = {word for answer in self._answers() for word in answer}
        found: dict[str, list[Group]] = {"groups": [], "class_groups": []}
        for group in exchangeable_words(asked_questions(instances)).groups:
            if not in_answers & {word for forms in group for word in forms}:
                found["groups"].append([*group])
            elif len(group) <= MAX_CLASS_NAMES:
                found["class_groups"].append([*group])
            else:
                logger.warning(
                    "%d words of answers are exchangeable, and up to 6 can be: %s", len(group), group
                )
        self._set_groups(found["groups"], found["class_groups"])
        return found


@TrainerCallback.register("induce_substitution")
class InduceSubstitution(TrainerCallback):
    """
    Gives the training data to a model whose `entity_substitution` is "induced", before it is trained, and
    writes the groups that are found into `exchangeable_words.json` in the folder of the training. When a
    training resumes, it finds the same groups. Not in the papers.

    Registered as a `TrainerCallback` with name "induce_substitution".

    # Raises

    `ConfigurationError`
        If the model has no such substitution, or if the training has several processes, which share the data.
    """

    def on_start(self, trainer: GradientDescentTrainer, is_primary: bool = True, **kwargs: Any) -> None:
        substitutions = [
            module for module in trainer.model.modules() if isinstance(module, InducedSubstitution)
        ]
        if not substitutions:
            raise ConfigurationError(
                'induce_substitution: found no substitution to induce, expected model.entity_substitution {"type": '
                '"induced"}'
            )
        if trainer._distributed:
            raise ConfigurationError(
                "induce_substitution: found several processes, expected a training in one"
            )
        for substitution in substitutions:
            found = substitution.induce(trainer.data_loader.iter_instances())
            substitution.to(trainer.cuda_device)
            logger.info("Words that are exchanged in training: %s", found)
            write_text(os.path.join(self.serialization_dir, FOUND), json.dumps(found, indent=2) + "\n")
