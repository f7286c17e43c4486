import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import yaml
from allennlp.common import Params

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import open_text
from allennlp_coref_rc.reproduction.condition import MEASURES, SPLITS, TASK, UNITS, Column, Condition, Table
from allennlp_coref_rc.reproduction.figures.drawings import Drawing, Figure

CONDITIONS = os.path.join(os.path.dirname(__file__), "conditions")
"""The folder with the files of the papers' experiments."""

Place = tuple[str, ...]

COLUMN_KEYS = ("measure", "metric", "split", "unit", "tolerance")

SHARED_KEYS = (
    "overrides",
    "tasks",
    "seeds",
    "data",
    "evaluations",
    "minutes",
    "compared_with",
    "needs",
    "note",
)
"""The keys of a row that its table may have for all rows."""

TABLE_KEYS = ("caption", "columns", "rows", *COLUMN_KEYS, *SHARED_KEYS)

FIGURE_KEYS = ("caption", "drawing", "rows", *SHARED_KEYS)

ROW_KEYS = ("row", "paper", "config", *SHARED_KEYS)


def read_conditions(path: str) -> list[Table]:
    """
    The tables and figures of a file of conditions, or of all .yaml files in a folder, in the order of their names. A
    malformed file or an unknown key raises a `ConfigurationError` with the file and the key.
    """
    if os.path.isdir(path):
        names = sorted(name for name in os.listdir(path) if name.endswith(".yaml"))
        if not names:
            raise ConfigurationError(f"{path}: found no .yaml file, expected conditions")
        return [table for name in names for table in read_conditions(os.path.join(path, name))]
    with open_text(path) as lines:
        try:
            content = yaml.load("".join(lines), _Loader)
        except (yaml.YAMLError, ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
            # PyYAML raises all of these, for instance for a tag that does not fit its value (`!!bool x`).
            raise ConfigurationError(f"{path}: {error}") from error
    prefix = os.path.splitext(os.path.basename(path))[0]
    values = _Values(path, (), content, ("paper", "tables", "figures"))
    paper = values.get("paper", str)
    tables: list[Table] = [
        _table(_Values(path, ("tables", key), table, TABLE_KEYS), f"{prefix}.{key}", paper)
        for key, table in values.mapping("tables").items()
    ]
    return tables + [
        _figure(_Values(path, ("figures", key), figure, FIGURE_KEYS), f"{prefix}.figure_{key}", paper)
        for key, figure in values.mapping("figures").items()
    ]


def numbers(text: Any) -> list[int]:
    """The numbers that a text such as "1-3,5" stands for. Another text raises a `ValueError`."""
    found: list[int] = []
    for part in str(text).split(","):
        match = re.fullmatch(r"\s*(\d{1,6})(?:-(\d{1,6}))?\s*", part)
        if not match or int(match.group(1)) > int(match.group(2) or match.group(1)):
            raise ValueError(f"found {text!r}, expected numbers such as 1-3,5")
        found.extend(range(int(match.group(1)), int(match.group(2) or match.group(1)) + 1))
    return list(dict.fromkeys(found))


class _Values:
    """A mapping in a file of conditions. It checks the values that it returns, and its errors name the place."""

    def __init__(self, path: str, place: Place, content: Any, keys: Sequence[str]) -> None:
        self.path, self.place = path, place
        if not isinstance(content, dict):
            raise self.error("", f"found {content!r:.60}, expected a mapping")
        self.content = {str(key): value for key, value in content.items()}
        for key in self.content:
            if key not in keys:
                raise self.error(key, f"found a key that means nothing here, expected one of {', '.join(keys)}")

    def error(self, key: str, message: str) -> ConfigurationError:
        return ConfigurationError(f"{self.path}, {'.'.join([*self.place, key]).strip('.') or 'top level'}: {message}")

    def get(self, key: str, type_: Any, default: Any = ...) -> Any:
        value = self.content.get(key)
        if value is None and default is not ...:
            return default
        if not isinstance(value, type_) or isinstance(value, bool):
            names = " or ".join(t.__name__ for t in (type_ if isinstance(type_, tuple) else (type_,)))
            raise self.error(key, f"found {value!r:.60}, expected a value of type {names}")
        return value

    def mapping(self, key: str) -> dict[str, Any]:
        return {str(name): value for name, value in self.get(key, dict, {}).items()}

    def choice(self, key: str, choices: Any, default: str) -> str:
        value = self.get(key, str, default)
        if value not in choices:
            raise self.error(key, f"found {value!r:.60}, expected one of {', '.join(choices)}")
        return value

    def mappings(self, key: str) -> dict[str, dict[str, Any]]:
        found = self.mapping(key)
        for name, value in found.items():
            if not isinstance(value, dict):
                raise self.error(f"{key}.{name}", f"found {value!r:.60}, expected a mapping")
        return found

    def numbers(self, key: str) -> list[int]:
        try:
            return numbers(self.content[key]) if self.content.get(key) is not None else []
        except ValueError as error:
            raise self.error(key, str(error)) from error

    def sizes(self, key: str) -> dict[str, int]:
        sizes = self.mapping(key)
        for name, size in sizes.items():
            if not isinstance(size, int) or isinstance(size, bool):
                raise self.error(f"{key}.{name}", f"found {size!r:.60}, expected a number of bytes")
            if re.search("[{}]", name.replace(TASK, "")):
                raise self.error(f"{key}.{name}", f"found braces, expected {TASK} alone in such")
        return sizes


def _table(values: _Values, name: str, paper: str) -> Table:
    columns = [
        _column(_Values(values.path, (*values.place, "columns", key), column or {}, COLUMN_KEYS), key, values)
        for key, column in values.mapping("columns").items()
    ]
    if not columns:
        raise values.error("columns", "found none, expected one or more")
    conditions = _conditions(values, name, columns)
    columns = [replace(column, digits=_digits(column, conditions)) for column in columns]
    return Table(name, paper, values.get("caption", str), columns, conditions)


def _figure(values: _Values, name: str, paper: str) -> Figure:
    try:
        drawing = Drawing.from_params(Params(values.mapping("drawing")))
    except Exception as error:
        # Wrong parameters make AllenNLP raise all kinds of errors.
        raise values.error("drawing", str(error)) from error
    conditions = _conditions(values, name, [])
    if not conditions:
        raise values.error("rows", "found none, expected one or more")
    for condition in conditions:
        if condition.config is None:
            raise values.error(
                f"rows.{condition.name[len(name) + 1 :]}.config", "found none, expected that of its runs"
            )
    return Figure(name, paper, values.get("caption", str), [], conditions, drawing)


def _conditions(values: _Values, name: str, columns: Sequence[Column]) -> list[Condition]:
    conditions = [
        _condition(
            _Values(values.path, (*values.place, "rows", key), row, ROW_KEYS),
            f"{name}.{key}",
            values,
            columns,
        )
        for key, row in values.mapping("rows").items()
    ]
    names = {condition.name for condition in conditions if condition.config}
    for condition in conditions:
        if condition.compared_with and f"{name}.{condition.compared_with}" not in names:
            raise values.error(
                f"rows.{condition.name[len(name) + 1 :]}.compared_with",
                f"found {condition.compared_with!r}, expected another row of the table that has a config",
            )
    return conditions


def _column(values: _Values, name: str, table: _Values) -> Column:
    merged = _Values(values.path, values.place, {**_only(table.content, COLUMN_KEYS), **values.content}, COLUMN_KEYS)
    return Column(
        name,
        measure=merged.choice("measure", MEASURES, "best"),
        metric=merged.get("metric", str, "accuracy"),
        split=merged.choice("split", [*SPLITS, *table.mapping("evaluations")], "test"),
        unit=merged.choice("unit", UNITS, "fraction"),
        tolerance=float(merged.get("tolerance", (int, float), 0.0)),
        digits=0,
    )


def _digits(column: Column, conditions: Sequence[Condition]) -> int:
    """The number of decimal places: 3 for fractions and 1 for percentages, or more if the paper has more."""
    values = [condition.paper[column.name] for condition in conditions if column.name in condition.paper]
    numbers_ = [number for value in values for number in (value if isinstance(value, list) else [value])]
    decimals = [len(str(float(number)).partition(".")[2]) for number in numbers_]
    return max([3 if column.unit == "fraction" else 1, *decimals])


def _condition(values: _Values, name: str, table: _Values, columns: Sequence[Column]) -> Condition:
    content = {**_only(table.content, SHARED_KEYS), **values.content}
    if "config" not in values.content:
        content = _only(content, ("row", "paper", "note", "tasks"))
    merged = _Values(values.path, values.place, content, ROW_KEYS)
    tasks = merged.numbers("tasks")
    return Condition(
        name,
        row=merged.get("row", str),
        paper=dict(_paper_values(merged, columns, len(tasks))),
        config=merged.get("config", str, None),
        overrides=merged.mapping("overrides"),
        tasks=tasks,
        seeds=merged.numbers("seeds"),
        data=merged.sizes("data"),
        evaluations=merged.mappings("evaluations"),
        minutes=merged.get("minutes", (int, float), None),
        compared_with=merged.get("compared_with", str, None),
        needs=merged.get("needs", str, None),
        note=merged.get("note", str, None),
    )


def _paper_values(values: _Values, columns: Sequence[Column], num_tasks: int) -> Iterator[tuple[str, Any]]:
    by_name = {column.name: column for column in columns}
    for key, value in values.mapping("paper").items():
        if key not in by_name:
            raise values.error(f"paper.{key}", f"found no such column, expected one of {', '.join(by_name)}")
        if by_name[key].measure == "tasks":
            if not isinstance(value, list) or len(value) != num_tasks or not all(map(_is_number, value)):
                raise values.error(f"paper.{key}", f"found {value!r:.60}, expected a list of {num_tasks} numbers")
        elif not _is_number(value):
            raise values.error(f"paper.{key}", f"found {value!r:.60}, expected a number")
        yield key, value


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _only(content: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    return {key: value for key, value in content.items() if key in keys}


class _Loader(yaml.SafeLoader):
    """Refuses a key that occurs twice, since the first value would be lost."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        # This adds the keys that "<<" merges.
        self.flatten_mapping(node)
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, (str, int, float)):
                raise yaml.constructor.ConstructorError(None, None, f"found the key {key!r}", key_node.start_mark)
            # Names may be written as numbers.
            if str(key) in seen:
                raise yaml.constructor.ConstructorError(None, None, f"found the key {key!r} twice", key_node.start_mark)
            seen.add(str(key))
        return super().construct_mapping(node, deep)
