import runpy

import pytest

from tests.shared import PROJECT


def run(monkeypatch, *arguments):
    monkeypatch.setattr("sys.argv", ["benchmark_annotators.py", *map(str, arguments)])
    runpy.run_path(str(PROJECT / "scripts" / "benchmarks" / "annotators.py"), run_name="__main__")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.txt").write_text("Mary sat . She slept .\n\nJohn sat . He slept .\n")
    return tmp_path


def test_a_row_for_each_annotator_that_needs_nothing(monkeypatch, capfd, folder):
    run(monkeypatch, folder, "--rounds", 1)
    lines = capfd.readouterr().out.splitlines()
    assert lines[0].endswith(": 2 documents, 12 tokens")
    rows = {line.split("`")[1]: line for line in lines if "`" in line}
    assert {"entity_marker_coref", "exact_match_coref", "sieve_coref"} <= set(rows)
    assert rows["sieve_coref"].endswith("| 1.0 |") and rows["entity_marker_coref"].endswith("| 0.0 |")


def test_annotators_can_be_given_and_documents_limited(monkeypatch, capfd, folder):
    config = '{"type": "sieve_coref", "include_singletons": true}'
    run(monkeypatch, folder / "a.txt", "--annotator", config, "--documents", 1)
    first, *_, row = capfd.readouterr().out.splitlines()
    assert first == "a.txt: 1 documents, 6 tokens"
    assert row.startswith(f"| `{config}` |") and row.endswith("| 1.0 |")
