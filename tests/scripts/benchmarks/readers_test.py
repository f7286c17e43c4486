import json

import pytest

from tests.shared import PROJECT

pytestmark = pytest.mark.slow

FIXTURES = PROJECT / "tests" / "fixtures"


def test_a_row_for_each_reader_and_file(call, tmp_path):
    config = tmp_path / "reader.jsonnet"
    config.write_text("{ dataset_reader: { type: 'annotated_lambada', wrap_question: false }, model: {} }")
    lambada, babi = FIXTURES / "lambada" / "valid.txt", FIXTURES / "babi" / "qa1_test.txt"
    own, path = json.dumps({"type": "annotated_babi"}), tmp_path / "rows.json"
    rows = call("readers", config, lambada, own, babi, "--rounds", 2, "--hold", "--json", path)
    assert rows[0][:4] == ["reader", "file", "questions", "tokens"]
    # Of the texts that are kept, every word but the answer, and the placeholder.
    texts = lambada.read_text().splitlines()
    words = sum(len(texts[i].split()) for i in (0, 1, 2, 5, 6))
    assert rows[1][:4] == ["annotated_lambada", str(lambada), "5", str(words)]
    assert rows[2][:3] == ["annotated_babi", str(babi), "3"]
    assert len(rows) == 3 and {len(row) for row in rows} == {9}
    first, second = json.loads(path.read_text())["rows"]
    assert (
        first["tokens"] == words and second["questions"] == 3 and set(first["questions/s"]) == {"median", "min", "max"}
    )


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["{}"], "expected pairs of a config and a file"),
        (['{"type": "annotated_lambada"}', "nowhere.txt"], "nowhere.txt: no such file"),
        (["nowhere.jsonnet", "nowhere.txt"], "nowhere.jsonnet"),
        (['{"type": "annotated_lambada"', "a.txt"], "expected JSON"),
        (["{}", "a.txt"], "expected a reader"),
        (["{}", "a.txt", "--rounds", "0"], "expected an integer, 1 or more"),
    ],
)
def test_what_is_wrong(fails, arguments, message):
    assert message in fails("readers", *arguments)


def test_rounds_that_read_different_numbers_have_no_figures(fails, monkeypatch):
    from allennlp_coref_rc.data.dataset_readers import AnnotatedBabiReader

    read, lengths = AnnotatedBabiReader.read, iter((1, 2))
    monkeypatch.setattr(AnnotatedBabiReader, "read", lambda *arguments: list(read(*arguments))[: next(lengths)])
    error = fails("readers", '{"type": "annotated_babi"}', FIXTURES / "babi" / "qa1_test.txt", "--rounds", 2)
    assert "rounds read different numbers of questions" in error
