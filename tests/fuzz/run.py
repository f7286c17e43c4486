"""Runs cases: each damages a file of a kind, uses it, and judges what happened."""

import random
import re
import shutil
import signal
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Optional

from allennlp_coref_rc.common.error_message import user_message
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.messages import LONGEST
from tests.fuzz.kinds import KINDS as READ_KINDS
from tests.fuzz.kinds import Kind
from tests.fuzz.mutations import mutated, packed
from tests.fuzz.stored import STORED

KINDS = READ_KINDS + STORED

SEED = 13370

SECONDS = 20
"""So long may a case take."""

PLACE = re.compile(r"line \d+|object \d+|\[\d+\]")
"""A line of a file, or an object or item of one in JSON."""

READ, REFUSED = "read", "refused"


class Outcome(NamedTuple):
    """The outcome of a case: "read", "refused", or what is wrong, with details."""

    name: str
    details: str = ""

    @property
    def is_find(self) -> bool:
        return self.name not in (READ, REFUSED)


class Find(NamedTuple):
    """A case that went wrong, and how to repeat it."""

    kind: str
    seed: int
    number: int
    outcome: Outcome

    def __str__(self) -> str:
        again = f"python -m tests.fuzz --kind {self.kind!r} --seed {self.seed} --case {self.number}"
        return f"{self.kind}: {self.outcome.name}: {self.outcome.details}\n  again: {again}"


class TooSlow(BaseException):
    """Nothing that was fuzzed catches it."""


def kind_of(name: str) -> Kind:
    return next(kind for kind in KINDS if kind.name == name)


def run_cases(kind: Kind, numbers: Iterator[int], folder: Path, seed: int = SEED) -> Iterator[Optional[Find]]:
    """Cases of a kind, by their numbers; for each what is wrong with it, if anything is."""
    for number in numbers:
        outcome = run_case(kind, number, folder, seed)
        yield Find(kind.name, seed, number, outcome) if outcome.is_find else None


def run_case(kind: Kind, number: int, folder: Path, seed: int = SEED) -> Outcome:
    """A case, whose file is written into a folder that is empty or of another case."""
    return judge(kind, make_case(kind, number, folder, seed))


def make_case(kind: Kind, number: int, folder: Path, seed: int = SEED) -> Path:
    """The path of the file that is used."""
    rng = random.Random(f"{seed} {kind.name} {number}")
    shutil.rmtree(folder, ignore_errors=True)
    files = dict(kind.files())
    first, *others = files
    chosen = rng.choice(others) if others and rng.random() < 0.3 else first
    files[chosen] = mutated(rng, files[chosen], kind.shape)
    if kind.packed and chosen == first and rng.random() < 0.08:
        suffix, content = packed(rng, files.pop(chosen))
        first += suffix
        files[first] = content
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder / first


def judge(kind: Kind, path: Path) -> Outcome:
    """Uses a file."""
    try:
        with limited():
            kind.use(str(path))
    except ConfigurationError as error:
        wrong = _unclear(kind, str(user_message(error)), path)
        return Outcome("unclear refusal", f"{wrong}: {str(error)[:300]}") if wrong else Outcome(REFUSED)
    except TooSlow:
        return Outcome("too slow", f"more than {SECONDS} seconds")
    except AssertionError as error:
        return Outcome("wrong acceptance", _last_lines(error))
    except Exception as error:
        return Outcome("unclear exception", _last_lines(error))
    return Outcome(READ)


def _unclear(kind: Kind, message: str, path: Path) -> str:
    """What is missing in a message."""
    if kind.named and str(path.parent) not in message:
        return "the file is not named"
    if kind.named and kind.lines and not PLACE.search(message):
        return "no line or object is named"
    if not re.search("found|expected|no such|unknown|but there are|begins here", message):
        return "it does not say what was found or what was expected"
    if max(map(len, message.split("\n"))) > 2 * (LONGEST + len(str(path))):
        return "a line is too long"
    return ""


def _last_lines(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    where = " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(frames))
    return f"{type(error).__name__}: {str(error)[:200]!r} at {where}"


@contextmanager
def limited() -> Iterator[None]:
    """Ends what takes too long."""

    def stop(*_: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def table(counts: Counter, names: list[str]) -> Iterator[str]:
    """Counts of outcomes by kind, in Markdown."""
    finds = sorted({outcome for _, outcome in counts} - {READ, REFUSED})
    columns = [READ, REFUSED, *finds]
    yield "| kind | cases | " + " | ".join(columns) + " |"
    yield "|---|" + "---:|" * (1 + len(columns))
    for name in [*names, "all"]:
        of_kind = [
            sum(n for (kind, outcome), n in counts.items() if outcome == column and name in (kind, "all"))
            for column in columns
        ]
        yield f"| {name} | {sum(of_kind):,} | " + " | ".join(f"{number:,}" for number in of_kind) + " |"
