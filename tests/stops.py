"""Stops a command at a moment that the test chooses: by a signal, or by a disk that is full from then on."""

import errno
import os
import resource
import signal
import sys
import tempfile
from contextlib import contextmanager

import pytest

from allennlp_coref_rc.__main__ import main

OPERATIONS = [(os, name) for name in ("replace", "unlink", "rmdir", "mkdir", "fsync")] + [
    (tempfile, "mkstemp")
]
"""The operations that change files. A process may be stopped before and after each of them."""

NEED_ROOM = ("mkdir", "fsync", "mkstemp")
"""The operations that a full disk lets fail."""

STATUS = {"int": 130, "term": 143, "full": 2}


class Moments:
    """Counts moments, and stops the process at the one with the index `at`."""

    def __init__(self, kind, at):
        self.kind = kind
        self.left = at
        self.stopped = False

    def pass_one(self, operation="", path=None):
        self.left -= 1
        if self.kind == "full":
            if self.left < 0 and operation in NEED_ROOM:
                self.stopped = True
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
        elif self.left == -1:
            self.stopped = True
            os.kill(
                os.getpid(), {"kill": signal.SIGKILL, "int": signal.SIGINT, "term": signal.SIGTERM}[self.kind]
            )

    def around(self, function, name=""):
        def run(*args, **kwargs):
            self.pass_one(name, args[0] if name == "mkdir" else None)
            result = function(*args, **kwargs)
            self.pass_one()
            return result

        return run


@contextmanager
def stopping(kind, at, operations=OPERATIONS):
    """Stops this process at the moment `at`, counted before and after each of the operations."""
    moments = Moments(kind, at)
    with pytest.MonkeyPatch.context() as patch:
        for module, name in operations:
            patch.setattr(module, name, moments.around(getattr(module, name), name))
        yield moments


@contextmanager
def files_of_at_most(size):
    """A disk that takes no more of any file than this many bytes, by the limit of the system."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def status_of(words):
    """The exit status of a command in this process."""
    try:
        main([str(word) for word in words])
    except SystemExit as stop:
        return stop.code or 0
    return 0


def fork(function):
    """Calls a function in a fork of this process. Returns whether the fork was killed."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        try:
            function()
            os._exit(0)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)
