"""
Lets processes that train a model together (`distributed` in a config) evaluate it on every question exactly
once.

Each process reads its share of the data, and the metrics are summed over all processes after each batch.
AllenNLP stops all processes when one has no batch left, so it does not count the last questions of larger
shares. It evaluates on the test set in the first process alone, which then waits for the others for ever.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from itertools import islice
from typing import Any, Optional
from unittest.mock import patch

import torch
from allennlp.common import Tqdm
from allennlp.data import DataLoader
from allennlp.models import Model
from allennlp.nn.util import dist_reduce_sum, distributed_device, is_distributed, move_to_device
from torch import distributed

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.wrapping import wrapping

AT_ONCE = 16
"""
How many batches a process reads ahead. Once for so many, the processes tell each other how many they have.
"""

COLLECTIVES = ("all_reduce", "all_gather", "all_gather_object", "get_world_size")
"""The functions of `torch.distributed` by which metrics are summed over processes."""


class LockstepBatches:
    """
    The batches of a process's share, in step with the other processes. A process that has no batch left waits
    for the others, which meanwhile sum their metrics among themselves. In the end, only the processes that
    had the last batches have the metrics of all questions; `complete` gives those to every process.
    """

    def __init__(self, batches: Iterable[Any]) -> None:
        self._batches = batches
        self._last = -1

    def __len__(self) -> int:
        return len(self._batches)  # type: ignore[arg-type]  # a lazy loader raises a TypeError here, which is expected

    def __iter__(self) -> Iterator[Any]:
        batches = iter(self._batches)
        most = AT_ONCE
        while most == AT_ONCE:
            own = list(islice(batches, AT_ONCE))
            numbers = _of_all(len(own))
            if not any(numbers) and self._last < 0:
                raise ConfigurationError(
                    "found no question for a batch of any process, expected one or more in each split"
                )
            most = max(numbers)
            for i in range(most):
                busy = tuple(rank for rank, number in enumerate(numbers) if number > i)
                self._last = busy[-1]
                with _among(busy):
                    if i < len(own):
                        yield own[i]

    def complete(self, metrics: dict[str, float]) -> dict[str, float]:
        """
        The metrics of all questions, given those of this process. All processes have to call it together.
        """
        objects = [metrics]
        distributed.broadcast_object_list(objects, src=self._last, device=distributed_device())
        return objects[0]


def _of_all(number: int) -> list[int]:
    """The numbers of all processes."""
    numbers = torch.zeros(distributed.get_world_size(), dtype=torch.long)
    numbers[distributed.get_rank()] = number
    return dist_reduce_sum(numbers).tolist()


@contextmanager
def _among(ranks: tuple[int, ...]) -> Iterator[None]:
    """Within this, metrics are summed over these processes. All processes have to enter it together."""
    if len(ranks) == distributed.get_world_size():
        yield
        return
    group = _group(distributed.group.WORLD, ranks)
    functions: dict[str, Any] = {
        name: partial(getattr(distributed, name), group=group) for name in COLLECTIVES
    }
    with patch.multiple(distributed, **functions):
        yield


@lru_cache(maxsize=None)
def _group(world: Any, ranks: tuple[int, ...]) -> Any:
    return distributed.new_group(ranks)


def evaluate(model: Model, loader: DataLoader, cuda_device: Any, weight_key: str = "") -> dict[str, float]:
    """
    Does what AllenNLP's function of this name does, but all processes share the work. Each returns all
    metrics.
    """
    loader.set_target_device(cuda_device)
    shares = LockstepBatches(loader)
    sums = torch.zeros(2, dtype=torch.double)
    model.eval()
    with torch.no_grad():
        for batch in Tqdm.tqdm(shares, disable=distributed.get_rank() > 0):
            output = model(**move_to_device(batch, cuda_device))
            if output.get("loss") is not None:
                weight = output[weight_key].item() if weight_key else 1.0
                sums += torch.tensor([output["loss"].item() * weight, weight])
    metrics = shares.complete(model.get_metrics(reset=True))
    loss, weight = dist_reduce_sum(sums).tolist()
    return {**metrics, "loss": loss / weight} if weight else metrics


@wrapping("GradientDescentTrainer._train_epoch")
def refuse_empty_shares(original: Callable[..., Any], trainer: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """
    `GradientDescentTrainer._train_epoch`, with an error if a process has no batch: there are no updates then.
    """
    metrics = original(*args, **kwargs)
    if trainer._distributed and not trainer._batches_in_epoch_completed:
        processes = distributed.get_world_size()
        raise ConfigurationError(
            f"train_data_path: found no batch for one of the {processes} processes, expected one or more for each"
        )
    return metrics


@wrapping("GradientDescentTrainer._validation_loss")
def validate_on_all(original: Callable[..., Any], trainer: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """`GradientDescentTrainer._validation_loss`. The trainer asks for the metrics right after it."""
    if not trainer._distributed or trainer._ddp_wrapped_model.is_sharded:
        return original(*args, **kwargs)
    shares = LockstepBatches(trainer._validation_data_loader)
    # The wrapped model would wait for the others in each batch, so the bare one is used.
    with patch.multiple(trainer, _distributed=False, _ddp_wrapped_model=None, _validation_data_loader=shares):
        losses = original(*args, **kwargs)
    model = trainer.model
    metrics = shares.complete(model.get_metrics(reset=True))

    def get_metrics(reset: bool = False) -> dict[str, float]:
        del model.get_metrics
        return metrics

    model.get_metrics = get_metrics
    return losses


@wrapping("TrainModel.run")
def evaluate_on_test_set(
    original: Callable[..., Any], training: Any, args: Any, kwargs: dict[str, Any]
) -> Any:
    """`TrainModel.run`, with the evaluation on the test set, since only the first process calls `finish`."""
    metrics = original(*args, **kwargs)
    loader: Optional[DataLoader] = training.evaluation_data_loader
    if is_distributed() and training.evaluate_on_test and loader is not None:
        training.evaluation_data_loader = None
        test = evaluate(training.model, loader, training.trainer.cuda_device, training.batch_weight_key)
        metrics.update({f"test_{name}": value for name, value in test.items()})
    return metrics


def install(gradient_descent_trainer: Any) -> None:
    """Changes the trainer in AllenNLP's module, which is given."""
    refuse_empty_shares(gradient_descent_trainer)
    validate_on_all(gradient_descent_trainer)
