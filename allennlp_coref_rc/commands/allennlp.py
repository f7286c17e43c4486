"""AllenNLP's commands as commands of `coref-rc`: with this plugin in whatever folder, and with a quiet screen."""

import sys
from contextlib import ExitStack
from typing import List
from unittest.mock import patch

from allennlp_coref_rc.common.config_files import locate

PROG = "coref-rc"


def run(argv: List[str], verbose: bool = False) -> None:
    """
    Runs one of AllenNLP's commands in this process.

    # Parameters

    argv : `List[str]`
        The name of the command and its arguments.
    verbose : `bool`, optional (default = `False`)
        Show all that AllenNLP says, as `allennlp` does.
    """
    from allennlp_coref_rc.screen.closing import closing_lines
    from allennlp_coref_rc.screen.processes import own_plugins
    from allennlp_coref_rc.screen.quiet import quiet_screen

    with ExitStack() as stack:
        if not verbose:
            stack.enter_context(quiet_screen())
        stack.enter_context(own_plugins(quiet=not verbose))
        stack.enter_context(patch.object(sys, "argv", [PROG, *argv]))
        from allennlp import commands
        from allennlp.common.util import import_module_and_submodules

        parser, args = commands.parse_args(PROG)
        if not hasattr(args, "func"):
            parser.print_help()
            return
        if hasattr(args, "param_path"):
            args.param_path = locate(args.param_path)
        for package in getattr(args, "include_package", []):
            import_module_and_submodules(package)
        if argv[0] == "predict" and args.output_file:
            # What goes to a file need not be on the screen too.
            args.silent = True
        result = args.func(args)
        print(*closing_lines(argv[0], args, result), sep="\n", end="\n")
