"""
The site's settings, and its links. `make docs` builds all of it strictly.
"""

import nbformat
from mkdocs.utils.yaml import yaml_load
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from scripts.documentation import notebooks, reference
from scripts.documentation.places import MOVED, repository_path, site_path, with_links_of_the_site
from tests.shared import PROJECT


def navigation(entries):
    for entry in entries:
        if isinstance(entry, dict):
            (entry,) = entry.values()
        if isinstance(entry, str):
            yield entry
        else:
            yield from navigation(entry)


def test_every_page_is_in_the_navigation():
    listed = list(navigation(yaml_load((PROJECT / "mkdocs.yml").read_text())["nav"]))
    pages = {
        path.relative_to(PROJECT).as_posix()
        for path in [*PROJECT.glob("*.md"), *PROJECT.glob("docs/**/*.md")]
    }
    pages |= {path.relative_to(PROJECT).as_posix() for path in PROJECT.glob("docs/**/*.ipynb")}
    pages |= {f"docs/{path}" for path in reference.pages()}
    assert len(listed) == len(set(listed))
    assert {repository_path(path) for path in listed} == pages


def test_every_page_of_the_top_level_is_on_the_site():
    assert {path.name for path in PROJECT.glob("*.md")} == {path for path in MOVED if "/" not in path}


def place(path):
    return site_path(path) or f"source/{path}.md"


def test_links_lead_to_the_same_files_on_the_site():
    text = "[a](../../RESULTS.md#found) [b](babi.md) [c](../../allennlp_coref_rc/version.py) [d](#here) [e](https://f.org/g.md)"
    expected = "[a](index.md#found) [b](babi.md) [c](../source/allennlp_coref_rc/version.py.md) [d](#here) [e](https://f.org/g.md)"
    assert with_links_of_the_site(text, "results/lambada.md", place) == expected


def test_links_of_pages_that_move():
    text = '[a](docs/train.md) [b](RESULTS.md) <img src="docs/figures/a.png"> [c](docs/index.md)'
    expected = '[a](train.md) [b](results/index.md) <img src="figures/a.png"> [c](all_pages.md)'
    assert with_links_of_the_site(text, "index.md", place) == expected


def test_code_stays_as_it_is():
    text = "```\n[a](../RESULTS.md)\n```\n"
    assert with_links_of_the_site(text, "train.md", place) == text


def test_a_notebook_becomes_markdown(tmp_path):
    outputs = {
        "1 + 1": new_output("execute_result", {"text/plain": "2"}),
        "print(3)": new_output("stream", text="3\n"),
        "page": new_output("execute_result", {"text/html": "<p>4</p>", "text/plain": "4"}),
    }
    cells = [new_code_cell(source, outputs=[output]) for source, output in outputs.items()]
    nbformat.write(
        new_notebook(cells=[new_markdown_cell("# Title\n[a](b.md)"), *cells]), tmp_path / "a.ipynb"
    )
    assert notebooks.markdown(tmp_path / "a.ipynb") == (
        "# Title\n[a](b.md)\n\n```python\n1 + 1\n```\n\n```\n2\n```\n\n```python\nprint(3)\n```\n\n```\n3\n```\n\n"
        "```python\npage\n```\n\n<div><p>4</p></div>\n"
    )
