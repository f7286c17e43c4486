"""
Runs the papers' experiments and reports on them. The package has a file for each paper that describes the
experiments of its tables and figures. A run trains a config with a seed and, for bAbI, on a task. Each run
has a folder below --output, with its result, its answers to the test questions, its log, and, if it failed,
the reason. Give the same command again to resume: it skips finished runs, continues killed ones, and tries
failed ones again. See docs/reproduction.md.
"""

import argparse
import sys
from typing import TYPE_CHECKING

from allennlp_coref_rc.commands.arguments import add_numbers, whole_number
from allennlp_coref_rc.common.errors import ConfigurationError

if TYPE_CHECKING:
    from allennlp_coref_rc.reproduction.results_file import Results

HELP = "run the papers' experiments, and report on them"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_argument_group("what")
    add = what.add_argument
    tables = "tables and figures, such as coref_gru.1, coref_gru.figure_3_left or 'cg_sba.*'"
    add("--table", nargs="+", default=[], metavar="NAME", help=tables)
    rows = "rows, such as coref_gru.1.ga_gru or 'mage_gru.1.ga_*'"
    add("--condition", nargs="+", default=[], metavar="NAME", help=rows)
    add_numbers(what, "--seeds", "seeds, such as 1-3 (default: each row's own)")
    add_numbers(what, "--tasks", "bAbI tasks, such as 1-3,16 or 2 16 (default: all)")
    add_numbers(what, "--folds", "folds of cross-validations, such as 1,3 (default: all)")
    conditions = "a file or folder that describes experiments (default: those of the papers)"
    add("--conditions", metavar="PATH", help=conditions)
    add("--data", metavar="FOLDER", help="the folder of all data sets (default: data)")
    add("--output", metavar="FOLDER", help="the folder of all runs (default: output/reproduction)")
    results = "with --report: take the runs from FILE, which --write-results wrote; only tables, no figures"
    add("--results", metavar="FILE", help=results)
    where = "only lines of --results with such values, such as hardware='AMD*' (default: all)"
    add("--where", nargs="+", default=[], metavar="COLUMN=VALUE", help=where)
    figures = "where --report writes figures (default: the folder figures in --output)"
    add("--figures", metavar="FOLDER", help=figures)

    add = parser.add_argument_group("in place of running").add_mutually_exclusive_group().add_argument
    add("--list", action="store_true", help="print the rows, the papers' values, and which data are missing")
    add("--dry-run", action="store_true", help="print the commands of unfinished runs")
    add("--check-only", action="store_true", help="only build the models and read the first data")
    report = "draw the figures, and print the results beside the papers' values, in Markdown"
    add("--report", action="store_true", help=report)
    write = "add a line for each finished run below --output to FILE (CSV); lines about the same runs are replaced"
    add("--write-results", metavar="FILE", help=write)

    add = parser.add_argument_group("how").add_argument
    workers = "runs at the same time (default: one per processor)"
    add("--workers", type=whole_number(1), metavar="N", help=workers)
    threads = "threads of each run (default: %(default)s)"
    add("--threads", type=whole_number(1), default=1, metavar="N", help=threads)
    gpus = "GPUs to use, such as 0,1 (default: none, only the processor)"
    add("--gpus", default="", metavar="NUMBERS", help=gpus)
    per_gpu = "runs at the same time on each GPU, in place of --workers"
    add("--runs-per-gpu", type=whole_number(1), default=1, metavar="N", help=per_gpu)
    scheduler = (
        "the scheduler of a Dask cluster whose workers see this folder, the data and the output; each thread of a "
        "worker does one run, on the GPU that the worker sees, if any"
    )
    add("--scheduler", metavar="ADDRESS", help=scheduler)
    weights = "weights of finished runs to keep: the archive of the best epoch (the default), none, or all checkpoints"
    add("--keep-weights", choices=("best", "none", "all"), default="best", help=weights)


def run(args: argparse.Namespace) -> None:
    from allennlp_coref_rc.allennlp_runtime.lazy_registry import import_allennlp

    import_allennlp()
    from allennlp_coref_rc.common.schema import Numbers, validated
    from allennlp_coref_rc.reproduction.condition import select
    from allennlp_coref_rc.reproduction.condition_files import CONDITIONS, read_conditions
    from allennlp_coref_rc.reproduction.runs import DATA, OUTPUT
    from allennlp_coref_rc.reproduction.session import Selection

    given = {name: ",".join(getattr(args, name)) for name in ("seeds", "tasks", "folds")}
    chosen = {name: validated(Numbers, text, f"--{name}") if text else [] for name, text in given.items()}
    selection = Selection(**chosen, data=args.data or DATA, output=args.output or OUTPUT)
    tables = select(read_conditions(args.conditions or CONDITIONS), args.table, args.condition)
    conditions = [condition for table in tables for condition in table.conditions]
    for name in ("tasks", "folds"):
        having = [condition for condition in conditions if condition.config and getattr(condition, name)]
        known = {part for condition in having for part in condition.parts if part is not None}
        if chosen[name] and not known.issuperset(chosen[name]):
            listed = ", ".join(map(str, sorted(known))) or f"none, as the conditions have no {name}"
            raise ConfigurationError(f"--{name}: found {given[name]}, expected some of {listed}")
    refused = {
        "--report": ("tasks", "folds"),
        "--write-results": ("table", "condition", "seeds", "tasks", "folds"),
    }
    option = "--write-results" if args.write_results else "--report" if args.report else ""
    for name in refused.get(option, ()):
        if getattr(args, name):
            raise ConfigurationError(f"{option}: found --{name} too, expected it for all runs")
    if (args.results and not args.report) or (args.where and not args.results):
        raise ConfigurationError(
            "--results or --where: found no --report or --results, expected them together"
        )
    if args.figures and not args.report:
        raise ConfigurationError("--figures: found no --report, expected both")
    if args.runs_per_gpu > 1 and not args.gpus:
        raise ConfigurationError("--runs-per-gpu: found no --gpus, expected both")
    if args.workers and args.gpus:
        raise ConfigurationError("found --workers and --gpus, expected one of them; see --runs-per-gpu")
    if args.scheduler and (args.workers or args.gpus):
        raise ConfigurationError(
            "--scheduler: found --workers or --gpus too, expected neither, as the cluster's workers do the runs"
        )
    if args.report:
        from allennlp_coref_rc.reproduction.report import NOT_DRAWN, report

        source = _source(args.results, args.where) if args.results else None
        text = report(tables, selection.seeds, selection.output, selection.data, args.figures, source)
        print(text)
        if NOT_DRAWN in text:
            sys.exit(1)
    elif args.write_results:
        from allennlp_coref_rc.reproduction.results_file import write_results

        count = write_results(args.write_results, selection.output, conditions)
        print(f"{args.write_results}: the results of {count} runs of {selection.output}")
    elif args.list:
        from allennlp_coref_rc.reproduction.listing import print_table

        for table in tables:
            print_table(table, selection)
    elif args.check_only:
        from allennlp_coref_rc.allennlp_runtime.console.quiet import quiet_allennlp
        from allennlp_coref_rc.reproduction.listing import try_condition

        with quiet_allennlp():
            good = [try_condition(condition, selection) for condition in conditions]
        if not all(good):
            sys.exit(1)
    else:
        _run(args, selection.output, selection.minutes(_with_what_they_need(args, conditions)))


def _source(path: str, where: list) -> "Results":
    from allennlp_coref_rc.reproduction.results_file import Results

    wrong = [word for word in where if "=" not in word]
    if wrong:
        raise ConfigurationError(f"--where: found {wrong[0]!r}, expected COLUMN=VALUE")
    columns = dict(word.split("=", 1) for word in where)
    if len(columns) < len(where):
        raise ConfigurationError(f"--where: found {' '.join(where)}, expected every column once")
    return Results(path, columns)


def resume_hint(args: argparse.Namespace) -> str:
    others = args.report or args.list or args.dry_run or args.check_only or args.write_results
    return "" if others else "the same command resumes with the remaining runs"


def _with_what_they_need(args: argparse.Namespace, conditions: list) -> list:
    """The conditions that can run here. Prints the names of those that need a GPU or the like."""
    if args.dry_run or args.gpus or args.scheduler:
        return conditions
    for condition in conditions:
        if condition.needs:
            print(f"[no GPU] {condition.name}: a run needs {condition.needs}; add --gpus", file=sys.stderr)
    return [condition for condition in conditions if not condition.needs]


def _run(args: argparse.Namespace, output: str, minutes: dict) -> None:
    from allennlp_coref_rc.common.workers import num_cpus
    from allennlp_coref_rc.reproduction.session import print_commands, run_all

    gpus = args.gpus.split(",") if args.gpus else []
    if args.dry_run:
        print_commands(minutes, args.threads, gpus)
        return
    slots = args.runs_per_gpu * gpus or [None] * (args.workers or num_cpus())
    failed = run_all(minutes, slots, args.scheduler, args.threads, args.keep_weights)
    failures = f", {failed} failed" if failed else ""
    print(f"{output}: {len(minutes) - failed} of {len(minutes)} runs finished{failures}")
    if failed or not minutes:
        sys.exit(1)
