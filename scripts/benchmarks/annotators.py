"""
Measures the speed of annotators, in documents and tokens a second.

    python -m scripts.benchmarks annotators data/annotators/litbank
    python -m scripts.benchmarks annotators data/lambada/lambada_development_plain_text.txt \\
        --annotator '{"type": "sieve_coref", "all_nouns": true}'

The data are a file, or the files of a folder, with CoNLL-2012 columns (.conll) or with a document a line.

Values checked: documents have the same annotations alone and in a batch, and each round finds as many clusters.
"""

import argparse
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import allennlp_coref_rc  # noqa: F401  registers annotators
from allennlp_coref_rc.annotation_runs.config_option import build_annotator
from allennlp_coref_rc.annotations import AnnotatedText, sentence_spans
from allennlp_coref_rc.annotations.annotators import Annotator
from allennlp_coref_rc.annotations.formats import FORMATS
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import open_text
from scripts.benchmarks.harness import Row, Run, Subject, Turn, positive

NAMES = "exact_match_coref entity_marker_coref sieve_coref coref connective_discourse simple_triples".split()

Competitor = NamedTuple("Competitor", [("annotator", str)])


def read_texts(path: Path) -> list[AnnotatedText]:
    """The documents without annotations."""
    files = sorted(path.glob("*.txt")) if path.is_dir() else [path]
    if path.suffix == ".conll" or not files:
        return [AnnotatedText(text.tokens, text.sentences) for text in FORMATS["conll_2012"].read_all(str(path))]
    texts = []
    for file in files:
        with open_text(str(file)) as lines:
            texts += [AnnotatedText(tokens, sentence_spans(tokens)) for tokens in map(str.split, lines) if tokens]
    if not texts:
        raise ConfigurationError(f"{path}: found no documents, expected one a line")
    return texts


class Annotators(Subject):
    unit, memory = "s", False

    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("data", type=Path)
        parser.add_argument(
            "--annotator",
            action="append",
            default=[],
            help="its name, or its config as JSON or in a file; again for each",
        )
        parser.add_argument("--documents", type=positive, help="only that many")

    @cached_property
    def annotators(self) -> dict[str, Annotator]:
        return {config: build_annotator("--annotator", config) for config in self.arguments.annotator or NAMES}

    @cached_property
    def texts(self) -> list[AnnotatedText]:
        return read_texts(self.arguments.data)[: self.arguments.documents]

    def competitors(self, setting: Any) -> list[Competitor]:
        return [Competitor(name) for name in self.annotators]

    def prepare(self, competitor: Competitor, setting: Any) -> Run:
        annotate = self.annotators[competitor.annotator].annotate_batch
        return lambda: sum(len(text.clusters) for text in annotate(self.texts))

    def details(self, setting: Any, competitor: Competitor, turns: Sequence[Turn]) -> Row:
        rates = self.rates(turns, documents=len(self.texts), tokens=sum(map(len, self.texts)))
        return {**rates, "clusters": turns[0].result}

    def problems(self, setting: Any) -> list[str]:
        few = self.texts[:3]
        return [
            f"{name}: documents have other annotations alone than in a batch"
            for name, annotator in self.annotators.items()
            if list(map(annotator.annotate, few)) != annotator.annotate_batch(few)
        ]
