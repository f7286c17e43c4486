"""
Measures dataset readers: questions and tokens (of passages and questions) a second, and memory.

    python -m scripts.benchmarks readers lambada/ga_gru data/lambada/dev.txt

Arguments come in pairs of a config and the data that it reads. A config is that of an experiment (a file, or
a name in training_config) or that of a reader (a file, or JSON). Instances are freed once they are read.

Values checked: each round reads the same number of questions and of tokens.
"""

import argparse
from collections.abc import Sequence
from typing import Any, NamedTuple

from allennlp.common import Params
from allennlp.data import DatasetReader
from allennlp.data.fields import TextField
from tqdm import tqdm

import allennlp_coref_rc  # noqa: F401  registers what configs name
from allennlp_coref_rc.annotation_runs.config_option import option_config
from allennlp_coref_rc.common.config_files import locate
from allennlp_coref_rc.common.errors import ConfigurationError
from scripts.benchmarks.harness import Row, Run, Subject, Turn

Source = NamedTuple("Source", [("config", str), ("file", str)])


class Readers(Subject):
    unit = "s"

    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("pairs", nargs="+", metavar="CONFIG FILE")

    def competitors(self, setting: Any) -> list[Source]:
        if len(self.arguments.pairs) % 2:
            raise ConfigurationError(
                f"found {' '.join(self.arguments.pairs)}, expected pairs of a config and a file"
            )
        return [Source(*pair) for pair in zip(self.arguments.pairs[::2], self.arguments.pairs[1::2])]

    def prepare(self, competitor: Source, setting: Any) -> Run:
        reader = DatasetReader.from_params(
            Params(option_config("CONFIG", locate(competitor.config), DatasetReader))
        )

        def read() -> tuple[int, int]:
            questions = tokens = 0
            for instance in tqdm(reader.read(competitor.file), desc=competitor.file, unit=" questions"):
                questions += 1
                tokens += sum(
                    len(field) for field in instance.fields.values() if isinstance(field, TextField)
                )
            return questions, tokens

        return read

    def details(self, setting: Any, competitor: Source, turns: Sequence[Turn]) -> Row:
        questions, tokens = turns[0].result
        return self.rates(turns, questions=questions, tokens=tokens)
