"""Lets one process at a time train in a folder, and removes the folder of a training that fails at once."""

import functools
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from typing import Any

from allennlp_coref_rc.common.error_message import user_message
from allennlp_coref_rc.common.errors import ConfigurationError


class FolderInUse(ConfigurationError):
    """Another process holds the lock of a folder."""


@contextmanager
def locked(folder: str) -> Iterator[None]:
    """
    Locks a folder, which must be there, until the process ends. The lock is the folder's own, so no file is seen.
    Raises `FolderInUse` if another process holds it. Where the file system has no locks, nothing is locked.
    """
    import fcntl

    descriptor = os.open(folder, os.O_RDONLY)
    HELD.add(descriptor)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise FolderInUse(f"{folder}: another process trains there, expected a folder of its own") from error
        except OSError:
            pass
        yield
    finally:
        if descriptor in HELD:
            HELD.remove(descriptor)
            os.close(descriptor)


HELD: set[int] = set()


def _let_go() -> None:
    """A fork, such as one that loads data, may outlive a killed training, and must not keep its lock."""
    for descriptor in HELD:
        os.close(descriptor)
    HELD.clear()


def install(train: Any) -> None:
    """Changes `train_model` in AllenNLP's module `allennlp.commands.train`, which is given."""
    if os.name != "posix":
        return  # Windows has no locks of folders.
    os.register_at_fork(after_in_child=_let_go)
    original = train.train_model

    @functools.wraps(original)
    def train_model(
        params: Any,
        serialization_dir: Any,
        recover: bool = False,
        force: bool = False,
        node_rank: int = 0,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        if node_rank:
            # The first node, which may share the folder, holds the lock.
            return original(params, serialization_dir, recover, force, node_rank, *args, **kwargs)
        os.makedirs(serialization_dir, exist_ok=True)
        with locked(os.fspath(serialization_dir)):
            if force and not recover:
                # Else AllenNLP would remove the folder, and the lock with it.
                _empty(serialization_dir)
            return original(params, serialization_dir, recover, force and recover, node_rank, *args, **kwargs)

    train.train_model = train_model


BEFORE_TRAINING = ("config.json", "meta.json", "vocabulary", "out*.log")
"""What AllenNLP writes into the folder of a training before the first epoch ends."""


@contextmanager
def cleanup_failed_start(folder: str) -> Iterator[None]:
    """Removes the new folder of a training that a user's error, or a full disk, ends before its first epoch does."""
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


def _empty(folder: Any) -> None:
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            os.unlink(entry.path)
