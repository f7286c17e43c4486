import asyncio
import multiprocessing
import os
import pickle
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from functools import partial
from itertools import count, islice
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from typing import Any, NamedTuple, Optional
from unittest.mock import patch

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.extras import install_command
from allennlp_coref_rc.common.stopping import uninterrupted

Item = tuple[str, Any]
"""A place, which error messages name, and the value there."""

START = 3.5
"""
The seconds that workers take to start: one process imports PyTorch and AllenNLP, and they are its copies.
"""

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
    The processes that work on chunks: this one, others on this machine, or those of a Dask cluster. Use it in
    a `with` statement. Processes on this machine end with this one, whatever ends it, and listen to no
    network.

    # Parameters

    number : `int`, optional (default = `None`)
        The number of processes on this machine, each with one thread; 0 uses this process alone. By default
        this process begins alone, and workers, one for each processor, take over if they will finish earlier;
        not if this process has used a GPU, since each worker would need as much memory.
    scheduler : `str`, optional (default = `None`)
        The address of a cluster's scheduler, in place of processes on this machine: tcp://host:8786, or
        tls://host:8786 with certificates that Dask's configuration names (`distributed.comm.tls`).
    preload : `str`, optional (default = `"allennlp_coref_rc"`)
        A module that one process imports; the workers are its forks.
    """

    def __init__(
        self,
        number: Optional[int] = None,
        scheduler: Optional[str] = None,
        preload: str = "allennlp_coref_rc",
    ) -> None:
        self._number = number
        self._scheduler = scheduler
        self._preload = preload
        self._preparation = 0.0
        self._executor: Any = None
        self._died: type[Exception] = BrokenProcessPool
        self._stack = ExitStack()

    def __enter__(self) -> "Workers":
        if self._number or self._scheduler is not None:
            self._start(self._number or 0)
        return self

    def _start(self, number: int) -> None:
        self._number = number
        if self._scheduler is None:
            self._start_processes(number)
            return
        try:
            # Dask takes a second to import.
            from distributed import Client, KilledWorker
        except ImportError as error:
            raise ConfigurationError(
                f"--scheduler: found no Dask ({error}); install it with {install_command('cluster')}"
            ) from error
        asyncio.run(_knock(self._scheduler))
        client = self._stack.enter_context(Client(self._scheduler))
        self._executor, self._died = client.get_executor(pure=False), KilledWorker

    def _start_processes(self, number: int) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([self._preload])
        # The workers inherit the server's variables. This process keeps its own.
        one_thread = {name: os.environ.get(name, "1") for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS")}
        with patch.dict(os.environ, one_thread):
            forkserver.ensure_running()
        # A worker ends when no process can write to the pipe any more.
        reader, writer = context.Pipe(duplex=False)
        pool = ProcessPoolExecutor(number, context, end_with, (_wait_for_end, reader))
        self._executor = pool
        self._stack.callback(pool.shutdown)
        self._stack.callback(writer.close)

    def __exit__(self, *error: Any) -> None:
        self._stack.close()

    def call(self, function: Callable[[], Any]) -> Any:
        """Calls a function that prepares the work in one of the processes, and returns its result."""
        began = time.thread_time()
        result = self._submit(function).result() if self._executor else function()
        self._preparation = time.thread_time() - began
        return result

    def map(
        self, function: Callable[[list[Item]], Any], chunks: Iterable[Chunk], number: int = 0
    ) -> Iterator[tuple[Chunk, Any]]:
        """
        Each chunk with the function's result for its items, or `None` if a worker died, in the order of
        completion. Few chunks are in memory. `number` is that of all chunks, from which the time is
        estimated.
        """
        chunks = iter(chunks)
        if not self._executor:
            yield from self._alone(function, chunks, number)
        if self._executor:
            yield from self._together(function, chunks)

    def _alone(
        self, function: Callable[[list[Item]], Any], chunks: Iterator[Chunk], number: int
    ) -> Iterator[tuple[Chunk, Any]]:
        """Works on chunks in this process until it is worth starting workers."""
        seconds = -WARM_UP
        for done, chunk in enumerate(chunks, start=1):
            # Not the clock's time: what other programs take of the processors, workers would not have either.
            began = time.thread_time()
            result = function(chunk.items)
            seconds += time.thread_time() - began
            yield chunk, result
            workers = min(num_cpus(), number - done)
            left = seconds / done * (number - done)
            if self._number is None and pays(left, workers, self._preparation) and not uses_gpu():
                self._start(workers)
                return

    def _together(
        self, function: Callable[[list[Item]], Any], chunks: Iterator[Chunk]
    ) -> Iterator[tuple[Chunk, Any]]:
        running: dict[Future, Chunk] = {}
        # If this is stopped, all processes end. A pool that ends cannot stand futures that were cancelled.
        while True:
            for chunk in islice(chunks, max(0, self._capacity() - len(running))):
                # Dask would search a list for its own objects. It does not search bytes.
                running[self._submit(_apply, function, pickle.dumps(chunk.items))] = chunk
            if not running:
                return
            for future in wait(running, return_when="FIRST_COMPLETED").done:
                died = isinstance(future.exception(), self._died)
                yield running.pop(future), None if died else future.result()

    def _submit(self, *work: Any) -> Future:
        # This may start a process. If it were interrupted, the process would not find what it needs.
        with uninterrupted():
            try:
                return self._executor.submit(*work)
            except BrokenProcessPool:
                # One of its processes has died, and the others have ended.
                self._start_processes(self._number or 1)
                return self._executor.submit(*work)

    def _capacity(self) -> int:
        # The workers of a cluster come and go.
        threads = self._number if self._scheduler is None else sum(self._executor._client.nthreads().values())
        return 2 * max(1, threads or 0)


def pays(seconds: float, workers: int, preparation: float = 0.0) -> bool:
    """
    Whether workers, which have to start and prepare first, finish earlier than one process in these seconds.
    """
    return workers > 1 and START + preparation + seconds / workers < seconds


def end_with_parent() -> None:
    """Ends this process when the one that `multiprocessing` made it from ends, even if that is killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        end_with(parent.join)


def end_with(parent_ended: Callable[..., Any], *arguments: Any) -> None:
    """Ends this process when `parent_ended`, which is called in a thread and waits for it, returns."""

    def watch() -> None:
        try:
            parent_ended(*arguments)
        finally:
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def one_thread_in_forks(torch: Any) -> None:
    """
    Lets PyTorch, which is given, compute in one thread in forks of this process. Its other threads are not
    forked, and OpenMP would wait for them for ever. A fork of a process that has not computed yet may set
    more.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=partial(torch.set_num_threads, 1))


def uses_gpu() -> bool:
    import torch

    return torch.cuda.is_initialized()


async def _knock(address: str) -> None:
    # A `Client` that finds no scheduler stays in memory, and can make the next one hang when it is
    # garbage-collected.
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


def _wait_for_end(reader: Connection) -> None:
    reader.poll(None)


def _apply(function: Callable[[list[Item]], Any], items: bytes) -> Any:
    return function(pickle.loads(items))


def num_cpus() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
