"""What AllenNLP's commands show when they are run as `coref-rc`."""

import io
import json
import logging
import re
import shutil
import sys
import warnings
from contextlib import redirect_stdout

import pytest
import torch
from allennlp.common import logging as allennlp_logging
from allennlp.common.tqdm import Tqdm

from allennlp_coref_rc.allennlp_runtime.console.quiet import quiet_allennlp, quiet_logs, quiet_screen
from allennlp_coref_rc.commands import allennlp
from tests.training_config.configs import BABI, write_small

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    return write_small(tmp_path_factory.mktemp("config"), "ga_coref_gru", num_epochs=2)


@pytest.fixture(scope="module")
def trained(config, tmp_path_factory):
    """The folders of a quiet run and of a verbose one, and what the quiet one printed."""
    folder = tmp_path_factory.mktemp("runs")
    # Tests that evaluate have left it off, as AllenNLP does.
    logging.getLogger("allennlp.nn.initializers").disabled = False
    with redirect_stdout(io.StringIO()) as screen:
        package = "allennlp_coref_rc.common.version"
        allennlp.run(["train", str(config), "-s", str(folder / "quiet"), "--include-package", package])
    allennlp.run(["train", str(config), "-s", str(folder / "verbose")], verbose=True)
    return folder, screen.getvalue().splitlines()


def test_training_prints_a_line_an_epoch_and_a_closing_block(trained):
    folder, lines = trained
    metrics = [json.loads((folder / "quiet" / f"metrics_epoch_{epoch}.json").read_text()) for epoch in (0, 1)]
    assert lines[0] == f"Log: {folder}/quiet/out.log"
    assert re.fullmatch(r"GAReader with [\d,]+ parameters, trained for up to 2 epochs", lines[1])
    names = "epoch, training loss, training accuracy, validation loss, validation accuracy, seconds"
    assert re.split("  +", lines[2].strip()) == names.split(", ")
    for epoch, line in enumerate(lines[3:5]):
        number, *values = re.split("  +", line.strip())
        names = [f"{split}_{name}" for split in ("training", "validation") for name in ("loss", "accuracy")]
        shown = [metrics[epoch][name] for name in names]
        assert number == f"{epoch + 1}/2"
        assert values[:4] == [f"{value:.4f}" for value in shown]
        assert ("best so far" in line) == (metrics[epoch]["best_epoch"] == epoch)
    closing = "\n".join(lines[5:])
    assert f"the best is epoch {metrics[1]['best_epoch'] + 1}" in closing
    assert f"Archive:   {folder}/quiet/model.tar.gz" in closing
    package = "--include-package allennlp_coref_rc.common.version"
    assert f"coref-rc evaluate {folder}/quiet/model.tar.gz test {package}" in closing
    assert f"--output-file predictions.jsonl {package}" in closing
    assert len(lines) < 20


def test_a_quiet_training_is_that_of_a_verbose_one_to_the_digit(trained):
    folder, _ = trained
    found = (folder / "quiet" / "config.json").read_bytes()
    assert found == (folder / "verbose" / "config.json").read_bytes()
    quiet, verbose = (
        json.loads((folder / name / "metrics.json").read_text()) for name in ("quiet", "verbose")
    )
    varying = [key for key in quiet if key.endswith(("_memory_MB", "training_duration"))]
    assert quiet.keys() == verbose.keys() and len(quiet) - len(varying) > 10
    expected = [verbose[key] for key in quiet if key not in varying]
    assert [quiet[key] for key in quiet if key not in varying] == expected
    weights = [torch.load(folder / name / "best.th") for name in ("quiet", "verbose")]
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[1])


def test_the_log_file_has_what_allennlp_says(trained):
    folder, _ = trained
    quiet, verbose = ((folder / name / "out.log").read_text() for name in ("quiet", "verbose"))
    messages = [
        line.split(" - ", 1)[1] for line in verbose.splitlines() if " - allennlp.nn.initializers - " in line
    ]
    assert len(messages) > 10 and all(message in quiet for message in messages)


def test_evaluate_prints_its_metrics_in_order_and_where_they_are(trained, tmp_path, capsys):
    folder, _ = trained
    archive, output = str(folder / "quiet" / "model.tar.gz"), str(tmp_path / "metrics.json")
    allennlp.run(["evaluate", archive, str(BABI / "qa2_test.txt"), "--output-file", output])
    metrics = json.loads((tmp_path / "metrics.json").read_text())
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[:-1]] == [[key, f"{metrics[key]:.4f}"] for key in sorted(metrics)]
    assert lines[-1] == f"{output}: the metrics"


@pytest.mark.parametrize("read", [True, False])
def test_predict_shows_a_bar_in_a_terminal(trained, tmp_path, monkeypatch, read):
    folder, _ = trained
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    inputs = tmp_path / "inputs.jsonl"
    inputs.write_text(json.dumps({"passage": "Bill went to the park.", "question": "Where is Bill?"}) + "\n")
    data = [str(BABI / "qa2_test.txt"), "--use-dataset-reader"] if read else [str(inputs)]
    archive, output = str(folder / "quiet" / "model.tar.gz"), str(tmp_path / "predictions.jsonl")
    allennlp.run(["predict", archive, *data, "--output-file", output])
    assert "predicting" in terminal.text and "\n" not in terminal.text


def test_only_what_users_have_to_know_is_seen(tmp_path, capsys):
    with quiet_logs():
        warnings.warn("a package's warning", RuntimeWarning, stacklevel=1)
        logging.getLogger("distributed.worker").warning("another's")
        logging.getLogger("allennlp_coref_rc.data").info("what is being read")
        logging.getLogger("allennlp_coref_rc.data").warning("3 questions skipped")
        logging.getLogger("allennlp.common.plugins").error("a plugin could not be loaded")
        with quiet_allennlp():
            allennlp_logging.prepare_global_logging(str(tmp_path))
            logging.getLogger("allennlp.nn").info("initialising")
            logging.getLogger("allennlp.training.optimizers").warning("x does not match any parameter")
    captured = capsys.readouterr()
    assert captured.out == f"Log: {tmp_path}/out.log\n"
    assert captured.err == (
        "WARNING: 3 questions skipped\nERROR: a plugin could not be loaded\n"
        "WARNING: x does not match any parameter\n"
    )
    log = (tmp_path / "out.log").read_text()
    for text in "a package's warning|another's|3 questions skipped|could not be loaded|initialising".split(
        "|"
    ):
        assert text in log


def test_a_process_that_may_not_speak_is_silent(tmp_path, capsys):
    with quiet_screen(speaks=False):
        allennlp_logging.prepare_global_logging(str(tmp_path), rank=1, world_size=2)
        logging.getLogger("allennlp_coref_rc.data").warning("3 questions skipped")
        list(Tqdm.tqdm(range(3)))
    assert capsys.readouterr() == ("", "")
    assert "3 questions skipped" in (tmp_path / "out_worker1.log").read_text()


def test_an_error_goes_to_the_log_with_its_traceback(tmp_path, capsys):
    with pytest.raises(KeyError), quiet_screen():
        allennlp_logging.prepare_global_logging(str(tmp_path))
        {}["missing"]
    assert "Traceback" in (tmp_path / "out.log").read_text()
    assert capsys.readouterr().err == ""


def test_after_a_command_nothing_writes_to_its_log_any_more(config, tmp_path, caplog):
    """Its folder may be gone by then."""
    caplog.set_level(logging.INFO)
    allennlp.run(["train", str(config), "-s", str(tmp_path / "run"), "--dry-run"])
    shutil.rmtree(tmp_path / "run")
    assert list(Tqdm.tqdm([1, 2])) == [1, 2]
    assert not (tmp_path / "run").exists()


def test_logging_is_as_it_was_after_a_command():
    root = logging.getLogger()
    before = root.handlers[:], root.level, sys.excepthook
    with quiet_logs():
        logging.getLogger().setLevel(logging.DEBUG)
    assert (root.handlers[:], root.level, sys.excepthook) == before


class Terminal:
    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text

    def flush(self):
        pass

    def isatty(self):
        return True


def test_one_bar_at_a_time_is_seen_in_a_terminal_and_goes_away(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with quiet_screen():
        for _ in Tqdm.tqdm(range(2), desc="outer", mininterval=0):
            list(Tqdm.tqdm(range(2), desc="inner", mininterval=0))
    assert "outer" in terminal.text and "inner" not in terminal.text and "\n" not in terminal.text
    assert terminal.text.endswith("\r") and terminal.text.split("\r")[-2].strip() == ""
