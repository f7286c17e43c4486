import os
from typing import Any

from allennlp.common import Params
from pydantic import model_validator

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.schema import InvalidValue, Schema, read_yaml
from allennlp_coref_rc.reproduction.condition import (
    SPLITS,
    Column,
    ColumnOptions,
    Condition,
    Row,
    RunOptions,
    Table,
)
from allennlp_coref_rc.reproduction.figures.drawings import Drawing, Figure

CONDITIONS = os.path.join(os.path.dirname(__file__), "conditions")
"""The folder with the files of the papers' experiments."""

PUBLISHED = ("note", "tasks")
"""The settings of a table that also hold for rows without a config."""


class _Rows(RunOptions):
    """A table or figure with its rows. Its own settings hold for all rows."""

    caption: str
    rows: dict[str, Row] = {}

    @model_validator(mode="before")
    @classmethod
    def _share_settings(cls, content: Any) -> Any:
        content = _shared(content, "rows", RunOptions)
        return _shared(content, "columns", ColumnOptions)

    @model_validator(mode="after")
    def _check_rows(self) -> "_Rows":
        for key, row in self.rows.items():
            other = self.rows.get(row.compared_with or "")
            if row.compared_with and (other is None or other.config is None):
                raise InvalidValue("another row of the table that has a config", "rows", key, "compared_with")
            if row.tasks and row.folds:
                raise InvalidValue("no folds beside tasks", "rows", key, "folds")
        return self

    def conditions(self, name: str) -> list[Condition]:
        return [Condition(name=f"{name}.{key}", **dict(row)) for key, row in self.rows.items()]


class _Table(_Rows, ColumnOptions):
    columns: dict[str, ColumnOptions]

    @model_validator(mode="after")
    def _check_columns(self) -> "_Table":
        if not self.columns:
            raise InvalidValue("one or more", "columns")
        for key, column in self.columns.items():
            if column.split not in (splits := [*SPLITS, *self.evaluations]):
                raise InvalidValue(f"one of {', '.join(splits)}", "columns", key, "split")
        for key, row in self.rows.items():
            for name, value in row.paper.items():
                if name not in self.columns:
                    raise InvalidValue(
                        f"one of {', '.join(self.columns)}", "rows", key, "paper", found=f"{name!r}"
                    )
                has_tasks = self.columns[name].measure == "tasks"
                if (len(value) if isinstance(value, list) else None) != (
                    len(row.tasks) if has_tasks else None
                ):
                    expected = f"a list of {len(row.tasks)} numbers" if has_tasks else "a number"
                    raise InvalidValue(expected, "rows", key, "paper", name)
        return self

    def table(self, name: str, paper: str) -> Table:
        columns = [
            Column(name=key, digits=self._digits(key), **dict(column)) for key, column in self.columns.items()
        ]
        return Table(name, paper, self.caption, columns, self.conditions(name))

    def _digits(self, column: str) -> int:
        """
        The number of decimal places: 3 for fractions and 1 for percentages, or more if the paper has more.
        """
        values = [row.paper[column] for row in self.rows.values() if column in row.paper]
        numbers = [number for value in values for number in (value if isinstance(value, list) else [value])]
        decimals = [len(str(float(number)).partition(".")[2]) for number in numbers]
        return max([3 if self.columns[column].unit == "fraction" else 1, *decimals])


class _Figure(_Rows):
    drawing: dict[str, Any]

    @model_validator(mode="after")
    def _check_figure(self) -> "_Figure":
        if not self.rows:
            raise InvalidValue("one or more", "rows")
        for key, row in self.rows.items():
            if row.config is None:
                raise InvalidValue("that of its runs", "rows", key, "config")
            if row.paper:
                raise InvalidValue("no values in a figure", "rows", key, "paper")
        self.figure("", "")
        return self

    def figure(self, name: str, paper: str) -> Figure:
        try:
            drawing = Drawing.from_params(Params(dict(self.drawing)))
        except Exception as error:
            # Wrong parameters make AllenNLP raise all kinds of errors.
            raise InvalidValue(f"a drawing ({error})", "drawing") from error
        return Figure(name, paper, self.caption, [], self.conditions(name), drawing)


class _File(Schema):
    paper: str
    tables: dict[str, _Table] = {}
    figures: dict[str, _Figure] = {}


def read_conditions(path: str) -> list[Table]:
    """The tables and figures of a file of conditions, or of all .yaml files in a folder, in order."""
    if os.path.isdir(path):
        names = sorted(name for name in os.listdir(path) if name.endswith(".yaml"))
        if not names:
            raise ConfigurationError(f"{path}: found no .yaml file, expected conditions")
        return [table for name in names for table in read_conditions(os.path.join(path, name))]
    file, prefix = read_yaml(path, _File), os.path.splitext(os.path.basename(path))[0]
    tables = [table.table(f"{prefix}.{key}", file.paper) for key, table in file.tables.items()]
    return tables + [
        figure.figure(f"{prefix}.figure_{key}", file.paper) for key, figure in file.figures.items()
    ]


def _shared(content: Any, key: str, options: type[Schema]) -> Any:
    """
    The content of a table whose settings are also those of each of its rows or columns, unless it has its
    own.
    """
    entries = content.get(key) if isinstance(content, dict) else None
    if not isinstance(entries, dict):
        return content
    shared = {name: content[name] for name in options.model_fields if name in content}
    published = shared if key == "columns" else {name: shared[name] for name in PUBLISHED if name in shared}
    mapped = {name: entry for name, entry in entries.items() if isinstance(entry, dict)}
    merged = {
        name: {**(shared if "config" in entry else published), **entry} for name, entry in mapped.items()
    }
    return {**content, key: {**entries, **merged}}
