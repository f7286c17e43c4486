"""Patches of `allennlp.training`."""

import glob
import os
import uuid
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, Optional

import wrapt


def generate_run_id(callbacks: Any) -> None:
    """Generates the id of a run. Weights & Biases no longer has the function that AllenNLP calls for it."""

    def on_start(original: Any, callback: Any, args: Any, kwargs: dict[str, Any]) -> None:
        if kwargs.get("is_primary", True) and callback._run_id is None:
            callback._run_id = uuid.uuid4().hex[:8]
        original(*args, **kwargs)

    wrapt.wrap_function_wrapper(callbacks.WandBCallback, "on_start", on_start)


def train_longer(util: Any) -> None:
    """Lets `--recover` train for more epochs than the folder's config says."""

    def create(original: Any, params: Any, serialization_dir: Any, recover: bool, force: bool) -> None:
        path = os.path.join(serialization_dir, "config.json")
        if recover and os.path.exists(path):
            # AllenNLP compares these settings with those of the file, which it then replaces.
            params, earlier = params.duplicate(), type(params).from_file(path).as_dict(quiet=True)
            epochs = earlier.get("trainer", {}).get("num_epochs", 0)
            if 0 < epochs < params.as_dict(quiet=True)["trainer"].get("num_epochs", 0):
                params["trainer"]["num_epochs"] = epochs
        original(params, serialization_dir, recover, force)

    wrapt.wrap_function_wrapper(
        util,
        "create_serialization_dir",
        lambda original, _, args, kwargs: create(original, *args, **kwargs),
    )


def escape_folder_names(training: Any) -> None:
    """Finds checkpoints in a folder such as "runs [1]", which AllenNLP takes for a pattern."""

    def iglob(path: str) -> Iterator[str]:
        folder, pattern = os.path.split(path)
        return glob.iglob(os.path.join(glob.escape(folder), pattern))

    training.glob = SimpleNamespace(iglob=iglob)


def resume_from_complete_checkpoint(checkpointer: Any) -> None:
    """
    Resumes from the latest complete checkpoint where a training was killed between the two files of a checkpoint. The
    first file is removed, since AllenNLP would not write it again.
    """

    def find_latest_checkpoint(self: Any) -> Optional[tuple[str, str]]:
        for when in sorted(self._find_all_checkpoints(), reverse=True):
            paths = self._model_state_path(*when), self._training_state_path(*when)
            if os.path.exists(paths[1]):
                return paths
            os.unlink(paths[0])
        return None

    checkpointer.Checkpointer.find_latest_checkpoint = find_latest_checkpoint
