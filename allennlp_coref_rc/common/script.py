"""Shows the help of the programs in scripts/, and their errors in one line."""

import argparse
import os
import sys
from collections.abc import Callable
from typing import NoReturn, Optional

from allennlp_coref_rc.common.error_message import user_message


class ScriptParser(argparse.ArgumentParser):
    """Shows a script's docstring as it is, and says in one line what is wrong with the options."""

    def __init__(self, description: Optional[str]) -> None:
        super().__init__(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {message}\n")


def run(main: Callable[[], Optional[int]]) -> NoReturn:
    """
    Exits with the status that a script's `main` returns, or with 2 and one line for an error that users can
    fix.
    """
    try:
        sys.exit(main())
    except Exception as error:
        message = user_message(error)
        if message is None:
            raise
        print(f"{os.path.basename(sys.argv[0])}: error: {message}", file=sys.stderr)
        sys.exit(2)
