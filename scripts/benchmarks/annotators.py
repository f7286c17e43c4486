"""
Measures the speed of annotators, in documents and tokens a second.

    python -m scripts.benchmarks annotators data/annotators/litbank
    python -m scripts.benchmarks annotators data/lambada/lambada_development_plain_text.txt \\
        --annotator '{"type": "sieve_coref", "all_nouns": true}'

The data are what `coref-rc annotate` reads, or CoNLL-2012's columns (.conll). Annotations that they have are
left out.

Values checked: documents have the same annotations alone and in a batch, and each round finds as many
clusters.
"""

import argparse
from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Optional

import allennlp_coref_rc  # noqa: F401  registers annotators
from allennlp_coref_rc.annotation_runs.config_option import build_annotator
from allennlp_coref_rc.annotation_runs.document_sources import document_source
from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.annotators import Annotator
from allennlp_coref_rc.common.errors import ConfigurationError
from scripts.benchmarks.harness import Row, Run, Subject, Turn, positive

NAMES = "exact_match_coref entity_marker_coref sieve_coref coref connective_discourse simple_triples".split()

Competitor = NamedTuple("Competitor", [("annotator", str)])


class Annotators(Subject):
    unit, memory = "s", False

    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("data", type=Path)
        text = "its name, or its config as JSON or in a file; again for each"
        parser.add_argument("--annotator", action="append", default=[], help=text)
        parser.add_argument("--documents", type=positive, help="only that many")

    @cached_property
    def annotators(self) -> dict[str, Annotator]:
        return {
            config: build_annotator("--annotator", config) for config in self.arguments.annotator or NAMES
        }

    @cached_property
    def texts(self) -> list[AnnotatedText]:
        return bare_texts(self.arguments.data, self.arguments.documents)

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


def bare_texts(path: Path, most: Optional[int] = None) -> list[AnnotatedText]:
    """The texts of at most so many documents, without annotations."""
    columns = path.suffix == ".conll" or any(path.glob("*.conll"))
    source = document_source(str(path), format="conll_2012" if columns else None)
    documents = [source.to_document(item) for _, item in islice(source.items(), most)]
    if not documents:
        raise ConfigurationError(f"{path}: found no documents")
    return [AnnotatedText(document.text.tokens, document.text.sentences) for document in documents]
