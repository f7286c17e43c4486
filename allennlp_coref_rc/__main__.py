"""
`coref-rc`, or `python -m allennlp_coref_rc`: all commands of AllenNLP with this plugin, in any folder, and
its own.

Nothing heavy is imported here, nor by the modules of own commands at their top, so that help comes at once.
"""

import argparse
import atexit
import gc
import os
import select
import signal
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from typing import Optional

from allennlp_coref_rc.allennlp_runtime import quiet_start
from allennlp_coref_rc.allennlp_runtime.console.quiet import quiet_logs
from allennlp_coref_rc.commands import (
    annotate,
    card,
    check,
    compare,
    configs,
    data,
    demo,
    draw,
    environment,
    reproduce,
)
from allennlp_coref_rc.common.error_message import user_message
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.messages import most_similar
from allennlp_coref_rc.common.stopping import Terminated, terminable, with_resume_hint
from allennlp_coref_rc.common.version import VERSION

_MODULES = (annotate, card, check, compare, configs, data, demo, draw, environment, reproduce)
OWN = {module.__name__.rpartition(".")[2]: module for module in _MODULES}

ALLENNLP = {
    "train": "train a model",
    "evaluate": "evaluate a model on a data set",
    "predict": "answer questions with a model",
    "build-vocab": "build a vocabulary",
    "cached-path": "list or remove files in AllenNLP's cache",
    "checklist": "run a suite of behavioural checks",
    "count-instances": "count the instances that a config reads",
    "diff": "show how two checkpoints differ",
    "find-lr": "find a learning rate",
    "print-results": "print the metrics of many runs",
    "test-install": "test the installation of AllenNLP",
}
"""AllenNLP's commands, with what they do, but for those that no longer work."""

INSTEAD = {
    "push-to-hf": "it does not work with current releases of huggingface-hub; hf upload publishes a model, see "
    "docs/publish.md"
}
"""What to use in place of AllenNLP's other commands."""

# Threads wait without spinning, unless the user has decided: on a busy machine, spinning makes training
# several times slower. OpenMP reads this when torch is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

STANDARD_OUTPUT = 1

DESCRIPTION = """
Reading comprehension with coreference, SRL and discourse structure. coref-rc COMMAND --help describes a command. All
commands take --verbose, to see AllenNLP's log on the screen, and --debug, to see where an error comes from. Commands
that load trained models take --trust: the config of an archive may then name any class and file, and so run any
program.
"""


def main(arguments: Optional[Sequence[str]] = None) -> None:
    """
    Runs a command. The exit status is 2 if the user did something wrong, which the screen then says in a
    paragraph. It is 130 after Ctrl-C and 143 after SIGTERM; the screen then says how to resume. It is 141,
    without a message, if the pipe of the command's output is closed.
    """
    if arguments is None:
        atexit.register(skip_garbage_collection)
    with terminable():
        _main(list(sys.argv[1:] if arguments is None else arguments), is_program=arguments is None)


def skip_garbage_collection() -> None:
    """
    Lets the interpreter exit without a second of garbage collection. With Triton it has to: see
    `collect_triton`.
    """
    if "triton" not in sys.modules:
        gc.freeze()


def _main(words: list[str], is_program: bool) -> None:
    debug, verbose = _take(words, "--debug"), _take(words, "--verbose")
    try:
        if words and words[0] in ALLENNLP:
            from allennlp_coref_rc.commands import allennlp

            trust = _take(words, "--trust")
            allennlp.run(words, verbose, trust, is_program)
        else:
            quiet_start.end()
            _check_name(words)
            args = build_parser().parse_args(words)
            with (
                with_resume_hint(partial(args.resume_hint, args)),
                nullcontext() if verbose else quiet_logs(),
            ):
                args.run(args)
    except Exception as error:
        if isinstance(error, BrokenPipeError) and _pipe_is_closed():
            sys.exit(128 + signal.SIGPIPE)
        message = None if debug else user_message(error)
        if message is None:
            raise
        print(f"coref-rc: {message}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt as error:
        if debug:
            raise
        print(f"\ncoref-rc: {str(error) or 'stopped'}", file=sys.stderr)
        # Nothing of what packages then fail to tidy up.
        sys.unraisablehook = lambda _: None
        sys.exit(128 + (signal.SIGTERM if isinstance(error, Terminated) else signal.SIGINT))


def _pipe_is_closed() -> bool:
    """Whether the program that read what this command prints has ended, as in `coref-rc configs | head`."""
    poll = select.poll()
    poll.register(STANDARD_OUTPUT, 0)
    ended = any(event & select.POLLERR for _, event in poll.poll(0))
    if ended:
        # Or the interpreter complains when it prints the rest at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), STANDARD_OUTPUT)
    return ended


def build_parser() -> argparse.ArgumentParser:
    """The parser of own commands, whose help lists AllenNLP's too."""
    parser = argparse.ArgumentParser(
        prog="coref-rc",
        description=DESCRIPTION,
        epilog="AllenNLP's commands:\n" + "\n".join(f"  {name:18}{does}" for name, does in ALLENNLP.items()),
        formatter_class=_HelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"allennlp_coref_rc {VERSION}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, module in OWN.items():
        own = commands.add_parser(
            name, help=module.HELP, description=module.__doc__, formatter_class=_HelpFormatter
        )
        module.add_arguments(own)
        own.set_defaults(run=module.run, resume_hint=getattr(module, "resume_hint", lambda args: ""))
    return parser


def _check_name(words: Sequence[str]) -> None:
    """Raises a `ConfigurationError` if the first word is not a command."""
    known = [*OWN, *ALLENNLP]
    if words and words[0] in INSTEAD:
        raise ConfigurationError(f"{words[0]}: {INSTEAD[words[0]]}")
    if words and not words[0].startswith("-") and words[0] not in known:
        close = most_similar(words[0], known, cutoff=0.6)
        meant = f"did you mean {close[0]}?" if close else f"expected one of {', '.join(known)}"
        raise ConfigurationError(f"found no command {words[0]!r}: {meant}")


class _HelpFormatter(argparse.HelpFormatter):
    """Fills the paragraphs of a text, each by itself, and leaves lists as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = text.strip().split("\n\n")
        return "\n\n".join(
            text if "\n  " in text else super(_HelpFormatter, self)._fill_text(text, width, indent)
            for text in paragraphs
        )


def _take(words: list[str], flag: str) -> bool:
    """Removes a flag that may stand anywhere; whether it was there."""
    is_there = flag in words
    words[:] = [word for word in words if word != flag]
    return is_there


if __name__ == "__main__":
    main()
