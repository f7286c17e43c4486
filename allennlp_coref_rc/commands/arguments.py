"""Arguments that several commands have, and types of arguments."""

import argparse
from collections.abc import Callable

from allennlp_coref_rc.common.checks import is_within, range_of

OTHER_FORMATS = ("brat", "conll_2012", "conll_2016", "conllu", "corenlp", "dassa", "e2e_coref", "gap")
"""The formats of other tools in `annotations.formats`, which is imported only when a file is read."""


def whole_number(least: int) -> Callable[[str], int]:
    """The type of an integer that is not below `least`."""

    def number(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"found {text}, expected an integer, {range_of(least)}")
        return int(text)

    return number


def probability(text: str) -> float:
    """The type of a number from 0 to 1."""
    try:
        if is_within(float(text), 0, 1):
            return float(text)
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"found {text}, expected a number, {range_of(0, 1)}")


def add_numbers(parser: argparse._ActionsContainer, option: str, help: str) -> None:
    """Adds an option with numbers such as "1-3,5" or "1-3 5", which `common.schema.Numbers` reads."""
    parser.add_argument(option, nargs="+", default=[], metavar="NUMBERS", help=help)


def kinds_of(parser: argparse.ArgumentParser, metavar: str) -> Callable[..., argparse.ArgumentParser]:
    """
    A function that adds a command within a command: its name, help, and what it calls, whose docstring is
    shown. A command that only has further ones gets a text in place of this function.
    """
    kinds = parser.add_subparsers(required=True, metavar=metavar)

    def add_kind(name: str, help: str, shown: Callable | str) -> argparse.ArgumentParser:
        if isinstance(shown, str):
            return kinds.add_parser(name, help=help, description=shown)
        kind = kinds.add_parser(name, help=help, description=shown.__doc__)
        kind.set_defaults(function=shown)
        return kind

    return add_kind


def add_packages(parser: argparse.ArgumentParser, purpose: str) -> None:
    """Adds `--include-package`, which may be given several times."""
    help = f"also import this package, for its {purpose}"
    parser.add_argument("--include-package", action="append", default=[], metavar="NAME", help=help)
