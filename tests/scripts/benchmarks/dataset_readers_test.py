import json
import runpy

import pytest

from tests.shared import PROJECT

FIXTURES = PROJECT / "tests" / "fixtures"


def run(monkeypatch, *arguments):
    monkeypatch.setattr("sys.argv", ["benchmark_readers.py", *map(str, arguments)])
    runpy.run_path(str(PROJECT / "scripts" / "benchmarks" / "dataset_readers.py"), run_name="__main__")


def test_a_row_for_each_reader_and_file(monkeypatch, capfd, tmp_path):
    config = tmp_path / "reader.jsonnet"
    config.write_text("{ dataset_reader: { type: 'annotated_lambada', wrap_question: false }, model: {} }")
    lambada, babi = FIXTURES / "lambada" / "valid.txt", FIXTURES / "babi" / "qa1_test.txt"
    run(monkeypatch, config, lambada, json.dumps({"type": "annotated_babi"}), babi, "--rounds", 2, "--hold")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in capfd.readouterr().out.splitlines()]
    assert rows[0][:4] == ["reader", "file", "questions", "tokens"] and set(rows[1]) == {"---"}
    # Of the texts that are kept, every word but the answer, and the placeholder.
    texts = lambada.read_text().splitlines()
    words = sum(len(texts[i].split()) for i in (0, 1, 2, 5, 6))
    assert rows[2][:4] == ["annotated_lambada", str(lambada), "5", str(words)]
    assert rows[3][:3] == ["annotated_babi", str(babi), "3"]
    assert len(rows) == 4 and {len(row) for row in rows} == {9}


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["{}"], "expected pairs of a config and a file"),
        (['{"type": "annotated_lambada"}', "nowhere.txt"], "nowhere.txt: no such file"),
        (["nowhere.jsonnet", "nowhere.txt"], "nowhere.jsonnet"),
        (['{"type": "annotated_lambada"', "a.txt"], "expected JSON"),
        (["{}", "a.txt"], "expected a reader"),
    ],
)
def test_what_is_wrong(monkeypatch, capfd, arguments, message):
    with pytest.raises(SystemExit) as error:
        run(monkeypatch, *arguments)
    assert error.value.code != 0
    assert message in capfd.readouterr().err
