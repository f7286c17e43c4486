"""
Takes the pictures that the documentation shows of pages and of the playground, with an installed Chromium.

    python scripts/screenshots.py docs/pictures --pages texts_index=texts/index.html \\
        texts_1=texts/001.html#entity \\
        texts_2_relation=texts/002.html#relation babi_1=babi/001.html babi_1_attention=babi/001.html#attention
    python scripts/screenshots.py docs/pictures/playground --story

`--pages` takes HTML, such as that of `coref-rc draw`. `#entity` and `#relation` choose one on the page of an
annotated document before the picture is taken, and `#attention` a word on the page of an explanation.

`--story` writes story.png and story_edited.png, the first page of the playground before and after an edit of a
cluster. By default it has the readers that come with the package.
"""

import io
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Optional

from allennlp_coref_rc.common.files import named_paths
from allennlp_coref_rc.common.script import ScriptParser, run

if TYPE_CHECKING:
    from playwright.sync_api import Page

BROWSERS = ("chromium", "chromium-browser", "google-chrome")

WIDTH, HEIGHT, PLAYGROUND_WIDTH = 1180, 720, 1400

COLOURS = 256
"""The number of colours in a picture. There are few, to keep files small."""

PATIENCE = 120
"""The seconds that a page of the playground may take, as machines may be busy."""

ACTIONS = {
    "": "() => {}",
    "entity": "() => document.querySelector('#entities li').click()",
    "relation": """
() => {
  document.querySelector("#tabs button[value=relations]").click();
  const connective = document.querySelectorAll("main .connective")[3] || document.querySelector("main .connective");
  if (connective) connective.click();
}
""",
    "attention": """
() => {
  [...document.querySelectorAll("#views button")].find(view => !view.textContent.startsWith("Answer")).click();
  const seen = word => word && word.getBoundingClientRect().bottom < innerHeight;
  const word = document.querySelector("#passage .crc-answer .crc-w");
  (seen(word) ? word : document.querySelector("#passage .crc-m .crc-w") || word).click();
}
""",
}
"""By name, the JavaScript that does something on a page before its picture is taken."""


def find_browser() -> Optional[str]:
    """The path of an installed browser; `None` if there is none."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


@contextmanager
def browser_page(width: int, height: int, dark: bool = False) -> Iterator["Page"]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        yield browser.new_page(
            viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light"
        )
        browser.close()


def take(pages: Mapping[str, str], folder: Path, dark: bool) -> None:
    with browser_page(WIDTH, HEIGHT, dark) as page:
        for name, path in pages.items():
            path, _, action = path.partition("#")
            page.goto(Path(path).absolute().as_uri())
            page.evaluate(ACTIONS[action])
            height = min(HEIGHT, page.evaluate("Math.ceil(document.body.getBoundingClientRect().bottom)"))
            png = page.screenshot(clip={"x": 0, "y": 0, "width": WIDTH, "height": height})
            write_picture(png, folder / f"{name}.png")


def write_picture(png: bytes, target: Path) -> None:
    """Writes a picture with few colours, and prints its size."""
    from PIL import Image

    picture = Image.open(io.BytesIO(png)).convert("RGB")
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(target, optimize=True)
    print(f"{target}: {target.stat().st_size / 1000:.0f} kB")


@contextmanager
def playground(address: str, foreign: Callable[[str], None] = lambda url: None) -> Iterator["Page"]:
    """
    The playground in a browser. `foreign` is called for everything that the page requests from another
    server.
    """
    with browser_page(PLAYGROUND_WIDTH, 1000) as page:
        own = (address, "data:", "blob:")
        page.set_default_timeout(1000 * PATIENCE)
        page.on("request", lambda request: None if request.url.startswith(own) else foreign(request.url))
        page.goto(address)
        page.get_by_label("Passage").wait_for()
        settle(page)
        yield page


@contextmanager
def served(*arguments: str) -> Iterator[str]:
    """The address of a `coref-rc demo` that runs within this."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = [sys.executable, "-m", "allennlp_coref_rc", "demo", *arguments, "--headless", "--port", str(port)]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            # The address is printed as soon as the server listens.
            yield next(line.split()[-1] for line in process.stdout or () if "http://" in line)
        finally:
            process.kill()


def settle(page: "Page") -> None:
    """Waits until the page is complete. Until then, parts of the old page may still be there."""
    page.wait_for_timeout(300)
    page.locator("[data-test-script-state=notRunning]").wait_for()


def choose(page: "Page", label: str, option: str) -> None:
    page.get_by_label(label).first.click()
    page.get_by_role("option", name=option).first.click()
    settle(page)


def press(page: "Page", name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()
    settle(page)


def take_all(page: "Page", target: Path) -> None:
    """
    Takes a picture of the whole page. It would scroll within the window, so the window is made high enough.
    """
    page.mouse.move(0, 0)
    heights = [0, 0, 0]
    # Slow parts come later, and charts are drawn last.
    while len(set(heights)) > 1 or not heights[-1]:
        page.wait_for_timeout(1000)
        height = page.evaluate("document.querySelector('[data-testid=stMainBlockContainer]').scrollHeight")
        heights = [*heights[1:], height]
    # A page ends with 90 empty pixels.
    page.set_viewport_size({"width": PLAYGROUND_WIDTH, "height": int(heights[-1]) - 90})
    page.wait_for_timeout(2000)
    write_picture(page.screenshot(), target)


def take_playground(archives: Sequence[str], folder: Path) -> None:
    with served(*archives) as address, playground(address) as page:
        take_all(page, folder / "story.png")
        page.get_by_role("button", name="She 3").click()
        press(page, "Drop")
        take_all(page, folder / "story_edited.png")


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="where pictures go")
    parser.add_argument("--pages", nargs="+", default=[], metavar="NAME=FILE[#ACTION]")
    parser.add_argument("--story", nargs="*", metavar="ARCHIVE")
    parser.add_argument("--dark", action="store_true", help="take pages with a dark background")
    args = parser.parse_args()
    if not find_browser():
        print(
            f"No pictures were taken: found no browser, expected one of {', '.join(BROWSERS)}.",
            file=sys.stderr,
        )
        return
    args.folder.mkdir(parents=True, exist_ok=True)
    if args.pages:
        take(named_paths(args.pages), args.folder, args.dark)
    if args.story is not None:
        take_playground(args.story, args.folder)


if __name__ == "__main__":
    run(main)
