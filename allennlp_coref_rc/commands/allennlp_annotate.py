import argparse
from typing import Any

from allennlp_coref_rc.commands import annotate


def add_to(commands: Any) -> None:
    """Adds `allennlp annotate`, the same as `coref-rc annotate`, to AllenNLP's commands, which are given."""

    @commands.Subcommand.register("annotate")
    class Annotate(commands.Subcommand):
        def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
            # AllenNLP adds --include-package itself.
            own = parser.add_parser(
                self.name, description=annotate.__doc__, help=annotate.HELP, conflict_handler="resolve"
            )
            annotate.add_arguments(own)
            own.set_defaults(func=annotate.run)
            return own
