"""
Writes the output of the annotator `structure` into the blocks of docs/results/sentences.md:

    python -m scripts.documentation.sentences

A line that is not indented is a text. Below it come its entities, frames and explicit relations. Lines that
begin with "wrong:" are written by hand, and stay.
"""

import re
import textwrap
from collections.abc import Iterator

from allennlp_coref_rc import annotate
from allennlp_coref_rc.annotations.annotated_text import Span
from allennlp_coref_rc.common.files import write_text
from scripts.documentation.places import PROJECT

PAGE = PROJECT / "docs" / "results" / "sentences.md"

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)


def describe(text: str) -> Iterator[str]:
    """The lines below a text."""
    found = annotate(text, "structure")

    def words(span: Span) -> str:
        return " ".join(found.tokens[slice(*span)])

    frames = [
        f"{words(frame.predicate)} ({', '.join(f'{role} {words(span)}' for role, span in frame.arguments)})"
        for frame in found.frames
        if frame.arguments
    ]
    layers = {
        "entities": [" = ".join(map(words, cluster)) for cluster in found.clusters],
        "frames": [frame.replace("ARG", "") for frame in frames],
        "relations": [f"{' '.join(map(words, each.connective))} ({each.sense})" for each in found.relations],
    }
    for name, items in layers.items():
        if items:
            yield from textwrap.wrap(
                f"{name}: {'; '.join(items)}", 120, initial_indent="  ", subsequent_indent="    "
            )


def with_structure(page: str) -> str:
    """The page with the lines that `structure` gives today."""

    def block(match: "re.Match[str]") -> str:
        if match[1]:
            return match[0]
        lines = [
            line for line in match[2].splitlines() if line.startswith("  wrong:") or not line.startswith(" ")
        ]
        filled = (
            each for line in lines for each in ([line] if line.startswith(" ") else [line, *describe(line)])
        )
        return "```\n" + "".join(f"{line}\n" for line in filled) + "```"

    return BLOCK.sub(block, page)


if __name__ == "__main__":
    write_text(PAGE, with_structure(PAGE.read_text(encoding="utf-8")))
