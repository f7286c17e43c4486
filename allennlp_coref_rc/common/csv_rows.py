import csv
from collections.abc import Iterator, Sequence
from typing import Any

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import open_text

LONGEST_FIELD = 2**31 - 1
"""The most characters that the module `csv` allows on every system."""


def read_csv_rows(path: str, columns: Sequence[str], tabs: bool = False) -> Iterator[tuple[int, dict[str, str]]]:
    """
    The rows of a CSV file by columns, which its first line names, each with its line, as quoted fields may span
    several. With `tabs`, tabs divide fields, and quotation marks are characters like others.
    """
    # By default, Python refuses fields of more than 131,072 characters.
    csv.field_size_limit(LONGEST_FIELD)
    with open_text(path, newline="") as lines:
        options: dict[str, Any] = {"delimiter": "\t", "quoting": csv.QUOTE_NONE} if tabs else {}
        rows = csv.reader(lines, strict=True, **options)
        names: Sequence[str] = ()
        line = 1
        try:
            for row in rows:
                if not names:
                    names = row
                    missing = [column for column in columns if column not in names]
                    if missing:
                        there = ", ".join(names)[:200]
                        raise ConfigurationError(f"{path}, line 1: found {there!r}, expected also {missing[0]!r}")
                elif len(row) != len(names):
                    sizes = f"found {len(row)} fields, expected {len(names)}, as line 1 has"
                    raise ConfigurationError(f"{path}, line {line}: {sizes}")
                else:
                    yield line, dict(zip(names, row))
                line = rows.line_num + 1
        except csv.Error as error:
            raise ConfigurationError(f"{path}, line {line}: found a damaged row ({error}), expected CSV") from error
        if not names:
            raise ConfigurationError(f"{path}, line 1: found no text, expected the columns {', '.join(columns)}")
