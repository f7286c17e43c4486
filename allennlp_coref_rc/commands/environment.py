"""
Prints the versions of the packages that this one works with, and what is wrong with them. If you report a
problem, include this output. The exit status is 2 if something keeps the package from working.
"""

import argparse
import json
import sys

HELP = "print versions, and what is wrong with this installation"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print a JSON object, for programs")


def run(args: argparse.Namespace) -> None:
    from allennlp_coref_rc.allennlp_runtime.environment_report import report

    state = report()
    if args.json:
        print(json.dumps(state._asdict(), indent=1))
    else:
        width = max(map(len, state.facts))
        print(*(f"{name:{width}}  {fact}" for name, fact in state.facts.items()), sep="\n")
        optional = [f"{name}: {purpose}" for name, purpose in state.optional.items()]
        for title, lines in (
            ("Not installed, and needed only for", optional),
            ("Remarks", state.remarks),
            ("Problems", state.problems or ["none"]),
        ):
            if lines:
                print(f"\n{title}:", *lines, sep="\n  ")
    if state.problems:
        sys.exit(2)
