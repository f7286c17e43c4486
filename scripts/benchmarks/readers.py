"""
Measures dataset readers: questions and tokens (of passages and questions) a second, and memory.

    python scripts/benchmarks/readers.py lambada/ga_gru data/lambada/dev.txt \\
        '{"type": "annotated_wikihop"}' data/wikihop/dev.json

Arguments come in pairs of a config and the data that it reads. A config is that of an experiment (a file, or a name in
training_config) or that of a reader (a file, or JSON). Each pair is read in a process of its own.

Rates are per second of processor time, since reading takes one core, and the machine's other work should not count.
Instances are freed once they are read. `--hold` keeps them, as training does. Memory is how much the process grows at
its peak.

Values checked: each round reads the same number of questions and of tokens.
"""

import argparse
import json
from typing import Any, NamedTuple

from allennlp.common import Params
from allennlp.data import DatasetReader
from allennlp.data.fields import TextField
from batches import read_config
from harness import Report, Spread, growth, in_own_process, parse, parser, take_turns
from tqdm import tqdm

import allennlp_coref_rc  # noqa: F401  registers what configs name
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.script import ScriptParser, run

COLUMNS = ("reader", "file", "questions", "tokens", "questions/s", "tokens/s", "processor s", "clock s", "MiB")


class Reading(NamedTuple):
    """The figures of one reader and file."""

    questions: int
    tokens: int
    processor: Spread
    wall: Spread
    peak: int


def reader_params(config: str, overrides: str) -> dict[str, Any]:
    """The config of the reader, from that of an experiment or of a reader. An error raises a `ConfigurationError`."""
    try:
        params = json.loads(config) if config.lstrip().startswith("{") else read_config(config)
        reader = {**params.get("dataset_reader", params), **json.loads(overrides)}
    except ValueError as error:
        raise ConfigurationError(f"{config}: found {error}, expected JSON") from error
    except RuntimeError as error:
        raise ConfigurationError(str(error)) from error
    if "type" not in reader:
        raise ConfigurationError(
            f'{config}: expected a reader, with its "type", or an experiment, with its "dataset_reader"'
        )
    return reader


def read(params: dict[str, Any], path: str, arguments: argparse.Namespace) -> Reading:
    """Reads in rounds, in this process."""
    reader = DatasetReader.from_params(Params(dict(params)))
    found = []

    def once() -> None:
        questions = tokens = 0
        held = []
        for instance in tqdm(reader.read(path), desc=path, unit=" questions"):
            questions += 1
            tokens += sum(len(field) for field in instance.fields.values() if isinstance(field, TextField))
            if arguments.hold:
                held.append(instance)
        found.append((questions, tokens))

    times = []
    peak = growth(lambda: times.extend(take_turns({"": once}, arguments.rounds, arguments.warm_up)[""]))
    if len(set(found)) > 1:
        raise ConfigurationError(
            f"{path}: no figures, its rounds read different numbers of questions and tokens, {found}"
        )
    wall, processor = (Spread.of(seconds) for seconds in zip(*times))
    return Reading(*found[0], processor, wall, peak)


def options() -> ScriptParser:
    result = parser(__doc__, rounds=3)
    result.add_argument("pairs", nargs="+", metavar="CONFIG FILE")
    result.add_argument("-o", "--overrides", default="{}", help="keys of every reader, as JSON")
    result.add_argument("--hold", action="store_true", help="keep instances until the end of the round")
    result.set_defaults(warm_up=0)
    return result


def main() -> None:
    own_options = options()
    arguments = parse(own_options)
    if len(arguments.pairs) % 2:
        own_options.error("expected pairs of a config and a file")
    report = Report(arguments, COLUMNS)
    for config, path in zip(arguments.pairs[::2], arguments.pairs[1::2]):
        params = reader_params(config, arguments.overrides)
        reading = in_own_process(read, params, path, arguments)
        seconds = reading.processor
        rates = {
            name: Spread(*(number / value for value in (seconds.median, seconds.max, seconds.min)))
            for name, number in (("questions/s", reading.questions), ("tokens/s", reading.tokens))
        }
        row = {"reader": params["type"], "file": path, **reading._asdict(), **rates}
        cells = [params["type"], path, f"{reading.questions:,}", f"{reading.tokens:,}"]
        cells += [f"{rate:,.0f}" for rate in rates.values()]
        cells += [f"{seconds.median:.2f}", f"{reading.wall.median:.2f}", f"{reading.peak / 2**20:,.1f}"]
        report.add(cells, row)


if __name__ == "__main__":
    run(main)
