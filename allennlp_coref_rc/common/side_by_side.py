"""
Reads files that are about the same things in the same order, such as the predictions of several readers.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any, TypeVar

from allennlp_coref_rc.common.errors import ConfigurationError

T = TypeVar("T")


def side_by_side(
    paths: Sequence[str],
    read: Callable[[str], Iterable[T]],
    identity: Callable[[T], Any],
    shown: Callable[[T], str],
) -> Iterator[list[T]]:
    """
    The first values that `read` gives of each file, then the second ones, and so on. Those that stand side by
    side have to have the same `identity`, such as the same question. Error messages name a value as it is
    `shown`.
    """
    for number, values in enumerate(zip_longest(*map(read, paths)), start=1):
        first, expected = next((path, one) for path, one in zip(paths, values) if one is not None)
        for path, one in zip(paths, values):
            if one is None or identity(one) != identity(expected):
                what = "nothing" if one is None else shown(one)
                raise ConfigurationError(
                    f"{path}: found {what} as number {number}, expected what {first} has there, {shown(expected)}"
                )
        yield list(values)
