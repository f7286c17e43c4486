"""Tables in Markdown and LaTeX."""

import re
from collections.abc import Sequence

LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "<": "$<$",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def markdown(header: Sequence[str], lines: Sequence[Sequence[str]]) -> list[str]:
    rows = [header, ["---"] * len(header), *lines]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]


def latex(header: Sequence[str], lines: Sequence[Sequence[str]]) -> list[str]:
    """A `tabular`, which needs no package. All columns but the first are numbers."""
    head, *rows = (" & ".join(map(latex_text, row)) + r" \\" for row in (header, *lines))
    columns = "l" + "r" * (len(header) - 1)
    return [rf"\begin{{tabular}}{{{columns}}}", head, r"\hline", *rows, r"\end{tabular}"]


def latex_text(text: str) -> str:
    """A text with LaTeX's signs in place of those that it reads as commands. A minus is not a hyphen."""
    text = "".join(LATEX.get(sign, sign) for sign in text)
    return re.sub(r"(?<![\w)])-(?=[\d.])", "$-$", text)
