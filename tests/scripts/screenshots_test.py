import sys

from tests.scripts.scripts import load_script

script = load_script("screenshots")


def test_without_a_browser_it_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(script, "BROWSERS", ("no_such_browser",))
    monkeypatch.setattr(sys, "argv", ["screenshots.py", str(tmp_path / "out"), "--pages", "x=x.html"])
    script.main()
    assert "found no browser, expected one of no_such_browser" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
