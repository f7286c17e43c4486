import runpy
import sys

import numpy
import pytest

from tests.shared import GOLDEN, PROJECT, needs_golden


def check(monkeypatch, capsys, *arguments):
    """The exit status and what was printed."""
    monkeypatch.setattr(sys, "argv", ["tests.golden", *map(str, arguments)])
    monkeypatch.delitem(sys.modules, "tests.golden.__main__", raising=False)
    with pytest.raises(SystemExit) as exit:
        runpy.run_module("tests.golden", run_name="__main__")
    captured = capsys.readouterr()
    return exit.value.code, captured.out + captured.err


def test_what_is_close_is_good(monkeypatch, capsys):
    code, text = check(monkeypatch, capsys, PROJECT / "tests/golden/cg_sba.npz", "--tolerance", 1e-6)
    assert code == 0 and "\ngrad  " in text and "good: the largest is" in text


@needs_golden
def test_what_is_too_far_is_bad(monkeypatch, capsys, tmp_path):
    with numpy.load(GOLDEN / "corefgru_layer.npz") as file:
        golden = dict(file)
    golden["bwd_out"][0, 0, 0] += 0.01
    numpy.savez(tmp_path / "bad.npz", **golden)
    code, text = check(monkeypatch, capsys, tmp_path / "bad.npz")
    assert code == 1 and "BAD: the largest is 0.01, allowed 0.0001" in text
    assert check(monkeypatch, capsys, tmp_path / "bad.npz", "--tolerance", "0.1")[0] == 0
    golden["bwd_out"][0, 0, 0] = numpy.nan
    numpy.savez(tmp_path / "bad.npz", **golden)
    assert check(monkeypatch, capsys, tmp_path / "bad.npz")[0] == 1
    del golden["X"]
    numpy.savez(tmp_path / "bad.npz", **golden)
    code, text = check(monkeypatch, capsys, tmp_path / "bad.npz")
    assert code == 2 and "its arrays do not fit together: KeyError('X')" in text
