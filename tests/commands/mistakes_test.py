"""Typical mistakes. docs/mistakes.md has each of them, and what the screen says about it."""

import json
import os
import re
import shlex
import subprocess
import sys
from unittest.mock import Mock

import pytest
import torch

from allennlp_coref_rc.__main__ import main
from allennlp_coref_rc.config_check import trial
from tests.shared import PROJECT
from tests.stops import files_of_at_most
from tests.training_config.configs import load_small

PAGE = PROJECT / "docs" / "mistakes.md"

MISTAKES = re.findall(
    r"^## (.+?)\n.*?^```console\n\$ (.+?)\n(.+?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL
)


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A folder with what a clone has, a small trained model, and files with mistakes in them."""
    folder = tmp_path_factory.mktemp("clone")
    for name in ("allennlp_coref_rc", "training_config"):
        (folder / name).symlink_to(PROJECT / name)
    params = load_small(PROJECT / "training_config" / "babi" / "ga_coref_gru.jsonnet")
    params["trainer"]["num_epochs"] = 1
    # Where the archive looks for data when it is evaluated.
    (folder / "small.json").write_text(json.dumps(params.as_dict(quiet=True)))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        main(["train", "small.json", "-s", "output/quick_start"])
    torch.save({"epoch": 1}, folder / "trainer.th")
    (folder / "broken.jsonnet").write_text("{ trainer: { num_epochs: 5 }\n")
    archive = (folder / "output" / "quick_start" / "model.tar.gz").read_bytes()
    os.mkfifo(folder / "pipe")
    (folder / "half.tar.gz").write_bytes(archive[: len(archive) // 2])
    return folder


def screen(words, capsys):
    capsys.readouterr()
    with pytest.raises(SystemExit) as stop:
        main(words)
    captured = capsys.readouterr()
    assert captured.out == ""
    return stop.value.code, captured.err


def test_there_are_ten():
    assert len(MISTAKES) >= 10


@pytest.mark.slow
@pytest.mark.parametrize("title, command, expected", MISTAKES, ids=[title for title, _, _ in MISTAKES])
def test_the_screen_is_that_of_the_page(title, command, expected, clone, monkeypatch, capsys):
    monkeypatch.chdir(clone)
    monkeypatch.setattr("torch.cuda.device_count", lambda: 0)
    name, *words = shlex.split(command)
    assert name == "coref-rc"
    assert screen(words, capsys) == (2, expected)
    assert not os.path.exists("output/new")


@pytest.mark.slow
def test_a_paragraph_in_a_process_of_its_own(clone):
    """No traceback, and nothing of what other packages say while they are imported."""
    command = [sys.executable, "-m", "allennlp_coref_rc", "train", "small.json", "-s", "output/quick_start"]
    result = subprocess.run(command, cwd=clone, capture_output=True, text=True)
    assert result.returncode == 2 and result.stdout == ""
    assert re.fullmatch(
        r"coref-rc: -s output/quick_start: found a folder that is not empty; .*\n", result.stderr
    )


def test_a_good_config_is_said_to_be_good(clone, monkeypatch, capsys):
    monkeypatch.chdir(clone)
    main(["check", "training_config/babi/quick_start.jsonnet"])
    assert capsys.readouterr().out == "training_config/babi/quick_start.jsonnet: no errors\n"
    monkeypatch.setattr(trial, "LARGE_FILE", 1)
    main(["check", "training_config/babi/quick_start.jsonnet"])
    _, *sizes = capsys.readouterr().out.splitlines()
    numbers = {"train": "900", "validation": "100", "test": "1,000"}
    assert [line.partition(";")[0] for line in sizes] == [
        f"{key}_data_path: {n} items" for key, n in numbers.items()
    ]


@pytest.mark.parametrize(
    "words, message",
    [
        (
            ["train", "small.json", "-s", "new", "--recover"],
            "--recover specified but serialization_dir (new)",
        ),
        (
            ["train", "small.json", "-s", "small.json"],
            "small.json: a part of this path is a file, expected a folder",
        ),
        (["train", "small.json", "-s", "new", "--include-package", "nothing"], "nothing: no such package"),
        (
            ["train", "nowhere/else.json", "-s", "new"],
            "nowhere/else.json: no such config; coref-rc configs lists",
        ),
        (["build-vocab", "small.json", "vocabulary"], "expected a name that ends in .tar.gz"),
        (["build-vocab", "small.json", "half.tar.gz"], "half.tar.gz is there already; -f replaces it"),
        (["evaluate", "nowhere.tar.gz", "test"], "nowhere.tar.gz: no such archive"),
        (["evaluate", "small.json", "test"], "small.json: found a damaged archive"),
        (["evaluate", "output/quick_start", "tset"], "qa2_tset.txt: no such file"),
        (
            ["evaluate", "output/quick_start", "test", "--cuda-device", "0"],
            "--cuda-device: found 0, but this machine",
        ),
        (
            ["evaluate", "output/quick_start", "test", "--output-file", "x/y"],
            "x/y: found no folder x to write it to",
        ),
        (
            [
                "evaluate",
                "output/quick_start",
                "test",
                "--output-file",
                "new",
                "--predictions-output-file",
                "./new",
            ],
            "./new: found the same file for two outputs, expected another for each",
        ),
        (
            ["evaluate", "output/quick_start", "test", "-o", '{"model.nosuch": 1}'],
            "the config gives GAReader a value that it refuses",
        ),
        (
            ["predict", "output/quick_start", "small.json", "--output-file", "./small.json"],
            "./small.json: found the input as output too, expected another file",
        ),
        (
            ["predict", "output/quick_start", "small.json", "--predictor", "span_reader"],
            "found the predictor SpanReaderPredictor for the model GAReader, expected cloze_reader",
        ),
        (
            ["diff", "output/quick_start/best.th", "trainer.th"],
            "trainer.th: found 'epoch', which is not a tensor",
        ),
        (
            ["print-results", "nowhere", "--keys", "accuracy"],
            "nowhere: no such folder, expected one of trainings",
        ),
        *(
            (words, f"{path}: found a device or a pipe, expected a file")
            for path in ("pipe", "/dev/zero")
            for words in (
                ["predict", path, "small.json"],
                ["predict", "output/quick_start", path],
                ["evaluate", path, "test"],
                ["train", path, "-s", "new"],
                ["check", path],
                ["card", path],
                ["compare", path, path],
                ["annotate", "--resolve", path],
                ["draw", "clusters", path, "new"],
                ["data", "folds", path, "new"],
                ["reproduce", "--conditions", path, "--list"],
            )
        ),
        (
            ["annotate", "/dev/zero", "new", "--annotator", "sieve_coref"],
            "/dev/zero: found a device, expected a file, a pipe or - (standard input)\n",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_other_mistakes(words, message, clone, monkeypatch, capsys):
    monkeypatch.chdir(clone)
    monkeypatch.setattr("torch.cuda.device_count", lambda: 0)
    status, error = screen(words, capsys)
    assert status == 2 and error.startswith("coref-rc: ") and message in error
    assert not os.path.exists("new") and os.path.getsize("small.json")


@pytest.mark.parametrize(
    "key, value, message",
    [
        (
            "trainer.optimizer.lr",
            -1,
            "trainer.optimizer: the config gives AdamOptimizer .* Invalid learning rate: -1",
        ),
        (
            "trainer.use_amp",
            True,
            "trainer: the config gives GradientDescentTrainer .* requires a cuda device",
        ),
        (
            "trainer.momentum_scheduler",
            {"type": "inverted_triangular", "cool_down": 2, "warm_up": 2},
            "trainer.momentum_scheduler: the config gives InvertedTriangular .*momentum",
        ),
        ("model.dropout", None, "model.dropout: found null"),
        ("model.initializer", {"regexes": [["x"]]}, "model: the config gives GAReader "),
        (
            "model.initializer",
            {"regexes": [["(", {"type": "normal"}]]},
            "model.initializer.regexes.0: found .*missing ",
        ),
        (
            "model.passage_encoders",
            [{"type": "mage_gru", "input_size": 8, "hidden_size": 8, "state_sizes": {"coref": None}}],
            "model.*MageGRU.*state_sizes.*",
        ),
        (
            "model.text_field_embedder.token_embedders.tokens.embedding_dim",
            10**14,
            "model.text_field_embedder.token_embedders.tokens: the config gives Embedding .* memory",
        ),
    ],
)
def test_a_value_that_is_refused_after_the_data_are_read(key, value, message, clone, monkeypatch, capsys):
    monkeypatch.chdir(clone)
    monkeypatch.setattr("torch.cuda.device_count", lambda: 0)
    with pytest.raises(SystemExit) as stop:
        main(["train", "small.json", "-s", "new", "-o", json.dumps({key: value})])
    error = capsys.readouterr().err
    assert (
        stop.value.code == 2
        and re.fullmatch(f"coref-rc: .*{message}.*\n", error)
        and not os.path.exists("new")
    )


def test_a_full_disk(clone, monkeypatch, capsys):
    monkeypatch.chdir(clone)
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    status, error = screen(["evaluate", "output/quick_start", "test", "--output-file", "/dev/full"], capsys)
    full = "coref-rc: /dev/full: no space is left on the disk; free space, then give the command again\n"
    assert (status, error) == (2, full)


@pytest.mark.parametrize("earlier", [False, True])
def test_an_evaluation_on_a_full_disk_leaves_no_half_file(earlier, clone, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(clone)
    outputs = [tmp_path / "metrics.json", tmp_path / "answers.jsonl"]
    for output in outputs[: 2 * earlier]:
        output.write_text("earlier")
    before = {path: path.read_text() for path in tmp_path.iterdir()}
    words = ["evaluate", "output/quick_start", "test", "--output-file", outputs[0]]
    with files_of_at_most(100):
        status, error = screen([*map(str, words), "--predictions-output-file", str(outputs[1])], capsys)
    assert status == 2 and "free space, then give the command again" in error
    assert {path: path.read_text() for path in tmp_path.iterdir()} == before


def test_an_interruption_says_how_to_go_on(clone, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(clone)
    folder = str(tmp_path / "run")
    monkeypatch.setattr(
        "allennlp.training.gradient_descent_trainer.GradientDescentTrainer._validation_loss",
        interrupted_after(1),
    )
    with pytest.raises(SystemExit) as stop:
        main(["train", "small.json", "-s", folder, "-o", '{"trainer.num_epochs": 2}'])
    assert stop.value.code == 130
    error = capsys.readouterr().err
    assert (
        f"coref-rc: stopped; {folder}/model.tar.gz has the best model so far; the same command with --recover"
        in error
    )
    assert "Traceback" not in error


def test_an_interruption_of_predict_says_where_its_answers_are(clone, monkeypatch, capsys):
    monkeypatch.chdir(clone)
    monkeypatch.setattr(
        "allennlp_coref_rc.commands.allennlp_predict.Manager.run", Mock(side_effect=KeyboardInterrupt)
    )
    words = [
        "predict",
        "output/quick_start",
        "test",
        "--use-dataset-reader",
        "--output-file",
        "answers.jsonl",
    ]
    assert screen(words, capsys) == (130, "\ncoref-rc: stopped; answers.jsonl.part has the answers so far\n")


def interrupted_after(number):
    """AllenNLP's validation, stopped after some epochs."""
    from allennlp.training.gradient_descent_trainer import GradientDescentTrainer

    validate = GradientDescentTrainer._validation_loss

    def stop(trainer, epoch):
        if epoch == number:
            raise KeyboardInterrupt
        return validate(trainer, epoch)

    return stop


@pytest.mark.slow
def test_after_a_mistake_the_same_command_works(clone, monkeypatch):
    monkeypatch.chdir(clone)
    train = ["train", "small.json", "-s", "output/again"]
    with pytest.raises(SystemExit) as stop:
        main([*train, "-o", '{"train_data_path": "broken.jsonnet"}'])
    assert stop.value.code == 2 and not (clone / "output" / "again").exists()
    main(train)
    assert (clone / "output" / "again" / "model.tar.gz").exists()
