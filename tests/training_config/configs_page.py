"""The tables and examples of docs/configs.md, and the former configs of docs/upgrading.md, for tests of the configs."""

import re
from typing import NamedTuple

from tests.shared import PROJECT

PAGE = (PROJECT / "docs" / "configs.md").read_text(encoding="utf-8")

UPGRADING = (PROJECT / "docs" / "upgrading.md").read_text(encoding="utf-8")


class Line(NamedTuple):
    """A config that is a line over another one: what it was called, where it lay, and its text."""

    name: str
    folder: str
    text: str


def configs() -> set[tuple[str, str]]:
    """The folders and names of the configs that the first table lists."""
    found, folders = set(), []
    for cell, names, _ in tables(PAGE)[0]:
        folders = code(cell) or folders
        found.update((folder, name) for folder in folders for name in code(names))
    return found


def section(title: str, page: str = PAGE) -> str:
    return page.split(f"## {title}\n")[1].split("\n## ")[0]


def tables(text: str) -> list[list[list[str]]]:
    """The tables of a text, as rows of cells, without their heads."""
    found = [[]]
    for line in text.splitlines():
        if line.startswith("|"):
            found[-1].append([cell.strip() for cell in line.strip("|").split("|")])
        elif found[-1]:
            found.append([])
    return [rows[2:] for rows in found if rows]


def code(cell: str) -> list[str]:
    return re.findall("`(.*?)`", cell)


def fields_of_variants(title: str) -> dict[str, str]:
    """By the variants of a section's first table, such as `mage_gru(16)`, their fields."""
    return {code(variant)[0]: code(field)[0] for variant, field, _ in tables(section(title))[0]}


def keys_of_fields(title: str) -> dict[str, list[str]]:
    """By the fields of a section's second table, patterns of the keys that they change."""
    return {field: code(keys) for fields, keys in tables(section(title))[1] for field in code(fields)}


def examples() -> list[str]:
    return re.findall(r"```jsonnet\n(.*?)```", PAGE, re.DOTALL)


def lines() -> list[list[Line]]:
    """The former configs that are now one line each: by row of the table, one for each of its folders."""
    found = []
    for name, folders, text in tables(section("Former configs, now one line each", UPGRADING))[0]:
        found.append([])
        for folder in code(folders):
            library = "narrativeqa_variants" if folder == "narrativeqa" else "variants"
            line = code(text)[0].replace("FOLDER", folder)
            found[-1].append(Line(code(name)[0], folder, f"local variants = import 'lib/{library}.libsonnet'; {line}"))
    return found
