"""The pages of the documentation, and the fenced blocks on them."""

import re

from tests.shared import PROJECT

PAGES = sorted([*PROJECT.glob("*.md"), *(PROJECT / "docs").rglob("*.md")])


def name(page):
    return page.relative_to(PROJECT).as_posix()


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), flags=re.MULTILINE | re.DOTALL)
