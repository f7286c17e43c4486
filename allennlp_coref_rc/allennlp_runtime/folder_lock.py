"""Lets one process at a time train in a folder, and removes the folder of a training that fails at once."""

import inspect
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from fnmatch import fnmatch
from typing import Any

from allennlp_coref_rc.common.error_message import user_message
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import locked
from allennlp_coref_rc.common.wrapping import wrapping


class FolderInUse(ConfigurationError):
    """Another process holds the lock of a folder."""


def lock_of(folder: str) -> AbstractContextManager[None]:
    """
    The lock of a folder, FOLDER.lock beside it. Where there can be no locks, nothing is locked.
    """
    path = f"{os.path.abspath(folder)}.lock"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    in_use = FolderInUse(f"{folder}: another process trains there, expected a folder of its own")
    return locked(path, folder, in_use, needed=False)


@wrapping("train_model")
def lock_training(original: Callable[..., Any], _: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """AllenNLP's `train_model`, which holds the folder's lock."""
    given = inspect.signature(original).bind(*args, **kwargs).arguments
    # The first node, which may share the folder, holds the lock.
    with nullcontext() if given.get("node_rank") else lock_of(os.fspath(given["serialization_dir"])):
        return original(*args, **kwargs)


BEFORE_TRAINING = ("config.json", "meta.json", "vocabulary", "out*.log")
"""What AllenNLP writes into the folder of a training before the first epoch ends."""


@contextmanager
def cleanup_failed_start(folder: str) -> Iterator[None]:
    """
    Removes the new folder of a training that a user's error, or a full disk, ends before its first epoch
    does.
    """
    new = not os.path.exists(folder)
    try:
        yield
    except FolderInUse:
        raise
    except Exception as error:
        begun = os.listdir(folder) if new and os.path.isdir(folder) else [""]
        early = all(any(fnmatch(name, known) for known in BEFORE_TRAINING) for name in begun)
        if early and user_message(error) is not None:
            shutil.rmtree(folder)
        raise
