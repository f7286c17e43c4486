import torch
from allennlp.training.learning_rate_schedulers import LearningRateScheduler
from allennlp.training.learning_rate_schedulers.learning_rate_scheduler import (
    _PyTorchLearningRateSchedulerWithMetricsWrapper,
)


@LearningRateScheduler.register("plateau")
class PlateauLearningRateScheduler(_PyTorchLearningRateSchedulerWithMetricsWrapper):
    """
    Lowers the learning rate when the validation metric has stopped getting better. It takes the place of
    AllenNLP's `reduce_on_plateau`, which current releases of PyTorch no longer accept. There is no `mode`:
    AllenNLP's trainer passes losses as negatives, so larger is always better.

    Registered as a `LearningRateScheduler` with name "plateau".

    # Parameters

    optimizer : `torch.optim.Optimizer`
        Given by the trainer.
    factor : `float`, optional (default = `0.5`)
        The factor by which the learning rate is multiplied.
    patience : `int`, optional (default = `0`)
        How many epochs without a better value are allowed. The next one lowers the learning rate.
    """

    def __init__(self, optimizer: torch.optim.Optimizer, factor: float = 0.5, patience: int = 0) -> None:
        # Any larger value is better, however little it is larger.
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(
            optimizer, mode="max", factor=factor, patience=patience, threshold=0
        )
        super().__init__(scheduler)  # type: ignore[arg-type]  # AllenNLP names a base class that PyTorch has replaced
