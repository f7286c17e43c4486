import csv
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import open_text
from allennlp_coref_rc.common.malformed import LeaveOut, refuse

LONGEST_FIELD = 2**31 - 1
"""The most characters that the module `csv` allows on every system."""


def read_csv_rows(
    path: str, columns: Sequence[str], tabs: bool = False, leave_out: LeaveOut = refuse
) -> Iterator[tuple[int, dict[str, str]]]:
    """
    The rows of a CSV file by columns, which its first line names, each with its line, as quoted fields may
    span several. With `tabs`, tabs divide fields, and quotation marks are characters like others. `leave_out`
    gets the errors of malformed rows.
    """
    # By default, Python refuses fields of more than 131,072 characters.
    csv.field_size_limit(LONGEST_FIELD)
    options: dict[str, Any] = {"delimiter": "\t", "quoting": csv.QUOTE_NONE} if tabs else {}
    with open_text(path, newline="") as lines:
        names: Sequence[str] = ()
        line = 1
        taken: list[str] = []
        waiting: deque[str] = deque()

        def feed() -> Iterator[str]:
            while line_of_row := waiting.popleft() if waiting else next(lines, ""):
                taken.append(line_of_row)
                yield line_of_row

        rows = csv.reader(feed(), strict=True, **options)
        while True:
            taken.clear()
            problem = ""
            try:
                row = next(rows, None)
            except csv.Error as error:
                row, problem = [], f"found a damaged row ({error}), expected CSV"
            if row is None:
                break
            if not problem and not names:
                names = row
                missing = [column for column in columns if column not in names]
                if missing:
                    there = ", ".join(names)[:200]
                    raise ConfigurationError(f"{path}, line 1: found {there!r}, expected also {missing[0]!r}")
            elif not problem and not row:
                pass  # A blank line.
            elif not problem and len(row) != len(names):
                problem = f"found {len(row)} fields, expected {len(names)}, as line 1 has"
            elif not problem:
                yield line, dict(zip(names, row))
            if problem:
                error_of_row = ConfigurationError(f"{path}, line {line}: {problem}")
                (leave_out if names else refuse)(error_of_row)
                # An open quotation mark may have swallowed rows, which are read again.
                waiting.extendleft(reversed(taken[1:]))
                del taken[1:]
                rows = csv.reader(feed(), strict=True, **options)
            line += len(taken)
        if not names:
            raise ConfigurationError(
                f"{path}, line 1: found no text, expected the columns {', '.join(columns)}"
            )
