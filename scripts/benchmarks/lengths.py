"""
Measures how the time of annotators grows with a text: of ordinary words, and of words that are hard for
rules.

    python -m scripts.benchmarks lengths data/annotators/litbank
    python -m scripts.benchmarks lengths --annotator sieve_coref --text pronouns --most 50000

Texts double from 12,500 tokens to 200,000. "Ordinary" text is that of the data, over and over, or made up.
The table has the seconds of processor time for the longest text, and how many times as long each text takes
as half of it. `coref` has the parse already, which `spacy_dependencies` makes. If a
doubling takes more than 2.2 times as long, the status is 1.
"""

import argparse
import gc
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import chain, count, cycle, islice, takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import spacy

import allennlp_coref_rc  # noqa: F401  registers annotators
from allennlp_coref_rc.annotation_runs.config_option import build_annotator
from allennlp_coref_rc.annotations import AnnotatedText, sentence_spans
from allennlp_coref_rc.annotations.annotators import Annotator, SpacyPipeline, annotate_texts
from scripts.benchmarks.annotators import bare_texts
from scripts.benchmarks.harness import Report, Row, Run, Subject, positive, take_turns
from scripts.benchmarks.made_up import NAMES, make_texts, own_word

LEAST, MOST = 12_500, 200_000

LIMIT = 2.2
"""The most times that twice the text may take."""

HOPELESS = 3
"""After a doubling that takes more times as long, an annotator gets no longer text of this kind."""

SHORT = 0.5
"""Seconds in which a run is repeated, up to `REPEATS` times. The least time counts."""

REPEATS = 100

ANNOTATORS = """
exact_match_coref entity_marker_coref sieve_coref connective_discourse simple_triples spacy_pipeline
spacy_dependencies coref roles discourse
""".split()

REPEATED = {
    "pronouns": "he she it they him her them his its their",
    "first person": "I you we me us my",
    "sentences of pronouns": "He saw her . She saw them .",
    "one name": "Mary saw Mary .",
    "bare names": "Mary",
    "one word": "buffalo",
    "and": "milk and",
    "conjunctions": "and but because ,",
    "because": "because Mary slept ,",
    "the": "the",
    "of": "the man of",
    "owners": "Mary 's brother 's",
    "the man": "The man saw the woman .",
    "the company": "The company saw it .",
    "adverbs": "never quickly",
    "quotations": "“ I see you . ”",
    "said": "“ I see you , ” said Mary .",
    "quotation marks": '"',
    "opening marks": "“",
    "full stops": ".",
    "markers": "@entity1",
}
"""Words to repeat."""


def names() -> Iterator[str]:
    """Names that share a surname."""
    return chain.from_iterable((own_word(i), "Smith", "saw", "Smith", ".") for i in count())


def different_names() -> Iterator[str]:
    return chain.from_iterable((own_word(i), "and") for i in count())


def companies() -> Iterator[str]:
    return chain.from_iterable((own_word(i), "Company", "saw", "the", "company", ".") for i in count())


GENERATED: dict[str, Callable[[], Iterator[str]]] = {
    "names": names,
    "different names": different_names,
    "companies": companies,
}

CHANGED: dict[str, Callable[[str], str]] = {
    "ordinary": str,
    "capitals": str.upper,
    "small letters": str.lower,
    "title case": str.title,
    "one sentence": lambda word: "," if word in (".", "?", "!") else word,
}
"""Ordinary text with its words changed."""

Series = NamedTuple("Series", [("annotator", str), ("text", str)])


class Lengths(Subject):
    unit, memory = "s", False

    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        kinds = [*CHANGED, *REPEATED, *GENERATED]
        parser.add_argument("data", type=Path, nargs="?", help="ordinary text, as for annotators")
        text = "its name, or its config as JSON or in a file; again for each"
        parser.add_argument("--annotator", action="append", default=[], help=text)
        parser.add_argument("--text", action="append", default=[], choices=kinds, help="again for each")
        parser.add_argument("--least", type=positive, default=LEAST, help="tokens of the shortest text")
        parser.add_argument("--most", type=positive, default=MOST, help="tokens of the longest text")

    @cached_property
    def annotators(self) -> dict[str, Annotator]:
        return {name: self._annotator(name) for name in self.arguments.annotator or ANNOTATORS}

    def _annotator(self, name: str) -> Annotator:
        if name != SpacyPipeline.name:
            return build_annotator("--annotator", name)
        pipeline = spacy.blank("en")
        pipeline.add_pipe("sieve_coref")
        with TemporaryDirectory() as folder:
            pipeline.to_disk(folder)
            annotator = SpacyPipeline(folder)
            annotator.annotate(AnnotatedText(["Mary"]))
        return annotator

    @cached_property
    def ordinary(self) -> list[str]:
        if self.arguments.data is None:
            return make_texts(NAMES, 1, self.arguments.most)[0].split()
        return [token for text in bare_texts(self.arguments.data) for token in text.tokens]

    def text(self, kind: str, length: int) -> AnnotatedText:
        if kind in CHANGED:
            words: Iterator[str] = map(CHANGED[kind], cycle(self.ordinary))
        else:
            words = cycle(REPEATED[kind].split()) if kind in REPEATED else GENERATED[kind]()
        tokens = list(islice(words, length))
        return AnnotatedText(tokens, sentence_spans(tokens))

    def measure(self, report: Report) -> int:
        slow = 0
        for kind in self.arguments.text or [*CHANGED, *REPEATED, *GENERATED]:
            lengths = list(
                takewhile(self.arguments.most.__ge__, (self.arguments.least << i for i in count()))
            )
            columns = {f"× at {length:,}": None for length in lengths[1:]}
            rows: dict[str, Row] = {
                name: {**Series(name, kind)._asdict(), **columns} for name in self.annotators
            }
            before: dict[str, float] = {}
            for length in lengths:
                text = self.text(kind, length)
                for name, row in rows.items():
                    if max(map(_ratio, row.values())) > HOPELESS:
                        continue
                    seconds = self.seconds_for(name, text)
                    if name in before:
                        row[f"× at {length:,}"] = seconds / before[name]
                    before[name] = seconds
            for name, row in rows.items():
                report.add({**row, "s": before[name]})
                slow += max(map(_ratio, row.values())) > LIMIT
        report.note(f"{slow} rows have a doubling that takes more than {LIMIT} times as long.")
        return int(slow > 0)

    def seconds_for(self, name: str, text: AnnotatedText) -> float:
        """The least processor time of several runs on a text."""
        annotator = self.annotators[name]
        # A second time, the parse would be known.
        rounds = 1 if name == "spacy_dependencies" else REPEATS
        gc.collect()
        # The time of looking through all modules for garbage is not the annotator's.
        gc.freeze()
        run: dict[str, Run] = {name: lambda: len(annotate_texts([text], annotator))}
        turns = take_turns(run, rounds, 1, min(SHORT, self.arguments.seconds))[name]
        gc.unfreeze()
        return min(turn.processor for turn in turns)


def _ratio(cell: Any) -> float:
    return cell if isinstance(cell, float) else 0.0
