from typing import NamedTuple


class Window(NamedTuple):
    """Pieces `start` to `stop` of a text are read together; those from `first` to `last` get their vectors."""

    start: int
    stop: int
    first: int
    last: int


def windows(length: int, room: int, overlap: int) -> list[Window]:
    """
    The windows of a text of so many pieces, of at most `room` pieces each. Consecutive ones share at least
    `overlap` pieces, half of which belong to each. A text that fits may have less room than that.
    """
    last = max(length - room, 0)
    starts = [*range(0, last, max(room - overlap, 1)), last]
    stops = [min(start + room, length) for start in starts]
    middles = [(start + stop) // 2 for start, stop in zip(starts[1:], stops)]
    return [Window(*bounds) for bounds in zip(starts, stops, [0, *middles], [*middles, length])]
