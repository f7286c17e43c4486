import runpy
import sys

import numpy
import pytest

from tests.shared import GOLDEN, PROJECT, needs_golden


def check(monkeypatch, capsys, *arguments):
    """The exit status and what was printed."""
    monkeypatch.setattr(sys, "argv", ["tests.golden", *map(str, arguments)])
    with pytest.raises(SystemExit) as exit:
        runpy.run_module("tests.golden", run_name="__main__")
    captured = capsys.readouterr()
    return exit.value.code, captured.out + captured.err


@pytest.mark.parametrize(
    "path", sorted((PROJECT / "tests" / "golden").glob("*.npz")), ids=lambda path: path.stem
)
def test_so_are_those_made_from_the_equations(monkeypatch, capsys, path):
    code, text = check(monkeypatch, capsys, path, "--tolerance", 1e-6)
    assert code == 0 and "\ngrad  " in text and "good: the largest is" in text


def widen(variables, group):
    """Gives an encoder two inputs more, which have no weight. Of its ten variables the last one is its keys."""
    for i in (0, 3, 6, 9):
        wide = [(0, 0), (0, 2)] if i == 9 else [(0, 2), (0, 0)]
        variables[10 * group + i] = numpy.pad(variables[10 * group + i], wide)


@pytest.mark.parametrize("used", [False, True], ids=["unused", "used"])
def test_a_whole_model_of_lambada_may_have_a_feature_of_the_question_and_characters(
    monkeypatch, capsys, tmp_path, used
):
    with numpy.load(PROJECT / "tests" / "golden" / "ga_reader_lambada.npz") as file:
        golden = {name: array for name, array in file.items() if not name.startswith("grad")}
    random, number = numpy.random.default_rng(1), len(golden["var_names"])
    words, *variables = (golden[f"v{i:02d}"] for i in range(number))
    more = [random.normal(size=(2, 2))]
    if used:
        # Characters are read by the first layer, the feature by the passage's encoders in the last one.
        more += [random.normal(size=(9, 3)), random.normal(size=(1, 2, 3, 2))]
        golden.update({f"{side}c": random.integers(9, size=(*golden[f"{side}w"].shape, 4)) for side in "dq"})
        for group in range(6):
            widen(variables, group)
    variables = [words, *more, *variables]
    golden.update(
        {f"v{i:02d}": array for i, array in enumerate(variables)},
        var_names=numpy.array(["v"] * len(variables)),
    )
    del golden["cm"]
    numpy.savez(tmp_path / "theirs.npz", **golden)
    code, text = check(monkeypatch, capsys, tmp_path / "theirs.npz", "--tolerance", 1e-12)
    assert code == 0 and "probc" in text and "good" in text, text


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
