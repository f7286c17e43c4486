"""
Takes the pictures of pages that the documentation shows, with an installed Chromium.

    python scripts/screenshots.py docs/pictures --documents texts=annotated.jsonl \\
        --explanations babi=babi.jsonl narrativeqa=narrativeqa.jsonl --pages story=output/story/question_1.html

`--documents` takes files of annotated documents (from `coref-rc annotate`), `--explanations` takes predictions with
explanations (from `coref-rc predict … --predictor-args '{"explain": true}'`), and `--pages` takes any HTML. Each file
has a name before it, with which the names of its pictures begin. For documents there is a picture of the index and one
of each page, with an entity chosen. For each prediction there are two pictures, one coloured by the answer and one by
what a word attends to. `--dark` takes pictures with a dark background.
"""

import io
import shutil
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple, Optional

from allennlp_coref_rc.common.files import named_paths
from allennlp_coref_rc.common.script import ScriptParser, run
from allennlp_coref_rc.pages.documents import write_pages
from allennlp_coref_rc.pages.explanations import write_explanations

BROWSERS = ("chromium", "chromium-browser", "google-chrome")

SIZE = {"width": 1180, "height": 720}

COLOURS = 256
"""The number of colours in a picture. There are few, to keep files small."""

CHOOSE_ENTITY = """
() => { const item = document.querySelector("#entities li"); if (item) item.click(); }
"""

CHOOSE_RELATION = """
() => {
  document.querySelector("#tabs button[value=relations]").click();
  const connective = document.querySelectorAll("main .connective")[3] || document.querySelector("main .connective");
  if (connective) connective.click();
}
"""

CHOOSE_ATTENTION = """
() => {
  const views = [...document.querySelectorAll("#views button")];
  views[views.findIndex(view => !view.textContent.startsWith("Answer"))].click();
  const seen = word => word && word.getBoundingClientRect().bottom < innerHeight;
  const word = document.querySelector("#passage .crc-answer .crc-w");
  (seen(word) ? word : document.querySelector("#passage .crc-m .crc-w") || word).click();
}
"""


class Shot(NamedTuple):
    """A picture of a page. Before it is taken, a JavaScript function does something on the page."""

    name: str
    page: Path
    action: str = "() => {}"


def find_browser() -> Optional[str]:
    """The path of an installed browser; `None` if there is none."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def document_shots(name: str, path: str, folder: Path) -> list[Shot]:
    number = write_pages(path, str(folder))
    shots = [Shot(f"{name}_index", folder / "index.html")] if number > 1 else []
    for i in range(1, number + 1):
        page = folder / f"{i:03d}.html"
        shots.append(Shot(f"{name}_{i}", page, CHOOSE_ENTITY))
        if '<button type="button" value="relations"' in page.read_text(encoding="utf-8"):
            shots.append(Shot(f"{name}_{i}_relation", page, CHOOSE_RELATION))
    return shots


def explanation_shots(name: str, path: str, folder: Path) -> list[Shot]:
    number = write_explanations(path, str(folder), limit=3)
    shots = []
    for i in range(1, number + 1):
        page = folder / f"{i:03d}.html"
        shots.append(Shot(f"{name}_{i}" if number > 1 else name, page))
        if 'class="crc-answer"' in page.read_text(encoding="utf-8"):
            shots.append(Shot(f"{name}_{i}_attention" if number > 1 else f"{name}_attention", page, CHOOSE_ATTENTION))
    return shots


def take(shots: list[Shot], folder: Path, dark: bool = False) -> dict[str, int]:
    """Takes the pictures. Returns the size of each in bytes."""
    from playwright.sync_api import sync_playwright

    folder.mkdir(parents=True, exist_ok=True)
    sizes = {}
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE, color_scheme="dark" if dark else "light")
        for shot in shots:
            page.goto(shot.page.absolute().as_uri())
            page.evaluate(shot.action)
            height = min(SIZE["height"], page.evaluate("Math.ceil(document.body.getBoundingClientRect().bottom)"))
            clip = {"x": 0, "y": 0, "width": SIZE["width"], "height": height}
            target = folder / f"{shot.name}.png"
            sizes[str(target)] = write_picture(page.screenshot(clip=clip), target)
        browser.close()
    return sizes


def write_picture(png: bytes, target: Path) -> int:
    """Writes a picture with few colours, and returns its size in bytes."""
    from PIL import Image

    picture = Image.open(io.BytesIO(png)).convert("RGB")
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(target, optimize=True)
    return target.stat().st_size


def main() -> None:
    parser = ScriptParser(description=__doc__)
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="where pictures go")
    for option, what in (("documents", "annotated documents"), ("explanations", "predictions"), ("pages", "HTML")):
        parser.add_argument(f"--{option}", nargs="+", default=[], metavar="NAME=FILE", help=what)
    parser.add_argument("--dark", action="store_true", help="take them with a dark background")
    args = parser.parse_args()
    if not find_browser():
        print(f"No pictures were taken: found no browser, expected one of {', '.join(BROWSERS)}.", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as pages:
        shots = []
        for name, path in named_paths(args.documents).items():
            shots += document_shots(name, path, Path(pages, name))
        for name, path in named_paths(args.explanations).items():
            shots += explanation_shots(name, path, Path(pages, name))
        shots += [Shot(name, Path(path)) for name, path in named_paths(args.pages).items()]
        for path, size in take(shots, args.folder, args.dark).items():
            print(f"{path}: {size / 1000:.0f} kB")


if __name__ == "__main__":
    run(main)
