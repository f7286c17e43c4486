"""
Scores readers by type of question and by length of the passage, beside each other: Figures 4 and 5 of DASSA (Mihaylov
and Frank, EMNLP 2019).

    allennlp predict qanet.tar.gz data/narrativeqa/test --predictor span_reader --use-dataset-reader --silent \\
        --output-file qanet.jsonl
    python scripts/evaluate_by_question.py output/figures QANet=qanet.jsonl DASSA=dassa.jsonl

writes into the folder `scores.md` and `scores.csv`, and for each measure a picture by type
(`question_type_rouge_l.png`, …) and by length (`passage_length_rouge_l.png`, …). All figures are in points, of 100.
Other readers are compared with the first on the same questions; the interval beside a difference has 95 % of the
differences of resampled questions.

A question is of the first of these types whose words are anywhere in it, in lower case, as in the authors' code
("show" is a how, "whole" a who): what, when, where, which, who, why, how far, how long, how many, how much, how old,
how; else it is an other. Lengths are in tokens. Rouge-L, exact match and F1 are means over questions, Bleu-1 is of the
group's answers together. What cannot be used ends the program with status 2 and one line that says why; nothing is
written then.
"""

import argparse
import csv
import os
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Sequence

import numpy
from allennlp.common.checks import ConfigurationError
from pictures import pyplot, save
from tqdm import tqdm

from allennlp_coref_rc.annotations.formats.json_value import read_json
from allennlp_coref_rc.common.files import atomic_write, named_paths
from allennlp_coref_rc.metrics import NarrativeQaMetric

QUESTION_TYPES = (
    "what", "when", "where", "which", "who", "why", "how far", "how long", "how many", "how much", "how old", "how"
)  # fmt: skip

MEASURES = {"rouge_l": "Rouge-L", "bleu_1": "Bleu-1", "exact_match": "exact match", "f1": "F1"}

ALL = "all"

BOUNDS = (200, 400, 600, 800, 1000, 1200)


class Answered(NamedTuple):
    """A question that a reader has answered, with what its metrics add up."""

    question: str
    length: int
    references: List[str]
    counts: List[float]


class Score(NamedTuple):
    """A reader's score in a group, in points, and its difference to the first reader's with its interval."""

    reader: str
    measure: str
    score: float
    difference: float
    low: float
    high: float


class Group(NamedTuple):
    name: str
    questions: int
    scores: List[Score]


def read_answers(path: str) -> Dict[Any, Answered]:
    """The questions of a file of predictions by their ids, or, where they have none, by their number."""
    metric = NarrativeQaMetric()
    answers: Dict[Any, Answered] = {}
    for number, values in enumerate(tqdm(read_json(path), desc=path, unit="questions"), start=1):
        known = values.get("answer_texts")
        if known is None or not known.strings():
            raise ConfigurationError(
                f"{values.place}: found a prediction without answer_texts, expected one of a labelled question, as "
                "`allennlp predict --use-dataset-reader` makes them"
            )
        references = known.strings()
        id = values.get("id")
        key = number if id is None else id.string()
        if key in answers:
            raise ConfigurationError(f"{values.place}: found the id {key!r:.80} a second time")
        answers[key] = Answered(
            " ".join(values["question_tokens"].strings()),
            len(values["passage_tokens"].list()),
            references,
            metric.count(values["answer"].string(), references),
        )
    return answers


def check_same_questions(paths: Dict[str, str], readers: Sequence[Dict[Any, Answered]]) -> None:
    first, *others = paths.values()
    for path, answers in zip(others, readers[1:]):
        different = sorted(answers.keys() ^ readers[0].keys(), key=str)
        if different:
            having, lacking = (path, first) if different[0] in answers else (first, path)
            raise ConfigurationError(
                f"{lacking}: found no prediction for the question {different[0]!r:.80}, which {having} has; "
                "expected the same questions in all files"
            )
        for key, answered in answers.items():
            if answered.references != readers[0][key].references:
                raise ConfigurationError(
                    f"{path}: found the answer_texts {str(answered.references):.80} of the question {key!r:.80}, "
                    f"expected those that {first} has"
                )


def question_type(question: str) -> str:
    return next((words for words in QUESTION_TYPES if words in question.lower()), "other")


def length_range(length: int, bounds: Sequence[int]) -> str:
    """ "201-400", "1201+" """
    low = max((bound for bound in bounds if bound < length), default=0)
    high = min((bound for bound in bounds if bound >= length), default=None)
    return f"{low + 1}+" if high is None else f"{low + 1}-{high}"


def length_ranges(bounds: Sequence[int]) -> List[str]:
    return [length_range(bound, bounds) for bound in (*bounds, max(bounds) + 1)]


def score(names: Sequence[str], counts: Sequence[numpy.ndarray], measures: Iterable[str], samples: int) -> List[Score]:
    """The scores of readers whose `counts` are of the same questions. Shape: (questions, counts)."""
    generator, size = numpy.random.default_rng(0), len(counts[0])
    drawn = [numpy.bincount(generator.integers(size, size=size), minlength=size) for _ in range(samples)]
    # The first row is what was measured.
    weights = numpy.array([numpy.ones(size), *drawn])
    metrics = [[NarrativeQaMetric.of_sums(sums) for sums in (weights @ own).tolist()] for own in counts]
    scores = []
    for measure in measures:
        first, *_ = values = [numpy.array([100 * sample[measure] for sample in own]) for own in metrics]
        for name, own in zip(names, values):
            differences = own - first
            low, high = numpy.percentile(differences[1:], [2.5, 97.5])
            scores.append(Score(name, measure, own[0], differences[0], low, high))
    return scores


def score_groups(
    readers: Dict[str, Dict[Any, Answered]],
    group_of: Callable[[Answered], str],
    order: Sequence[str],
    measures: Sequence[str],
    samples: int,
) -> List[Group]:
    """The groups that have questions, in order, after all questions together. The first reader's tokens count."""
    members: Dict[str, List[Any]] = {}
    for key, answered in next(iter(readers.values())).items():
        for name in (ALL, group_of(answered)):
            members.setdefault(name, []).append(key)
    groups = []
    for name in (ALL, *order):
        if name in members:
            counts = [numpy.array([answers[key].counts for key in members[name]]) for answers in readers.values()]
            groups.append(Group(name, len(members[name]), score(list(readers), counts, measures, samples)))
    return groups


def markdown(title: str, groups: Sequence[Group], measure: str) -> str:
    """A table with a row a group; the cells of all but the first reader end with the difference and its interval."""
    names = [score.reader for score in groups[0].scores if score.measure == measure]
    lines = [f"## {MEASURES[measure]} by {title}", "", f"| {title} | questions | {' | '.join(names)} |"]
    lines.append("|---|--:|" + "--:|" * len(names))
    for group in groups:
        cells = []
        for score in group.scores:
            if score.measure == measure:
                compared = f" ({score.difference:+.2f}, {score.low:+.2f} to {score.high:+.2f})"
                cells.append(f"{score.score:.2f}" + (compared if score.reader != names[0] else ""))
        lines.append(f"| {group.name} | {group.questions} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def draw(path: str, title: str, groups: Sequence[Group], measure: str) -> None:
    """Bars of all readers' scores, and of the differences to the first reader, with their intervals."""
    by_reader: Dict[str, List[Score]] = {}
    for group in groups:
        for score in group.scores:
            if score.measure == measure:
                by_reader.setdefault(score.reader, []).append(score)
    panels = 1 + (len(by_reader) > 1)
    width = len(groups) * max(0.9, 0.3 * len(by_reader))
    figure, axes = pyplot.subplots(panels, 1, figsize=(width, 3.5 * panels), sharex=True, squeeze=False)
    places = numpy.arange(len(groups))
    bar = 0.8 / len(by_reader)
    for i, (name, scores) in enumerate(by_reader.items()):
        at = places + (i - (len(by_reader) - 1) / 2) * bar
        axes[0, 0].bar(at, [score.score for score in scores], bar, label=name, color=f"C{i}")
        if i:
            errors = [[s.difference - s.low for s in scores], [s.high - s.difference for s in scores]]
            # Where differences are skewed an interval may lie beside its difference.
            errors = numpy.maximum(errors, 0)
            bars = [score.difference for score in scores]
            axes[1, 0].bar(at, bars, bar, yerr=errors, label=name, color=f"C{i}", error_kw={"linewidth": 0.8})
    axes[0, 0].set_ylabel(MEASURES[measure])
    if panels == 2:
        axes[1, 0].set_ylabel(f"{MEASURES[measure]} less {next(iter(by_reader))}'s")
        axes[1, 0].axhline(0, color="black", linewidth=0.8)
    for panel in axes[:, 0]:
        panel.legend(fontsize=8)
    axes[-1, 0].set_xticks(places, [f"{group.name}\n({group.questions})" for group in groups], fontsize=8)
    axes[-1, 0].set_xlabel(f"{title} (questions)")
    save(figure, path)


def write(folder: str, tables: Dict[str, List[Group]], measures: Sequence[str]) -> None:
    os.makedirs(folder, exist_ok=True)
    with atomic_write(os.path.join(folder, "scores.md")) as file:
        file.write("\n".join(markdown(by, groups, measure) for by, groups in tables.items() for measure in measures))
    with atomic_write(os.path.join(folder, "scores.csv")) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["by", "group", "questions", *Score._fields])
        for by, groups in tables.items():
            for group in groups:
                for score in group.scores:
                    figures = [f"{value:.4f}" for value in score[2:]]
                    writer.writerow([by, group.name, group.questions, score.reader, score.measure, *figures])
    for by, groups in tables.items():
        for measure in measures:
            draw(os.path.join(folder, f"{by.replace(' ', '_')}_{measure}.png"), by, groups, measure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="where tables and pictures go")
    parser.add_argument("predictions", nargs="+", metavar="NAME=FILE", help="of `span_reader`, with answer_texts")
    parser.add_argument("--measures", nargs="+", choices=MEASURES, default=list(MEASURES), help="by default all")
    parser.add_argument("--bounds", nargs="+", type=int, default=BOUNDS, help="of lengths (default: 200 400 … 1200)")
    parser.add_argument("--samples", type=int, default=1000, help="of questions, for intervals (default: 1000)")
    arguments = parser.parse_args()
    bounds = sorted(set(arguments.bounds))
    try:
        if bounds[0] < 1 or arguments.samples < 1:
            raise ConfigurationError("found --bounds or --samples of less than 1, expected 1 or more")
        paths = named_paths(arguments.predictions)
        readers = {name: read_answers(path) for name, path in paths.items()}
        check_same_questions(paths, list(readers.values()))
        by_type = score_groups(
            readers, lambda answered: question_type(answered.question), (*QUESTION_TYPES, "other"),
            arguments.measures, arguments.samples,
        )  # fmt: skip
        by_length = score_groups(
            readers, lambda answered: length_range(answered.length, bounds), length_ranges(bounds),
            arguments.measures, arguments.samples,
        )  # fmt: skip
        write(arguments.folder, {"question type": by_type, "passage length": by_length}, arguments.measures)
    except (ConfigurationError, OSError) as error:
        parser.exit(2, f"{parser.prog}: error: {error}\n")


if __name__ == "__main__":
    main()
