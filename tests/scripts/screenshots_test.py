import io
import sys
from contextlib import contextmanager
from unittest.mock import Mock

from PIL import Image

from tests.scripts.scripts import load_script

script = load_script("screenshots")


def test_without_a_browser_it_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(script, "BROWSERS", ("no_such_browser",))
    monkeypatch.setattr(sys, "argv", ["screenshots.py", str(tmp_path / "out"), "--pages", "x=x.html"])
    script.main()
    assert "found no browser, expected one of no_such_browser" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_picture_is_taken_of_each_page_after_its_action(tmp_path, monkeypatch):
    png = io.BytesIO()
    Image.new("RGB", (2, 2)).save(png, "png")
    page = Mock()
    page.evaluate.return_value = 100
    page.screenshot.return_value = png.getvalue()
    monkeypatch.setattr(script, "browser_page", contextmanager(lambda *_: iter([page])))
    monkeypatch.setattr(script, "find_browser", lambda: "browser")
    pages = ["a=x.html", "b=y.html#entity"]
    monkeypatch.setattr(sys, "argv", ["screenshots.py", str(tmp_path / "out"), "--pages", *pages])
    script.main()
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"a.png", "b.png"}
    assert [call.args[0].rpartition("/")[2] for call in page.goto.call_args_list] == ["x.html", "y.html"]
    assert [call.args[0] for call in page.evaluate.call_args_list][::2] == [
        script.ACTIONS[""],
        script.ACTIONS["entity"],
    ]
