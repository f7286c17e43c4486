"""
Takes pictures of the playground in headless Chromium.

    python scripts/playground_screenshots.py FOLDER --story GRU=ARCHIVE C-GRU=ARCHIVE --cloze ARCHIVE --summary ARCHIVE

It writes story.png and story_edited.png, which show readers of bAbI's task 2 before and after an edit of a cluster,
cloze.png with a reader of LAMBADA, and summary.png with a reader whose answers are spans. A picture without an archive
is left out.
"""

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright
from screenshots import find_browser, write_picture

from allennlp_coref_rc.common.script import ScriptParser, run

PATIENCE = 120
"""The seconds that a page may take, as machines may be busy."""

WIDTH = 1400

BELOW = 90
"""Empty pixels at the end of a page."""

HEIGHT = "document.querySelector('[data-testid=stMainBlockContainer]').scrollHeight"


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("folder", type=Path)
    for name in ("story", "cloze", "summary"):
        parser.add_argument(f"--{name}", nargs="+", default=[], metavar="ARCHIVE")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    if args.story:
        with opened(args.story) as page:
            picture(page, args.folder / "story.png")
            page.get_by_role("button", name="Mary 10").click()
            press(page, "Drop")
            picture(page, args.folder / "story_edited.png")
    if args.cloze:
        with opened(args.cloze) as page:
            choose(page, "Example", "A cloze")
            picture(page, args.folder / "cloze.png")
    if args.summary:
        with opened(args.summary) as page:
            choose(page, "Example", "A summary")
            choose(page, "Annotator of clusters", "sieve_coref")
            picture(page, args.folder / "summary.png")


@contextmanager
def opened(archives: Sequence[str], foreign: Callable[[str], None] = lambda url: None) -> Iterator[Page]:
    """
    The playground with these archives. `foreign` is called for everything that the page requests from another server.
    """
    with served(*archives) as address, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": 1000})
        page.set_default_timeout(1000 * PATIENCE)
        page.on(
            "request",
            lambda request: None if request.url.startswith((address, "data:", "blob:")) else foreign(request.url),
        )
        page.goto(address)
        page.get_by_label("Passage").wait_for()
        settle(page)
        yield page
        browser.close()


@contextmanager
def served(*arguments: str) -> Iterator[str]:
    """The address of a `coref-rc demo` that runs within this. It is ended whatever happens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = [sys.executable, "-m", "allennlp_coref_rc", "demo", *arguments, "--headless", "--port", str(port)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"})
    try:
        # The address is printed as soon as the server listens.
        address = next((line.split()[-1] for line in process.stdout or () if "http://" in line), None)
        if address is None:
            raise RuntimeError(f"coref-rc demo has ended with the status {process.wait()}")
        yield address
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def settle(page: Page) -> None:
    """Waits until the page is complete. Until then, parts of the old page may still be there."""
    page.wait_for_timeout(300)
    page.locator("[data-test-script-state=notRunning]").wait_for()


def choose(page: Page, label: str, option: str) -> None:
    page.get_by_label(label).first.click()
    page.get_by_role("option", name=option).first.click()
    settle(page)


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()
    settle(page)


def picture(page: Page, path: Path) -> None:
    """Takes a picture of the whole page. It would scroll within the window, so the window is made high enough."""
    page.mouse.move(0, 0)
    heights = [0, 0, 0]
    # Slow parts come later, and charts are drawn last.
    while len(set(heights)) > 1 or not heights[-1]:
        page.wait_for_timeout(1000)
        heights = [*heights[1:], page.evaluate(HEIGHT)]
    page.set_viewport_size({"width": WIDTH, "height": int(heights[-1]) - BELOW})
    page.wait_for_timeout(2000)
    print(f"{path}: {write_picture(page.screenshot(), path) / 1000:.0f} kB")


if __name__ == "__main__":
    run(main)
