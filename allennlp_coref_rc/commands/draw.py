"""Draws pictures and pages of finished runs, trained readers and predictions."""

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from allennlp_coref_rc.commands.arguments import OTHER_FORMATS, kinds_of, whole_number
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.messages import counted

if TYPE_CHECKING:
    from allennlp_coref_rc.reproduction.figures.curves import Curve

HELP = "draw training curves, stories, annotated documents, explanations, answers, scores by question"

CURVES = """
Draws curves of finished runs, which are the folders that coref-rc train -s FOLDER writes. A curve shows the mean and
the standard deviation over its runs. Writes a picture, OUTPUT.png, and its numbers, OUTPUT.csv.
"""

# The modules that draw have the same values, which a test checks. They are imported only when something is
# drawn.
WAYS = ("prefixes", "boundaries")
FORMATS = ("annotated", *OTHER_FORMATS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_kind = kinds_of(parser, "WHAT")
    add_curves = kinds_of(add_kind("curves", "curves of finished runs", CURVES), "KIND")

    ablation = add_curves("ablation", "the accuracy against the share of corrupted mentions", draw_ablation)
    training = add_curves("training", "exp(-loss) after each epoch", draw_training)
    for kind in (ablation, training):
        kind.add_argument("output", metavar="OUTPUT", help="where to write: OUTPUT.png and OUTPUT.csv")
        kind.add_argument(
            "--curve",
            nargs="+",
            action="append",
            required=True,
            metavar=("NAME", "FOLDER"),
            help="a curve's name and the folders of its runs; repeat for each curve",
        )

    add = add_kind("story", "what readers believe after each sentence of a story", draw_story).add_argument
    add("folder", metavar="FOLDER", type=Path, help="where pages and pictures go")
    add("stories", metavar="STORIES", help="a bAbI file, or the name of a split that the reader knows")
    add("archives", nargs="+", metavar="NAME=ARCHIVE", help="trained readers")
    add("--questions", nargs="+", type=int, default=[1], help="numbers of questions in the file (default: 1)")
    add("--way", choices=WAYS, default=WAYS[0], help="how the story is read (default: prefixes)")
    add("--trust", action="store_true", help="trust the archives, which can then run any program")

    add = add_kind("clusters", "annotated documents and their entities", draw_clusters).add_argument
    add("file", metavar="FILE", help="annotated documents")
    add("folder", nargs="?", metavar="FOLDER", type=Path, help="where pages go (default: named after FILE)")
    add("--format", choices=FORMATS, default=FORMATS[0], help="the format of FILE (default: annotated)")
    add("--limit", type=whole_number(1), default=100, help="the number of documents (default: %(default)s)")

    add = add_kind("explanations", "what a reader has looked at", draw_explanations).add_argument
    add("predictions", metavar="PREDICTIONS", help="JSON lines, as coref-rc predict writes them")
    add("folder", metavar="FOLDER", type=Path, help="where pages go")
    add("--pictures", action="store_true", help="also draw PNGs of each attention, which takes long")
    add("--limit", type=whole_number(1), default=20, help="the number of predictions (default: %(default)s)")

    add = add_kind("answers", "the answers of several readers, side by side", draw_answers).add_argument
    add("folder", metavar="FOLDER", help="where pages go")
    add("predictions", nargs="+", metavar="NAME=FILE", help="predictions of the same questions")
    different = "leave out questions that all readers, or none, answer correctly"
    add("--only-different", action="store_true", help=different)
    add("--limit", type=whole_number(1), default=100, help="the number of questions (default: %(default)s)")

    add = add_kind("questions", "scores by type of question and by length", draw_questions).add_argument
    add("folder", metavar="FOLDER", help="where tables and pictures go")
    add("predictions", nargs="+", metavar="NAME=FILE", help="predictions of a span_reader, with answer_texts")


def run(args: argparse.Namespace) -> None:
    args.function(args)


def draw_ablation(args: argparse.Namespace) -> None:
    """
    Draws the test accuracy of runs against the share of mentions that were removed or replaced (Coref-GRU,
    Dhingra et al., NAACL 2018, Figure 3, left). A run whose config has no such share counts as 0. If that is
    true of all runs of a curve, the curve is a level line.
    """
    from allennlp_coref_rc.reproduction.figures.curves import ABLATION_AXES, ablation_curve

    curves = [ablation_curve(name, folders) for name, folders in _runs_of_curves(args)]
    _write_curves(args.output, curves, ABLATION_AXES)


def draw_training(args: argparse.Namespace) -> None:
    """
    Draws exp(-loss) after each epoch, which is the geometric mean of the probabilities of the correct answers
    to validation and to training questions (Coref-GRU, Figure 3, right). A run that ended early keeps its
    last value.
    """
    from allennlp_coref_rc.reproduction.figures.curves import AXES, CURVE_SPLITS, training_curve

    runs = list(_runs_of_curves(args))
    curves = [training_curve(name, folders, split) for name, folders in runs for split in CURVE_SPLITS]
    _write_curves(args.output, curves, AXES)


def draw_story(args: argparse.Namespace) -> None:
    """
    Draws what readers believe after each sentence of a bAbI story: heat maps of candidates by sentences
    (MAGE-GRU, Dhingra et al. 2017, Figure 4). The correct answer and the sentences that support it are
    marked. Writes FOLDER/question_1.png, FOLDER/question_1.html and so on. With --way prefixes a reader reads
    the first sentence, then the first two, and so on. With --way boundaries it reads the story once, as in
    the paper, and the encoding of each sentence's end replaces the result of attention over the whole story.
    Only readers whose answers are classes can do that (tasks 6 to 10, 15 and 17 to 20).
    """
    from allennlp_coref_rc.allennlp_runtime.lazy_registry import import_allennlp

    import_allennlp()
    from allennlp_coref_rc.common.files import named_paths
    from allennlp_coref_rc.common.progress import progress_bar
    from allennlp_coref_rc.pages.stories import write_story
    from allennlp_coref_rc.reproduction.figures.stories import WAYS, babi_reader, find_stories, load_reader

    predictors = {name: load_reader(path, args.trust) for name, path in named_paths(args.archives).items()}
    first = babi_reader(next(iter(predictors.values()))._dataset_reader)
    stories = find_stories(first, args.stories, args.questions)
    believed = {
        number: {name: WAYS[args.way](predictor, story) for name, predictor in predictors.items()}
        for number, story in progress_bar(stories.items(), desc="reading")
    }
    args.folder.mkdir(parents=True, exist_ok=True)
    for number, readers in progress_bar(believed.items(), desc="drawing"):
        write_story(str(args.folder / f"question_{number}"), stories[number].question, readers)
    print(f"{args.folder}: a page and a picture of {counted(len(believed), 'question')}")


def draw_clusters(args: argparse.Namespace) -> None:
    """
    Shows annotated documents as pages: entities in colours, with a list of them, semantic frames and
    discourse relations. Click on a mention to see all mentions of its entity, and again to go to the next.
    FILE is what coref-rc annotate writes, or a file or folder in another format. Writes a page for each
    document into FOLDER, and index.html.
    """
    from allennlp_coref_rc.pages.documents import write_pages

    folder = args.folder or Path(Path(args.file).name.partition(".")[0] + "_pages")
    number = write_pages(args.file, str(folder), args.format, args.limit)
    first = folder / ("index.html" if number > 1 else "001.html")
    print(f"{first}: {_drawn(number, 'document', args.limit)}")


def draw_explanations(args: argparse.Namespace) -> None:
    """
    Draws what a reader has looked at, from its predictions with explanations (coref-rc predict ARCHIVE FILE
    --predictor-args '{"explain": true}' --output-file PREDICTIONS). Each prediction gets a page: the passage
    with its entities, the probabilities of candidates, and the attention of each layer and of each annotated
    head of dassa. Click on a word to see what it attends to. With --pictures, each attention is also drawn as
    a picture, in a size for papers.
    """
    from allennlp_coref_rc.pages.explanations import write_explanations

    number = write_explanations(args.predictions, args.folder, args.limit, args.pictures)
    print(
        f"{args.folder}: pages{' and pictures' * args.pictures} of {_drawn(number, 'prediction', args.limit)}"
    )


def draw_answers(args: argparse.Namespace) -> None:
    """
    Shows what several readers answered to the same questions, side by side, from their predictions (coref-rc
    predict … --output-file FILE): the passage with the entities that each reader was given, what counted for
    its answer, and its probabilities. The examples of the papers are such comparisons (CG+SBA, Figure 3;
    MAGE-GRU, Figure 5; DASSA, Figures 6 to 8). Writes a page for each question into FOLDER, and index.html.
    """
    from allennlp_coref_rc.common.files import named_paths
    from allennlp_coref_rc.pages.compared_answers import write_compared_answers

    paths = named_paths(args.predictions)
    number = write_compared_answers(args.folder, paths, args.limit, args.only_different)
    index = Path(args.folder, "index.html")
    print(f"{index}: {_drawn(number, 'question', args.limit)} to {counted(len(paths), 'reader')}")


def draw_questions(args: argparse.Namespace) -> None:
    """
    Scores readers by the type of question and by the length of the passage, side by side (DASSA, Mihaylov and
    Frank, EMNLP 2019, Figures 4 and 5). Writes scores.md, scores.csv and pictures into FOLDER. All numbers
    are percentages. Each reader is compared with the first one on the same questions. The intervals hold 95 %
    of the differences over resampled questions.

    A question's type is the first of these that occurs anywhere in the lower-cased question: what, when,
    where, which, who, why, how far, how long, how many, how much, how old, how. Otherwise the type is other.
    As in the authors' code, parts of words count ("show" counts as how, "whole" as who). Lengths are in
    tokens. Rouge-L, exact match and F1 are means over questions; Bleu-1 is computed over all answers of a
    group together. If predictions have exact_match and f1, as on Quoref, these values are used, and Rouge-L
    and Bleu-1 mean little.
    """
    from allennlp_coref_rc.common.files import named_paths
    from allennlp_coref_rc.reproduction.figures.question_scores import Comparison

    Comparison().write(args.folder, named_paths(args.predictions))
    print(f"{args.folder}: scores.md, scores.csv and pictures")


def _drawn(number: int, noun: str, limit: int) -> str:
    return counted(number, noun) + " (no more than --limit)" * (number == limit)


def _runs_of_curves(args: argparse.Namespace) -> Iterator[tuple[str, list[Path]]]:
    for name, *paths in args.curve:
        folders = [Path(path) for path in paths]
        if not folders:
            raise ConfigurationError(f"--curve {name}: found only a name, expected folders of runs after it")
        for folder in folders:
            if folders.count(folder) > 1:
                raise ConfigurationError(f"--curve {name}: found {folder} twice, expected every run once")
        yield name, folders


def _write_curves(output: str, curves: list["Curve"], axes: tuple[str, str]) -> None:
    from allennlp_coref_rc.reproduction.figures.curves import write_curves

    os.makedirs(os.path.dirname(os.path.abspath(output)), exist_ok=True)
    write_curves(output, curves, *axes)
    print(f"{output}.png and {output}.csv: {counted(len(curves), 'curve')}")
