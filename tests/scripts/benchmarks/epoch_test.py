import io
import json
import sys
import time

import pytest

PARTS = ("data", "forward", "backward", "optimizer", "validation", "checkpoints", "other")


@pytest.fixture
def epoch(load, monkeypatch):
    """Trainings that take turns without a process: the other source tree takes twice as long in each part."""
    epoch = load("epoch")
    turns = []

    class Training(epoch.Training):
        def __init__(self, tree, arguments):
            self.tree, self.epochs, self.start, self.losses = tree, [], 5.0, arguments.config.split("+")

        def epoch(self):
            factor = 1 if self.tree == epoch.TREE else 2
            turns.append(factor)
            times = {part: factor * (i + 1) / 10 for i, part in enumerate(PARTS)}
            metrics = {"training_loss": float(self.losses[0 if factor == 1 else -1])}
            self.epochs.append({"wall": times, "processor": times, "metrics": metrics, "resident": 2**20 * len(turns)})

        def end(self):
            turns.append("end")

    monkeypatch.setattr(epoch, "Training", Training)
    return turns


def test_source_trees_take_turns(epoch, call, tmp_path):
    (tmp_path / "allennlp_coref_rc").mkdir()
    header, this, other = call("epoch", "1.5", "--beside", tmp_path, "--rounds", 2)
    assert epoch == [1, 2] * 3 + ["end"] * 2
    assert header[:3] == ["tree", "start, s", "data, s"]
    assert this == [
        *("this", "5.00", "0.10", "0.20", "0.30", "0.40", "0.50", "0.60", "0.70"),
        *("2.80 (2.80–2.80)", "0.50 (0.50–0.50)", "yes", "5, +4"),
    ]
    assert other[0] == str(tmp_path) and other[-4:] == ["5.60 (5.60–5.60)", "1.00 (1.00–1.00)", "yes", "6, +4"]


def test_losses_that_differ(epoch, call, fails, tmp_path):
    (tmp_path / "allennlp_coref_rc").mkdir()
    assert [row[-2] for row in call("epoch", "1.5+1.5001", "--beside", tmp_path)[1:]] == ["no", "yes"]
    message = fails("epoch", "1.5+1.6", "--beside", tmp_path)
    assert "no figures: after the first epoch" in message and "training_loss 1.5," in message
    assert "found no folder allennlp_coref_rc there" in fails("epoch", "1.5", "--beside", tmp_path / "none")


def test_time_within_a_part_counts_for_it_alone(load):
    watch = load("stopwatch").Stopwatch(PARTS, whole=["validation"])

    class Trainer:
        def outer(self):
            time.sleep(0.02)
            return self.inner()

        def inner(self):
            time.sleep(0.03)
            return 7

    trainer = Trainer()
    watch.time(trainer, "inner", "forward")
    watch.time(trainer, "outer", "optimizer")
    assert trainer.outer() == 7
    with watch.part("validation"):
        trainer.inner()
    watch.lap()
    wall = {part: seconds.wall for part, seconds in watch.seconds.items()}
    # Sleep takes no less than it is told to.
    assert wall["optimizer"] >= 0.02 and wall["forward"] >= 0.03 and wall["validation"] >= 0.03
    assert sum(wall.values()) >= 0.08 and wall["backward"] == 0.0


def test_a_training_ends_where_there_is_no_more_turn(load, monkeypatch):
    timed = load("timed_training")
    monkeypatch.setattr("os._exit", sys.exit)
    answers = io.StringIO()
    turns = timed.Turns(timed.Stopwatch(PARTS), io.StringIO("\n\n"), answers)
    turns.wait()
    turns.on_epoch(None, {"training_loss": 2.5, "training_duration": "0:01"}, 0)
    with pytest.raises(SystemExit):
        turns.on_epoch(None, {"training_loss": 2.0}, 1)
    first, second = map(json.loads, answers.getvalue().splitlines())
    assert first[2] == {"training_loss": 2.5} and second[2] == {"training_loss": 2.0}
    assert set(first[0]) == set(first[1]) == set(PARTS) and first[3] > 0
