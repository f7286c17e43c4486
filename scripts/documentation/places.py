"""
Finds the places on the site of files of the repository, and changes links between files accordingly.

Pages are written as one sees them in the repository, with links from file to file. On the site, files of the
top level are pages too. A link to a file that is not a page leads to a page that shows the file.
"""

import posixpath
import re
from collections.abc import Callable
from pathlib import Path
from typing import Optional

PROJECT = Path(__file__).resolve().parents[2]

MOVED = {
    "README.md": "index.md",
    "docs/index.md": "all_pages.md",
    "RESULTS.md": "results/index.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "SECURITY.md": "SECURITY.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "docs/python.ipynb": "python.md",
}
"""Pages of the repository that have another path on the site, and that path."""

LINK = re.compile(r"(\]\(|\bsrc=\"|\bhref=\")(?!\w+:|#)([^)\s\"#]+)")
FENCED = re.compile(r"(^ *```.*?^ *```$)", flags=re.MULTILINE | re.DOTALL)


def site_path(path: str) -> Optional[str]:
    """The page or file of the site that shows a file of the repository; `None` if it has none of its own."""
    if path in MOVED:
        return MOVED[path]
    return path.removeprefix("docs/") if path.startswith("docs/") else None


def repository_path(path: str) -> str:
    """The file of the repository that a page or file of the site shows."""
    return {moved: original for original, moved in MOVED.items()}.get(path, f"docs/{path}")


def linked_files(page: Path) -> list[str]:
    """The files of the repository that a page links to, or shows."""
    folder = page.relative_to(PROJECT).parent.as_posix()
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    return [posixpath.normpath(posixpath.join(folder, link)) for _, link in LINK.findall(text)]


def with_links_of_the_site(text: str, page: str, place: Callable[[str], str]) -> str:
    """
    The Markdown of a page of the site. Its links name files of the repository, and are replaced by links to
    files of the site. `place` gives the file of the site for a file of the repository.
    """
    folder = posixpath.dirname(repository_path(page))

    def replace(match: "re.Match[str]") -> str:
        target = place(posixpath.normpath(posixpath.join(folder, match[2])))
        return match[1] + posixpath.relpath(target, posixpath.dirname(page) or ".")

    # Every second piece is a block of code, which stays as it is.
    pieces = FENCED.split(text)
    pieces[::2] = [LINK.sub(replace, piece) for piece in pieces[::2]]
    return "".join(pieces)
