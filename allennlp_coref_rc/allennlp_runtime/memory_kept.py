"""Settings that make a process faster that reads a data set or trains. They do not change results."""

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager

OBJECTS = 50_000
"""The number of new objects after which garbage is collected."""

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
"""The numbers of these settings in glibc's malloc.h."""

KEPT_BYTES = 2**30
"""Freed memory up to this size is kept for the next tensor."""


@contextmanager
def memory_kept() -> Iterator[None]:
    """
    Within this, garbage is collected more rarely: reading a data set makes millions of objects and hardly any
    garbage, so collecting whenever there are 700 more, as by default, would take longer than the reading.
    Also keeps freed memory.
    """
    keep_freed_memory()
    thresholds = gc.get_threshold()
    if 0 < thresholds[0] < OBJECTS:
        gc.set_threshold(OBJECTS, *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)


def keep_freed_memory() -> None:
    """
    Makes glibc keep the memory of freed tensors. By default it gives large ones back to the system, which
    fills them with zeros for the next tensor: up to a tenth of a training's time on a CPU.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    for setting in (M_TRIM_THRESHOLD, M_MMAP_THRESHOLD):
        mallopt(setting, KEPT_BYTES)
