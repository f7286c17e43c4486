import torch
from allennlp.common import Params
from allennlp.training.learning_rate_schedulers import LearningRateScheduler


def scheduler(**options):
    optimizer = torch.optim.Adam([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    params = Params({"type": "plateau", **options})
    return optimizer, LearningRateScheduler.from_params(params, optimizer=optimizer)


def rates(metrics, **options):
    optimizer, schedule = scheduler(**options)
    found = []
    for metric in metrics:
        schedule.step(metric)
        found.append(optimizer.param_groups[0]["lr"])
    return found


def test_lowered_where_the_metric_stops_growing():
    assert rates([0.1, 0.2, 0.2, 0.3, 0.3]) == [1.0, 1.0, 0.5, 0.5, 0.25]
    assert rates([0.1, 0.1, 0.1, 0.1], patience=2, factor=0.1) == [1.0, 1.0, 1.0, 0.1]
    # As the trainer hands over a loss.
    assert rates([-3.0, -2.0, -2.0]) == [1.0, 1.0, 0.5]


def test_its_state_can_be_resumed():
    optimizer, schedule = scheduler(patience=1)
    schedule.step(0.5)
    schedule.step(0.5)
    state = schedule.state_dict()
    other_optimizer, other = scheduler(patience=1)
    other.load_state_dict(state)
    for run in (schedule, other):
        run.step(0.5)
    assert optimizer.param_groups[0]["lr"] == other_optimizer.param_groups[0]["lr"] == 0.5
