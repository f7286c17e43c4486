"""
Stores: the columns of a data set in files, which are mapped into memory. They are packed in parts, joined
into a file for each column, and verified whenever they are opened.
"""

import json
import os
import shutil
import zlib
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from allennlp_coref_rc.common.files import whole_file, write_text
from allennlp_coref_rc.data.store.columns import NotStorable, Packer, Part, Table

MANIFEST = "manifest.json"
"""The file that says what is in a store. A folder without it is none."""

HEADER = "header"
"""The array of a part with everything that is no array."""

BLOCK = 1 << 22
"""So many bytes are read at once for a checksum."""

DAMAGES = (OSError, ValueError, KeyError, TypeError, EOFError, zlib.error)
"""The errors of damaged files."""


class DamagedStore(Exception):
    """A file is not as it was written."""


def write_part(path: Path, part: Part) -> None:
    """Writes a part into a file that appears when it is complete."""
    values = {**part._asdict(), "arrays": None}
    with whole_file(str(path)) as whole, open(whole, "wb") as file:
        arrays: dict[str, Any] = {HEADER: np.frombuffer(json.dumps(values).encode(), dtype=np.uint8)}
        for name, numbers in part.arrays.items():
            arrays[name] = numbers.astype(smallest([range_of(numbers)]))
        np.savez(file, **arrays)


def read_part(path: Path) -> Part:
    """A part that was written. Raises a `DamagedStore`, as Zip's checksums tell, if it is not as it was."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        return Part(**{**json.loads(arrays.pop(HEADER).tobytes()), "arrays": arrays})
    except DAMAGES as error:
        raise DamagedStore(f"{path}: {error}") from error


def write_store(folder: Path, paths: Sequence[Path], report: Any) -> None:
    """
    Joins parts into a store, in a folder that appears when it is complete. Names are numbered anew, so that
    they stand in the order in which they first occur. One part is in memory at a time.
    """
    columns: dict[str, tuple[str, dict[str, Any]]] = {}
    names: dict[str, dict[str, int]] = {}
    named: dict[str, str] = {}
    for path in paths:
        part = read_part(path)
        for name, column in part.columns.items():
            if columns.setdefault(name, column) != column:
                raise NotStorable(f"{name}: found fields of several kinds")
        named.update(part.named)
        for key, of_part in part.names.items():
            known = names.setdefault(key, {})
            for name in of_part:
                known.setdefault(name, len(known))
    lengths: dict[str, int] = {}
    ranges: dict[str, list[tuple[int, int]]] = {}
    for path in paths:
        for name, numbers in _renumbered(read_part(path), columns, names).items():
            lengths[name] = lengths.get(name, 0) + len(numbers)
            ranges.setdefault(name, []).append(range_of(numbers))
    partial = folder.with_name(f"{folder.name}.joining")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir()
    arrays: dict[str, dict[str, Any]] = {
        name: {"file": f"{number}.npy", "type": smallest(ranges[name]).str}
        for number, name in enumerate(lengths)
    }
    size = 0
    with ExitStack() as stack:
        files = {
            name: stack.enter_context(open(partial / array["file"], "wb")) for name, array in arrays.items()
        }
        for name, file in files.items():
            header = {"descr": arrays[name]["type"], "fortran_order": False, "shape": (lengths[name],)}
            np.lib.format.write_array_header_1_0(file, header)
        for path in paths:
            part = read_part(path)
            size += part.size
            for name, numbers in _renumbered(part, columns, names).items():
                files[name].write(numbers.astype(arrays[name]["type"]).tobytes())
    for array in arrays.values():
        array["crc32"] = _checksum(partial / array["file"])
    content = {
        "size": size,
        "columns": columns,
        "names": {key: list(numbers) for key, numbers in names.items()},
        "named": named,
        "arrays": arrays,
        "report": report,
    }
    text = json.dumps(content)
    write_text(partial / MANIFEST, f"{zlib.crc32(text.encode())}\n{text}\n")
    shutil.rmtree(folder, ignore_errors=True)
    os.replace(partial, folder)


def open_store(folder: Path) -> tuple[Table, Any]:
    """The columns and the report of a store. Raises a `DamagedStore` if a file is not as it was written."""
    try:
        content = read_manifest(folder)
        arrays = {}
        for name, array in content["arrays"].items():
            path = folder / array["file"]
            if _checksum(path) != array["crc32"]:
                raise DamagedStore(f"{path}: found another checksum than when it was written")
            arrays[name] = np.load(path, mmap_mode="r", allow_pickle=False)
    except DAMAGES as error:
        raise DamagedStore(f"{folder}: {error}") from error
    return Table(Part(**{**content, "arrays": arrays})), content["report"]


def read_manifest(folder: Path) -> dict[str, Any]:
    """What a store says about itself. Raises a `DamagedStore` if that is damaged."""
    try:
        checksum, text, end = (folder / MANIFEST).read_text("utf-8").split("\n")
        if int(checksum) != zlib.crc32(text.encode()):
            raise ValueError("found another checksum than when it was written")
        return json.loads(text)
    except DAMAGES as error:
        raise DamagedStore(f"{folder / MANIFEST}: {error}") from error


def _renumbered(
    part: Part, columns: dict[str, Any], names: dict[str, dict[str, int]]
) -> dict[str, np.ndarray]:
    """
    The arrays of a part with the numbers that its names have in the whole store, and of the columns it lacks.
    """
    packer = Packer()
    packer.skip({name: columns[name] for name in columns.keys() - part.columns.keys()}, part.size)
    arrays = {**part.arrays, **packer.part().arrays}
    for name, key in part.named.items():
        if name in arrays:
            numbers = np.array([names[key][own] for own in part.names[key]], dtype=np.int64)
            arrays[name] = numbers[arrays[name]]
    return arrays


def _checksum(path: Path) -> int:
    checksum = 0
    with open(path, "rb") as file:
        while block := file.read(BLOCK):
            checksum = zlib.crc32(block, checksum)
    return checksum


def range_of(numbers: np.ndarray) -> tuple[int, int]:
    return (int(numbers.min()), int(numbers.max())) if len(numbers) else (0, 0)


def smallest(ranges: Sequence[tuple[int, int]]) -> np.dtype:
    """The smallest type that has the numbers of all ranges."""
    least, most = min(least for least, _ in ranges), max(most for _, most in ranges)
    return np.promote_types(np.min_scalar_type(least), np.min_scalar_type(most))
