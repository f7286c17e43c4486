from collections.abc import Iterable, Sequence

from allennlp_coref_rc.reproduction.figures.drawings.figure import Drawing, best_runs
from allennlp_coref_rc.reproduction.figures.question_groups import BOUNDS, GROUPINGS
from allennlp_coref_rc.reproduction.figures.question_scores import MEASURES, Comparison
from allennlp_coref_rc.reproduction.runs import PREDICTIONS
from allennlp_coref_rc.reproduction.scores import Scores


@Drawing.register("question_bars")
class QuestionBars(Drawing):
    """
    The scores of several readers, side by side, by the type of the question and by the length of the passage: Figures 4
    and 5 of DASSA (Mihaylov and Frank, EMNLP 2019). The others are compared with the first row. For each row, the run
    with the best Rouge-L on validation questions is drawn.

    Registered as a `Drawing` with name "question_bars".

    # Parameters

    by : `list[str]`, optional (default = `["question type", "passage length"]`)
        How questions are grouped.
    measures : `list[str]`, optional (default = `["rouge_l", "bleu_1", "exact_match", "f1"]`)
        The scores that are drawn.
    bounds : `list[int]`, optional (default = `[200, 400, 600, 800, 1000, 1200]`)
        The largest number of tokens in each range of lengths but the last.
    samples : `int`, optional (default = `1000`)
        The number of bootstrap samples for the intervals of differences.
    """

    def __init__(
        self,
        by: Iterable[str] = tuple(GROUPINGS),
        measures: Iterable[str] = tuple(MEASURES),
        bounds: Iterable[int] = BOUNDS,
        samples: int = 1000,
    ) -> None:
        self._comparison = Comparison(list(by), list(measures), list(bounds), samples)

    def draw(self, folder: str, rows: Sequence[Scores]) -> list[str]:
        runs = best_runs(rows, None, "rouge_l")
        return self._comparison.write(folder, {name: run.path(PREDICTIONS) for name, run in runs.items()})
