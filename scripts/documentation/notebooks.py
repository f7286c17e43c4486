"""
Turns notebooks into Markdown, with their texts, their code, and its outputs when they were last run.

    python -m scripts.documentation.notebooks docs/python.ipynb

runs a notebook in the current folder and saves it with its new outputs.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbclient import NotebookClient


def markdown(path: Path) -> str:
    return "\n\n".join(block for cell in nbformat.read(path, 4).cells for block in blocks(cell)) + "\n"


def blocks(cell: nbformat.NotebookNode) -> Iterator[str]:
    if cell.cell_type == "markdown":
        yield cell.source
        return
    yield f"```python\n{cell.source}\n```"
    for output in cell.outputs:
        data = output.get("data", {"text/plain": output.get("text", "")})
        html = data.get("text/html")
        yield f"<div>{html}</div>" if html else f"```\n{data['text/plain'].rstrip()}\n```"


def run(path: str) -> None:
    """Keeps what cells show and print as their outputs, but no warnings of other packages and no times."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, record_timing=False).execute(cwd=".")
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    nbformat.write(notebook, path)


if __name__ == "__main__":
    run(sys.argv[1])
