"""
MkDocs calls this while it builds the site. It adds the pages that are not in docs/, and makes links work.
"""

from pathlib import PurePath
from typing import Any

from mkdocs.structure.files import File, Files

from scripts.documentation import notebooks, reference
from scripts.documentation.places import (
    MOVED,
    PROJECT,
    linked_files,
    repository_path,
    site_path,
    with_links_of_the_site,
)

LANGUAGES = {".jsonnet": "jsonnet", ".py": "python", ".sh": "bash", ".yaml": "yaml"}


def on_files(files: Files, config: Any) -> Files:
    def add(path: str, **content: str) -> None:
        existing = files.get_file_from_path(path)
        if existing is not None:
            files.remove(existing)
        files.append(File.generated(config, path, **content))

    for original, path in MOVED.items():
        if original.endswith(".ipynb"):
            add(path, content=notebooks.markdown(PROJECT / original))
        else:
            add(path, abs_src_path=str(PROJECT / original))
    for page in list(files.documentation_pages()):
        for linked in linked_files(PROJECT / repository_path(page.src_uri)):
            if place(linked) == source_page(linked) and (PROJECT / linked).is_file():
                add(source_page(linked), content=f"# {linked}\n\n{fenced(linked)}")
    for path, text in reference.pages().items():
        add(path, content=text)
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    path = page.file.src_uri
    if path.startswith(("reference/", "source/")):
        return markdown
    if path == "names.md":
        markdown = reference.with_links(markdown)
    return with_links_of_the_site(markdown, path, place)


def place(path: str) -> str:
    """The page or file of the site for a file of the repository."""
    return site_path(path) or reference.places().get(path) or source_page(path)


def source_page(path: str) -> str:
    """The page that shows a file of the repository that is not a page itself."""
    return f"source/{path}.md"


def fenced(path: str) -> str:
    text = (PROJECT / path).read_text(encoding="utf-8")
    return f"~~~~~~ {LANGUAGES.get(PurePath(path).suffix, 'text')}\n{text}\n~~~~~~\n"
