"""The tables and examples of docs/configs.md, for tests of the configs."""

import re

from tests.shared import PROJECT

PAGE = (PROJECT / "docs" / "configs.md").read_text(encoding="utf-8")


def folders() -> set[str]:
    """The folders of configs that the first table lists."""
    return {folder for cell, *_ in tables(PAGE)[0] for folder in code(cell)}


def section(title: str) -> str:
    return PAGE.split(f"## {title}\n")[1].split("\n## ")[0]


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


def examples() -> list[str]:
    return re.findall(r"```jsonnet\n(.*?)```", PAGE, re.DOTALL)
