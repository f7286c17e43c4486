"""Keeps AllenNLP's logs, warnings and nested progress bars off the screen, and in the log file of the run."""

import io
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, suppress
from logging.handlers import MemoryHandler
from typing import Any
from unittest.mock import patch

from allennlp_coref_rc.allennlp_runtime.lazy_registry import import_allennlp

SEEN = {
    "allennlp_coref_rc": logging.WARNING,
    "allennlp": logging.ERROR,
    # Of patterns that match no parameter.
    "allennlp.nn.initializers": logging.WARNING,
    "allennlp.training.optimizers": logging.WARNING,
}
"""The packages and modules whose messages are shown on the screen, and the lowest level that is shown."""

CAPACITY = 100_000
"""The most records that are kept until there is a log file."""


@contextmanager
def quiet_screen(speaks: bool = True) -> Iterator[None]:
    """
    Makes AllenNLP's commands quiet here and in spawned processes. Of several that train together, one
    `speaks`.
    """
    with ExitStack() as stack:
        stack.enter_context(quiet_logs(speaks))
        import_allennlp()
        from allennlp_coref_rc.allennlp_runtime.console.epoch_lines import epoch_lines

        stack.enter_context(quiet_allennlp(speaks))
        stack.enter_context(epoch_lines())
        yield


class Screen(logging.StreamHandler):
    """Shows the messages of the packages in `SEEN` on stderr, each of them once."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: set[str] = set()
        self.setFormatter(logging.Formatter("%(levelname)s: %(message)s"))

    def filter(self, record: logging.LogRecord) -> bool:
        least = SEEN.get(record.name, SEEN.get(record.name.partition(".")[0]))
        # Tracebacks are left to the code that catches the error.
        if least is None or record.levelno < least or record.exc_info or record.getMessage() in self._shown:
            return False
        self._shown.add(record.getMessage())
        return True


@contextmanager
def quiet_logs(speaks: bool = True) -> Iterator[None]:
    """
    Keeps logs and warnings off the screen, even while AllenNLP is imported, except those that `Screen` shows.
    """
    root = logging.getLogger()
    handlers, level, hook = root.handlers[:], root.level, sys.excepthook
    # It keeps records until there is a file for them.
    held = MemoryHandler(CAPACITY, flushLevel=logging.CRITICAL + 1, flushOnClose=False)
    root.handlers[:] = [held, *([Screen()] if speaks else [])]
    logging.captureWarnings(True)
    # Otherwise the screen would have a traceback for each message that a full disk keeps from the log.
    raising, logging.raiseExceptions = logging.raiseExceptions, False
    try:
        yield
    except Exception:
        # Only for the file, as `Screen` shows no tracebacks.
        root.error("Stopped by an error", exc_info=True)
        raise
    finally:
        logging.captureWarnings(False)
        # AllenNLP's progress bars write to the file of the run too.
        bars = logging.getLogger("tqdm")
        for handler in root.handlers:
            if isinstance(handler, logging.FileHandler):
                bars.removeHandler(handler)
                with suppress(OSError):
                    handler.close()
        root.handlers[:] = handlers
        root.setLevel(level)
        sys.excepthook = hook
        logging.raiseExceptions = raising


@contextmanager
def quiet_allennlp(speaks: bool = True) -> Iterator[None]:
    """
    Lets AllenNLP log only to the file of the run, and show one progress bar at a time. Within `quiet_logs`.
    """
    from allennlp.common import logging as allennlp_logging
    from allennlp.common.tqdm import Tqdm, TqdmToLogsWriter, _tqdm

    prepare = allennlp_logging.prepare_global_logging

    def prepare_quietly(serialization_dir: str, *args: Any, **kwargs: Any) -> None:
        root = logging.getLogger()
        before = root.handlers[:]
        prepare(serialization_dir, *args, **kwargs)
        files = [handler for handler in root.handlers if isinstance(handler, logging.FileHandler)]
        for handler in before:
            if isinstance(handler, MemoryHandler):
                handler.setTarget(files[0])
                handler.flush()
        root.handlers[:] = files + [handler for handler in before if isinstance(handler, Screen)]
        if speaks:
            print(
                "Log:", os.path.join(serialization_dir, os.path.basename(files[0].baseFilename)), flush=True
            )

    class Writer(TqdmToLogsWriter):
        """Writes a bar to the terminal, if there is one, and from time to time to the log."""

        def write(self, message: str) -> None:
            with redirect_stderr(sys.stderr if speaks and sys.stderr.isatty() else io.StringIO()):
                super().write(message)

    def one_bar(*args: Any, **kwargs: Any) -> Any:
        another = len(getattr(_tqdm, "_instances", ())) > 0
        settings = {"file": Writer(), "leave": False, "dynamic_ncols": True, "disable": another}
        return _tqdm(*args, **{**settings, **kwargs})

    with (
        patch.object(allennlp_logging, "prepare_global_logging", prepare_quietly),
        patch.object(Tqdm, "tqdm", staticmethod(one_bar)),
    ):
        yield
