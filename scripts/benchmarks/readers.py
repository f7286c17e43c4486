"""
Measures dataset readers: questions and tokens (of passages and questions) a second, and memory.

    python -m scripts.benchmarks readers lambada/ga_gru data/lambada/dev.txt

Arguments come in pairs of a config and the data that it reads. A config is that of an experiment (a file, or a name in
training_config) or that of a reader (a file, or JSON). Instances are freed once they are read.

Values checked: each round reads the same number of questions and of tokens.
"""

import argparse
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from allennlp.common import Params
from allennlp.data import DatasetReader
from allennlp.data.fields import TextField
from tqdm import tqdm

import allennlp_coref_rc  # noqa: F401  registers what configs name
from allennlp_coref_rc.common.errors import ConfigurationError
from scripts.benchmarks.harness import Row, Run, Subject, Turn
from scripts.benchmarks.made_up import read_config

Source = NamedTuple("Source", [("config", str), ("file", str)])


def reader_params(config: str) -> dict[str, Any]:
    """The config of the reader, from that of an experiment or of a reader. A mistake raises a `ConfigurationError`."""
    try:
        params = json.loads(config) if config.lstrip().startswith("{") else read_config(config)
        reader = params.get("dataset_reader", params)
    except (ValueError, RuntimeError) as error:
        raise ConfigurationError(f"{config}: found {error}, expected JSON or a config") from error
    if "type" not in reader:
        raise ConfigurationError(
            f'{config}: expected a reader, with its "type", or an experiment, with its "dataset_reader"'
        )
    return reader


class Readers(Subject):
    unit = "s"

    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("pairs", nargs="+", metavar="CONFIG FILE")

    def competitors(self, setting: Any) -> list[Source]:
        if len(self.arguments.pairs) % 2:
            raise ConfigurationError(f"found {' '.join(self.arguments.pairs)}, expected pairs of a config and a file")
        return [Source(*pair) for pair in zip(self.arguments.pairs[::2], self.arguments.pairs[1::2])]

    def prepare(self, competitor: Source, setting: Any) -> Run:
        reader = DatasetReader.from_params(Params(reader_params(competitor.config)))

        def read() -> tuple[int, int]:
            questions = tokens = 0
            for instance in tqdm(reader.read(competitor.file), desc=competitor.file, unit=" questions"):
                questions += 1
                tokens += sum(len(field) for field in instance.fields.values() if isinstance(field, TextField))
            return questions, tokens

        return read

    def details(self, setting: Any, competitor: Source, turns: Sequence[Turn]) -> Row:
        questions, tokens = turns[0].result
        return self.rates(turns, questions=questions, tokens=tokens)
