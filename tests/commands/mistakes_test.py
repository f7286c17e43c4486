"""Typical mistakes. docs/mistakes.md has each of them, and what the screen says about it."""

import json
import os
import re
import shlex

import pytest
import torch
from allennlp.data import Vocabulary

from allennlp_coref_rc.__main__ import main
from allennlp_coref_rc.config_check import trial
from tests.safe_archives.crafted import run
from tests.shared import PROJECT
from tests.stops import files_of_at_most
from tests.training_config.configs import write_small

PAGE = PROJECT / "docs" / "mistakes.md"

MISTAKES = re.findall(
    r"^## (.+?)\n.*?^```console\n\$ (.+?)\n(.+?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL
)
assert len(MISTAKES) >= 8


READER = "output/quick_start"


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A folder with what a clone has, a small trained model, and files with mistakes in them."""
    folder = tmp_path_factory.mktemp("clone")
    for name in ("allennlp_coref_rc", "training_config"):
        (folder / name).symlink_to(PROJECT / name)
    write_small(folder, "ga_coref_gru")
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
    (folder / "texts.txt").write_text("Mary left .\n")
    (folder / "half.tar.gz").write_bytes(archive[: len(archive) // 2])
    return folder


def screen(words, capsys):
    capsys.readouterr()
    status, out, err = run(capsys, *words)
    assert out == ""
    return status, err


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
def test_a_paragraph_in_a_process_of_its_own(clone, run_command):
    """No traceback."""
    result = run_command("allennlp_coref_rc", "train", "small.json", "-s", READER, folder=clone)
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
        (
            """train small.json -s new --node-rank 1 -o '{"distributed": {"cuda_devices": [-1, -1]}}'""",
            "--node-rank 1: found 1 node, numbered from 0",
        ),
        (
            "evaluate READER test --embedding-sources-mapping '{}'",
            "--embedding-sources-mapping: found no --extend-vocab, expected both",
        ),
        (
            "evaluate READER test --extend-vocab --embedding-sources-mapping x=1",
            "--embedding-sources-mapping x=1: found no JSON object",
        ),
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
        ("evaluate READER test,valid --output-file one.json", "found the input 'test,valid' and 1 output"),
        ("evaluate READER test,valid --output-file x,x", "x: found the same file for two outputs"),
        ("print-results nowhere --keys accuracy", "nowhere: no such folder, expected one of trainings"),
        ("print-results .", "--keys: found nothing, expected names of metrics"),
        ("predict READER small.json --batch-size 0", "--batch-size: found 0, expected 1 or more"),
        ("""evaluate READER test -o '{"model.nosuch": 1}'""", "the config gives GAReader a value that it"),
        (
            """evaluate READER test -o '{"validation_data_loader.batches_per_epoch": 1}'""",
            "data_loader.batches_per_epoch: found 1, by which a part of the data would be left out",
        ),
        ("build-vocab small.json words", "words: expected a name that ends in .tar.gz"),
        ("build-vocab small.json half.tar.gz", "half.tar.gz is there already; --force overwrites it"),
        ("build-vocab small.json small.json/words.tar.gz", "small.json is not a folder, expected one"),
        ("predict READER small.json --predictor-args x", "--predictor-args x: found no JSON object"),
        ("""predict READER small.json --predictor-args '{"explain": "false"}'""", "explain is 'false', exp"),
        ("predict READER small.json --predictor-args []", "--predictor-args []: found no JSON object"),
        ("diff trainer.th trainer.th", "trainer.th: found 1 as epoch, expected tensors by their names"),
        ("predict READER small.json --output-file ./small.json", "./small.json: found the input as output"),
        ("predict READER small.json --predictor span_reader", "SpanReaderPredictor for the model GAReader"),
        ("push-to-hf -s mine -n mine", "push-to-hf: it does not work with current releases"),
        ("annotate texts.txt new", "expected --annotator"),
        ("annotate texts.txt new --annotator no_such_annotator", "no_such_annotator"),
        ("annotate texts.txt new --format brat", "texts.txt: found another ending, expected .ann"),
        ("annotate texts.txt new --format brat --reader annotated_babi", "found --reader and --format"),
        ("annotate texts.txt new --annotator exact_match_coref --check x", "expected files alone"),
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
CUT_SAMPLER = {"validation_data_loader": None, "data_loader.batch_sampler.drop_last": True}
EMBEDDER = "model.text_field_embedder.token_embedders.tokens"


@pytest.mark.parametrize(
    "key, value, message",
    [
        ("trainer.optimizer.lr", -1, "trainer.optimizer: .* AdamOptimizer .* Invalid learning rate: -1"),
        ("trainer.use_amp", True, "trainer: .* GradientDescentTrainer .* requires a cuda device"),
        ("trainer.momentum_scheduler", SCHEDULER, "trainer.momentum_scheduler: .*Triangular .*momentum"),
        ("model.dropout", None, "model.dropout: found null"),
        ("model.initializer", {"regexes": [["x"]]}, "model: the config gives GAReader "),
        ("model.initializer", {"regexes": [["(", "normal"]]}, "model.initializer.regexes.0: .*missing "),
        ("trainer.no_grad", ["question", "embeder"], "trainer.no_grad.1: found 'embeder', .* a name such"),
        # These are found before.
        (None, {"evaluate_on_test": True, "test_data_path": None}, "evaluate_on_test: .*without a test_data"),
        (None, {"trainer.patience": 1, "validation_data_path": None}, "trainer.patience: .*without a valid"),
        (None, {"validation_data_loader": None, "data_loader.drop_last": True}, "data_loader.drop_last: "),
        (None, CUT_SAMPLER, "data_loader.batch_sampler.drop_last: "),
        ("vocabulary", {"non_padded_namespaces": []}, "vocabulary: found padding among the answers"),
        ("vocabulary", {"type": "from_files", "directory": "words"}, "found 0 labels of .*extend"),
        ("vocabulary", {"max_vocab_size": {"tokns": 3}}, "vocabulary.max_vocab_size: .* tokns, .* tokens"),
        ("model.passage_encoders", [MAGE], "model.*MageGRU.*state_sizes.*"),
        (f"{EMBEDDER}.embedding_dim", 10**14, f"{EMBEDDER}: the config gives Embedding .* memory"),
    ],
)
def test_a_value_that_is_refused_after_the_data_are_read(key, value, message, clone, monkeypatch, capsys):
    monkeypatch.chdir(clone)
    monkeypatch.setattr("torch.cuda.device_count", lambda: 0)
    overrides = json.dumps({key: value} if key else value)
    status, _, error = run(capsys, "train", "small.json", "-s", "new", "-o", overrides)
    error = re.sub("^(WARNING: vocabulary: .*\n)+", "", error)
    assert status == 2 and re.fullmatch(f"coref-rc: .*{message}.*\n", error) and not os.path.exists("new")


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
