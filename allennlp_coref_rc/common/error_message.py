"""
Turns errors into messages: a paragraph for an error that the user can fix, `None` for a bug of the program.
"""

import errno
import os
import re
import traceback
from typing import Optional

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.messages import cut


class WorkerError(Exception):
    """Stopped one of several training processes. The process that started them shows its message."""


RAISED_ELSEWHERE = {
    "ProcessRaisedException": WorkerError.__name__,
    "WorkerError": ConfigurationError.__name__,
}
"""
Errors with the traceback of another process, of PyTorch's and of AllenNLP's data loader, and what users can
mend there.
"""


def user_message(error: BaseException) -> Optional[str]:
    """The paragraph for an error that the user can fix; `None` if it should be seen with its traceback."""
    message = _message_of(error)
    if message and message.startswith(": "):
        message = f"an empty path{message}"
    return message and "\n".join(map(cut, message.split("\n")))


def _message_of(error: BaseException) -> Optional[str]:
    if isinstance(error, (ConfigurationError, WorkerError)):
        return str(error)
    if isinstance(error, OSError):
        return _of_file(error)
    if isinstance(error, MemoryError):
        return "this machine has no memory left; take smaller batches (data_loader.batch_size)"
    if isinstance(error, ImportError) and error.__cause__:
        # A library imports its parts when they are first used, and tells only what it wanted.
        cause = error.__cause__
        while cause.__cause__:
            cause = cause.__cause__
        reason = f"{type(cause).__name__}: {cause}"
        return f"a package can't be imported ({reason}); coref-rc environment says what does not fit"
    # These errors are known by name and text, so that PyTorch and others need not be imported.
    text, name = str(error), type(error).__name__
    if name == "OutOfMemoryError":
        return (
            "the GPU has no memory left; take smaller batches (data_loader.batch_size, with "
            "trainer.num_gradient_accumulation_steps if the size of batches matters), or another GPU"
        )
    if name in RAISED_ELSEWHERE:
        _, is_known, said = text.rpartition(f"{RAISED_ELSEWHERE[name]}: ")
        return said.replace("\n  ", "\n").strip() if is_known else None
    if name == "ProcessExitedException":
        return f"one of the processes that train the model together ended: {text}"
    if isinstance(error, RuntimeError) and re.match("(STATIC|RUNTIME) ERROR: ", text):
        return f"found an error in Jsonnet: {text.partition(': ')[2].strip()}"
    if isinstance(error, RuntimeError) and text.startswith("Error loading state dict"):
        return f"found weights of another model: {text}"
    if isinstance(error, RuntimeError) and "does not contain a 'loss' key" in text:
        return (
            "found training questions without an answer, which give no loss; expected one for each question"
        )
    if isinstance(error, RuntimeError) and "PytorchStreamReader failed" in text:
        return f"a file of weights is damaged: {text}"
    if is_unwritten(error):
        return "a file of weights could not be written; no space may be left on the disk"
    if isinstance(error, ValueError) and text == "nan loss encountered":
        return (
            "the loss is not a number (nan); take a lower learning rate (trainer.optimizer.lr), or limit the gradients "
            "(trainer.grad_norm)"
        )
    return _of_config(error) if isinstance(error, Exception) else None


FROM_PARAMS = "allennlp.common.from_params"
"""The module that makes objects of a config's values, and checks the types of the values."""


def _of_config(error: Exception) -> Optional[str]:
    """
    The message of an error in a value of a config, such as a learning rate of -1, with its keys and its
    class.
    """
    cls = keys = module = None
    for frame, _ in traceback.walk_tb(error.__traceback__):
        name, module = frame.f_code.co_name, frame.f_globals.get("__name__", "")
        if (module, name) == (FROM_PARAMS, "from_params"):
            # Values of objects within a dictionary have no history.
            cls, keys = frame.f_locals["cls"], getattr(frame.f_locals["params"], "history", "")[:-1] or keys
        elif name == "_read" or name == "forward":
            return None
    if cls is None:
        return None
    place = f"{keys}: " if keys else ""
    is_clear = isinstance(error, ValueError) or module == FROM_PARAMS
    reason = error if is_clear else f"{type(error).__name__}: {error} (--debug shows where)"
    return f"{place}the config gives {cls.__name__} a value that it refuses: {reason}"


def is_unwritten(error: BaseException) -> bool:
    """Whether PyTorch could not write a file. It does not say why."""
    signs = ("PytorchStreamWriter failed", "unexpected pos", "basic_ios::clear")
    return isinstance(error, RuntimeError) and any(sign in str(error) for sign in signs)


EXPLAINED = {
    errno.ENOENT: "no such file",
    errno.EACCES: "this user may not read or write it",
    errno.EDQUOT: "this user's share of the disk is full",
    errno.EEXIST: "found a file, expected a folder",
    errno.EFBIG: "it would become larger than a file may be here",
    errno.EISDIR: "found a directory, expected a file",
    errno.ENAMETOOLONG: "found a name that is too long for a file",
    errno.ENOSPC: "no space is left on the disk",
    errno.ENOTDIR: "a part of this path is a file, expected a folder",
    errno.EROFS: "its file system is read-only, expected one that can be written to",
}
"""By the number of an error of the system, the words that explain it."""


def _of_file(error: OSError) -> str:
    reason = EXPLAINED.get(error.errno or 0, error.strerror or str(error))
    if error.filename is None:
        return reason
    remedy = ""
    if os.path.abspath(error.filename).startswith(os.path.abspath(cache_folder())):
        remedy = "; set ALLENNLP_CACHE_ROOT to a folder that you may write to"
    return f"{error.filename}: {reason}{remedy}"


def cache_folder() -> str:
    """The folder in which AllenNLP keeps downloads."""
    return os.environ.get("ALLENNLP_CACHE_ROOT") or os.path.join(os.path.expanduser("~"), ".allennlp")
