import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatch

from allennlp_coref_rc.allennlp_runtime.folder_lock import FolderInUse
from allennlp_coref_rc.common.error_message import user_message

BEFORE_TRAINING = ("config.json", "meta.json", "vocabulary", "out*.log")
"""What AllenNLP writes into the folder of a training before the first epoch ends."""


@contextmanager
def cleanup_failed_start(folder: str) -> Iterator[None]:
    """
    If a user's error, or a full disk, ends the training in its first epoch or before, removes the folder of
    the training, unless it was there before. So the same command works once the error is fixed.
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
