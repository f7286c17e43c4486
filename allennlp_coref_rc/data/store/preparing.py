"""
Prepares data sets: a reader's instances are packed into a store once, and found again by their fingerprint.
"""

import atexit
import errno
import gc
import json
import logging
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from allennlp.common import Params
from allennlp.common.util import is_distributed
from allennlp.data import DatasetReader
from filelock import FileLock, Timeout
from torch import distributed

from allennlp_coref_rc.allennlp_runtime.lazy_registry import INCLUDED, import_packages, import_plugins
from allennlp_coref_rc.common.error_message import cache_folder
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.hub_addresses import is_hub_address
from allennlp_coref_rc.common.messages import counted
from allennlp_coref_rc.common.progress import progress_bar
from allennlp_coref_rc.common.workers import Item, Workers, chunks, num_cpus
from allennlp_coref_rc.data.dataset_readers import ReadingComprehensionReader
from allennlp_coref_rc.data.dataset_readers.document_reader import GivenItems
from allennlp_coref_rc.data.dataset_readers.reading_report import ReadingReport
from allennlp_coref_rc.data.store.columns import NotStorable, Packer, Part, QuestionColumn, Table
from allennlp_coref_rc.data.store.fingerprint import fingerprint, users_sources
from allennlp_coref_rc.data.store.store import (
    DamagedStore,
    open_store,
    range_of,
    read_manifest,
    read_part,
    smallest,
    write_part,
    write_store,
)
from allennlp_coref_rc.safe_archives.archives import guards, set_guards

logger = logging.getLogger(__name__)

PRELOADED = "allennlp_coref_rc.allennlp_runtime.preloaded"

CHUNK = 250
"""So many items of a file are packed together."""

TRIED = 20
"""So many items are packed for an estimate."""

READING = ("read", "_read", "documents")
"""Methods of readers that read a whole file, in place of which `pack` reads items."""

ITEM = "item"
"""The array with the number of the item that each row is from, by which processes share the rows."""


def prepared(reader: ReadingComprehensionReader, data_path: str) -> tuple[Table, np.ndarray]:
    """
    The columns of a data set, and this process's share of their rows. A reader that was built from a config
    finds them where another run with this config has stored them. Nothing is stored of a data set of the
    Hugging Face hub, for a reader with `max_instances`, which reads a part of the file, for one that reads the
    file differently each time or has methods of its own for it, and if there are classes without a file.
    """
    own = [getattr(type(reader), name) is not getattr(ReadingComprehensionReader, name) for name in READING]
    if (
        reader.config is None
        or reader.max_instances is not None
        or not reader.is_repeatable
        or any(own)
        or is_hub_address(data_path)
        or None in users_sources(json.dumps(reader.config))
    ):
        packer = Packer()
        for instance in progress_bar(reader.read(data_path), desc="reading", unit=" questions"):
            packer.add(instance)
        table = Table(packer.part())
        return table, np.arange(table.size)
    table, report = _stored(reader, data_path)
    reader.report = report
    report.finish(data_path, reader.annotation_layers, table.size)
    cast(QuestionColumn, table.columns["metadata"]).added[table.size - 1] = report.for_metrics()
    rows = np.arange(table.size)
    if is_distributed():
        rows = rows[table.array(ITEM) % distributed.get_world_size() == distributed.get_rank()]
    return table, rows


def _stored(reader: ReadingComprehensionReader, data_path: str) -> tuple[Table, ReadingReport]:
    """Opens a store, or makes it first if there is none or if it is damaged."""
    source = Source.of(reader, data_path)
    key = fingerprint(source.config, data_path, reader.files(data_path))
    folder = stores_folder() / key
    with suppress(DamagedStore):
        return _open(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock = _locked(folder)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise
        logger.warning("%s: %s; %s is prepared for this run alone", folder.parent, error.strerror, data_path)
        folder = Path(_temporary_folder()) / key
        lock = _locked(folder)
    with lock:
        # Another process may have made it in the meantime.
        if folder.exists():
            try:
                return _open(folder)
            except DamagedStore as error:
                logger.warning("%s; it is made again", error)
        try:
            _make(folder, source, reader)
        except OSError as error:
            # A write to a full disk does not say where.
            error.filename = error.filename or str(folder)
            raise
        except NotStorable:
            shutil.rmtree(_parts_of(folder))
            raise
        if fingerprint(source.config, data_path, reader.files(data_path)) != key:
            shutil.rmtree(folder)
            raise ConfigurationError(f"{data_path}: it changed while it was read; start again")
        return _open(folder)


def stores_folder() -> Path:
    """Where stores are kept."""
    return Path(cache_folder()) / "prepared"


def _locked(folder: Path) -> AbstractContextManager:
    """Locks the making of a store, until the context ends."""
    lock = FileLock(f"{folder}.lock")
    try:
        return lock.acquire(timeout=0)
    except Timeout:
        logger.warning("%s: another process prepares this data, for which this one waits", folder)
        return lock.acquire()


def _open(folder: Path) -> tuple[Table, ReadingReport]:
    table, report = open_store(folder)
    # A process may have been killed right before it removed them.
    shutil.rmtree(_parts_of(folder), ignore_errors=True)
    return table, ReadingReport.from_json(report["reading"])


@lru_cache(maxsize=None)
def _temporary_folder() -> str:
    """A folder that is removed when the process ends."""
    folder = tempfile.mkdtemp(prefix="prepared-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@dataclass(frozen=True)
class Source:
    """What a process needs to read items of a file."""

    config: str
    """The config of the reader, as JSON."""
    data_path: str
    packages: tuple[str, ...]
    """Packages that it has to import."""
    guards: list[Any]
    """What is trusted, and whether there is a network."""

    @classmethod
    def of(cls, reader: ReadingComprehensionReader, data_path: str) -> "Source":
        config = {key: value for key, value in (reader.config or {}).items() if key != "token_indexers"}
        return cls(json.dumps(config), data_path, tuple(INCLUDED), guards())

    def pack(self, folder: str, given: GivenItems, items: Sequence[Item]) -> int:
        """Packs items, which have numbers, into a file. Returns the number of instances."""
        set_guards(self.guards)
        part = pack(_reader(self.config, self.packages), given, items)
        write_part(Path(folder) / _part_name(items[0][1][0]), part)
        return part.size


def _parts_of(folder: Path) -> Path:
    """The folder of the parts of a store that is being made."""
    return folder.with_name(f"{folder.name}.parts")


def _part_name(first: int) -> str:
    """The name of the part whose first item has this number."""
    return f"{first:09d}.npz"


READERS: dict[str, ReadingComprehensionReader] = {}
"""Those of this process, by their configs."""


def _reader(config: str, packages: tuple[str, ...]) -> ReadingComprehensionReader:
    if config not in READERS:
        import_plugins()
        import_packages(packages)
        READERS[config] = cast(
            ReadingComprehensionReader, DatasetReader.from_params(Params(json.loads(config)))
        )
    return READERS[config]


def pack(reader: ReadingComprehensionReader, given: GivenItems, items: Sequence[Item]) -> Part:
    """The columns of the instances of items, which are numbered."""
    packer = Packer()
    reader.report = ReadingReport()
    number = -1

    def without_numbers() -> Iterator[Item]:
        nonlocal number
        for place, (index, item) in items:
            number = index
            yield place, item

    # A document comes before the next item is asked for, so the number is that of its item. Its many small
    # objects would make the garbage collector look at all others again and again, a third of the time.
    with collecting_no_garbage():
        for place, document in reader.documents_of(without_numbers(), given, any_good=True):
            for instance in reader.instances_of(place, document, any_good=True):
                packer.add(instance)
                packer.put(ITEM, [number])
    return packer.part(reader.report.to_json())


@contextmanager
def collecting_no_garbage() -> Iterator[None]:
    """Within this, only reference counts free memory."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _make(folder: Path, source: Source, reader: ReadingComprehensionReader) -> None:
    """Makes a store. What was packed before this process was killed is not packed again."""
    parts = _parts_of(folder)
    parts.mkdir(exist_ok=True)
    for path in parts.iterdir():
        _remove_if_damaged(path)
    given = reader.given_items(source.data_path)
    total = sum(1 for _ in given.items)
    given = given._replace(items=iter(()))
    paths = [parts / _part_name(first) for first in range(0, total, CHUNK)]
    items = ((place, (i, item)) for i, (place, item) in enumerate(reader.given_items(source.data_path).items))
    todo = [path for path in paths if not path.exists()]
    READERS[source.config] = reader
    with (
        Workers(preload=PRELOADED) as workers,
        progress_bar(total=total, unit=" items", desc="preparing") as bar,
    ):
        bar.update(total - CHUNK * len(todo))
        missing = (chunk for chunk in chunks(items, CHUNK) if not paths[chunk.number].exists())
        for chunk, number in workers.map(partial(source.pack, str(parts), given), missing, len(todo)):
            if number is None:
                raise ConfigurationError(
                    f"{chunk.items[0][0]} and the {len(chunk.items) - 1} after it: the process that read them died, "
                    "expected enough memory"
                )
            bar.update(len(chunk.items))
    report = ReadingReport()
    report.malformed = list(given.lost)
    for path in paths:
        report.update(ReadingReport.from_json(read_part(path).report))
    if report.kept or report.skipped or not report.malformed:
        about = {"data_path": source.data_path, "reader": json.loads(source.config), "questions": report.kept}
        write_store(folder, paths, {"reading": report.to_json(), "about": about})
        # Another process that opens the store removes them too.
        shutil.rmtree(parts, ignore_errors=True)
    else:
        raise report.malformed[0]


def _remove_if_damaged(path: Path) -> None:
    try:
        read_part(path)
    except DamagedStore:
        path.unlink()


class Estimate(NamedTuple):
    """What it takes to prepare a data set."""

    items: int
    """In the file: questions, or passages with their questions."""
    size: int
    """In bytes."""
    minutes: float
    """On all processors of this machine."""
    memory: int
    """Of all processes that prepare, in bytes, at most: they share what was imported before."""


def estimate(reader: ReadingComprehensionReader, data_path: str) -> Estimate:
    """Packs the first items of a file, and counts the others."""
    given = reader.given_items(data_path)
    first = [(place, (i, item)) for i, (place, item) in enumerate(islice(given.items, TRIED))]
    number = len(first) + sum(1 for _ in given.items)
    pack(reader, given, first[:1])
    began = time.process_time()
    part = pack(reader, given, first)
    seconds = (time.process_time() - began) / len(first) * number
    size = sum(len(numbers) * smallest([range_of(numbers)]).itemsize for numbers in part.arrays.values())
    # In kilobytes, but on macOS in bytes. A process that reads needs what this one needed, and one more waits.
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return Estimate(number, size * number // len(first), seconds / 60 / num_cpus(), memory * (1 + num_cpus()))


class Stored(NamedTuple):
    """A store, finished or not."""

    key: str
    folder: Path
    size: int
    """In bytes."""
    about: str

    def remove(self) -> None:
        """Removes it. A process that prepares the data has it to itself, so there is none."""
        with _locked(self.folder.with_suffix("")):
            shutil.rmtree(self.folder)


def stored() -> Iterator[Stored]:
    """All stores."""
    for folder in sorted(path for path in stores_folder().glob("*") if path.is_dir()):
        size = sum(file.stat().st_size for file in folder.iterdir())
        try:
            about = read_manifest(folder)["report"]["about"]
            text = f"{counted(about['questions'], 'question')} of {about['data_path']}, {about['reader']['type']}"
        except DamagedStore:
            text = "unfinished"
        yield Stored(folder.name, folder, size, text)
