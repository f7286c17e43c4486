"""
Writes README.md, the model card that the Hugging Face hub shows, into the folder of a training or beside an
archive. The card names the data, the annotator and the metrics of the model. The rest is for you to fill in.
"""

import argparse
from pathlib import Path

from allennlp_coref_rc.common.errors import ConfigurationError

HELP = "write a model card beside a trained model"

README = "README.md"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "archive", type=Path, metavar="ARCHIVE", help="the folder of a training, or its model.tar.gz"
    )
    parser.add_argument(
        "--licence", metavar="NAME", help="such as apache-2.0; without it the card asks for one"
    )
    parser.add_argument("--title", help="the card's first line (default: the name of the folder)")
    parser.add_argument("-f", "--force", action="store_true", help="replace an existing README.md")


def run(args: argparse.Namespace) -> None:
    from allennlp_coref_rc.common.files import write_text
    from allennlp_coref_rc.common.json_objects import read_json_object
    from allennlp_coref_rc.pages.model_card import model_card
    from allennlp_coref_rc.safe_archives.archives import config_of

    # Nothing of the config is built, so it may name what it likes.
    config = config_of(str(args.archive), trust=True)
    folder = args.archive if args.archive.is_dir() else args.archive.parent
    path = folder / README
    if path.exists() and not args.force:
        raise ConfigurationError(f"{path} is there already; -f replaces it")
    metrics_file = folder / "metrics.json"
    metrics = read_json_object(str(metrics_file)) if metrics_file.exists() else {}
    card = model_card(config, metrics, args.title or folder.resolve().name, args.licence)
    write_text(path, card)
    missing = "" if metrics else f"; found no {metrics_file}, so it has no metrics"
    print(f"{path}: a model card, to be read and completed{missing}")
