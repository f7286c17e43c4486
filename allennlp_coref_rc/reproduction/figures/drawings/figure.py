from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from allennlp.common import Registrable

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.reproduction.condition import SPLITS, Table
from allennlp_coref_rc.reproduction.runs import MODEL, Run
from allennlp_coref_rc.reproduction.scores import Scores


class Drawing(Registrable):
    """Draws the files of a figure."""

    def draw(self, folder: str, rows: Sequence[Scores]) -> list[str]:
        """Draws rows whose runs are all finished. Writes files into a folder that exists, and returns their paths."""
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
    """
    By the name of a row, its run that is best on validation questions. If rows have the same name, or a row has no run
    of the task, a `ConfigurationError` is raised.
    """
    names = [scores.condition.row for scores in rows]
    if len(set(names)) < len(names):
        raise ConfigurationError(f"found the rows {', '.join(names)}, expected a name of its own for each")
    for scores in rows:
        if task not in scores.tasks:
            raise ConfigurationError(f"{scores.condition.name}: found no run of the task {task}, which another row has")
    return {scores.condition.row: scores.best_run(task, SPLITS["validation"] + metric) for scores in rows}


def model_folders(rows: Sequence[Scores]) -> dict[str, list[Path]]:
    """The folders that AllenNLP wrote for the runs of each curve. All rows of the same name form a curve."""
    folders: dict[str, list[Path]] = {}
    for scores in rows:
        runs = scores.runs.values()
        folders.setdefault(scores.condition.row, []).extend(Path(run.path(MODEL)) for run in runs)
    return folders
