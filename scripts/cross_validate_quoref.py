"""
Trains small models on Quoref's development file and tests them on it, by cross-validation over articles, and compares
them in pairs.

    python scripts/cross_validate_quoref.py data/quoref/quoref-dev-v0.1.json --output output/quoref_articles

All passages of an article are in one fold, so that no question is about an article that training has seen. All folds
have about the same number of passages. Every model is trained on all folds but one, for the same number of epochs. It
does not see the fold that is left out, and then answers its questions. Scores are Quoref's exact match and F1.
Intervals are 95 % intervals of paired bootstrap samples of articles.

If the script was stopped, give the same command again. Complete folds are kept, and a training goes on and ends with
the same digits. Each annotator needs a folder of its own. --against compares with the models of another folder, and
--test uses only some folds. Folders of earlier versions, whose folds were dealt by passage, are refused.
"""

import json
import os
import random
import shutil
import statistics
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import _jsonnet
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.params import parse_overrides, with_overrides
from allennlp.models import Archive, load_archive

import allennlp_coref_rc  # noqa: F401  registers what configs name
from allennlp_coref_rc.annotation_runs.config_option import build_annotator, load_config
from allennlp_coref_rc.annotations import Document, read_documents, write_documents
from allennlp_coref_rc.annotations.annotators import Annotator
from allennlp_coref_rc.common.config_files import FOLDER, check_overrides
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import atomic_write, open_text, write_text
from allennlp_coref_rc.common.messages import counted
from allennlp_coref_rc.common.script import ScriptParser, run
from allennlp_coref_rc.data.dataset_readers import AnnotatedQuorefReader
from allennlp_coref_rc.metrics.aligned_spans import aligned_scores
from allennlp_coref_rc.modules.spans import span_text
from allennlp_coref_rc.reproduction.execution import hardware
from allennlp_coref_rc.reproduction.results_file import FIRST, LAST, add_lines, right_cell
from allennlp_coref_rc.reproduction.session import commit
from allennlp_coref_rc.reproduction.significance import paired_bootstrap
from allennlp_coref_rc.training.exact_checkpointer import recoverable

MODELS = {
    "qanet": "",
    "dassa_coref": "+ variants.coref()",
    "gru": "+ variants.gru",
    "coref_gru": "+ variants.coref_gru",
}
"""By the name of a model, the variant that makes its config."""

DEFAULT_MODELS = ("qanet", "dassa_coref")

HEADER = {"reader": "annotated_quoref"}

PLACES = ("output", "models", "test", "against", "write_results")
"""Arguments that may differ between commands with the same folder."""

DEALT_BY = "article"
"""All passages of one of these are in one fold. Settings of earlier versions, which dealt by passage, lack this key."""

BATCH_SIZE = 32
"""The number of questions that are answered at once."""


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("path", help="the development file")
    parser.add_argument("--output", type=Path, required=True, help="the folder of files, models and predictions")
    parser.add_argument("--models", nargs="+", choices=list(MODELS), default=DEFAULT_MODELS, metavar="NAME")
    parser.add_argument("--annotator", default="sieve_coref", help="a name, JSON or a file (default: %(default)s)")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=7)
    parser.add_argument("--seed", type=int, default=1, help="of the folds and of training")
    parser.add_argument(
        "-o", "--overrides", default="{}", help="values of the config to change, as coref-rc train -o has them"
    )
    parser.add_argument("--test", type=int, nargs="+", metavar="FOLD", help="these folds, from 0 (default: all)")
    parser.add_argument(
        "--against",
        type=Path,
        nargs="+",
        default=[],
        metavar="FOLDER/NAME",
        help="models of other folders to compare with",
    )
    parser.add_argument(
        "--write-results", metavar="FILE", help="add a line for each fold that is trained to FILE (CSV)"
    )
    arguments = parser.parse_args()
    tested = range(arguments.folds) if arguments.test is None else arguments.test

    torch.set_num_threads(1)
    settings = {key: value for key, value in vars(arguments).items() if key not in PLACES}
    settings["dealt_by"] = DEALT_BY
    if not all(0 <= fold < arguments.folds for fold in tested):
        raise ConfigurationError(f"--test: found {list(tested)}, expected folds from 0 to {arguments.folds - 1}")
    check_overrides(arguments.overrides)
    check_settings(arguments.output, settings)
    split(arguments, settings)
    for fold in tested:
        for model in arguments.models:
            evaluate_fold(arguments, model, fold)
    print_scores(arguments, tested)


def check_settings(output: Path, settings: dict[str, Any]) -> None:
    """Raises a `ConfigurationError` if the folder has the folds of other settings."""
    path = output / "settings.json"
    if path.exists():
        with open_text(str(path)) as lines:
            found = json.loads("".join(lines))
        if "dealt_by" not in found:
            raise ConfigurationError(
                f"{path}: found folds that an earlier version dealt by passage, expected folds dealt by {DEALT_BY}; "
                "give another folder as --output"
            )
        if found != settings:
            raise ConfigurationError(f"{path}: found {found}, expected {settings}; give another folder as --output")


def split(arguments: Any, settings: dict[str, Any]) -> None:
    """
    Annotates the passages and deals them out to folds. For each fold, it writes a file of its passages, and a file of
    all others, beside the settings. If they cannot be dealt, nothing is written.
    """
    folder = arguments.output
    annotated, last = folder / "documents.jsonl", folder / f"test_{arguments.folds - 1}.jsonl"
    if last.exists():
        return
    annotator = build_annotator("--annotator", arguments.annotator)
    fold_of = deal(list(titled(AnnotatedQuorefReader().documents(arguments.path))), arguments.folds, arguments.seed)
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / "settings.json", json.dumps(settings))
    reader = AnnotatedQuorefReader(annotator=annotator)
    write_documents(str(annotated), (document for _, document in reader.documents(arguments.path)), HEADER)
    documents = [document for _, document in read_documents(str(annotated))]
    for fold in range(arguments.folds):
        inside = [document for document in documents if fold_of[document.data["title"]] == fold]
        outside = [document for document in documents if fold_of[document.data["title"]] != fold]
        write_documents(str(folder / f"train_{fold}.jsonl"), outside, HEADER)
        write_documents(str(folder / f"test_{fold}.jsonl"), inside, HEADER)


def titled(documents: Iterable[tuple[str, Document]]) -> Iterator[Document]:
    """The documents without their places. If the article of one has no title, a `ConfigurationError` is raised."""
    for place, document in documents:
        if "title" not in document.data:
            raise ConfigurationError(f"{place}: found no title of the article, expected one: folds are of articles")
        yield document


def deal(documents: Sequence[Document], folds: int, seed: int) -> dict[str, int]:
    """
    By title, the fold of each article. Articles with more passages are dealt first, and those with equally many in
    random order. Each goes to the fold that has the fewest passages so far. So the folds' numbers of passages differ by
    at most one if there are enough articles with a single passage.
    """
    passages = Counter(document.data["title"] for document in documents)
    if not 2 <= folds <= len(passages):
        raise ConfigurationError(f"--folds: found {folds}, expected 2 to {len(passages)}, the number of articles")
    titles = list(passages)
    random.Random(seed).shuffle(titles)
    fold_of, sizes = {}, [0] * folds
    for title in sorted(titles, key=passages.__getitem__, reverse=True):
        fold_of[title] = sizes.index(min(sizes))
        sizes[fold_of[title]] += passages[title]
    return fold_of


def evaluate_fold(arguments: Any, model: str, fold: int) -> None:
    """Trains a model and writes its answers, unless they are there already."""
    answers, folder = arguments.output / f"{model}_{fold}.jsonl", arguments.output / f"{model}_{fold}"
    if answers.exists():
        return
    # An interrupted training goes on, if it has already written the checkpoints for that.
    recover = recoverable(str(folder))
    if folder.exists() and not recover:
        shutil.rmtree(folder)
    start = time.perf_counter()
    train_model(Params(config(arguments, model, fold)), str(folder), recover=recover)
    trained = time.perf_counter()
    found = predictions(load_archive(str(folder / "model.tar.gz")), str(arguments.output / f"test_{fold}.jsonl"))
    with atomic_write(str(answers)) as file:
        file.writelines(json.dumps(prediction) + "\n" for prediction in found)
    seconds = time.perf_counter() - trained
    if arguments.write_results:
        annotator = load_config("--annotator", arguments.annotator, Annotator)
        line = {
            **dict.fromkeys((*FIRST, *LAST), ""),
            "run": f"{arguments.output.name}/{model}/fold_{fold + 1}/seed_{arguments.seed}",
            "settings": json.dumps({"annotator": annotator, **parse_overrides(arguments.overrides)}),
            "data": "quoref",
            "seed": str(arguments.seed),
            **{f"test_{key}": str(statistics.fmean(one[key] for one in found)) for key in ("exact_match", "f1")},
            "epochs": str(arguments.epochs),
            "questions": str(len(found)),
            "seconds": f"{time.perf_counter() - start:.1f}",
            "commit": commit(),
            "hardware": hardware(-1),
            "note": f"a fold of scripts/cross_validate_quoref.py, dealt by {DEALT_BY}",
            "right": right_cell(str(answers)),
        }
        add_lines(arguments.write_results, [line])
    print(
        f"{model}, fold {fold}: trained in {trained - start:.0f} s, {counted(len(found), 'question')} answered in "
        f"{seconds:.0f} s"
    )


def config(arguments: Any, model: str, fold: int) -> dict[str, Any]:
    folder = arguments.output
    text = f"""
        local variants = import 'lib/qanet_variants.libsonnet';
        (import 'lib/quoref_development.libsonnet') {MODELS[model]} + {{ annotated_files:: true }}
    """
    values = json.loads(_jsonnet.evaluate_snippet("config", text, jpathdir=[str(FOLDER)]))
    for key in ("validation_data_path", "validation_data_loader"):
        del values[key]
    for key in ("patience", "validation_metric", "learning_rate_scheduler"):
        values["trainer"].pop(key, None)
    values.update(train_data_path=str(folder / f"train_{fold}.jsonl"), datasets_for_vocab_creation=["train"])
    values["trainer"].update(num_epochs=arguments.epochs, checkpointer={"type": "exact"})
    values.update(dict.fromkeys(("random_seed", "numpy_seed", "pytorch_seed"), arguments.seed))
    return with_overrides(values, parse_overrides(arguments.overrides))


def predictions(archive: Archive, path: str) -> list[dict[str, Any]]:
    """The model's answers to the questions of annotated passages, with their scores."""
    origins = {
        question["id"]: {"article": document.data["title"], "passage": document.text.id}
        for _, document in read_documents(path)
        for question in document.data["questions"]
    }
    instances = list(archive.validation_dataset_reader.read(path))
    # `load_archive` leaves the model in training mode, where dropout would change the answers.
    archive.model.eval()
    found = []
    for i in range(0, len(instances), BATCH_SIZE):
        batch = instances[i : i + BATCH_SIZE]
        for instance, output in zip(batch, archive.model.forward_on_instances(batch)):
            metadata = instance["metadata"].metadata
            answer = span_text(metadata, *output["best_span"])
            exact_match, f1 = aligned_scores(answer, metadata["answer_texts"])
            known = {key: metadata[key] for key in ("id", "answer_texts")}
            scores = {"exact_match": exact_match, "f1": f1}
            found.append({**known, **origins[metadata["id"]], "answer": answer, **scores})
    return found


def print_scores(arguments: Any, folds: Iterable[int]) -> None:
    first, *others = arguments.models
    scores = {model: read_answers(arguments.output / model, folds) for model in arguments.models}
    scores.update((str(path), read_answers(path, folds)) for path in arguments.against)
    for model, found in scores.items():
        several = [values for values in found.values() if len(values["answer_texts"]) > 1]
        means = ", ".join(
            f"{key} {100 * sum(values[key] for values in some) / max(len(some), 1):.2f}"
            for some in (found.values(), several)
            for key in ("exact_match", "f1")
        )
        counts = [counted(len({values[key] for values in found.values()}), key) for key in ("passage", "article")]
        print(
            f"{model}: {counted(len(found), 'question')}, {', '.join(counts)}: {means} (the last two: "
            f"{counted(len(several), 'question')} with several spans)"
        )
    pairs = [(model, first) for model in others]
    pairs += [(model, str(path)) for path in arguments.against for model in arguments.models]
    for model, other in pairs:
        if scores[model].keys() != scores[other].keys():
            raise ConfigurationError(f"{other}: found other questions than those of {model}, expected the same folds")
        for key in ("exact_match", "f1"):
            answers = list(scores[model].values())
            articles = [values["article"] for values in answers]
            pair = ([100 * scores[name][values["id"]][key] for values in answers] for name in (model, other))
            result = paired_bootstrap(*pair, groups=articles)
            print(
                f"{model} - {other}, {key}: {result.difference:+.2f}, 95 % interval {result.low:+.2f} to "
                f"{result.high:+.2f}, p = {result.p:.3f}, {counted(len(set(articles)), 'article')}"
            )


def read_answers(path: Path, folds: Iterable[int]) -> dict[str, dict[str, Any]]:
    """By id, a model's answers to the questions of some folds."""
    answers = {}
    for fold in folds:
        file = f"{path}_{fold}.jsonl"
        with open_text(file) as lines:
            found = {values["id"]: values for values in map(json.loads, lines)}
        if not all("article" in values for values in found.values()):
            raise ConfigurationError(
                f"{file}: found answers of folds that an earlier version dealt by passage, expected those of folds "
                f"dealt by {DEALT_BY}"
            )
        answers.update(found)
    return answers


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    run(main)
