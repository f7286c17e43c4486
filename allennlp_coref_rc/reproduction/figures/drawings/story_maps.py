import os
from collections.abc import Iterable, Sequence

from allennlp.common import Params
from allennlp.data import DatasetReader

from allennlp_coref_rc.common.checks import check_choice
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.progress import progress_bar
from allennlp_coref_rc.pages.stories import write_story
from allennlp_coref_rc.reproduction.figures.drawings.figure import Drawing, best_runs
from allennlp_coref_rc.reproduction.figures.stories import WAYS, babi_reader, find_stories, load_reader
from allennlp_coref_rc.reproduction.runs import MODEL
from allennlp_coref_rc.reproduction.scores import Scores


@Drawing.register("story_maps")
class StoryMaps(Drawing):
    """
    The candidates' probabilities after each sentence of bAbI's test stories, as heat maps of sentences by candidates:
    Figure 4 of the paper on MAGE-GRU (Dhingra et al. 2017, arXiv:1703.02620). For each row and task, the run that is
    best on validation questions is drawn.

    Registered as a `Drawing` with name "story_maps".

    # Parameters

    questions : `list[int]`, optional (default = `[1]`)
        The numbers of the questions in each task's test file, from 1.
    way : `str`, optional (default = `"prefixes"`)
        With `"prefixes"`, a reader reads the story's first sentence, then the first two, and so on. `"boundaries"` is
        the paper's way: a reader reads the story once, and the encoding of each sentence's last token takes the place
        of the sum over the attention. It works only for readers whose answers are classes.
    """

    def __init__(self, questions: Iterable[int] = (1,), way: str = "prefixes") -> None:
        self._questions = list(questions)
        if not self._questions or min(self._questions) < 1:
            raise ConfigurationError(
                f"story_maps: found the questions {self._questions}, expected numbers of 1 or more"
            )
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
