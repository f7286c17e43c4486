import math
import os
import re
from pathlib import Path
from typing import List, Sequence

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.reproduction.figures.curves import Curve, model_folders, number_of, read_object, write_curves
from allennlp_coref_rc.reproduction.figures.figure import Drawing
from allennlp_coref_rc.reproduction.scores import Scores

AXES = ("epoch", "exp(-loss)")

SPLITS = ("validation", "training")


def training_curve(name: str, folders: Sequence[Path], split: str) -> Curve:
    runs: List[List[float]] = []
    for folder in folders:
        found = [re.fullmatch(r"metrics_epoch_(\d+)\.json", path.name) for path in folder.glob("metrics_epoch_*.json")]
        runs.append([])
        epochs = 1 + max((int(match[1]) for match in found if match), default=0)
        for epoch in range(epochs):
            metrics = f"metrics_epoch_{epoch}.json"
            loss = number_of(folder / metrics, read_object(folder, metrics), f"{split}_loss")
            if loss < 0:
                raise ConfigurationError(f"{folder / metrics}: found the {split}_loss {loss}, expected 0 or more")
            runs[-1].append(math.exp(-loss))
    longest = max(map(len, runs), default=0)
    # A run that has ended stays where it was: those that are good end early.
    points = {float(i + 1): [run[min(i, len(run) - 1)] for run in runs if run] for i in range(longest)}
    return Curve(name, points, split)


@Drawing.register("training_curves")
class TrainingCurves(Drawing):
    """
    exp(-loss), the geometric mean of the correct answers' probabilities, after each epoch: Figure 3 (right) of Coref-GRU
    (Dhingra et al., NAACL 2018). The loss is what AllenNLP's metrics have. The runs of all rows of a name are a curve,
    their mean; a run that has ended counts with its last value.

    Registered as a `Drawing` with name "training_curves".

    # Parameters

    splits : `List[str]`, optional (default = `["validation"]`)
        Of "validation" and "training".
    """

    def __init__(self, splits: List[str] = ["validation"]) -> None:
        if not splits or not set(splits) <= set(SPLITS):
            raise ConfigurationError(
                f"training_curves: found the splits {splits}, expected some of {', '.join(SPLITS)}"
            )
        self._splits = splits

    def draw(self, folder: str, rows: Sequence[Scores]) -> List[str]:
        curves = [
            training_curve(name, folders, split)
            for name, folders in model_folders(rows).items()
            for split in self._splits
        ]
        return write_curves(os.path.join(folder, "curves"), curves, *AXES)
