"""
Measures time and memory. `python -m scripts.benchmarks SUBJECT --help` describes a subject;
docs/benchmarks.md has examples.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Optional

from allennlp_coref_rc.common.script import ScriptParser, run
from scripts.benchmarks.harness import Report, Subject, add_options, prepare

SUBJECTS = {
    "recurrence": "C-GRU's and MAGE-GRU's recurrence with each backend, beside torch.nn.GRU and torch.nn.LSTM",
    "updates": "training updates of the models in configs, also beside allennlp-models' QANet",
    "readers": "speed and memory of dataset readers",
    "loading": "preparing data, and making batches of them, at the size of the real data",
    "annotators": "speed of annotators",
    "start": "the start of each command, beside import allennlp.commands",
    "gpu": "the fused kernels, mixed precision and whole trainings on a GPU",
    "registers": "registers, memory and instructions of the fused kernels, compiled without a GPU",
}


def subject_class(name: str) -> type[Subject]:
    return getattr(import_module(f"scripts.benchmarks.{name}"), name.capitalize())


def options(words: Sequence[str]) -> ScriptParser:
    """
    The parser of all subjects. Only the one that is asked for has its options: the modules take long to
    import.
    """

    def make(prog: str) -> ScriptParser:
        result = ScriptParser(None)
        result.prog = prog
        return result

    parser = ScriptParser(__doc__)
    parser.prog = "scripts.benchmarks"
    subjects = parser.add_subparsers(dest="subject", required=True, metavar="SUBJECT", parser_class=make)
    for name, text in SUBJECTS.items():
        of_subject = subjects.add_parser(name, help=text)
        if name in words[:1]:
            subject = subject_class(name)
            of_subject.description = sys.modules[subject.__module__].__doc__
            add_options(of_subject, subject)
    return parser


def measure(words: Sequence[str], report: Optional[Report] = None) -> int:
    """Measures a subject, given the words of the command line. Returns the exit status."""
    arguments = options(words).parse_args(words)
    prepare(arguments)
    return subject_class(arguments.subject)(arguments).measure(report or Report(arguments))


if __name__ == "__main__":
    sys.argv[0] = "scripts.benchmarks"
    run(lambda: measure(sys.argv[1:]))
