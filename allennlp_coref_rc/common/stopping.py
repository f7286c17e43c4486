"""Says how to resume when a command is interrupted, or when the disk is full."""

import errno
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Optional

from allennlp_coref_rc.common.error_message import is_unwritten, user_message
from allennlp_coref_rc.common.errors import ConfigurationError

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Terminated(KeyboardInterrupt):
    """The process got SIGTERM, which `kill` and batch systems send."""


@contextmanager
def terminable() -> Iterator[None]:
    """
    Within this, SIGTERM raises `Terminated` in this process, so that it tidies up. Its forks end at once.
    """
    if threading.current_thread() is not threading.main_thread():
        # Python handles signals only in the main thread.
        yield
        return

    def stop(number: int) -> None:
        raise Terminated

    before = signal.signal(signal.SIGTERM, _ending_forks(stop))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Within this, Ctrl-C and SIGTERM wait until its end. Forks of this process end at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[int] = []
    numbers = signal.SIGINT, signal.SIGTERM
    before = [signal.signal(number, _ending_forks(waiting.append)) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before):
            signal.signal(number, handler or signal.SIG_DFL)
        for first in waiting[:1]:
            os.kill(os.getpid(), first)


def _ending_forks(handle: Callable[[int], None]) -> Callable[[int, Optional[FrameType]], None]:
    """
    A handler of signals. This process handles them by `handle`. Its forks inherit the handler, and end: a fork
    that called `handle` could not be ended until it has a handler of its own.
    """
    process = os.getpid()

    def handle_or_end(number: int, frame: Optional[FrameType]) -> None:
        if os.getpid() == process:
            handle(number)
        else:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    return handle_or_end


@contextmanager
def with_resume_hint(
    resume_hint: Callable[[], str], output: str = "", kept: Callable[[], str] = str
) -> Iterator[None]:
    """
    Within this, an interruption or a full disk gives a message that says how to resume ("the same command
    resumes") and what an interrupted command has `kept`. `output` is where it writes, for errors that do not
    name a file.
    """
    try:
        yield
    except KeyboardInterrupt as error:
        raise type(error)("; ".join(filter(None, ["stopped", kept(), resume_hint()]))) from error
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None and error.filename is None and output:
            error.filename = output
        if not is_full(error):
            raise
        message = user_message(error) if isinstance(error, OSError) else f"{output}: {user_message(error)}"
        raise ConfigurationError(
            f"{message}; free space, then {resume_hint() or 'give the command again'}"
        ) from error


def is_full(error: BaseException) -> bool:
    """Whether an error is that of a full disk."""
    if isinstance(error, OSError):
        return error.errno in FULL
    return is_unwritten(error)
