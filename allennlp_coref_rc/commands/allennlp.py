"""
AllenNLP's commands as commands of `coref-rc`: in any folder this plugin is loaded, and the screen is quiet.
"""

import sys
from contextlib import ExitStack, nullcontext
from importlib.util import find_spec
from unittest.mock import patch

from allennlp_coref_rc.allennlp_runtime import quiet_start
from allennlp_coref_rc.allennlp_runtime.atomic_outputs import whole_outputs
from allennlp_coref_rc.allennlp_runtime.folder_lock import cleanup_failed_start
from allennlp_coref_rc.allennlp_runtime.lazy_imports import lazy_imports, quick_imports
from allennlp_coref_rc.allennlp_runtime.lazy_registry import import_allennlp, import_packages
from allennlp_coref_rc.allennlp_runtime.memory_kept import memory_kept
from allennlp_coref_rc.common.config_files import locate
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.safe_archives.archives import trusting
from allennlp_coref_rc.safe_archives.registered_names import only_registered

PROG = "coref-rc"

NOT_FOR_HELP = (
    "allennlp.data allennlp.models allennlp.nn allennlp.training cached_path huggingface_hub numpy requests spacy "
    "torch transformers"
).split()
"""Packages that AllenNLP's commands import, and that their help does not need."""


def run(argv: list[str], verbose: bool = False, trust: bool = False, is_program: bool = False) -> None:
    """
    Runs one of AllenNLP's commands, given its name and arguments, in this process. `verbose` shows all of
    AllenNLP's logs. With `trust`, configs of archives may name classes and files anywhere. If the process
    `is_program`, it ends with the command, so help needs no import of AllenNLP.
    """
    if argv[0] == "checklist" and find_spec("checklist") is None:
        # AllenNLP says so only in its log.
        raise ConfigurationError("checklist: found no package checklist, which this command needs")
    if is_program and {"-h", "--help"} & {*argv}:
        _show_help(argv)
    from allennlp_coref_rc.allennlp_runtime.console.closing_lines import closing_lines, with_resume_hint
    from allennlp_coref_rc.allennlp_runtime.console.processes import training_processes
    from allennlp_coref_rc.allennlp_runtime.console.quiet import quiet_screen
    from allennlp_coref_rc.config_check.arguments import check_arguments

    with ExitStack() as stack:
        with quick_imports():
            if not verbose:
                stack.enter_context(quiet_screen())
            import_allennlp()
            stack.enter_context(training_processes(quiet=not verbose))
            stack.enter_context(patch.object(sys, "argv", [PROG, *argv]))
            from allennlp import commands

            parser, args = commands.parse_args(PROG)
        if not hasattr(args, "func"):
            parser.print_help()
            return
        if hasattr(args, "param_path"):
            args.param_path = locate(args.param_path)
        import_packages(getattr(args, "include_package", []))
        # What the user has named may be downloaded; all that a config names, if it is the user's own.
        stack.enter_context(trusting(trust, " ".join(argv) if hasattr(args, "archive_file") else None))
        check_arguments(argv[0], args)
        if argv[0] == "predict":
            from allennlp_coref_rc.commands.allennlp_predict import predict

            args.func = predict
            if args.output_file:
                # Predictions that go to a file need not be on the screen too.
                args.silent = True
        if argv[0] == "evaluate" and not trust:
            # It also builds what loads the data, from the archive's config.
            stack.enter_context(only_registered(args.archive_file))
        # Until here nothing was done, and packages that are imported may fail to handle an interruption.
        quiet_start.end()
        refusable = cleanup_failed_start(args.serialization_dir) if argv[0] == "train" else nullcontext()
        with with_resume_hint(argv[0], args), refusable, whole_outputs(), memory_kept():
            result = args.func(args)
        lines = closing_lines(argv[0], args, result)
        if lines:
            print("\n".join(lines))
        if argv[0] == "predict" and result.failed:
            sys.exit(1)


def _show_help(argv: list[str]) -> None:
    """Shows AllenNLP's help of a command and ends the process, in which most imports are placeholders."""
    with lazy_imports(NOT_FOR_HELP), patch.object(sys, "argv", [PROG, *argv]):
        from allennlp import commands

        commands.parse_args(PROG)
    sys.exit()
