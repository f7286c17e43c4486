import asyncio
import logging
import os
import pickle
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import count, islice
from typing import Any, NamedTuple, Optional

from allennlp_coref_rc.common.errors import ConfigurationError

Item = tuple[str, Any]
"""A place, which error messages name, and the value there."""

SETTINGS = {
    # On a busy machine AllenNLP takes long to import, so one process imports it, and the workers are its forks.
    "distributed.comm.timeouts.connect": "300s",
    "distributed.worker.multiprocessing-method": "forkserver",
    # Dask serves no pages about the run.
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    # If a worker dies, Dask does not try again. We look for the document that caused it, one at a time.
    "distributed.scheduler.allowed-failures": 0,
    "distributed.admin.large-graph-warning-threshold": "1GB",
}

START = 6.0
"""The seconds that workers take to start. Most of it is importing PyTorch and AllenNLP."""

WARM_UP = 3.0
"""The seconds that the first chunks may take for work that is done only once."""

PATIENCE = 10
"""The seconds that we wait for a scheduler, which may have been started at the same time as this command."""


class Chunk(NamedTuple):
    """Consecutive items, and the index of their chunk."""

    number: int
    items: list[Item]


def chunks(items: Iterable[Item], size: int) -> Iterator[Chunk]:
    """The items in chunks of `size`; the last may be smaller."""
    items = iter(items)
    return map(Chunk, count(), iter(lambda: list(islice(items, size)), []))


class Workers:
    """
    The processes that work on chunks: this one, others on this machine, or those of a Dask cluster. Use it in a `with`
    statement.

    Processes on this machine cannot be reached from others, and they listen only to each other: they have a key that is
    made anew each time. So other users of the machine cannot have them run anything. docs/security.md says what a
    cluster needs.

    # Parameters

    number : `int`, optional (default = `None`)
        The number of processes on this machine, each with one thread; 0 uses this process alone. By default this
        process begins alone. Workers, one for each processor, take over if they will finish earlier, even though they
        have to start first. They do not if this process has used a GPU, since each worker would need as much memory.
    scheduler : `str`, optional (default = `None`)
        The address of a cluster's scheduler, to use its workers in place of processes on this machine:
        tcp://host:8786, or tls://host:8786 with certificates that Dask's configuration names (`distributed.comm.tls`).
    preload : `str`, optional (default = `"allennlp_coref_rc"`)
        A module that the workers need. One process imports it, and the workers are its forks.
    """

    def __init__(
        self, number: Optional[int] = None, scheduler: Optional[str] = None, preload: str = "allennlp_coref_rc"
    ) -> None:
        self._number = number
        self._scheduler = scheduler
        self._preload = preload
        self._preparation = 0.0
        self._client: Any = None
        self._stack = ExitStack()

    def __enter__(self) -> "Workers":
        if self._number or self._scheduler is not None:
            self._start(self._number or 0)
        return self

    def _start(self, number: int) -> None:
        self._number = number
        # Dask takes a second to import, and the other commands do not need it.
        import dask
        from distributed import Client, LocalCluster
        from distributed.utils import get_mp_context

        with ExitStack() as stack:
            stack.enter_context(dask.config.set(SETTINGS))
            if self._scheduler is None:
                get_mp_context().set_forkserver_preload(["distributed", self._preload])
                address: Any = stack.enter_context(
                    LocalCluster(
                        host="127.0.0.1",
                        security=True,
                        n_workers=number,
                        threads_per_worker=1,
                        processes=True,
                        memory_limit=None,
                        dashboard_address=None,
                        silence_logs=logging.CRITICAL,
                    )
                )
            else:
                address = self._scheduler
                asyncio.run(_knock(address))
            self._client = stack.enter_context(Client(address))
            self._stack = stack.pop_all()

    def __exit__(self, *error: Any) -> None:
        self._stack.close()

    def call(self, function: Callable[[], Any]) -> Any:
        """Calls a function that prepares the work in one of the processes, and returns its result."""
        began = time.monotonic()
        result = self._client.submit(function, pure=False).result() if self._client else function()
        self._preparation = time.monotonic() - began
        return result

    def map(
        self, function: Callable[[list[Item]], Any], chunks: Iterable[Chunk], number: int = 0
    ) -> Iterator[tuple[Chunk, Any]]:
        """
        Each chunk with the function's result for its items, in the order of completion. The result is `None` if the
        worker died while it worked on the chunk or had it in its queue. Only a few chunks are held in memory. `number`
        is the number of chunks, from which the time that they take is estimated.
        """
        chunks = iter(chunks)
        if not self._client:
            yield from self._alone(function, chunks, number)
        if self._client:
            yield from self._together(function, chunks)

    def _alone(
        self, function: Callable[[list[Item]], Any], chunks: Iterator[Chunk], number: int
    ) -> Iterator[tuple[Chunk, Any]]:
        """Works on chunks in this process until it is worth starting workers."""
        seconds = -WARM_UP
        for done, chunk in enumerate(chunks, start=1):
            began = time.monotonic()
            result = function(chunk.items)
            seconds += time.monotonic() - began
            yield chunk, result
            workers = min(num_cpus(), number - done)
            left = seconds / done * (number - done)
            if self._number is None and pays(left, workers, self._preparation) and not uses_gpu():
                self._start(workers)
                return

    def _together(self, function: Callable[[list[Item]], Any], chunks: Iterator[Chunk]) -> Iterator[tuple[Chunk, Any]]:
        from distributed import wait

        running: dict[Any, Chunk] = {}
        try:
            for chunk in chunks:
                # Dask would search a list for its own objects. It does not search bytes.
                future = self._client.submit(_apply, function, pickle.dumps(chunk.items), pure=False)
                running[future] = chunk
                while len(running) >= self._capacity():
                    yield from self._finished(running, wait(list(running), return_when="FIRST_COMPLETED").done)
            while running:
                yield from self._finished(running, wait(list(running), return_when="FIRST_COMPLETED").done)
        finally:
            self._client.cancel(list(running))

    def _capacity(self) -> int:
        # The workers of a cluster come and go.
        return 2 * (self._number or 1 if self._scheduler is None else max(1, sum(self._client.nthreads().values())))

    @staticmethod
    def _finished(running: dict[Any, Chunk], done: Sequence[Any]) -> Iterator[tuple[Chunk, Any]]:
        from distributed import KilledWorker

        for future in done:
            chunk = running.pop(future)
            yield chunk, None if isinstance(future.exception(), KilledWorker) else future.result()


def pays(seconds: float, workers: int, preparation: float = 0.0) -> bool:
    """
    Whether workers, which have to start and prepare first, finish earlier than one process that takes this many
    seconds.
    """
    return workers > 1 and START + preparation + seconds / workers < seconds


def uses_gpu() -> bool:
    """Whether this process has used a GPU. Looking for one does not count."""
    import torch

    return torch.cuda.is_initialized()


async def _knock(address: str) -> None:
    # A `Client` that finds no scheduler stays in memory, and can make the next one hang when it is garbage-collected.
    from distributed.comm import connect
    from distributed.security import Security

    expected = "expected the address that `dask scheduler` prints, such as tcp://host:8786"
    try:
        arguments = Security().get_connection_args("client")
        # Dask itself would wait for ever for a server that takes the connection and says nothing.
        connection = await asyncio.wait_for(connect(address, timeout=PATIENCE, **arguments), PATIENCE + 1)
        await connection.close()
    except (TypeError, RuntimeError) as error:
        raise ConfigurationError(
            f"--scheduler {address}: {error}; expected certificates in Dask's configuration (distributed.comm.tls), "
            "and an address that begins with tls://"
        ) from error
    except ValueError as error:
        raise ConfigurationError(f"--scheduler {address}: found no address ({error}), {expected}") from error
    except OSError as error:
        raise ConfigurationError(
            f"--scheduler {address}: no scheduler answers (tried for {PATIENCE} seconds), {expected}"
        ) from error
    except Exception as error:
        # Other servers send answers that Dask cannot read. It may take them for sizes of exabytes.
        raise ConfigurationError(
            f"--scheduler {address}: the server is not a Dask scheduler ({error!r:.80}), {expected}"
        ) from error


def _apply(function: Callable[[list[Item]], Any], items: bytes) -> Any:
    return function(pickle.loads(items))


def num_cpus() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
