"""The steps of the tutorials that take a moment, with the files that the pages show."""

import re
import shlex
from pathlib import Path

import pytest

from allennlp_coref_rc.__main__ import main
from allennlp_coref_rc.annotations.document import read_documents
from tests.documented import blocks, python_files
from tests.json_lines import read_lines
from tests.shared import PROJECT

pytestmark = pytest.mark.slow

OWN_DATA, CORPUS, ENCODER = (
    PROJECT / "docs" / "tutorials" / f"{name}.md"
    for name in ("own_data", "annotate_a_corpus", "annotated_encoder")
)


def give(block, capsys):
    """Gives the commands of a block; returns what the last one prints."""
    for line in block.replace("\\\n", " ").splitlines():
        name, *words = shlex.split(line)
        assert name == "coref-rc"
        capsys.readouterr()
        main(words)
    return capsys.readouterr().out


def test_a_corpus_is_annotated_checked_and_read(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    texts, report, printed = blocks(CORPUS, "")
    Path("my_texts.txt").write_text(texts)
    annotate, check, _ = blocks(CORPUS, "bash")
    give(annotate, capsys)
    assert give(check, capsys) == report
    exec(blocks(CORPUS, "python")[0], {})
    assert capsys.readouterr().out == printed


def test_own_data_are_written_checked_and_annotated(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write, _ = blocks(OWN_DATA, "python")
    exec(write, {})
    assert Path("my_train.txt").read_text().startswith(blocks(OWN_DATA, "")[0])
    Path("mine.jsonnet").write_text(blocks(OWN_DATA, "jsonnet")[1])
    assert give(blocks(OWN_DATA, "bash")[0], capsys) == "mine.jsonnet: no errors\n"
    annotate, _ = blocks(CORPUS, "bash")[2].splitlines()
    give(annotate, capsys)
    documents = list(read_documents("my_train.jsonl"))
    assert len(documents) == 800
    # Each pronoun of a story is in the cluster of a name.
    for _, document in documents[:20]:
        text = document.text
        spans = [span for cluster in text.clusters for span in cluster]
        found = {position for start, stop in spans for position in range(start, stop)}
        assert {i for i, token in enumerate(text.tokens) if token in ("He", "She")} <= found


def test_questions_with_candidates_are_checked_read_and_answered(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for split in ("train", "valid", "test"):
        Path(f"cloze_{split}.jsonl").write_text(blocks(OWN_DATA, "jsonl")[0] * 8)
    Path("cloze.jsonnet").write_text(blocks(OWN_DATA, "jsonnet")[0])
    assert give("coref-rc check cloze.jsonnet", capsys) == "cloze.jsonnet: no errors\n"
    give("coref-rc train cloze.jsonnet -s cloze -o '{\"trainer.num_epochs\": 1}'", capsys)
    give("coref-rc predict cloze/model.tar.gz cloze_test.jsonl --output-file answers.jsonl", capsys)
    answers = read_lines(Path("answers.jsonl"))
    assert [set(answer["candidate_probabilities"]) for answer in answers] == [{"Ann Ray", "Bo"}] * 8


def test_an_encoder_that_reads_annotations_is_trained_in_a_config_and_in_a_model(tmp_path, run_command):
    for name in ("train", "valid", "test"):
        (tmp_path / f"my_{name}.txt").write_text(blocks(OWN_DATA, "")[0])
    for name in ("train", "dev"):
        (tmp_path / f"{name}.json").write_text((PROJECT / "tests/fixtures/squad/dev-v2.0.json").read_text())
    (tmp_path / "mine.jsonnet").write_text(blocks(OWN_DATA, "jsonnet")[1])
    for file, text in python_files(ENCODER)[0].items():
        (tmp_path / file).write_text(text)
    for config in blocks(ENCODER, "jsonnet"):
        (tmp_path / re.match(r"// (\S+)", config)[1]).write_text(config)
    (check, train), (train_model,) = (block.splitlines() for block in blocks(ENCODER, "bash"))
    checked = run_command("allennlp_coref_rc", *shlex.split(check)[1:], folder=tmp_path)
    assert checked.stdout == "antecedents.jsonnet: no errors\n", checked.stderr
    for line in (train, train_model):
        words = shlex.split(line)[1:]
        trained = run_command("allennlp_coref_rc", *words, "-o", '{"trainer.num_epochs": 1}', folder=tmp_path)
        assert trained.returncode == 0, trained.stderr
        assert "works as a plain encoder" not in trained.stderr
    (tmp_path / ".allennlp_plugins").write_text("my_encoders\n")
    words = shlex.split(check)[1:3]
    assert run_command("allennlp_coref_rc", *words, folder=tmp_path).returncode == 0
    (tmp_path / "loading.py").write_text(
        "import allennlp_coref_rc\n\nallennlp_coref_rc.load('output/antecedents')\n"
    )
    loaded = run_command("loading", folder=tmp_path)
    assert loaded.returncode == 0, loaded.stderr


def test_a_search_trains(tmp_path, run_command):
    ((file, program),) = python_files(PROJECT / "docs" / "tutorials" / "search_settings.md")[0].items()
    program = program.replace(
        '"evaluate_on_test": False', '"evaluate_on_test": False, "trainer.num_epochs": 1'
    )
    (tmp_path / file).write_text(program.replace("n_trials=20", "n_trials=1"))
    searched = run_command(file.removesuffix(".py"), folder=tmp_path)
    assert searched.returncode == 0, searched.stderr
    assert [path.name for path in (tmp_path / "output" / "search").iterdir()] == ["0"]
    assert (tmp_path / "search.db").is_file()
