"""Measures where the time of a run goes, for `timed_training.py` and `timed_command.py`."""

import contextlib
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import wraps
from typing import Any

from harness import Seconds


class Stopwatch:
    """
    The seconds of each part of a run. If a part runs within another, its time counts only for itself. But a `whole`
    part counts all time within it. Time outside of all parts counts for the last one.
    """

    def __init__(self, parts: Sequence[str], whole: Collection[str] = ()) -> None:
        self._parts, self._whole = list(parts), set(whole)
        self._running = [self._parts[-1]]
        self.reset()

    def reset(self) -> None:
        self.seconds = dict.fromkeys(self._parts, Seconds(0.0, 0.0))
        self._since = Seconds.now()

    def lap(self) -> None:
        """Adds the time since the last lap to the part that runs."""
        now, part = Seconds.now(), self._running[-1]
        self.seconds[part] = Seconds(*map(sum, zip(self.seconds[part], now.since(self._since))))
        self._since = now

    @contextlib.contextmanager
    def part(self, name: str) -> Iterator[None]:
        self.lap()
        self._running.append(self._running[-1] if self._running[-1] in self._whole else name)
        try:
            yield
        finally:
            self.lap()
            self._running.pop()

    def time(self, owner: Any, method: str, part: str) -> None:
        """Counts the time of an object's method as a part."""
        original: Callable[..., Any] = getattr(owner, method)

        @wraps(original)
        def timed(*args: Any, **kwargs: Any) -> Any:
            with self.part(part):
                return original(*args, **kwargs)

        setattr(owner, method, timed)


class TimedIterable:
    """An iterable, such as a data loader. The time of its work counts as a part."""

    def __init__(self, iterable: Any, watch: Stopwatch, part: str) -> None:
        self._iterable, self._watch, self._part = iterable, watch, part

    def __len__(self) -> int:
        return len(self._iterable)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._iterable, name)

    def __iter__(self) -> Iterator[Any]:
        with self._watch.part(self._part):
            items = iter(self._iterable)
        while True:
            with self._watch.part(self._part):
                item = next(items, None)
            if item is None:
                return
            yield item
