"""The site's settings, and its links. `make docs` builds all of it strictly."""

from mkdocs.utils.yaml import yaml_load

from scripts.documentation import reference
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
