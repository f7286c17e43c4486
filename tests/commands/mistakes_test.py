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
from allennlp.data import Vocabulary

from allennlp_coref_rc.__main__ import main
from allennlp_coref_rc.config_check import trial
from tests.safe_archives.crafted import run
from tests.shared import PROJECT
from tests.stops import files_of_at_most
from tests.training_config.configs import load_small

PAGE = PROJECT / "docs" / "mistakes.md"

MISTAKES = re.findall(
    r"^## (.+?)\n.*?^```console\n\$ (.+?)\n(.+?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL
)


READER = "output/quick_start"


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
        main(["train", "small.json", "-s", READER])
    torch.save({"epoch": 1}, folder / "trainer.th")
    (folder / "broken.jsonnet").write_text("{ trainer: { num_epochs: 5 }\n")
    archive = (folder / "output" / "quick_start" / "model.tar.gz").read_bytes()
    os.mkfifo(folder / "pipe")
    words = Vocabulary()
    words.add_tokens_to_namespace(["Mary"])
    words.save_to_files(str(folder / "words"))
    (folder / "own.preds").touch()
    (folder / "half.tar.gz").write_bytes(archive[: len(archive) // 2])
    return folder


def screen(words, capsys):
    capsys.readouterr()
    status, out, err = run(capsys, *words)
    assert out == ""
    return status, err


def test_there_are_some():
    assert len(MISTAKES) >= 8


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
    command = [sys.executable, "-m", "allennlp_coref_rc", "train", "small.json", "-s", READER]
    result = subprocess.run(command, cwd=clone, capture_output=True, text=True)
    assert result.returncode == 2 and result.stdout == ""
    assert re.fullmatch(rf"coref-rc: Serialization directory \({READER}\) .*\n", result.stderr)


def test_a_good_config_is_said_to_be_good(clone, monkeypatch, capsys):
    monkeypatch.chdir(clone)
    main(["check", "training_config/babi/quick_start.jsonnet"])
    assert capsys.readouterr().out == "training_config/babi/quick_start.jsonnet: no errors\n"
    monkeypatch.setattr(trial, "LARGE_FILE", 1)
    main(["check", "training_config/babi/quick_start.jsonnet"])
    _, *sizes = capsys.readouterr().out.splitlines()
    numbers = {"train": "900", "validation": "100", "test": "1,000"}
    found = [line.partition(";")[0] for line in sizes]
    assert found == [f"{key}_data_path: {n} items" for key, n in numbers.items()]


@pytest.mark.parametrize(
    "command, message",
    [
        ("train small.json -s new --recover", "--recover specified but serialization_dir (new)"),
        ("train small.json -s small.json", "small.json: a part of this path is a file, expected a folder"),
        ("train small.json -s new --node-rank 1", "--node-rank 1: found no `distributed` in the config"),
        ("find-lr small.json -s new --start-lr 0", "--start-lr: found 0.0, expected a number above 0"),
        ("train small.json -s new --include-package nothing", "nothing: no such package"),
        ("train nowhere/else.json -s new", "nowhere/else.json: no such config; coref-rc configs lists"),
        ("evaluate nowhere.tar.gz test", "nowhere.tar.gz: no such archive"),
        ("evaluate small.json test", "small.json: found a damaged archive"),
        ("evaluate READER tset", "qa2_tset.txt: no such file"),
        ("evaluate READER test --cuda-device 0", "--cuda-device: found 0, but this machine"),
        ("evaluate READER test --output-file x/y", "x/y: found no folder x to write it to"),
        ("evaluate READER ''", "found the input '' and 0 outputs, expected files or splits"),
        ("evaluate READER test,x/test", "expected files of different names, after which metrics are named"),
        ("evaluate READER own.preds --output-file own.preds", "own.preds: found the input as output too"),
        ("evaluate READER test --auto-names ALL", "--auto-names ALL: AllenNLP ignores it, expected --output"),
        ("predict READER small.json --output-file x.gz", "x.gz: found the name of a compressed file"),
        ("annotate --check small.json --resolve small.json", "--check: found --resolve too, expected files"),
        ("annotate --resolve small.json --format conllu", "--resolve: found --format too, expected files"),
        ("compare a b --ensemble x --format json", "found --ensemble and --format, expected one of them"),
        ("reproduce --figures new --list", "--figures: found no --report, expected both"),
        ("reproduce --runs-per-gpu 2", "--runs-per-gpu: found no --gpus, expected both"),
        ("reproduce --workers 2 --gpus 0", "found --workers and --gpus, expected one of them"),
        ("reproduce --report --tasks 2", "--report: found --tasks too, expected it for all runs"),
        ("reproduce --write-results x --seeds 1", "--write-results: found --seeds too, expected it for all"),
        (
            """train small.json -s new -o '{"evaluate_on_test": true, "test_data_path": null}'""",
            "evaluate_on_test: found true without a test_data_path, expected both",
        ),
        (
            """train small.json -s new -o '{"trainer.patience": 1, "validation_data_path": null}'""",
            "trainer.patience: found it without a validation_data_path, expected both",
        ),
        (
            """train small.json -s new -o '{"validation_data_loader": null, "data_loader.drop_last": true}'""",
            "data_loader.drop_last: found true, expected a validation_data_loader without it",
        ),
        (
            "evaluate READER test,valid --output-file one.json",
            "found the input 'test,valid' and 1 output, expected",
        ),
        (
            "evaluate READER test,valid --output-file x.json,x.json",
            "x.json: found the same file for two outputs",
        ),
        ("print-results nowhere --keys accuracy", "nowhere: no such folder, expected one of trainings"),
        ("print-results .", "--keys: found nothing, expected names of metrics"),
        ("predict READER small.json --batch-size 0", "--batch-size: found 0, expected 1 or more"),
        (
            """evaluate READER test -o '{"model.nosuch": 1}'""",
            "the config gives GAReader a value that it refuses",
        ),
        ("build-vocab small.json words", "words: expected a name that ends in .tar.gz"),
        ("build-vocab small.json half.tar.gz", "half.tar.gz is there already; --force overwrites it"),
        (
            "build-vocab small.json small.json/words.tar.gz",
            "small.json is not a folder, expected one to write",
        ),
        (
            "predict READER small.json --predictor-args explain",
            "--predictor-args explain: found no JSON object",
        ),
        (
            """predict READER small.json --predictor-args '{"explain": "false"}'""",
            "explain is 'false', expected true or false",
        ),
        ("predict READER small.json --predictor-args []", "--predictor-args []: found no JSON object"),
        ("diff trainer.th trainer.th", "trainer.th: found 1 as epoch, expected tensors by their names"),
        (
            "predict READER small.json --output-file ./small.json",
            "./small.json: found the input as output too, expected another file",
        ),
        (
            "predict READER small.json --predictor span_reader",
            "found the predictor SpanReaderPredictor for the model GAReader, expected cloze_reader",
        ),
        *(
            (command, "pipe: found a device or a pipe, expected a file")
            for command in (
                "predict pipe small.json",
                "predict READER pipe",
                "evaluate pipe test",
                "train pipe -s new",
                "check pipe",
                "card pipe",
                "compare pipe small.json",
                "annotate --resolve pipe",
                "draw clusters pipe new",
                "data folds pipe new",
                "reproduce --conditions pipe --list",
            )
        ),
        ("predict READER /dev/zero", "/dev/zero: found a device or a pipe, expected a file"),
        ("annotate /dev/zero new --annotator sieve_coref", "/dev/zero: found a device, expected a file, a"),
    ],
)
def test_other_mistakes(command, message, clone, monkeypatch, capsys):
    monkeypatch.chdir(clone)
    monkeypatch.setattr("torch.cuda.device_count", lambda: 0)
    status, error = screen(shlex.split(command.replace("READER", READER)), capsys)
    assert status == 2 and error.startswith("coref-rc: ") and message in error
    assert not os.path.exists("new") and os.path.getsize("small.json")


SCHEDULER = {"type": "inverted_triangular", "cool_down": 2, "warm_up": 2}
MAGE = {"type": "mage_gru", "input_size": 8, "hidden_size": 8, "state_sizes": {"coref": None}}
EMBEDDER = "model.text_field_embedder.token_embedders.tokens"


@pytest.mark.parametrize(
    "key, value, message",
    [
        ("trainer.optimizer.lr", -1, "trainer.optimizer: .* AdamOptimizer .* Invalid learning rate: -1"),
        ("trainer.use_amp", True, "trainer: .* GradientDescentTrainer .* requires a cuda device"),
        (
            "trainer.momentum_scheduler",
            SCHEDULER,
            "trainer.momentum_scheduler: .* InvertedTriangular .*momentum",
        ),
        ("model.dropout", None, "model.dropout: found null"),
        ("model.initializer", {"regexes": [["x"]]}, "model: the config gives GAReader "),
        (
            "model.initializer",
            {"regexes": [["(", {"type": "normal"}]]},
            "model.initializer.regexes.0: .*missing ",
        ),
        (
            "trainer.no_grad",
            ["question", "embeder"],
            "trainer.no_grad.1: found 'embeder', .* a name such as ",
        ),
        ("vocabulary", {"non_padded_namespaces": []}, "vocabulary: found padding among the answers"),
        (
            "vocabulary",
            {"type": "from_files", "directory": "words"},
            "found 0 labels of .* candidate_labels, .*extend",
        ),
        ("vocabulary", {"max_vocab_size": {"tokns": 3}}, "vocabulary.max_vocab_size: .* tokns, .* tokens"),
        ("model.passage_encoders", [MAGE], "model.*MageGRU.*state_sizes.*"),
        (f"{EMBEDDER}.embedding_dim", 10**14, f"{EMBEDDER}: the config gives Embedding .* memory"),
    ],
)
def test_a_value_that_is_refused_after_the_data_are_read(key, value, message, clone, monkeypatch, capsys):
    monkeypatch.chdir(clone)
    monkeypatch.setattr("torch.cuda.device_count", lambda: 0)
    status, _, error = run(capsys, "train", "small.json", "-s", "new", "-o", json.dumps({key: value}))
    error = re.sub("^(WARNING: vocabulary: .*\n)+", "", error)
    assert status == 2 and re.fullmatch(f"coref-rc: .*{message}.*\n", error) and not os.path.exists("new")


def test_a_full_disk(clone, monkeypatch, capsys):
    monkeypatch.chdir(clone)
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    status, error = screen(["evaluate", READER, "test", "--output-file", "/dev/full"], capsys)
    full = "coref-rc: /dev/full: no space is left on the disk; free space, then give the command again\n"
    assert (status, error) == (2, full)


@pytest.mark.parametrize("earlier", [False, True])
def test_an_evaluation_on_a_full_disk_leaves_no_half_file(earlier, clone, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(clone)
    outputs = [tmp_path / "metrics.json", tmp_path / "answers.jsonl"]
    for output in outputs[: 2 * earlier]:
        output.write_text("earlier")
    before = {path: path.read_text() for path in tmp_path.iterdir()}
    words = ["evaluate", READER, "test", "--output-file", outputs[0]]
    with files_of_at_most(100):
        status, error = screen([*map(str, words), "--predictions-output-file", str(outputs[1])], capsys)
    assert status == 2 and "free space, then give the command again" in error
    assert {path: path.read_text() for path in tmp_path.iterdir()} == before


def test_an_interruption_of_predict_says_where_its_answers_are(clone, monkeypatch, capsys):
    monkeypatch.chdir(clone)
    stop = Mock(side_effect=KeyboardInterrupt)
    monkeypatch.setattr("allennlp_coref_rc.commands.allennlp_predict.Manager.run", stop)
    words = ["predict", READER, "test", "--use-dataset-reader", "--output-file", "answers.jsonl"]
    assert screen(words, capsys) == (130, "\ncoref-rc: stopped; answers.jsonl.part has the answers so far\n")


@pytest.mark.slow
def test_after_a_mistake_the_same_command_works(clone, monkeypatch):
    monkeypatch.chdir(clone)
    train = ["train", "small.json", "-s", "output/again"]
    with pytest.raises(SystemExit) as stop:
        main([*train, "-o", '{"train_data_path": "broken.jsonnet"}'])
    assert stop.value.code == 2 and not (clone / "output" / "again").exists()
    main(train)
    assert (clone / "output" / "again" / "model.tar.gz").exists()
