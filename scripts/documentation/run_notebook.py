"""
Runs a notebook in the current folder and saves it with its new outputs.

    python scripts/documentation/run_notebook.py docs/python.ipynb
"""

import argparse

import nbformat
from nbclient import NotebookClient


def run_notebook(path: str) -> None:
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
    parser = argparse.ArgumentParser(description=__doc__.strip().partition("\n")[0])
    parser.add_argument("notebook", nargs="+")
    for path in parser.parse_args().notebook:
        run_notebook(path)
