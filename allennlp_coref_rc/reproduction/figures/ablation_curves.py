import os
from collections import defaultdict
from pathlib import Path
from typing import Any, List, Optional, Sequence

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.reproduction.figures.curves import Curve, model_folders, number_of, read_object, write_curves
from allennlp_coref_rc.reproduction.figures.figure import Drawing
from allennlp_coref_rc.reproduction.scores import Scores

X_NAME = "share of mentions removed or replaced"

SHARES = ["dataset_reader.annotator.remove_mentions", "dataset_reader.annotator.replace_mentions"]


def setting(folder: Path, key: str) -> Optional[float]:
    """What a run's config says at a dotted key; `None` where it does not."""
    values: Any = read_object(folder, "config.json")
    *parents, last = key.split(".")
    for parent in parents:
        values = values.get(parent) if isinstance(values, dict) else None
    if not isinstance(values, dict) or values.get(last) is None:
        return None
    return number_of(folder / "config.json", values, last)


def ablation_curve(name: str, folders: Sequence[Path], metric: str, against: Sequence[str]) -> Curve:
    points = defaultdict(list)
    settings: List[Optional[float]] = []
    for folder in folders:
        found = {key: setting(folder, key) for key in against}
        found = {key: value for key, value in found.items() if value is not None}
        if len(found) > 1:
            raise ConfigurationError(f"{folder}/config.json: found {' and '.join(found)}, expected one of them")
        settings.append(next(iter(found.values()), None))
    if any(value is not None for value in settings):
        settings = [value or 0.0 for value in settings]
    for folder, value in zip(folders, settings):
        points[value].append(number_of(folder / "metrics.json", read_object(folder, "metrics.json"), metric))
    return Curve(name, points)


@Drawing.register("ablation_curves")
class AblationCurves(Drawing):
    """
    A metric of runs against the share of coreference mentions that `corrupted_coref` removed or replaced: Figure 3 (left)
    of Coref-GRU (Dhingra et al., NAACL 2018). The runs of all rows of a name are a curve. A run whose config does not say
    the share counts as 0; a curve none of whose runs says it is a level line.

    Registered as a `Drawing` with name "ablation_curves".

    # Parameters

    metric : `str`, optional (default = `"test_accuracy"`)
        As AllenNLP's metrics.json calls it.
    """

    def __init__(self, metric: str = "test_accuracy") -> None:
        self._metric = metric

    def draw(self, folder: str, rows: Sequence[Scores]) -> List[str]:
        curves = [ablation_curve(name, folders, self._metric, SHARES) for name, folders in model_folders(rows).items()]
        return write_curves(os.path.join(folder, "curves"), curves, X_NAME, self._metric)
