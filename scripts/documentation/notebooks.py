"""Turns notebooks into Markdown, with their texts, their code, and its outputs when they were last run."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def markdown(path: Path) -> str:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return "\n\n".join(block for cell in notebook["cells"] for block in blocks(cell)) + "\n"


def blocks(cell: dict[str, Any]) -> Iterator[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield source
        return
    yield f"```python\n{source}\n```"
    for output in cell["outputs"]:
        data = output.get("data", {"text/plain": output.get("text", "")})
        if "text/html" in data:
            yield f"<div>{''.join(data['text/html'])}</div>"
        else:
            yield f"```\n{''.join(data['text/plain']).rstrip()}\n```"
