import html
import os
from typing import Dict, List, Sequence

from allennlp.common import Params
from allennlp.data import DatasetReader
from tqdm import tqdm

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import atomic_write
from allennlp_coref_rc.common.pictures import RED, html_page, pyplot, save
from allennlp_coref_rc.data.dataset_readers.annotated_babi import BabiQuestion
from allennlp_coref_rc.reproduction.figures.figure import Drawing, best_runs
from allennlp_coref_rc.reproduction.figures.stories import WAYS, Distributions, find_stories, load_reader
from allennlp_coref_rc.reproduction.runs import MODEL
from allennlp_coref_rc.reproduction.scores import Scores

MAX_CANDIDATES = 20


def shown_candidates(readers: Sequence[Distributions], answer: str) -> List[str]:
    """The correct answer and the candidates that were most probable at any time, by name."""
    most: Dict[str, float] = {answer: 1.0}
    for sentence in (sentence for distributions in readers for sentence in distributions):
        for name, probability in sentence.items():
            most[name] = max(probability, most.get(name, 0.0))
    return sorted(sorted(most, key=lambda name: (name != answer, -most[name], name))[:MAX_CANDIDATES])


def page(question: BabiQuestion, readers: Dict[str, Distributions], candidates: Sequence[str], answer: str) -> str:
    parts = [
        f"<h1>{html.escape(question.question)}</h1>",
        f"<p>Correct: <b>{html.escape(question.answer)}</b>. Sentences that support it are bold.</p>",
    ]
    for name, distributions in readers.items():
        heads = "".join(
            f"<th{' class=answer' if candidate == answer else ''}>{html.escape(candidate)}</th>"
            for candidate in candidates
        )
        rows = []
        for i, (statement, sentence) in enumerate(zip(question.statements, distributions)):
            tag = "b" if i in question.supporting_facts else "span"
            cells = "".join(
                f'<td style="background: rgba({RED}, {sentence.get(candidate, 0.0):.3f})">'
                f"{sentence.get(candidate, 0.0):.4f}</td>"
                for candidate in candidates
            )
            rows.append(f"<tr><td><{tag}>{html.escape(statement)}</{tag}></td>{cells}</tr>")
        parts.append(f"<h2>{html.escape(name)}</h2><table><tr><td></td>{heads}</tr>{''.join(rows)}</table>")
    parts.append("<style>td, th { padding: 0 .5em } .answer { border: 2px solid black }</style>")
    return html_page("\n".join(parts))


def draw(
    path: str, question: BabiQuestion, readers: Dict[str, Distributions], candidates: Sequence[str], answer: str
) -> None:
    """A panel a reader, a row a sentence; correct answer and supporting sentences are bold."""
    statements = question.statements
    # In inches, with room for statements and names.
    panel = max(0.45 * len(candidates), 0.1 * max(map(len, readers))) + 0.3
    size = panel * len(readers) + 0.08 * max(map(len, statements)), 0.3 * len(statements) + 1.5
    figure, panels = pyplot.subplots(1, len(readers), figsize=size, squeeze=False, layout="constrained")
    for axes, (name, distributions) in zip(panels[0], readers.items()):
        matrix = [[sentence.get(candidate, 0.0) for candidate in candidates] for sentence in distributions]
        axes.imshow(matrix, aspect="auto", cmap="Reds", vmin=0, vmax=1)
        axes.set_title(name)
        axes.set_xticks(range(len(candidates)), candidates, rotation=60, ha="right")
        axes.set_yticks([])
        axes.get_xticklabels()[candidates.index(answer)].set_weight("bold")
    panels[0, 0].set_yticks(range(len(statements)), statements)
    for fact in question.supporting_facts:
        panels[0, 0].get_yticklabels()[fact].set_weight("bold")
    figure.suptitle(question.question)
    save(figure, path)


def write_story(path: str, question: BabiQuestion, readers: Dict[str, Distributions]) -> List[str]:
    """The readers beside each other, as a picture PATH.png and a page PATH.html with the numbers."""
    answer = question.answer.lower()
    candidates = shown_candidates(list(readers.values()), answer)
    with atomic_write(path + ".html") as file:
        file.write(page(question, readers, candidates, answer))
    draw(path + ".png", question, readers, candidates, answer)
    return [path + ".png", path + ".html"]


@Drawing.register("story_maps")
class StoryMaps(Drawing):
    """
    What readers believe after each sentence of bAbI's test stories, as heat maps of candidates by sentences: Figure 4 of
    the MAGE-GRU paper (Dhingra et al. 2017, arXiv:1703.02620). Of each row and task the run that is best on validation
    questions reads.

    Registered as a `Drawing` with name "story_maps".

    # Parameters

    questions : `List[int]`, optional (default = `[1]`)
        Their numbers in the file of each task's test questions.
    way : `str`, optional (default = `"prefixes"`)
        `"prefixes"`: a reader reads the story's first sentence, then the first two, and so on. `"boundaries"`, the
        paper's way: it reads the story once, and the encoding of each sentence's end is put in the place of what
        attention has made of all; for readers whose answers are classes.
    """

    def __init__(self, questions: List[int] = [1], way: str = "prefixes") -> None:
        if not questions or min(questions) < 1:
            raise ConfigurationError(f"story_maps: found the questions {questions}, expected numbers of 1 or more")
        if way not in WAYS:
            raise ConfigurationError(f"story_maps: found the way {way!r:.60}, expected {' or '.join(WAYS)}")
        self._questions = questions
        self._believe = WAYS[way]

    def draw(self, folder: str, rows: Sequence[Scores]) -> List[str]:
        files: List[str] = []
        for task in tqdm(rows[0].tasks, desc="stories"):
            runs = best_runs(rows, task, "accuracy")
            predictors = {name: load_reader(run.path(MODEL, "model.tar.gz")) for name, run in runs.items()}
            # The data may lie elsewhere than when the readers were trained.
            params = next(iter(runs.values())).params(located=True)
            reader = DatasetReader.from_params(Params(params["dataset_reader"]))
            path = params.get("test_data_path") or params["validation_data_path"]
            for number, story in find_stories(reader, path, self._questions).items():
                believed = {name: self._believe(predictor, story) for name, predictor in predictors.items()}
                name = f"question_{number}" if task is None else f"task_{task}_question_{number}"
                files += write_story(os.path.join(folder, name), story.question, believed)
        return files
