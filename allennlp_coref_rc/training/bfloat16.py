from typing import Any

import torch
from allennlp.training.callbacks import TrainerCallback
from allennlp.training.gradient_descent_trainer import GradientDescentTrainer

from allennlp_coref_rc.common.errors import ConfigurationError


@TrainerCallback.register("bfloat16")
class Bfloat16(TrainerCallback):
    """
    Trains in mixed precision with bfloat16, on a GPU (from compute capability 8.0) or a CPU. Matrices are
    multiplied in bfloat16; the weights stay float32. AllenNLP's `use_amp` takes float16, which needs a scale
    for the loss, because small gradients would become 0. bfloat16 has the range of float32, so it needs none.
    The model is evaluated in bfloat16 after each epoch, and in float32 once training has ended.

    Registered as a `TrainerCallback` with name "bfloat16".

    # Raises

    `ConfigurationError`
        If the trainer also has `use_amp`.
    """

    def on_start(self, trainer: GradientDescentTrainer, is_primary: bool = True, **kwargs: Any) -> None:
        if trainer._use_amp:
            raise ConfigurationError(
                "trainer.callbacks: found bfloat16 beside trainer.use_amp, expected one of them"
            )
        autocast = torch.autocast(trainer.cuda_device.type, dtype=torch.bfloat16)
        # In front of the class's own method, also where the model is wrapped for distributed training.
        vars(trainer.model)["forward"] = autocast(trainer.model.forward)

    def on_end(
        self, trainer: GradientDescentTrainer, *args: Any, is_primary: bool = True, **kwargs: Any
    ) -> None:
        vars(trainer.model).pop("forward", None)
