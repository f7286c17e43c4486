"""Training goes on from a checkpoint that is whole, or says which file is damaged."""

from types import SimpleNamespace

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.training.trainer import TrainerCheckpoint

from allennlp_coref_rc.training import ExactCheckpointer
from allennlp_coref_rc.training.exact_checkpointer import recoverable


def path(folder, kind, epoch):
    return folder / f"{kind}_state_e{epoch}_b0.th"


def write(folder, epoch, is_best=False):
    random_states = {"cpu": torch.get_rng_state(), "cuda": None}
    tracker = {"is_best_so_far": is_best}
    state = {"epochs_completed": epoch, "metric_tracker": tracker, "random_states": random_states}
    torch.save({"weight": torch.full((9, 9), float(epoch))}, path(folder, "model", epoch))
    torch.save(state, path(folder, "training", epoch))


def cut(file):
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def flip(file):
    """Flips a bit of a weight, which PyTorch does not notice."""
    content = bytearray(file.read_bytes())
    weight = bytes(torch.full((9, 9), 1.0).numpy().tobytes())
    content[content.index(weight) + 3] ^= 64
    file.write_bytes(bytes(content))


def empty(file):
    file.write_bytes(b"")


def other(file):
    torch.save([1], file)


def load(folder):
    state = torch.get_rng_state()
    try:
        return ExactCheckpointer(str(folder), keep_most_recent_by_count=3).load_checkpoint()
    finally:
        torch.set_rng_state(state)


@pytest.mark.parametrize("damage", [cut, flip, empty, other])
@pytest.mark.parametrize("kind", ["model", "training"])
def test_the_newest_checkpoint_takes_the_place_of_a_damaged_one(tmp_path, caplog, damage, kind):
    for epoch in (1, 2):
        write(tmp_path, epoch)
    if (kind, damage) == ("training", flip):
        damage = cut
    damage(path(tmp_path, kind, 1))
    loaded = load(tmp_path)
    assert loaded.trainer_state["epochs_completed"] == 2
    assert torch.equal(loaded.model_state["weight"], torch.full((9, 9), 2.0))
    assert f"{path(tmp_path, kind, 1)}: found a damaged checkpoint" in caplog.text


def test_an_earlier_one_does_if_the_newest_one_s_best_weights_may_be_missing(tmp_path):
    for epoch in (1, 2, 3):
        write(tmp_path, epoch, is_best=epoch == 3)
    cut(path(tmp_path, "model", 2))
    assert load(tmp_path).trainer_state["epochs_completed"] == 1


@pytest.mark.parametrize("newest", [cut, None])
def test_without_any_other_the_damaged_one_is_named(tmp_path, newest):
    for epoch in (1, 2):
        write(tmp_path, epoch, is_best=True)
    cut(path(tmp_path, "model", 1))
    if newest:
        newest(path(tmp_path, "model", 2))
    with pytest.raises(ConfigurationError) as error:
        load(tmp_path)
    assert str(error.value).startswith(f"{path(tmp_path, 'model', 1)}: found a damaged checkpoint")
    assert "found no other to resume from" in str(error.value)


def test_the_folder_may_have_any_name(tmp_path):
    """AllenNLP's own takes it for a pattern: it would find no checkpoint to go on from, and remove none."""
    folder = tmp_path / "[seed] 1"
    folder.mkdir()
    checkpointer = ExactCheckpointer(str(folder), keep_most_recent_by_count=2)
    for epoch in (1, 2, 3):
        state = {"epochs_completed": epoch, "batches_in_epoch_completed": 0, "metric_tracker": {}}
        checkpoint = TrainerCheckpoint({"weight": torch.ones(1)}, state)
        trainer = SimpleNamespace(
            get_checkpoint_state=lambda c=checkpoint: c, cuda_device=torch.device("cpu")
        )
        checkpointer.save_checkpoint(trainer)
        assert recoverable(str(folder)) == (epoch > 1)
    kept = {path(folder, kind, epoch) for kind in ("model", "training") for epoch in (2, 3)}
    assert set(folder.iterdir()) == kept
    assert load(folder).trainer_state["epochs_completed"] == 2
