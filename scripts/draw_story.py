"""
Draws what readers believe after each sentence of a bAbI story, as heat maps of candidates by sentences: Figure 4 of the
MAGE-GRU paper (Dhingra et al. 2017, arXiv:1703.02620).

    python scripts/draw_story.py output/stories data/babi/qa7_counting_test.txt GA=ga.tar.gz MAGE=mage.tar.gz \\
        --questions 1 4

writes `question_1.png`, `question_1.html` and so on: the readers beside each other, the correct answer and the
sentences that support it marked (a reader that does not know the answer gives it 0).

A reader reads the story's first sentence, then the first two, and so on (`--way prefixes`). As in the paper, `--way
boundaries` reads the story once and puts the encoding of each sentence's end in the place of what attention has made
of all; that is for readers whose answers are classes (tasks 6 to 10, 15 and 17 to 20). In the place of a file the name
of a split, "test", stands for the one that the first reader's config names. What cannot be used ends the program with
status 2 and one line that says why; nothing is written then.
"""

import argparse
import html
import os
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Sequence

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.models import load_archive
from allennlp.predictors import Predictor
from draw_explanations import RED, html_page
from pictures import pyplot, save
from tqdm import tqdm

import allennlp_coref_rc  # noqa: F401  registers what archives name
from allennlp_coref_rc.common.files import atomic_write, named_paths
from allennlp_coref_rc.data.dataset_readers import AnnotatedBabiReader
from allennlp_coref_rc.data.dataset_readers.annotated_babi import BabiQuestion
from allennlp_coref_rc.data.fields import CLASS_LABELS
from allennlp_coref_rc.modules.answer_layers import AnswerInput, AnswerLayer

Distributions = List[Dict[str, float]]
"""After each sentence the probability of each candidate."""

MAX_CANDIDATES = 20


class Story(NamedTuple):
    """A question with its story, and its task, if it is known."""

    question: BabiQuestion
    task: Optional[int]


def find_story(reader: AnnotatedBabiReader, name: str, number: int) -> Story:
    """One of the questions of a file, the first of which is number 1."""
    found = 0
    for _, (_, task, question) in reader.read_items(reader.find(name), name):
        found += 1
        if found == number:
            return Story(question, task)
    raise ConfigurationError(f"{name}: found {found} questions, expected a --questions of 1 to {found}, not {number}")


def by_prefixes(predictor: Predictor, story: Story) -> Distributions:
    """What a reader believes that has read so many sentences and no more."""
    reader, (question, task) = predictor._dataset_reader, story
    ends = range(1, len(question.statements) + 1)
    instances = [reader.text_to_instance(question.statements[:end], question.question, task=task) for end in ends]
    return [output["candidate_probabilities"] for output in predictor.predict_batch_instance(instances)]


def by_boundaries(predictor: Predictor, story: Story) -> Distributions:
    """What the answer layer makes of the encoding of each sentence's last token."""
    model, reader = predictor._model, predictor._dataset_reader
    names = model.vocab.get_index_to_token_vocabulary(CLASS_LABELS)
    if not names:
        raise ConfigurationError("--way boundaries: found a reader that points at words, expected one of classes")
    (layer,) = (module for module in model.modules() if isinstance(module, AnswerLayer))
    seen: List[AnswerInput] = []
    hook = layer.register_forward_pre_hook(lambda _, arguments: seen.append(arguments[0]))
    question, task = story
    predictor.predict_instance(reader.text_to_instance(question.statements, question.question, task=task))
    hook.remove()
    ends = [stop for _, stop in reader.split(question.statements).sentences]
    # Attention to nothing but the boundary has its encoding as its result.
    inputs = AnswerInput(*(None if part is None else part.expand(len(ends), *part.shape[1:]) for part in seen[0][:6]))
    at_end = torch.zeros_like(inputs.passage_mask)
    at_end[range(len(ends)), [end - 1 for end in ends]] = True
    with torch.no_grad():
        probabilities = layer(inputs._replace(passage_mask=at_end)).log_probabilities.exp()
    return [{names[i]: value for i, value in enumerate(row)} for row in probabilities.tolist()]


WAYS = {"prefixes": by_prefixes, "boundaries": by_boundaries}


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
            f'<th{" class=answer" if candidate == answer else ""}>{html.escape(candidate)}</th>'
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
    path: Path, question: BabiQuestion, readers: Dict[str, Distributions], candidates: Sequence[str], answer: str
) -> None:
    """A panel a reader, a row a sentence; correct answer and supporting sentences are bold."""
    statements = question.statements
    size = 0.45 * len(candidates) + 1, 0.3 * len(statements) + 1
    figure, panels = pyplot.subplots(1, len(readers), figsize=(size[0] * len(readers), size[1]), squeeze=False)
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
    figure.suptitle(question.question, y=1.05)
    save(figure, path)


def load_reader(path: str) -> Predictor:
    if not os.path.isfile(path):
        raise ConfigurationError(f"{path}: no such file, expected an archive that `allennlp train` has written")
    predictor = Predictor.from_archive(load_archive(path), "cloze_reader")
    if not isinstance(predictor._dataset_reader, AnnotatedBabiReader):
        found = type(predictor._dataset_reader).__name__
        raise ConfigurationError(f"{path}: found a reader of {found}, expected one of AnnotatedBabiReader")
    return predictor


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where pages and pictures go")
    parser.add_argument("stories", help="a file in the format of the bAbI tasks, or a split that the readers know")
    parser.add_argument("archives", nargs="+", metavar="NAME=ARCHIVE", help="of trained readers")
    parser.add_argument("--questions", nargs="+", type=int, default=[1], help="numbers in the file (default: 1)")
    parser.add_argument("--way", choices=WAYS, default="prefixes", help="default: prefixes")
    arguments = parser.parse_args()
    try:
        predictors = {name: load_reader(path) for name, path in named_paths(arguments.archives).items()}
        first = next(iter(predictors.values()))._dataset_reader
        stories = {number: find_story(first, arguments.stories, number) for number in arguments.questions}
        believed = {
            number: {name: WAYS[arguments.way](predictor, story) for name, predictor in predictors.items()}
            for number, story in tqdm(stories.items(), desc="reading")
        }
        arguments.folder.mkdir(parents=True, exist_ok=True)
        for number, readers in tqdm(believed.items(), desc="drawing"):
            question = stories[number].question
            answer = question.answer.lower()
            candidates = shown_candidates(list(readers.values()), answer)
            with atomic_write(str(arguments.folder / f"question_{number}.html")) as file:
                file.write(page(question, readers, candidates, answer))
            draw(arguments.folder / f"question_{number}.png", question, readers, candidates, answer)
    except (ConfigurationError, OSError) as error:
        parser.exit(2, f"{parser.prog}: error: {error}\n")


if __name__ == "__main__":
    main()
