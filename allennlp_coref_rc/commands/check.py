"""
Checks the config of an experiment: names that are not registered, unknown keys, values of a wrong type, GPUs
and files that are missing. Then it reads the first instances of the data, builds the model, without
pretrained weights, and runs it on them, which also shows encoders that lack annotations that they read. It
also says how many of the first questions would be skipped and why, how large the data are, and how long it
takes to prepare them.
"""

import argparse

from allennlp_coref_rc.commands.arguments import add_packages

HELP = "check the config of an experiment"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "config", metavar="CONFIG", help="a file, or the name of a config that coref-rc configs lists"
    )
    parser.add_argument(
        "-o", "--overrides", default="", metavar="JSON", help="values in place of the config's"
    )
    add_packages(parser, "classes")


def run(args: argparse.Namespace) -> None:
    from allennlp_coref_rc.allennlp_runtime.lazy_registry import import_packages, import_plugins
    from allennlp_coref_rc.common.config_files import locate
    from allennlp_coref_rc.common.errors import ConfigurationError
    from allennlp_coref_rc.config_check.check import check_experiment

    import_plugins()
    import_packages(args.include_package)
    path = locate(args.config)
    params = check_experiment(path, args.overrides)
    from allennlp_coref_rc.config_check.trial import sizes, try_out

    try:
        warnings = try_out(params)
    except ConfigurationError as error:
        raise ConfigurationError(f"{path}: {error}") from error
    but = "; warnings:" if warnings else ""
    print("\n  ".join([f"{path}: no errors{but}", *warnings]))
    for line in sizes(params):
        print(line)
