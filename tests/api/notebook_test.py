"""
The cells of docs/python.ipynb run in their order, here without a kernel and with a reader that is not
trained. `python -m scripts.documentation.notebooks docs/python.ipynb` saves it with new outputs.
"""

import ast
import shutil

import nbformat
import pytest

from tests.shared import PROJECT

LOADS = "allennlp_coref_rc.load("


@pytest.fixture(scope="module")
def cells():
    notebook = nbformat.read(PROJECT / "docs" / "python.ipynb", as_version=4)
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def run(source, names):
    """Runs a cell; the value of its last line, if that is an expression."""
    body = ast.parse(source).body
    last = ast.Expression(body.pop().value) if isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "cell", "exec"), names)
    return None if last is None else eval(compile(last, "cell", "eval"), names)


def saved(cell, kind):
    """What the notebook has stored under a cell."""
    if kind == "printed":
        return "".join(output.text for output in cell.outputs if output.output_type == "stream")
    return "".join(
        output.data.get(kind, "") for output in cell.outputs if output.output_type == "execute_result"
    )


def test_all_cells_run_and_those_before_the_reader_show_what_is_saved(
    cells, archive, tmp_path, monkeypatch, capsys
):
    folder = tmp_path / "output" / "quick_start"
    folder.mkdir(parents=True)
    shutil.copy(archive, folder / "model.tar.gz")
    monkeypatch.chdir(tmp_path)
    names, compared = {}, True
    for cell in cells:
        value = run(cell.source, names)
        printed = capsys.readouterr().out
        compared = compared and LOADS not in cell.source
        assert bool(printed) == bool(saved(cell, "printed"))
        assert (value is None) == (not saved(cell, "text/plain"))
        assert hasattr(value, "_repr_html_") == bool(saved(cell, "text/html"))
        if compared:
            assert printed == saved(cell, "printed")
            if hasattr(value, "_repr_html_"):
                assert repr(value) == saved(cell, "text/plain")
    assert not compared


def test_it_is_saved_without_errors_and_with_the_answers_that_its_text_tells(cells):
    assert not any(output.output_type == "error" for cell in cells for output in cell.outputs)
    answers = [text for cell in cells if (text := saved(cell, "text/plain")).startswith("Answer")]
    assert [answer.split()[1] for answer in answers] == ["kitchen,", "office,", "kitchen,", "aquarium,"]
    assert "warning: " in answers[-1] and "warning: " not in "".join(answers[:-1])
