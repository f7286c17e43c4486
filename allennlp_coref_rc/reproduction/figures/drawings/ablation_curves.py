import os
from collections.abc import Sequence

from allennlp_coref_rc.reproduction.figures.curves import write_curves
from allennlp_coref_rc.reproduction.figures.drawings.figure import Drawing, model_folders
from allennlp_coref_rc.reproduction.figures.run_curves import SHARES, X_NAME, ablation_curve
from allennlp_coref_rc.reproduction.scores import Scores


@Drawing.register("ablation_curves")
class AblationCurves(Drawing):
    """
    A metric of runs against the share of coreference mentions that `corrupted_coref` removed or replaced: Figure 3
    (left) of Coref-GRU (Dhingra et al., NAACL 2018). All rows of the same name form a curve. If a config does not set
    the share, its run counts as 0. If no run of a curve sets it, the curve is a level line.

    Registered as a `Drawing` with name "ablation_curves".

    # Parameters

    metric : `str`, optional (default = `"test_accuracy"`)
        Its name in AllenNLP's metrics.json.
    """

    def __init__(self, metric: str = "test_accuracy") -> None:
        self._metric = metric

    def draw(self, folder: str, rows: Sequence[Scores]) -> list[str]:
        curves = [ablation_curve(name, folders, self._metric, SHARES) for name, folders in model_folders(rows).items()]
        return write_curves(os.path.join(folder, "curves"), curves, X_NAME, self._metric)
