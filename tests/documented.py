"""The pages of the documentation, and the fenced blocks on them."""

import re

from tests.shared import PROJECT

PAGES = sorted([*PROJECT.glob("*.md"), *(PROJECT / "docs").rglob("*.md")])


def name(page):
    return page.relative_to(PROJECT).as_posix()


def blocks(page, language):
    """The texts of the fenced blocks in a language; those in none, "", are what a screen or a file shows."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    return [text for name, text in found if name == language]
