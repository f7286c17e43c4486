"""
How fast dataset readers read, in questions and in tokens (of passages and questions) per second, and in what memory.

    python scripts/benchmarks/dataset_readers.py training_config/lambada/ga_gru.jsonnet data/lambada/dev.txt \
        '{"type": "annotated_wikihop"}' data/wikihop/dev.json

Arguments come in pairs: a config, which is an experiment or a reader's own, a file or JSON itself; and what it reads.
Each pair is a row of the table that is printed, of a process of its own.

Rates go by processor time, since that of reading is all of one core and what else the machine does does not count; they
are medians of `--rounds`. Instances are let go once they are read, unless `--hold` keeps them, as training does. Memory
is what the process took at most beyond what it had at the start.
"""

import argparse
import json
import multiprocessing
import resource
import statistics
import time
from typing import Any, Dict, List

from allennlp.common import Params
from allennlp.data import DatasetReader
from allennlp.data.fields import TextField
from tqdm import tqdm

import allennlp_coref_rc  # noqa: F401  registers what configs name
from allennlp_coref_rc.common.errors import ConfigurationError

COLUMNS = ("reader", "file", "questions", "tokens", "wall s", "CPU s", "questions/s", "tokens/s", "peak MiB")


def reader_params(config: str, overrides: str) -> Dict[str, Any]:
    """The reader's own part of a config."""
    try:
        if config.lstrip().startswith("{"):
            params = {**json.loads(config), **json.loads(overrides)}
        else:
            params = Params.from_file(config, params_overrides=overrides).as_dict(quiet=True)
    except ValueError as error:
        raise ConfigurationError(f"found {error}, expected JSON") from error
    except (FileNotFoundError, RuntimeError) as error:
        raise ConfigurationError(str(error)) from error
    reader = params.get("dataset_reader", params)
    if "type" not in reader:
        raise ConfigurationError('expected a reader, with its "type", or an experiment, with its "dataset_reader"')
    return reader


def measure(params: Dict[str, Any], path: str, rounds: int, hold: bool) -> List[Any]:
    """A row of the table."""
    reader = DatasetReader.from_params(Params(dict(params)))
    start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wall, cpu = [], []
    for number in range(rounds):
        questions = tokens = 0
        held = []
        before = time.perf_counter(), time.process_time()
        for instance in tqdm(reader.read(path), desc=f"{path}, round {number + 1}", unit=" questions"):
            questions += 1
            tokens += sum(len(field) for field in instance.fields.values() if isinstance(field, TextField))
            if hold:
                held.append(instance)
        wall.append(time.perf_counter() - before[0])
        cpu.append(time.process_time() - before[1])
    seconds = statistics.median(cpu)
    peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - start) / 1024
    rates = [f"{questions / seconds:,.0f}", f"{tokens / seconds:,.0f}", f"{peak:,.0f}"]
    times = [f"{statistics.median(wall):.2f}", f"{seconds:.2f}"]
    return [params["type"], path, f"{questions:,}", f"{tokens:,}", *times, *rates]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="+", metavar="CONFIG FILE")
    parser.add_argument("-o", "--overrides", default="{}", help="of every config, as JSON")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--hold", action="store_true", help="keep instances until the end of the round")
    arguments = parser.parse_args()
    if len(arguments.pairs) % 2 or arguments.rounds < 1:
        parser.error("expected pairs of a config and a file, and one round or more")

    print("| " + " | ".join(COLUMNS) + " |")
    print("|" + "---|" * len(COLUMNS), flush=True)
    # A process of its own has a peak of its own; forked, it need not import again.
    with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        for config, path in zip(arguments.pairs[::2], arguments.pairs[1::2]):
            try:
                params = reader_params(config, arguments.overrides)
                row = pool.apply(measure, (params, path, arguments.rounds, arguments.hold))
            except ConfigurationError as error:
                parser.exit(1, f"{config}: {error}\n")
            print("| " + " | ".join(map(str, row)) + " |", flush=True)


if __name__ == "__main__":
    main()
