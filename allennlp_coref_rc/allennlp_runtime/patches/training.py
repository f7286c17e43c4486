"""Patches of `allennlp.training`."""

import glob
import os
import uuid
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, Optional

from allennlp_coref_rc.common.wrapping import wrapping


@wrapping("WandBCallback.on_start")
def generate_run_id(original: Any, callback: Any, args: Any, kwargs: dict[str, Any]) -> None:
    """Generates the id of a run. Weights & Biases no longer has the function that AllenNLP calls for it."""
    if kwargs.get("is_primary", True) and callback._run_id is None:
        callback._run_id = uuid.uuid4().hex[:8]
    original(*args, **kwargs)


@wrapping("create_serialization_dir")
def train_longer(original: Any, _: None, args: Any, kwargs: dict[str, Any]) -> None:
    """Lets `--recover` train for more epochs than the folder's config says."""
    given = {**dict(zip(("params", "serialization_dir", "recover", "force"), args)), **kwargs}
    path = os.path.join(given["serialization_dir"], "config.json")
    if given["recover"] and os.path.exists(path):
        # AllenNLP compares these settings with those of the file, which it then replaces.
        params = given["params"] = given["params"].duplicate()
        earlier = type(params).from_file(path).as_dict(quiet=True)
        epochs = earlier.get("trainer", {}).get("num_epochs", 0)
        if 0 < epochs < params.as_dict(quiet=True)["trainer"].get("num_epochs", 0):
            params["trainer"]["num_epochs"] = epochs
    original(**given)


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
