"""
The processes that train a model together. They import this module, and nothing heavy, before they are quiet.
"""

import multiprocessing
import os
import pickle
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from allennlp_coref_rc.allennlp_runtime.console.quiet import quiet_screen
from allennlp_coref_rc.allennlp_runtime.lazy_registry import import_allennlp
from allennlp_coref_rc.allennlp_runtime.memory_kept import memory_kept
from allennlp_coref_rc.common.error_message import WorkerError, user_message
from allennlp_coref_rc.common.stopping import Terminated
from allennlp_coref_rc.safe_archives.archives import guards, set_guards

SECONDS_TO_STOP = 10
"""How long a process that trains may take to end, once it is told to."""


@contextmanager
def training_processes(quiet: bool) -> Iterator[None]:
    """Within this, processes that AllenNLP spawns are as quiet as this one, and trust the same archives."""
    from allennlp.commands import train

    spawn = train.mp.spawn

    def spawn_likewise(function: Callable, args: tuple[Any, ...] = (), **kwargs: Any) -> Any:
        try:
            return spawn(_run, args=(pickle.dumps((function, args)), quiet, guards()), **kwargs)
        except Terminated:
            # Ctrl-C reaches all processes, but this signal only the first, which then waits for the others.
            _interrupt(multiprocessing.active_children())
            raise

    with patch.object(train.mp, "spawn", spawn_likewise):
        yield


def _interrupt(processes: list[Any]) -> None:
    for process in processes:
        os.kill(process.pid, signal.SIGINT)
    for process in processes:
        process.join(SECONDS_TO_STOP)
        process.kill()


def _run(rank: int, job: bytes, quiet: bool, of_parent: list[Any]) -> None:
    """Runs in a spawned process. The job comes as bytes, so that its modules are imported only here."""
    with ExitStack() as stack:
        if quiet:
            stack.enter_context(quiet_screen(speaks=rank == 0))
        import_allennlp()
        set_guards(of_parent)
        stack.enter_context(memory_kept())
        function, args = pickle.loads(job)
        try:
            function(rank, *args)
        except Exception as error:
            message = user_message(error)
            if message is None:
                raise
            # The waiting process gets only the text of the error.
            raise WorkerError(message) from error
