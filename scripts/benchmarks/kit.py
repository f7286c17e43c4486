"""
Takes measurements on a machine that one has only for some minutes. Each part has a budget of time. Each result is
written to a JSON file and a Markdown page at once, so all that was measured is left if it is stopped.
"""

import json
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from harness import Spread

from allennlp_coref_rc.common.files import write_text

Row = list[Any]


class Step(NamedTuple):
    """
    A measurement: its name, and a function that takes the seconds that it may take, and gives its rows. The function
    raises an error if values are wrong.
    """

    name: str
    run: Callable[[float], Iterable[Row]]


class Part(NamedTuple):
    """Measurements of one table, with the seconds that they may take."""

    name: str
    about: str
    seconds: float
    columns: Sequence[str]
    steps: Iterable[Step]


class Page:
    """The results, in NAME.json and NAME.md."""

    def __init__(self, name: str, title: str, machine: dict[str, str]) -> None:
        self._name = name
        self._title = title
        self.content: dict[str, Any] = {"machine": machine, "parts": {}}
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        self._write()

    def begin(self, part: Part) -> None:
        self.content["parts"][part.name] = {
            "about": part.about,
            "columns": list(part.columns),
            "rows": [],
            "left out": [],
            "failed": {},
            "seconds": 0.0,
        }
        self._write()

    def add(self, part: str, key: str, value: Any) -> None:
        """Adds a row, the name of a step that was left out, or the name of one that failed and the reason."""
        found = self.content["parts"][part][key]
        found.update([value]) if isinstance(found, dict) else found.append(value)
        self._write()

    def spent(self, part: str, seconds: float) -> None:
        self.content["parts"][part]["seconds"] = round(seconds, 1)
        self._write()

    @property
    def failures(self) -> int:
        return sum(len(part["failed"]) for part in self.content["parts"].values())

    def markdown(self) -> str:
        lines = [f"# {self._title}", "", *table(["machine", ""], self.content["machine"].items())]
        for name, part in self.content["parts"].items():
            lines += ["", f"## {name}", "", part["about"], "", *table(part["columns"], part["rows"])]
            if part["left out"]:
                lines += ["", f"Left out, for want of time: {'; '.join(part['left out'])}."]
            for step, error in part["failed"].items():
                lines += ["", f"**No figures for {step}:** {error}"]
            lines += ["", f"This part took {part['seconds']} s."]
        return "\n".join(lines) + "\n"

    def _write(self) -> None:
        write_text(f"{self._name}.json", json.dumps(self.content, indent=1, default=_plain) + "\n")
        write_text(f"{self._name}.md", self.markdown())


def measure(parts: Sequence[Part], page: Page) -> None:
    """
    Does the parts one after the other. Time that a part does not need is left for the next. A step begins only if there
    is as much time left as the longest step of its part has taken.
    """
    deadline = time.monotonic()
    for part in parts:
        deadline += part.seconds
        began, longest = time.monotonic(), 0.0
        page.begin(part)
        for step in part.steps:
            start = time.monotonic()
            if deadline - start < max(longest, 0.01 * part.seconds):
                page.add(part.name, "left out", step.name)
                continue
            print(f"{part.name}: {step.name}", flush=True)
            try:
                for row in step.run(deadline - start):
                    page.add(part.name, "rows", row)
            except Exception as error:
                # The error may be of any type: a GPU may run out of memory, or a kernel may not compile. The other
                # steps are tried.
                page.add(part.name, "failed", (step.name, f"{type(error).__name__}: {error}"[:1000]))
            longest = max(longest, time.monotonic() - start)
            page.spent(part.name, time.monotonic() - began)


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[str]:
    """The lines of a table in Markdown."""
    cells = [list(columns), ["---"] * len(columns), *([_cell(value) for value in row] for row in rows)]
    return ["| " + " | ".join(row) + " |" for row in cells]


def _cell(value: Any) -> str:
    if isinstance(value, (float, Spread)):
        middle = value.median if isinstance(value, Spread) else value
        return f"{value:.0f}" if abs(middle) >= 100 else f"{value:.3g}"
    return "" if value is None else str(value)


def _plain(value: Any) -> Any:
    return value._asdict() if isinstance(value, tuple) and hasattr(value, "_asdict") else str(value)
