"""
Downloads data sets, simulates bAbI stories or mixes them two by two, divides or packs question files, and
finds words that can be exchanged.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from allennlp_coref_rc.commands.arguments import add_numbers, add_packages, kinds_of, whole_number
from allennlp_coref_rc.common.error_message import user_message
from allennlp_coref_rc.common.errors import ConfigurationError

HELP = (
    "download data sets, simulate or mix bAbI stories, divide or pack question files, find exchangeable words"
)

SPLITS = ("train", "valid", "test")
QUESTIONS = {"train": 900, "valid": 100, "test": 1000}
"""The questions of each split of a simulated task, unless their numbers are given."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_kind = kinds_of(parser, "COMMAND")

    add = add_kind("download", "get data sets from their official places", download).add_argument
    add("names", nargs="*", metavar="NAME", help="data sets, or all; without a name, lists them")
    add("--list", action="store_true", help="list all data sets: size, licence, whether they are here")
    add("--folder", type=Path, default=Path("data"), help="where data sets go (default: data)")

    kind = add_kind("simulate", "write simulated bAbI stories", simulate)
    _add_written_folder(kind)
    add_numbers(kind, "--tasks", "tasks, such as 1-3,11 or 1 2 (default: all)")
    for split, number in QUESTIONS.items():
        help = f"questions in each {split} file (default: {number})"
        kind.add_argument(f"--{split}", type=whole_number(1), metavar="N", help=help)
    published = "a folder of bAbI files: take its training and validation questions, and write a fresh test"
    kind.add_argument("--published", metavar="SOURCE", help=published)
    _add_seed(kind)

    kind = add_kind("mix", "mix bAbI stories two by two", mix)
    kind.add_argument("source", metavar="SOURCE", help="the folder of bAbI files")
    _add_written_folder(kind)
    add_numbers(kind, "--tasks", "tasks, such as 2,16 or 2 16 (default: 1-20)")
    which = "which files (default: all three)"
    kind.add_argument("--splits", nargs="+", default=SPLITS, choices=SPLITS, help=which)
    _add_seed(kind)

    kind = add_kind("folds", "divide articles among the folds of a cross-validation", folds)
    kind.add_argument("file", metavar="FILE", help="the file, such as data/quoref/quoref-dev-v0.1.json")
    _add_written_folder(kind)
    kind.add_argument("--folds", type=int, default=5, metavar="N", help="(default: %(default)s)")
    _add_seed(kind)

    kind = add_kind("swapped", "divide NarrativeQA's test and validation summaries anew", swapped)
    kind.add_argument("test", metavar="TEST", help="the annotated summaries of the official test split")
    kind.add_argument("valid", metavar="VALID", help="those of the official validation split")
    _add_written_folder(kind)

    add = add_kind("to-jsonl", "pack .question files into one file", to_jsonl).add_argument
    add("folder", metavar="FOLDER", help="the folder of .question files")
    add("output", metavar="OUTPUT", help="the file to write")

    kind = add_kind("prepared", "list what trainings have prepared, or remove it", prepared)
    kind.add_argument("--remove", nargs="+", metavar="KEY", help="removes these, or all")

    kind = add_kind("exchangeable", "find words that can be exchanged in training data", exchangeable)
    kind.add_argument("config", metavar="CONFIG", help="a config with a dataset_reader and a train_data_path")
    kind.add_argument("-o", "--overrides", default="", metavar="JSON", help="values in place of the config's")
    add_packages(kind, "dataset readers")


def _add_written_folder(kind: argparse.ArgumentParser) -> None:
    where = "where the files are written; made if it does not exist"
    kind.add_argument("output_folder", metavar="FOLDER", help=where)


def _add_seed(kind: argparse.ArgumentParser) -> None:
    kind.add_argument("--seed", type=whole_number(0), default=1, help="0 or more (default: 1)")


def run(args: argparse.Namespace) -> None:
    args.function(args)


def resume_hint(args: argparse.Namespace) -> str:
    return "the same command resumes the download" if args.function is download else ""


def download(args: argparse.Namespace) -> None:
    """
    Downloads data sets from their official places into FOLDER/NAME. Complete files are not fetched again, and
    a download that broke off resumes where it stopped. Sizes and checksums are verified if they are known.
    Some files can only be fetched by hand (Google Drive, LDC): put them where this command says, and run it
    again. The exit status is 1 if a data set is incomplete.
    """
    from allennlp_coref_rc.data.downloads import DATA_SETS, DownloadError, describe, get

    known = [data_set.name for data_set in DATA_SETS]
    for name in args.names:
        if name not in (*known, "all"):
            raise ConfigurationError(
                f"found the data set {name!r}, expected some of {', '.join(known)}, or all"
            )
    if args.list or not args.names:
        for data_set in DATA_SETS:
            print(describe(data_set, args.folder))
        return
    failed = 0
    args.folder.mkdir(parents=True, exist_ok=True)
    for data_set in DATA_SETS:
        if data_set.name in args.names or "all" in args.names:
            print(f"{data_set.name}: {data_set.holds} ({data_set.licence})")
            try:
                get(data_set, args.folder)
                print(f"{data_set.name}: complete in {args.folder / data_set.name}")
            except (DownloadError, OSError) as error:
                failed += 1
                is_of_disk = isinstance(error, OSError)
                why = f"{user_message(error)}; run this again to resume" if is_of_disk else error
                print(f"{data_set.name}: incomplete. {why}")
    if failed:
        sys.exit(1)


def simulate(args: argparse.Namespace) -> None:
    """
    Writes simulated bAbI stories into FOLDER, in the format and with the file names of the bAbI tasks,
    version 1.2: qa1_train.txt, qa1_valid.txt, qa1_test.txt and so on. Each file has its own seed, 1000 * seed
    + 10 * task + split, where split is 0 for train, 1 for valid and 2 for test. The same arguments write the
    same files.

    With --published, train and valid are the files of SOURCE, and only test is simulated. Tasks that cannot
    be simulated get a test too: the last stories of train, a fifth of its questions, which are taken out of
    it.
    """
    from allennlp_coref_rc.common.files import is_among, write_text
    from allennlp_coref_rc.data.babi.babi_files import NUM_TASKS
    from allennlp_coref_rc.data.babi.fresh_test import with_fresh_test
    from allennlp_coref_rc.data.babi.simulated_world import SIMULATED_TASKS, simulate_task

    tasks = _tasks(args.tasks, range(1, NUM_TASKS + 1) if args.published else SIMULATED_TASKS)
    if args.published and is_among(args.output_folder, [args.published]):
        raise ConfigurationError(f"found {args.published} twice, expected another folder for what is written")
    if args.published and (args.train or args.valid):
        raise ConfigurationError("found --train or --valid beside --published, whose questions they are")
    numbers = {split: getattr(args, split) or number for split, number in QUESTIONS.items()}
    for task in tasks:
        seed = 1000 * args.seed + 10 * task
        if args.published:
            files = dict(with_fresh_test(args.published, task, numbers["test"], seed + SPLITS.index("test")))
        else:
            files = {
                split: simulate_task(task, number, seed + index)
                for index, (split, number) in enumerate(numbers.items())
            }
        os.makedirs(args.output_folder, exist_ok=True)
        for split, lines in files.items():
            path = os.path.join(args.output_folder, f"qa{task}_{split}.txt")
            write_text(path, "\n".join([*lines, ""]))
            questions = sum("\t" in line for line in lines)
            print(f"{path}: {questions} questions")


def mix(args: argparse.Namespace) -> None:
    """
    Writes bAbI-Mix (Dhingra et al. 2017, section 4.2) from a folder of bAbI files, published or simulated.
    Each new story mixes two stories; the number of questions stays the same. Each file has its own seed, as
    for coref-rc data simulate.
    """
    from allennlp_coref_rc.common.files import is_among, write_text
    from allennlp_coref_rc.data.babi.babi_files import NUM_TASKS, find_split
    from allennlp_coref_rc.data.babi.mixed_stories import mix_stories, read_stories

    tasks = _tasks(args.tasks, range(1, NUM_TASKS + 1))
    if is_among(args.output_folder, [args.source]):
        raise ConfigurationError(f"found {args.source} twice, expected another folder for what is written")
    sources = {(task, split): find_split(args.source, task, split) for task in tasks for split in args.splits}
    os.makedirs(args.output_folder, exist_ok=True)
    for task in tasks:
        for split in args.splits:
            stories = read_stories(sources[task, split])
            path = os.path.join(args.output_folder, f"qa{task}_{split}.txt")
            lines = mix_stories(stories, seed=1000 * args.seed + 10 * task + SPLITS.index(split))
            write_text(path, "\n".join([*lines, ""]))
            print(f"{path}: {sum(map(len, stories))} questions in {len(stories)} stories")


def folds(args: argparse.Namespace) -> None:
    """
    Divides a file in the form of SQuAD and Quoref, or one that coref-rc annotate has written from such a
    file, into folds for a cross-validation: FOLDER/fold_1/train.json and FOLDER/fold_1/test.json, and so on.
    All passages of an article are in one fold, so that no question of a test file is about an article of its
    training file. The folds have about the same number of passages. The same arguments write the same files.
    """
    from allennlp_coref_rc.data.folds import write_folds

    for path, passages in write_folds(args.file, args.output_folder, args.folds, args.seed):
        print(f"{path}: {passages} passages")


def swapped(args: argparse.Namespace) -> None:
    """
    Divides NarrativeQA's annotated test and validation summaries for experiments without the official
    training summaries: of the test summaries the first 35, by id, are for validation and the others for
    training, and the validation summaries are for the test. FOLDER gets train.jsonl, valid.jsonl and
    test.jsonl, and FOLDER/other_document the same files with a control: each passage has the sentences and
    annotations of the next longer passage. TEST and VALID are files that coref-rc annotate has written.
    """
    from allennlp_coref_rc.data.swapped_split import write_swapped_split

    for path, documents, questions in write_swapped_split(args.test, args.valid, args.output_folder):
        print(f"{path}: {questions} questions about {documents} summaries")


def to_jsonl(args: argparse.Namespace) -> None:
    """
    Packs a folder of .question files (CNN, Daily Mail) into one file of JSON lines, in the order of the
    files' names. The reader annotated_cnn_dailymail reads such a file in place of the folder. The file is
    compressed if its name ends in .gz, .bz2 or .xz.
    """
    from allennlp_coref_rc.common.progress import progress_bar
    from allennlp_coref_rc.data.corpora.cnn_dailymail import find_questions, question_files, write_json_lines

    files = question_files(find_questions(args.folder))
    write_json_lines(args.output, progress_bar(files, unit=" questions"))
    print(f"{args.output}: {len(files):,} questions")


def prepared(args: argparse.Namespace) -> None:
    """
    Lists the data that trainings have prepared, which later ones find again: the key, the size, the number of
    questions, the data path and the reader. With --remove, removes those with these keys. The folder is
    prepared/ in ALLENNLP_CACHE_ROOT, which is ~/.allennlp if it is not set.
    """
    from allennlp_coref_rc.data.store.preparing import stored

    found = list(stored())
    for key in args.remove or ():
        if key != "all" and key not in {store.key for store in found}:
            raise ConfigurationError(
                f"--remove: found {key!r}, expected all, or keys that coref-rc data prepared lists"
            )
    for store in found:
        removed = args.remove and ("all" in args.remove or store.key in args.remove)
        print(f"{'removed ' if removed else ''}{store.key}  {store.size / 1e6:10,.1f} MB  {store.about}")
        if removed:
            store.remove()
    print(f"{sum(store.size for store in found) / 1e6:,.1f} MB in all")


def exchangeable(args: argparse.Namespace) -> None:
    """
    Finds words that can be exchanged in training data without changing it, such as names: those that a reader
    exchanges in training if its entity_substitution is {"type": "induced"}. Prints the groups, and for each
    refused exchange a context that it would make more or less frequent.
    """
    from allennlp.common import Params
    from allennlp.data import DatasetReader

    from allennlp_coref_rc.allennlp_runtime.lazy_registry import import_packages, import_plugins
    from allennlp_coref_rc.common.config_files import load_config, locate
    from allennlp_coref_rc.data.exchangeable_words import LEVEL, exchangeable_words
    from allennlp_coref_rc.data.question_contexts import asked_questions

    import_plugins()
    import_packages(args.include_package)
    params = load_config(locate(args.config), args.overrides)
    # Annotations take long, and are not used.
    reader = {**params["dataset_reader"], "annotator": None, "annotation_layers": {}}
    questions = asked_questions(DatasetReader.from_params(Params(reader)).read(params["train_data_path"]))
    found = exchangeable_words(questions)
    print(f"{len(questions):,} questions, {len(found.groups)} groups of words that can be exchanged:")
    for group in found.groups:
        print("  " + ", ".join("/".join(forms) for forms in group))
    refused = [exchange for exchange in found.exchanges if 0 < exchange.p < LEVEL]
    print(f"{len(refused)} refused exchanges, each with a context whose frequency it changes:")
    for exchange in refused:
        pairs = " and ".join(f"{a}, {b}" for a, b in exchange.words)
        print(f"  {pairs}: p = {exchange.p:.1g}, {exchange.why}")
    untested = sum(exchange.p == 0 for exchange in found.exchanges)
    print(f"{untested} exchanges that too few sentences can test")


def _tasks(given: Sequence[str], known: Sequence[int]) -> Sequence[int]:
    from allennlp_coref_rc.common.schema import Numbers, validated

    tasks = validated(Numbers, ",".join(given), "--tasks") if given else known
    for task in tasks:
        if task not in known:
            raise ConfigurationError(f"--tasks: found {task}, expected some of {', '.join(map(str, known))}")
    return tasks
