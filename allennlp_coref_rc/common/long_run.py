"""Settings of a process that reads a data set or trains, for speed. They change no results."""

import ctypes
import gc
from contextlib import contextmanager
from typing import Iterator

OBJECTS = 50_000
"""How many more objects there are before Python looks for garbage."""

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
"""The names of glibc's settings in its malloc.h."""

KEPT_BYTES = 2**30
"""Freed memory up to this size is kept for the next tensor."""


@contextmanager
def long_run() -> Iterator[None]:
    """
    By default Python looks for garbage in cycles whenever there are 700 more objects, now and then among all of them.
    While a data set is read, which makes millions of objects and hardly any garbage, that takes longer than to read.
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
    By default glibc gives the memory of large tensors back to the system as soon as they are freed, and the system
    fills it with zeros for the next tensor, which takes up to a tenth of a training on a CPU. Other C libraries stay as
    they are.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    for setting in (M_TRIM_THRESHOLD, M_MMAP_THRESHOLD):
        mallopt(setting, KEPT_BYTES)
