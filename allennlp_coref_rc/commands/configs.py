"""
Lists the configs that come with the package, each with the first line of its comment, or copies them into a
folder where you can edit them. Commands that take a config find these by name: coref-rc train
babi/ga_coref_gru.jsonnet.
"""

import argparse
import shutil
from pathlib import Path

from allennlp_coref_rc.common.config_files import FOLDER, names
from allennlp_coref_rc.common.errors import ConfigurationError

HELP = "list the configs that come with the package, or copy them"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "prefix", nargs="?", default="", metavar="PREFIX", help="the beginning of names, such as babi/"
    )
    parser.add_argument(
        "--copy", type=Path, metavar="FOLDER", help="copy all configs, and what they import, to FOLDER"
    )


def run(args: argparse.Namespace) -> None:
    if args.copy:
        if args.prefix:
            raise ConfigurationError(
                f"found {args.prefix!r} and --copy, expected one of them: all configs are copied"
            )
        if args.copy.exists():
            raise ConfigurationError(f"{args.copy} is there already; copy the configs to another folder")
        shutil.copytree(FOLDER, args.copy)
        print(f"{args.copy}: {len(names())} configs, and the files that they import in lib")
        return
    chosen = [name for name in names() if name.startswith(args.prefix)]
    if not chosen:
        raise ConfigurationError(
            f"found no config whose name begins with {args.prefix!r}; coref-rc configs lists all"
        )
    width = max(map(len, chosen))
    for name in chosen:
        print(f"{name:{width}}  {_comment(FOLDER / name)}".rstrip())


def _comment(path: Path) -> str:
    with open(path, encoding="utf-8") as lines:
        first = next(lines, "")
    return first.removeprefix("//").strip() if first.startswith("//") else ""
