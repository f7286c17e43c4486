import pytest
import torch

from allennlp_coref_rc.metrics.answer_accuracy import AnswerAccuracy
from tests.processes import run_in_processes

CORRECT = torch.tensor([True, True, False, True, False, False])
KEPT = torch.tensor([True, False, True, True, False, True])


def test_skipped_and_malformed_questions_are_wrong():
    metric = AnswerAccuracy()
    # A question that was skipped is wrong, even if its answer happens to be right.
    metric(CORRECT, KEPT, malformed=2)
    metric(CORRECT[:1], KEPT[:1])
    assert metric.get_metric() == {"accuracy": 3 / 5, "accuracy_official": 3 / 9}


def test_reset_and_nothing_kept():
    metric = AnswerAccuracy()
    zeros = {"accuracy": 0.0, "accuracy_official": 0.0}
    assert metric.get_metric() == zeros
    metric(CORRECT)
    assert metric.get_metric(reset=True)["accuracy"] == 0.5
    assert metric.get_metric() == zeros
    metric(CORRECT, torch.zeros_like(KEPT))
    assert metric.get_metric() == zeros


def _two_processes(rank, metric):
    # Uneven shares, so that a mean of the processes' means would be wrong.
    mine = slice(0, 2) if rank == 0 else slice(2, 6)
    metric(CORRECT[mine], KEPT[mine])
    assert metric.get_metric() == pytest.approx({"accuracy": 2 / 4, "accuracy_official": 2 / 6})


def test_two_processes_agree_with_one():
    run_in_processes(2, _two_processes, AnswerAccuracy())
