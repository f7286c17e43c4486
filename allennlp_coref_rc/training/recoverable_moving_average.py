from typing import Any

from allennlp.training.moving_average import ExponentialMovingAverage, MovingAverage


@MovingAverage.register("recoverable_exponential")
class RecoverableExponentialMovingAverage(ExponentialMovingAverage):
    """
    An `ExponentialMovingAverage` that still works after `allennlp train --recover`. AllenNLP's own comes back
    from a checkpoint with copies of the parameters. It then averages those copies, not the model that is
    trained, and neither validation nor the best weights use the averages any more.

    Registered as a `MovingAverage` with name "recoverable_exponential". Its parameters are
    `ExponentialMovingAverage`'s.
    """

    def state_dict(self) -> dict[str, Any]:
        return {"shadows": self._shadows}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        for name, shadow in self._shadows.items():
            shadow.copy_(state_dict["shadows"][name])
