import os
from collections.abc import Iterable, Sequence

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.reproduction.figures.curves import write_curves
from allennlp_coref_rc.reproduction.figures.drawings.figure import Drawing, model_folders
from allennlp_coref_rc.reproduction.figures.run_curves import AXES, SPLITS, training_curve
from allennlp_coref_rc.reproduction.scores import Scores


@Drawing.register("training_curves")
class TrainingCurves(Drawing):
    """
    exp(-loss) after each epoch, which is the geometric mean of the correct answers' probabilities: Figure 3 (right) of
    Coref-GRU (Dhingra et al., NAACL 2018). The loss is taken from AllenNLP's metrics. All rows of the same name form a
    curve, which is the mean of their runs. A run that has ended counts with its last value.

    Registered as a `Drawing` with name "training_curves".

    # Parameters

    splits : `list[str]`, optional (default = `["validation"]`)
        One or both of "validation" and "training".
    """

    def __init__(self, splits: Iterable[str] = ("validation",)) -> None:
        self._splits = list(splits)
        if not self._splits or not set(self._splits) <= set(SPLITS):
            raise ConfigurationError(
                f"training_curves: found the splits {self._splits}, expected some of {', '.join(SPLITS)}"
            )

    def draw(self, folder: str, rows: Sequence[Scores]) -> list[str]:
        curves = [
            training_curve(name, folders, split)
            for name, folders in model_folders(rows).items()
            for split in self._splits
        ]
        return write_curves(os.path.join(folder, "curves"), curves, *AXES)
