"""Patches of `allennlp.training`."""

import glob
import os
import re
import uuid
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, Optional

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.wrapping import wrapping


@wrapping("WandBCallback.on_start")
def generate_run_id(original: Any, callback: Any, args: Any, kwargs: dict[str, Any]) -> None:
    """Generates the id of a run. Weights & Biases no longer has the function that AllenNLP calls for it."""
    if kwargs.get("is_primary", True) and callback._run_id is None:
        callback._run_id = uuid.uuid4().hex[:8]
    original(*args, **kwargs)


@wrapping("create_serialization_dir")
def resume_with_changes(original: Any, _: None, args: Any, kwargs: dict[str, Any]) -> None:
    """
    Lets `--recover` train for longer than a folder's config says, or on another device. Names other changes.
    """
    given = {**dict(zip(("params", "serialization_dir", "recover", "force"), args)), **kwargs}
    folder = given["serialization_dir"]
    path = os.path.join(folder, "config.json")
    if given["recover"] and os.path.exists(path):
        earlier = type(given["params"]).from_file(path)
        before, now = (params.duplicate().as_flat_dict() for params in (earlier, given["params"]))
        differ = sorted(key for key in {*before, *now} if before.get(key) != now.get(key))
        bad = [key for key in differ if not _may_change(key, before.get(key), now.get(key))]
        schedules = [now[key] for key in now if key.startswith("trainer.learning_rate_scheduler")]
        schedule = next((name for name in OF_WHOLE_TRAINING if name in schedules), None)
        if schedule and not bad and "trainer.num_epochs" in differ:
            raise ConfigurationError(
                f"--recover: found a larger trainer.num_epochs with the learning rate schedule {schedule}, which ends "
                "with the training that it was made for; expected the same number. -f in place of --recover starts over"
            )
        if bad:
            found = "; ".join(
                f"{key} {_shown(now, key)}, expected {_shown(before, key)}" for key in bad[:SHOWN]
            )
            more = f"; and {len(bad) - SHOWN} more" if len(bad) > SHOWN else ""
            raise ConfigurationError(
                f"--recover: found {found}{more}, as in {path}; only trainer.cuda_device may change, and num_epochs "
                "and patience of the trainer to larger numbers. -f in place of --recover starts over"
            )
        # AllenNLP compares these settings with those of the file, which it then replaces.
        given["params"] = earlier
    original(**given)


SHOWN = 3
"""How many settings an error names."""

OF_WHOLE_TRAINING = (
    "slanted_triangular",
    "linear_with_warmup",
    "polynomial_decay",
    "cosine_with_warmup",
    "cosine_hard_restarts_with_warmup",
)
"""Schedules that depend on the number of epochs from the first update on."""


def _shown(values: dict[str, Any], key: str) -> str:
    return repr(values[key]) if key in values else "nothing"


def _may_change(key: str, before: Any, now: Any) -> bool:
    if key == "trainer.patience":
        # Without it, nothing stops a training early.
        return before is not None and (now is None or now > before)
    return key == "trainer.cuda_device" or (
        key == "trainer.num_epochs" and None not in (before, now) and now > before
    )


@wrapping("CosineWithRestarts.get_values")
def give_plain_numbers(original: Any, _: Any, args: Any, kwargs: dict[str, Any]) -> list[float]:
    """NumPy's numbers would get into checkpoints, from which PyTorch does not load them."""
    return [float(rate) for rate in original(*args, **kwargs)]


@wrapping("GradientDescentTrainer._maybe_restore_checkpoint")
def find_best_weights(original: Any, trainer: Any, args: Any, kwargs: dict[str, Any]) -> None:
    """
    Finds the best weights in the folder of a training that is resumed. The first epoch's checkpoint does not
    know them, and the others know them where the folder was.
    """
    original(*args, **kwargs)
    best = os.path.join(trainer._serialization_dir or "", "best.th")
    resumes = trainer._start_after_epochs_completed or trainer._start_after_batches_in_epoch_completed
    if resumes and os.path.exists(best):
        trainer._best_model_filename = best


@wrapping("GradientDescentTrainer._train_epoch")
def draw_same_random_numbers(original: Any, trainer: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """
    Gives the first epoch of a resumed training the random numbers that it would have had without interruption.
    AllenNLP draws those of the finished epochs again, but not those of shuffled validation data.
    """
    restore = getattr(trainer._checkpointer, "restore_random_numbers", None)
    resumes = trainer._epochs_completed == trainer._start_after_epochs_completed > 0
    if restore is not None and resumes and not trainer._start_after_batches_in_epoch_completed:
        restore()
    return original(*args, **kwargs)


@wrapping("GradientDescentTrainer.from_partial_objects")
def refuse_unused_no_grad(original: Any, _: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """Refuses a pattern of `no_grad` that matches no parameter, which leaves all of them to be trained."""
    trainer = original(*args, **kwargs)
    names = [name for name, _ in trainer.model.named_parameters()]
    for number, pattern in enumerate(kwargs.get("no_grad") or ()):
        if not any(re.search(pattern, name) for name in names):
            raise ConfigurationError(
                f"trainer.no_grad.{number}: found {pattern!r}, which matches no parameter; expected a part of a name "
                f"such as {names[0]}"
            )
    return trainer


@wrapping("GradientDescentTrainer.from_partial_objects")
def refuse_unknown_labels(original: Any, _: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """Refuses to train on prepared data with a vocabulary that has none of their labels."""
    trainer = original(*args, **kwargs)
    check = getattr(trainer.data_loader, "check_vocabulary", None)
    if check is not None:
        check()
    return trainer


def escape_folder_names(training: Any) -> None:
    """Finds checkpoints in a folder such as "runs [1]", which AllenNLP takes for a pattern."""

    def iglob(path: str) -> Iterator[str]:
        folder, pattern = os.path.split(path)
        return glob.iglob(os.path.join(glob.escape(folder), pattern))

    training.glob = SimpleNamespace(iglob=iglob)


def resume_from_complete_checkpoint(checkpointer: Any) -> None:
    """
    Resumes from the latest complete checkpoint where a training was killed between the two files of a
    checkpoint. The first file is removed, since AllenNLP would not write it again.
    """

    def find_latest_checkpoint(self: Any) -> Optional[tuple[str, str]]:
        for when in sorted(self._find_all_checkpoints(), reverse=True):
            paths = self._model_state_path(*when), self._training_state_path(*when)
            if os.path.exists(paths[1]):
                return paths
            os.unlink(paths[0])
        return None

    checkpointer.Checkpointer.find_latest_checkpoint = find_latest_checkpoint
