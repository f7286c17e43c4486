"""AllenNLP's loggers, workers and checkpoints."""

import json
import multiprocessing
import os
import random
import signal
import sys
import time
from collections import deque
from contextlib import suppress
from itertools import repeat
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock, create_autospec

import pytest
import torch
import wandb
from allennlp.common import Params
from allennlp.data import DatasetReader, Instance, Vocabulary
from allennlp.data.data_loaders import MultiProcessDataLoader, SimpleDataLoader
from allennlp.data.fields import MetadataField, TextField
from allennlp.models import Model
from allennlp.modules.seq2vec_encoders import CnnEncoder
from allennlp.nn import Module
from allennlp.training import Checkpointer, GradientDescentTrainer
from allennlp.training.callbacks import TrainerCallback
from allennlp.training.metric_tracker import MetricTracker
from allennlp.training.optimizers import AdamOptimizer
from allennlp.training.trainer import TrainerCheckpoint

from allennlp_coref_rc.__main__ import main
from allennlp_coref_rc.safe_archives.archives import guards, trusting
from allennlp_coref_rc.safe_archives.registered_names import only_registered
from allennlp_coref_rc.safe_archives.unpacking import without_network
from tests.training_config.configs import write_small


class OneWeight(Model):
    def __init__(self):
        super().__init__(Vocabulary())
        self.weight = torch.nn.Parameter(torch.tensor([1.0, 3.0]))

    def forward(self, **_):
        return {"loss": self.weight.square().sum()}


def train(callback, folder):
    (folder / "config.json").write_text('{"a": 1}')
    model = OneWeight()
    loader = SimpleDataLoader([Instance({"text": TextField([], {})})] * 3, 1)
    loader.index_with(model.vocab)
    optimizer = AdamOptimizer(list(model.named_parameters()), lr=0.1)
    callback = TrainerCallback.from_params(Params(callback), serialization_dir=str(folder))
    options = {"serialization_dir": str(folder), "callbacks": [callback], "cuda_device": -1}
    GradientDescentTrainer(model, optimizer, loader, num_epochs=2, **options).train()
    return callback


def test_weights_and_biases_gets_losses_and_an_id(tmp_path, monkeypatch):
    """A stand-in for the package, which would start a server; `init` has the package's signature."""
    names = ("save", "watch", "log", "finish")
    fake = SimpleNamespace(
        util=wandb.util, init=create_autospec(wandb.init), **{name: Mock() for name in names}
    )
    monkeypatch.setitem(sys.modules, "wandb", fake)
    callback = train({"type": "wandb", "project": "babi", "summary_interval": 1}, tmp_path)
    (started,) = fake.init.call_args_list
    assert started.kwargs["project"] == "babi" and started.kwargs["config"] == {"a": 1}
    assert started.kwargs["id"] == callback.state_dict()["run_id"] and len(started.kwargs["id"]) == 8
    logged = [call.args[0] for call in fake.log.call_args_list]
    losses = [values["train/batch_loss"] for values in logged if "train/batch_loss" in values]
    assert len(losses) == 6 and losses[0] == 10.0 and losses == sorted(losses, reverse=True)
    assert fake.finish.called


class Endless(DatasetReader):
    def _read(self, file_path):
        Path(file_path, str(os.getpid())).touch()
        yield from repeat(Instance({"text": TextField([], {})}))

    def apply_token_indexers(self, instance):
        pass


@pytest.mark.slow
@pytest.mark.parametrize("fails", ["in its queue", "reading"])
def test_workers_end_with_a_training_that_is_killed(fails, tmp_path, monkeypatch):
    if fails == "reading":
        monkeypatch.setattr(
            Endless, "_read", lambda self, path: (Path(path, str(os.getpid())).touch(), time.sleep(600))
        )

    def load():
        options = {"batch_size": 1, "num_workers": 2, "max_instances_in_memory": 9}
        loader = MultiProcessDataLoader(Endless(manual_multiprocess_sharding=True), tmp_path, **options)
        loader.index_with(Vocabulary())
        deque(loader, maxlen=0)

    parent = multiprocessing.get_context("fork").Process(target=load)
    parent.start()
    wait_until(lambda: len(os.listdir(tmp_path)) == 2)
    parent.kill()
    parent.join()
    workers = [int(pid) for pid in os.listdir(tmp_path)]
    try:
        wait_until(lambda: not any(map(is_running, workers)))
    finally:
        for worker in filter(is_running, workers):
            os.kill(worker, signal.SIGKILL)


class Told(DatasetReader):
    """Tells what holds in the process that reads."""

    def _read(self, file_path):
        threads = torch.get_num_threads() if file_path == "fork" else 1
        yield Instance({"told": MetadataField((random.random(), guards(), threads))})

    def apply_token_indexers(self, instance):
        pass


@pytest.mark.parametrize("start_method", ["fork", pytest.param("spawn", marks=pytest.mark.slow)])
def test_a_worker_trusts_archives_and_draws_numbers_as_its_parent(start_method):
    torch.set_num_threads(2)
    random.seed(5)
    expected = random.random()
    random.seed(5)
    with trusting(False), only_registered("a"), without_network("b"):
        loader = MultiProcessDataLoader(
            Told(), start_method, batch_size=1, num_workers=1, start_method=start_method, quiet=True
        )
    (told,) = loader.iter_instances()
    assert told["told"].metadata == (expected, [False, True, "b"], 1)


def wait_until(holds):
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def is_running(process):
    """A process that has ended may wait for its new parent."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def test_a_worker_that_has_ended_needs_no_stop():
    """If the machine is busy, it ends before the loader tells it to."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    with receiver:
        MultiProcessDataLoader._join_workers(Mock(), [], Mock(), [sender])
        assert receiver.recv() == "stop"
    with sender:
        MultiProcessDataLoader._join_workers(Mock(), [], Mock(), [sender])


def save(checkpointer, epochs):
    for epoch in epochs:
        completed = {"epochs_completed": epoch, "batches_in_epoch_completed": 0}
        state = TrainerCheckpoint({"epoch": epoch}, completed)
        checkpointer.save_checkpoint(SimpleNamespace(get_checkpoint_state=lambda state=state: state))


def test_a_folder_that_looks_like_a_pattern_has_checkpoints(tmp_path):
    folder = tmp_path / "runs [1] *?"
    folder.mkdir()
    (tmp_path / "runs 1").mkdir()
    checkpointer = Checkpointer(str(folder), keep_most_recent_by_count=1)
    save(checkpointer, (1, 2))
    assert checkpointer.load_checkpoint().model_state == {"epoch": 2}
    expected = ["model_state_e2_b0.th", "training_state_e2_b0.th"]
    assert sorted(path.name for path in folder.iterdir()) == expected


def test_a_checkpoint_without_its_second_file_is_passed_over(tmp_path):
    checkpointer = Checkpointer(str(tmp_path))
    save(checkpointer, (1, 2))
    assert checkpointer.load_checkpoint().model_state == {"epoch": 2}
    for epoch, expected in ((2, {"epoch": 1}), (1, None)):
        (tmp_path / f"training_state_e{epoch}_b0.th").unlink()
        loaded = checkpointer.load_checkpoint()
        assert (loaded and loaded.model_state) == expected
        assert not (tmp_path / f"model_state_e{epoch}_b0.th").exists()


def test_sharded_weights_are_found_in_a_folder_that_looks_like_a_pattern(tmp_path):
    folder = tmp_path / "runs [1] *?"
    folder.mkdir()
    paths = {str(folder / f"best_w{rank}.th") for rank in range(2)}
    for path in paths:
        torch.save({}, path)
    trainer = Mock(_serialization_dir=str(folder))
    trainer._ddp_wrapped_model.consolidate_sharded_state.side_effect = lambda found: {"found": found}
    GradientDescentTrainer._finalize_best_model_state(trainer)
    assert set(torch.load(folder / "best.th", weights_only=True)["found"]) == paths


@pytest.fixture
def train_command(tmp_path, capsys):
    """Trains a small model that resumes exactly, with changes to its config. Returns the screen."""
    small = write_small(tmp_path, "bi_gru", checkpointer={"type": "exact"})

    def run(folder, changes, *more):
        words = ["train", small, "-s", tmp_path / folder, "-o", json.dumps(changes), *more]
        main(list(map(str, words)))
        return "".join(capsys.readouterr())

    return run


# Nothing is learned, so the first epoch is the best.
FLAT = {"trainer.num_epochs": 9, "trainer.optimizer.lr": 0}

LONGER = {
    "trainer.num_epochs": ({"trainer.num_epochs": 1}, {"trainer.num_epochs": 2}),
    "trainer.patience": ({**FLAT, "trainer.patience": 1}, {**FLAT, "trainer.patience": 3}),
}


@pytest.mark.parametrize("setting", LONGER)
def test_a_training_can_be_continued_for_longer(setting, train_command, tmp_path, capsys):
    shorter, longer = LONGER[setting]
    train_command("at_once", longer)
    train_command("longer", shorter)
    train_command("longer", {**longer, "trainer.cuda_device": -1}, "--recover")
    names = ("training_loss", "validation_loss", "test_loss", "epoch", "best_epoch")
    at_once, continued = (
        json.loads((tmp_path / name / "metrics.json").read_text()) for name in ("at_once", "longer")
    )
    assert [continued[name] for name in names] == [at_once[name] for name in names]
    trainer = json.loads((tmp_path / "longer" / "config.json").read_text())["trainer"]
    assert (trainer["num_epochs"], trainer.get("patience")) == tuple(map(longer.get, LONGER))
    # Smaller numbers, and other settings, are those of another training.
    for changes, message in (
        (shorter, f"found {setting} {shorter[setting]}, expected {longer[setting]}, as in "),
        ({**longer, "trainer.grad_norm": 2}, "found trainer.grad_norm 2, expected nothing, as in "),
    ):
        with pytest.raises(SystemExit):
            train_command("longer", changes, "--recover")
        assert message in capsys.readouterr().err


def test_a_schedule_of_a_whole_training_is_not_continued(train_command, capsys):
    changes = {"trainer.learning_rate_scheduler": {"type": "slanted_triangular"}}
    train_command("run", {**changes, "trainer.num_epochs": 1})
    with pytest.raises(SystemExit):
        train_command("run", {**changes, "trainer.num_epochs": 2}, "--recover")
    assert "with the learning rate schedule slanted_triangular, which ends" in capsys.readouterr().err
    train_command("run", {**changes, "trainer.num_epochs": 1}, "--recover")


@pytest.mark.parametrize("checkpointer", [{}, {"type": "exact"}])
def test_a_training_with_the_schedule_cosine_is_resumed(checkpointer, train_command, tmp_path):
    changes = {
        "trainer.learning_rate_scheduler": {"type": "cosine", "t_initial": 2},
        "trainer.checkpointer": checkpointer,
    }
    train_command("at_once", {**changes, "trainer.num_epochs": 4})
    train_command("longer", {**changes, "trainer.num_epochs": 2})
    train_command("longer", {**changes, "trainer.num_epochs": 4}, "--recover")
    at_once, longer = (
        json.loads((tmp_path / name / "metrics.json").read_text()) for name in ("at_once", "longer")
    )
    assert at_once["epoch"] == longer["epoch"] == 3
    assert at_once["training_loss"] == pytest.approx(longer["training_loss"], rel=1e-6 if checkpointer else 1)


def test_a_training_does_not_go_on_with_other_words(train_command, tmp_path, capsys):
    data = tmp_path / "mine.txt"
    stories = ["1 Mary went to the attic.", "2 Where is Mary?\tattic\t1"]
    changes = {f"{split}_data_path": str(data) for split in ("train", "validation", "test")}
    data.write_text("\n".join(stories))
    train_command("run", {**changes, "trainer.num_epochs": 1})
    words = (tmp_path / "run" / "vocabulary" / "tokens.txt").read_text()
    data.write_text("\n".join(["1 Bill went to the attic.", "2 Where is Bill?\tattic\t1"]))
    with pytest.raises(SystemExit):
        train_command("run", {**changes, "trainer.num_epochs": 2}, "--recover")
    assert "tokens.txt: found other words in the data, or in another order, than" in capsys.readouterr().err
    assert (tmp_path / "run" / "vocabulary" / "tokens.txt").read_text() == words
    data.write_text("\n".join(stories))
    # AllenNLP writes this file in another order in another process.
    namespaces = tmp_path / "run" / "vocabulary" / "non_padded_namespaces.txt"
    namespaces.write_text("\n".join([*reversed(namespaces.read_text().split()), ""]))
    train_command("run", {**changes, "trainer.num_epochs": 2}, "--recover")


def test_the_test_loss_is_that_of_the_best_weights(train_command, tmp_path, monkeypatch):
    """AllenNLP's own checkpoint of the first epoch does not say which they are."""
    first = {"trainer.num_epochs": 1, "trainer.checkpointer": {}}
    train_command("run", first)
    expected = json.loads((tmp_path / "run" / "metrics.json").read_text())["test_loss"]
    (tmp_path / "run").rename(tmp_path / "moved")
    monkeypatch.setattr(MetricTracker, "is_best_so_far", lambda self: False)
    train_command("moved", {**first, "trainer.num_epochs": 2}, "--recover")
    assert json.loads((tmp_path / "moved" / "metrics.json").read_text())["test_loss"] == expected


def test_a_training_that_has_ended_says_how_to_train_longer(train_command):
    # The other checkpointer also keeps the last epoch's.
    changes = {"trainer.num_epochs": 1, "trainer.checkpointer": {}}
    train_command("ended", changes)
    assert "--recover with a larger trainer.num_epochs" in train_command("ended", changes, "--recover")


def test_a_cnn_has_finite_numbers_for_short_words_in_mixed_precision():
    """Also where all activations in full precision are far beyond what a minimum of float16 would hide."""
    torch.manual_seed(0)
    encoder = CnnEncoder(4, 3, (2, 3), output_dim=2)
    tokens = 100 * torch.randn(3, 5, 4)
    mask = torch.arange(5) < torch.tensor([[1], [2], [5]])
    expected = encoder(tokens, mask)
    with torch.autocast("cpu", dtype=torch.float16):
        found = encoder(tokens.half(), mask)
        assert torch.equal(encoder(mask=mask, tokens=tokens.half()), found)
    torch.testing.assert_close(found, expected, rtol=1e-2, atol=0.1, check_dtype=False)
    found.sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in encoder.parameters())


def test_weights_may_be_given_by_name():
    module = Module()
    module.layer = torch.nn.Linear(2, 3)
    weights = {name: value + 1 for name, value in module.state_dict().items()}
    module.load_state_dict(strict=True, state_dict={**weights, "embeddings.position_ids": torch.arange(4)})
    assert all(torch.equal(value, weights[name]) for name, value in module.state_dict().items())
