import glob
import logging
import os
import random
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from types import SimpleNamespace
from typing import Any, Optional, Union, cast

import numpy as np
import torch
from allennlp.training import Checkpointer, Trainer
from allennlp.training.trainer import TrainerCheckpoint

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import partial_path
from allennlp_coref_rc.common.messages import cut
from allennlp_coref_rc.safe_archives.weights import reading_weights

logger = logging.getLogger(__name__)

RANDOM_STATES = "random_states"


@Checkpointer.register("exact")
class ExactCheckpointer(Checkpointer):
    """
    Keeps checkpoints so that a training that was killed gives, after `allennlp train --recover`, the same
    results as an undisturbed run, to the last digit. With AllenNLP's own checkpointer it does not, for two
    reasons. The state of PyTorch's random numbers, which dropout uses, is not saved. And the best weights are
    written after the checkpoint of their epoch, so a run that is killed in between ends with weights that are
    not its best.

    Here training resumes from the last checkpoint but one, as its best weights are sure to be written,
    however often the run is killed. If that checkpoint is damaged, training resumes from another one that
    leads to the same results, with a warning. Python's and NumPy's random numbers, which shuffle the data, are
    restored after AllenNLP has read the data of the finished epochs again.

    All this holds for a training in one process, with checkpoints at the ends of epochs. With `use_amp`, the
    scale of the loss starts over. On a GPU, even undisturbed runs need not repeat each other to the last
    digit.

    Registered as a `Checkpointer` with name "exact". Its parameters are `Checkpointer`'s. At the first
    checkpoint it raises a `ConfigurationError` if `keep_most_recent_by_count` is less than 2, or if the
    moving average is not `recoverable_exponential`.
    """

    _states_for_data: Any = None

    def save_checkpoint(self, trainer: Trainer) -> None:
        checkpoint = self._with_random_states(trainer)
        if checkpoint is None or self._serialization_dir is None:
            return
        when = [checkpoint.trainer_state[name] for name in ("epochs_completed", "batches_in_epoch_completed")]
        # This replaces a checkpoint of the same time from before the training was killed, which can be used
        # until then.
        write_state(checkpoint.model_state, self._model_state_path(*when))
        write_state(checkpoint.trainer_state, self._training_state_path(*when))
        # It does not write files that exist. It asks the trainer for nothing else.
        super().save_checkpoint(cast(Trainer, SimpleNamespace(get_checkpoint_state=lambda: checkpoint)))

    def load_checkpoint(self) -> Optional[TrainerCheckpoint]:
        checkpoints = sorted(self._find_all_checkpoints())
        if len(checkpoints) < 2:
            return None
        model_state, training_state = self._first_whole(checkpoints)
        random_states = training_state.pop(RANDOM_STATES)
        self._states_for_data = random_states.get("data")
        torch.set_rng_state(random_states["cpu"])
        if random_states["cuda"] is not None:
            for device in range(torch.cuda.device_count()):
                torch.cuda.set_rng_state(random_states["cuda"], device)
        logger.info("Resuming after epoch %d", training_state["epochs_completed"])
        return TrainerCheckpoint(model_state, training_state)

    def restore_random_numbers(self) -> None:
        """Restores the random numbers for the data, of the end of the epoch after which training resumes."""
        if self._states_for_data is not None:
            (version, numbers, gauss), (name, keys, *rest) = self._states_for_data
            random.setstate((version, tuple(numbers), gauss))
            np.random.set_state((name, np.array(keys, dtype=np.uint32), *rest))

    # AllenNLP's own removes those of batches 20, 21, ... with that of batch 2.
    def _remove_checkpoint(self, epochs_completed: int, batches_in_epoch_completed: int) -> None:
        when = epochs_completed, batches_in_epoch_completed
        for path in (self._model_state_path(*when), self._training_state_path(*when)):
            with suppress(FileNotFoundError):
                os.unlink(path)

    def _first_whole(self, checkpoints: Sequence[tuple[int, int]]) -> tuple[dict[str, Any], dict[str, Any]]:
        """
        The states of the last checkpoint but one. If it is damaged, those of the last one, provided that the
        best weights were written before it, or else those of the most recent earlier one that is whole.
        Training comes to the same results from each of them.
        """
        last, but_one, *earlier = reversed(checkpoints)
        damages: list[str] = []
        for checkpoint in (but_one, last, *earlier):
            try:
                paths = self._model_state_path(*checkpoint), self._training_state_path(*checkpoint)
                model_state, training_state = map(read_state, map(str, paths))
            except ConfigurationError as error:
                logger.warning("%s", error)
                damages.append(str(error))
                continue
            if checkpoint != last or not training_state["metric_tracker"]["is_best_so_far"]:
                return model_state, training_state
        raise ConfigurationError(
            f"{damages[0]}; found no other to resume from. -f in place of --recover starts over"
        )

    def _with_random_states(self, trainer: Trainer) -> Optional[TrainerCheckpoint]:
        checkpoint = trainer.get_checkpoint_state()
        if checkpoint is None:
            return None
        if "parameters" in checkpoint.trainer_state.get("moving_average", {}):
            raise ConfigurationError(
                "trainer.moving_average: found a type that cannot be resumed from a checkpoint, expected "
                "recoverable_exponential"
            )
        if self._keep_most_recent_by_count is not None and self._keep_most_recent_by_count < 2:
            raise ConfigurationError(
                f"trainer.checkpointer.keep_most_recent_by_count: found {self._keep_most_recent_by_count}, expected 2 "
                "or more: training resumes from the last checkpoint but one"
            )
        device = trainer.cuda_device
        version, numbers, gauss = random.getstate()
        name, keys, *rest = cast(tuple, np.random.get_state())
        states: dict[str, Any] = {
            "data": [[version, list(numbers), gauss], [name, keys.tolist(), *rest]],
            "cpu": torch.get_rng_state(),
            "cuda": torch.cuda.get_rng_state(device) if device.type == "cuda" else None,
        }
        return TrainerCheckpoint(checkpoint.model_state, {**checkpoint.trainer_state, RANDOM_STATES: states})


def write_state(state: dict[str, Any], path: Union[str, os.PathLike]) -> None:
    """Writes a file of a checkpoint. The file appears only when it is complete, even if the disk is full."""
    with partial_path(path) as part:
        torch.save(state, part)


def read_state(path: str) -> dict[str, Any]:
    """Reads a file of a checkpoint onto the CPU. A damaged file raises a `ConfigurationError`."""
    try:
        # PyTorch reads damaged weights without a word, though the file has checksums.
        with zipfile.ZipFile(path) as file:
            damaged = file.testzip()
        if damaged is not None:
            raise ValueError(f"the checksum of {damaged} is wrong")
        # Onto the CPU, as AllenNLP does: the trainer brings them to its device.
        with reading_weights(path):
            state = torch.load(path, map_location="cpu", weights_only=True)
        if not isinstance(state, dict):
            raise ValueError(f"a {type(state).__name__}")
        return state
    except (ConfigurationError, MemoryError):
        raise
    except Exception as error:
        reason = cut(" ".join(str(error).split()) or type(error).__name__, 200)
        raise ConfigurationError(
            f"{path}: found a damaged checkpoint ({reason}), expected a whole file"
        ) from error


def recoverable(folder: str) -> bool:
    """Whether a training's folder has the two checkpoints that `ExactCheckpointer` needs to resume."""
    return len(glob.glob("training_state_*.th", root_dir=folder)) > 1
