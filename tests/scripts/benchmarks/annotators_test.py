import pytest

from allennlp_coref_rc.annotations.annotators import SieveCoref


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.txt").write_text("Mary sat . She slept .\n\nJohn sat . He slept .\n")
    return tmp_path


def test_a_row_for_each_annotator_that_needs_nothing(call, folder):
    _, *rows = call("annotators", folder, "--rounds", 1)
    rows = {row[0].strip("`"): row for row in rows}
    assert {"entity_marker_coref", "exact_match_coref", "sieve_coref"} <= set(rows)
    assert all(row[1:3] == ["2", "12"] for row in rows.values())
    assert rows["sieve_coref"][-1] == "1.0" and rows["entity_marker_coref"][-1] == "0.0"


def test_annotators_can_be_given_and_documents_limited(call, folder):
    config = '{"type": "sieve_coref", "include_singletons": true}'
    _, row = call("annotators", folder / "a.txt", "--annotator", config, "--documents", 1)
    assert row[:3] == [f"`{config}`", "1", "6"] and row[-1] == "1.0"


def test_what_is_wrong(fails, folder, monkeypatch):
    (folder / "none").mkdir()
    (folder / "empty.txt").write_text("\n")
    assert "--annotator {" in fails("annotators", folder, "--annotator", "{")
    assert "found no files like" in fails("annotators", folder / "none", "--annotator", "sieve_coref")
    assert "found no documents" in fails("annotators", folder / "empty.txt", "--annotator", "sieve_coref")
    monkeypatch.setattr(SieveCoref, "annotate_batch", lambda _, texts: list(texts))
    message = fails("annotators", folder / "a.txt", "--annotator", "sieve_coref")
    assert "no figures, documents have other annotations alone than in a batch" in message
