import argparse

from allennlp.commands.subcommand import Subcommand

from allennlp_coref_rc.commands import annotate


@Subcommand.register("annotate")
class Annotate(Subcommand):
    """
    `allennlp annotate`: the same as `coref-rc annotate`.

    Registered as a `Subcommand` with name "annotate".
    """

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        # AllenNLP adds --include-package itself.
        own = parser.add_parser(
            self.name, description=annotate.__doc__, help=annotate.HELP, conflict_handler="resolve"
        )
        annotate.add_arguments(own)
        own.set_defaults(func=annotate.run)
        return own
