import logging
import os
from types import SimpleNamespace
from typing import Any, Dict, Optional

import torch
from allennlp.training import Checkpointer, Trainer
from allennlp.training.trainer import TrainerCheckpoint

logger = logging.getLogger(__name__)

RANDOM_STATES = "random_states"


@Checkpointer.register("exact")
class ExactCheckpointer(Checkpointer):
    """
    Keeps checkpoints from which `allennlp train --recover` comes to the results of an undisturbed run, to the last
    digit. AllenNLP's own do not: they lack the state of PyTorch's random numbers (dropout), and since the best weights
    are written after their epoch's checkpoint, a run killed in between ends with other weights than its best.

    So training goes on from the last checkpoint but one, whose best weights were written or will be again. Python's and
    NumPy's random numbers are those of the data, which AllenNLP reads again from the first epoch on.

    Registered as a `Checkpointer` with name "exact". Its parameters are `Checkpointer`'s.
    """

    def save_checkpoint(self, trainer: Trainer) -> None:
        super().save_checkpoint(SimpleNamespace(get_checkpoint_state=lambda: _with_random_states(trainer)))

    def load_checkpoint(self) -> Optional[TrainerCheckpoint]:
        checkpoints = sorted(self._find_all_checkpoints())
        # A file that is there already would not be written again.
        for checkpoint in checkpoints[-1:]:
            self._remove_checkpoint(*checkpoint)
        state = super().load_checkpoint()
        if state is None:
            return None
        model_state, training_state = state
        random_states = training_state.pop(RANDOM_STATES)
        torch.set_rng_state(random_states["cpu"])
        if torch.cuda.is_available() and random_states["cuda"]:
            torch.cuda.set_rng_state_all(random_states["cuda"])
        training_state["best_model_filename"] = os.path.join(self._serialization_dir, "best.th")
        logger.info("Going on after epoch %d", training_state["epochs_completed"])
        return TrainerCheckpoint(model_state, training_state)


def _with_random_states(trainer: Trainer) -> Optional[TrainerCheckpoint]:
    checkpoint = trainer.get_checkpoint_state()
    if checkpoint is None:
        return None
    cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    states: Dict[str, Any] = {"cpu": torch.get_rng_state(), "cuda": cuda}
    return TrainerCheckpoint(checkpoint.model_state, {**checkpoint.trainer_state, RANDOM_STATES: states})
