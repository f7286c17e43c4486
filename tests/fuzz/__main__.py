"""
Fuzzing: damages the files that the package reads, of all readers and formats, and looks for what should not
happen. A damaged file is read, with a valid result, or refused by a message that names the file and the line;
anything else is a find, and is printed with the command that repeats it.

    python -m tests.fuzz --seconds 60
    python -m tests.fuzz --kind wikihop --cases 1000
    python -m tests.fuzz --kind wikihop --seed 13370 --case 17 --keep /tmp/case
"""

import argparse
import logging
import sys
import tempfile
import time
from collections import Counter
from itertools import count
from pathlib import Path

from tests.fuzz.run import KINDS, SEED, Find, kind_of, run_case, table


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--seconds", type=float, help="stop after so long")
    number = "stop after so many cases of each kind (by default 1,000, unless --seconds is given)"
    add("--cases", type=int, help=number)
    names = [kind.name for kind in KINDS]
    add("--kind", action="append", metavar="NAME", choices=names, help="only these; may be repeated")
    add("--seed", type=int, default=SEED, help="other cases (default: %(default)s)")
    add("--first", type=int, default=0, metavar="N", help="begin with the case of this number")
    add("--case", type=int, metavar="N", help="only the case of this number")
    add("--keep", metavar="FOLDER", help="leave the files of the last case there")
    add("--list", action="store_true", help="print the names of the kinds")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(kind.name for kind in KINDS))
        return
    sys.exit(run(arguments))


def run(arguments: argparse.Namespace) -> int:
    """The exit status: 1 if anything was found."""
    logging.disable(logging.ERROR)
    names = arguments.kind or [kind.name for kind in KINDS]
    numbers = count(arguments.first)
    if arguments.case is not None:
        numbers = iter([arguments.case])
    elif arguments.cases or not arguments.seconds:
        numbers = iter(range(arguments.first, arguments.first + (arguments.cases or 1000)))
    end = time.monotonic() + (arguments.seconds or float("inf"))
    counts: Counter = Counter()
    seen: Counter = Counter()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(arguments.keep or temporary) / "files"
        for number in numbers:
            for name in names:
                if time.monotonic() > end:
                    break
                outcome = run_case(kind_of(name), number, folder, arguments.seed)
                counts[name, outcome.name] += 1
                if outcome.is_find:
                    place = (name, outcome.name, outcome.details.rpartition(" at ")[2])
                    seen[place] += 1
                    # One example of what goes wrong at the same place is enough.
                    if seen[place] <= 1:
                        print(Find(name, arguments.seed, number, outcome), flush=True)
            if time.monotonic() > end:
                break
    print("\n".join(table(counts, names)))
    return int(bool(seen))


if __name__ == "__main__":
    main()
