"""Types of arguments on the command line."""

import argparse


def positive(text: str) -> int:
    """An integer, 1 or more."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"found {text}, expected an integer, 1 or more")
    return int(text)
