"""
Turns our docstrings, which are written like AllenNLP's, into Markdown that MkDocs shows well. griffe calls
this.
"""

import re
from collections.abc import Iterator
from typing import Any

import griffe

HEADING = re.compile(r"#+ (\w[\w ]*)$")
TERM = re.compile(r"^(\w[\w, ]*) : ")
LINK = re.compile(r"`([^`<]+?)\s+<([^>`]+)>`_+")


class Docstrings(griffe.Extension):
    """Changes each docstring when griffe finds it. To that of a class it adds the file of the class."""

    def on_instance(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = markdown(obj.docstring.value)
            if obj.is_class:
                obj.docstring.value += f"\n\nSource: `{obj.relative_package_filepath}`"


def markdown(docstring: str) -> str:
    """
    The docstring with Markdown's links. Its headings become bold lines, so that they are not in the page's
    contents. The lines below "Parameters", "Returns" and "Raises" become a list.
    """
    text = LINK.sub(lambda match: f"[{' '.join(match[1].split())}]({match[2]})", docstring)
    return "\n".join(lines(text.split("\n")))


def lines(given: list[str]) -> Iterator[str]:
    listing = fenced = False
    for line in given:
        fenced ^= line.lstrip().startswith("```")
        heading = None if fenced else HEADING.match(line)
        if heading:
            listing = heading[1] in ("Parameters", "Returns", "Raises")
            yield f"**{heading[1]}**"
        elif listing and line and line[0] != " ":
            # Two blanks at the end of a line break it.
            yield TERM.sub(r"**`\1`** : ", line).join(["- ", "  "])
        else:
            yield line
