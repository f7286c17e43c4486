"""The papers' figures, and their drawings, which files of conditions name."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Optional, Union, cast

from allennlp.common import Params, Registrable
from allennlp.data import DatasetReader
from allennlp.predictors import Predictor

from allennlp_coref_rc.common.checks import check_choice, check_number
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import atomic_write
from allennlp_coref_rc.common.progress import progress_bar
from allennlp_coref_rc.pages.compared_answers import write_compared_answers
from allennlp_coref_rc.pages.explanations import write_explanations
from allennlp_coref_rc.pages.stories import write_story
from allennlp_coref_rc.predictors.explaining_predictor import Explaining, ExplainingPredictor
from allennlp_coref_rc.reproduction.condition import SPLITS, Table
from allennlp_coref_rc.reproduction.figures.curves import (
    ABLATION_AXES,
    AXES,
    CURVE_SPLITS,
    PUBLISHED,
    Curve,
    ablation_curve,
    training_curve,
    write_curves,
)
from allennlp_coref_rc.reproduction.figures.question_scores import Comparison
from allennlp_coref_rc.reproduction.figures.stories import WAYS, babi_reader, find_stories, load_reader
from allennlp_coref_rc.reproduction.runs import MODEL, PREDICTIONS, Run
from allennlp_coref_rc.reproduction.scores import Scores
from allennlp_coref_rc.safe_archives.archives import load


class Drawing(Registrable):
    def draw(self, folder: str, rows: Sequence[Scores]) -> list[str]:
        """
        Draws rows whose runs are all finished. Writes files into a folder that exists, and returns their
        paths.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class Figure(Table):
    """A figure of a paper: a table without columns, drawn from the runs of its rows."""

    drawing: Drawing

    @property
    def title(self) -> str:
        """ "Figure 3 left" """
        return self.name.partition(".")[2].replace("_", " ").capitalize()


def best_runs(rows: Sequence[Scores], task: Optional[int], metric: str) -> dict[str, Run]:
    """By the name of a row, its run that is best on validation questions."""
    names = [scores.condition.row for scores in rows]
    if len(set(names)) < len(names):
        raise ConfigurationError(f"found the rows {', '.join(names)}, expected a name of its own for each")
    for scores in rows:
        if task not in scores.tasks:
            raise ConfigurationError(
                f"{scores.condition.name}: found no run of the task {task}, which another row has"
            )
    key = SPLITS["validation"] + metric
    return {scores.condition.row: scores.runs[task, scores.best_seed(task, key)] for scores in rows}


def model_folders(rows: Sequence[Scores]) -> dict[str, list[Path]]:
    """The folders that AllenNLP wrote for the runs of each curve. All rows of the same name form a curve."""
    folders: dict[str, list[Path]] = {}
    for scores in rows:
        runs = scores.runs.values()
        folders.setdefault(scores.condition.row, []).extend(Path(run.path(MODEL)) for run in runs)
    return folders


@Drawing.register("ablation_curves")
class AblationCurves(Drawing):
    """
    The test accuracy of runs against the share of coreference mentions that `corrupted_coref` removed or
    replaced: Figure 3 (left) of Coref-GRU (Dhingra et al., NAACL 2018). All rows of the same name form a curve. If a
    config does not set the share, its run counts as 0. If no run of a curve sets it, the curve is a level
    line.

    Registered as a `Drawing` with name "ablation_curves".

    # Parameters

    published : `dict[str, Union[float, dict[float, float]]]`, optional (default = `{}`)
        By the name of a curve of the paper, its values by share, or the value of a level line.
    """

    def __init__(self, published: Optional[dict[str, Union[float, dict[str, float]]]] = None) -> None:
        self._published: list[Curve] = []
        for name, values in (published or {}).items():
            points: dict[Optional[float], list[float]] = (
                {float(share): [value] for share, value in values.items()}
                if isinstance(values, dict)
                else {None: [values]}
            )
            self._published.append(Curve(name, points, PUBLISHED))

    def draw(self, folder: str, rows: Sequence[Scores]) -> list[str]:
        curves = [ablation_curve(name, folders) for name, folders in model_folders(rows).items()]
        return write_curves(os.path.join(folder, "curves"), [*curves, *self._published], *ABLATION_AXES)


@Drawing.register("training_curves")
class TrainingCurves(Drawing):
    """
    exp(-loss) after each epoch, which is the geometric mean of the correct answers' probabilities: Figure 3
    (right) of Coref-GRU (Dhingra et al., NAACL 2018). The loss is taken from AllenNLP's metrics. All rows of
    the same name form two curves, of validation and of training questions, which are means of their runs. A
    run that has ended counts with its last value.

    Registered as a `Drawing` with name "training_curves".
    """

    def draw(self, folder: str, rows: Sequence[Scores]) -> list[str]:
        curves = [
            training_curve(name, folders, split)
            for name, folders in model_folders(rows).items()
            for split in CURVE_SPLITS
        ]
        return write_curves(os.path.join(folder, "curves"), curves, *AXES)


@Drawing.register("question_bars")
class QuestionBars(Comparison, Drawing):
    """
    The scores of several readers, side by side, by the type of the question and by the length of the passage:
    Figures 4 and 5 of DASSA (Mihaylov and Frank, EMNLP 2019). The others are compared with the first row. For
    each row, the run with the best Rouge-L on validation questions is drawn.

    Registered as a `Drawing` with name "question_bars".

    # Parameters

    by : `list[str]`, optional (default = `["question type", "passage length"]`)
        How questions are grouped.
    measures : `list[str]`, optional (default = `["rouge_l", "bleu_1", "exact_match", "f1"]`)
        The scores that are drawn.
    """

    def draw(self, folder: str, rows: Sequence[Scores]) -> list[str]:
        runs = best_runs(rows, None, "rouge_l")
        return self.write(folder, {name: run.path(PREDICTIONS) for name, run in runs.items()})


@Drawing.register("story_maps")
class StoryMaps(Drawing):
    """
    The candidates' probabilities after each sentence of bAbI's test stories, as heat maps of sentences by
    candidates: Figure 4 of the paper on MAGE-GRU (Dhingra et al. 2017, arXiv:1703.02620). For each row and
    task, the run that is best on validation questions is drawn.

    Registered as a `Drawing` with name "story_maps".

    # Parameters

    questions : `list[int]`, optional (default = `[1]`)
        The numbers of the questions in each task's test file, from 1.
    way : `str`, optional (default = `"prefixes"`)
        With `"prefixes"`, a reader reads the story's first sentence, then the first two, and so on.
        `"boundaries"` is the paper's way: a reader reads the story once, and the encoding of each sentence's
        last token takes the place of the sum over the attention. It works only for readers whose answers are
        classes.
    """

    def __init__(self, questions: Iterable[int] = (1,), way: str = "prefixes") -> None:
        self._questions = list(questions)
        if not self._questions or min(self._questions) < 1:
            raise ConfigurationError(f"story_maps: found the questions {self._questions}, expected 1 or more")
        check_choice("story_maps", "way", way, WAYS)
        self._believe = WAYS[way]

    def draw(self, folder: str, rows: Sequence[Scores]) -> list[str]:
        files: list[str] = []
        for task in progress_bar(rows[0].tasks, desc="stories"):
            runs = best_runs(rows, task, "accuracy")
            predictors = {name: load_reader(run.path(MODEL, "model.tar.gz")) for name, run in runs.items()}
            # The data may have moved since the readers were trained.
            params = next(iter(runs.values())).params(located=True)
            reader = babi_reader(DatasetReader.from_params(Params(params["dataset_reader"])))
            path = params.get("test_data_path") or params["validation_data_path"]
            for number, story in find_stories(reader, path, self._questions).items():
                believed = {name: self._believe(predictor, story) for name, predictor in predictors.items()}
                name = f"question_{number}" if task is None else f"task_{task}_question_{number}"
                files += write_story(os.path.join(folder, name), story.question, believed)
        return files


@Drawing.register("compared_answers")
class ComparedAnswers(Drawing):
    """
    What readers answer to the same test questions, side by side, and what they have looked at: Figure 5 of
    MAGE-GRU (Dhingra et al. 2017, arXiv:1703.02620), Figures 3 and 4 of CG+SBA (Deng and Tam, NAACL-SRW 2018)
    and Figures 6 to 8 of DASSA (Mihaylov and Frank, EMNLP 2019). Those are chosen examples; here they are the
    first ones. For each row, the run that is best on validation questions answers.

    Registered as a `Drawing` with name "compared_answers".

    # Parameters

    questions : `int`, optional (default = `100`)
        How many test questions are answered.
    pages : `int`, optional (default = `10`)
        How many of them are shown.
    only_different : `bool`, optional (default = `True`)
        Shows questions that some readers answer right, and some do not.
    explain : `bool`, optional (default = `False`)
        Also draws all attention of each reader, such as self-belief, for as many questions.
    metric : `str`, optional (default = `"accuracy"`)
        Chooses the best run.
    """

    def __init__(
        self,
        questions: int = 100,
        pages: int = 10,
        only_different: bool = True,
        explain: bool = False,
        metric: str = "accuracy",
    ) -> None:
        check_number("compared_answers", "questions", questions)
        check_number("compared_answers", "pages", pages)
        self._questions = questions
        self._pages = pages
        self._only_different = only_different
        self._explain = explain
        self._metric = metric

    def draw(self, folder: str, rows: Sequence[Scores]) -> list[str]:
        files, paths = [os.path.join(folder, "index.html")], {}
        runs = best_runs(rows, None, self._metric)
        for number, (name, run) in enumerate(progress_bar(runs.items(), desc="answers"), start=1):
            paths[name] = os.path.join(folder, f"reader_{number}.jsonl")
            self._answer(run, paths[name])
            if self._explain:
                pages = os.path.join(folder, f"reader_{number}")
                write_explanations(paths[name], pages, self._pages, pictures=True)
                files.append(os.path.join(pages, "001.html"))
        write_compared_answers(folder, paths, self._pages, self._only_different)
        return [*files, *paths.values()]

    def _answer(self, run: Run, path: str) -> None:
        predictor = Predictor.from_archive(load(run.path(MODEL, "model.tar.gz")))
        if isinstance(predictor._model, Explaining):
            cast(ExplainingPredictor, predictor).set_explain(True)
        # The data may have moved since the reader was trained.
        params = run.params(located=True)
        reader = DatasetReader.from_params(
            Params(params.get("validation_dataset_reader") or params["dataset_reader"])
        )
        questions = reader.read(params.get("test_data_path") or params["validation_data_path"])
        with atomic_write(path) as file:
            for instance in islice(questions, self._questions):
                file.write(predictor.dump_line(predictor.predict_instance(instance)))
