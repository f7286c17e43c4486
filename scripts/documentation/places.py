"""
Where files of the repository are on the site, and links from one to another.

Pages are written for the repository's own view, with links from file to file. On the site the files of the top level
are pages too, and a link to a file that is no page leads to a page that shows the file.
"""

import posixpath
import re
from pathlib import Path
from typing import Callable, List, Optional

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
"""Pages of the repository that are elsewhere on the site."""

LINK = re.compile(r"(\]\(|\bsrc=\"|\bhref=\")(?!\w+:|#)([^)\s\"#]+)")
FENCED = re.compile(r"(^ *```.*?^ *```$)", flags=re.MULTILINE | re.DOTALL)


def site_path(path: str) -> Optional[str]:
    """The page or file of the site that shows a file of the repository, or `None` where there is none of its own."""
    if path in MOVED:
        return MOVED[path]
    return path.removeprefix("docs/") if path.startswith("docs/") else None


def repository_path(path: str) -> str:
    """The file of the repository that a page or file of the site shows."""
    return {moved: original for original, moved in MOVED.items()}.get(path, f"docs/{path}")


def linked_files(page: Path) -> List[str]:
    """The files of the repository that a page links to, or shows."""
    folder = page.relative_to(PROJECT).parent.as_posix()
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    return [posixpath.normpath(posixpath.join(folder, link)) for _, link in LINK.findall(text)]


def with_links_of_the_site(text: str, page: str, place: Callable[[str], str]) -> str:
    """
    The Markdown of a page of the site, whose links name files of the repository, with links that name files of the
    site. `place` gives the file of the site for a file of the repository.
    """
    folder = posixpath.dirname(repository_path(page))

    def replace(match: "re.Match[str]") -> str:
        target = place(posixpath.normpath(posixpath.join(folder, match[2])))
        return match[1] + posixpath.relpath(target, posixpath.dirname(page) or ".")

    # Odd pieces are blocks of code, which stay as they are.
    pieces = FENCED.split(text)
    pieces[::2] = [LINK.sub(replace, piece) for piece in pieces[::2]]
    return "".join(pieces)
