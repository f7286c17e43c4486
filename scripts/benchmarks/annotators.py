"""
How fast annotators are, in documents and tokens a second, on one thread.

    python scripts/benchmarks/annotators.py data/annotators/litbank
    python scripts/benchmarks/annotators.py data/lambada/lambada_development_plain_text.txt \\
        --annotator '{"type": "sieve_coref", "all_nouns": true}'

Without --annotator, all that are registered, can be made without options and have what they need. The data are a file,
or all files of a folder: CoNLL-2012 columns (.conll), or text with a document a line, which is split at blanks.
Annotators take turns; rates go by processor time.

Values checked: the first documents have the same annotations alone and in a batch.
"""

import argparse
import inspect
import json
import sys
from functools import partial
from pathlib import Path
from typing import Dict, List

from allennlp.common import Params
from harness import Parser, Report, Spread, parse, parser, positive, take_turns

import allennlp_coref_rc  # noqa: F401  registers annotators
from allennlp_coref_rc.annotations import AnnotatedText, sentence_spans
from allennlp_coref_rc.annotations.annotators import Annotator
from allennlp_coref_rc.annotations.formats import read_conll_2012
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import open_text

COLUMNS = ("annotator", "documents", "tokens", "documents/s", "tokens/s", "clusters/document")


def read_texts(path: Path) -> List[AnnotatedText]:
    """The documents without annotations."""
    texts: List[AnnotatedText] = []
    for file in sorted(path.glob("*.conll")) or sorted(path.glob("*.txt")) if path.is_dir() else [path]:
        if file.suffix == ".conll":
            texts.extend(AnnotatedText(text.tokens, text.sentences) for text in read_conll_2012(str(file)))
            continue
        with open_text(str(file)) as lines:
            for tokens in map(str.split, lines):
                if tokens:
                    texts.append(AnnotatedText(tokens, sentence_spans(tokens)))
    if not texts:
        raise ConfigurationError(f"{path}: found no documents, expected .conll or .txt files")
    return texts


def without_options() -> Dict[str, Annotator]:
    """The registered annotators that need no options, and no package or file that isn't there."""
    made = {}
    for name in Annotator.list_available():
        annotator = Annotator.by_name(name)
        parameters = inspect.signature(annotator).parameters.values()
        if all(p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
            try:
                instance = annotator()
                instance.annotate(AnnotatedText(["word"]))
                made[name] = instance
            except ConfigurationError as error:
                print(f"{name} is left out: {error}", file=sys.stderr)
    return made


def options() -> Parser:
    result = parser(__doc__, rounds=3, threads=1)
    result.add_argument("data", type=Path)
    result.add_argument("--annotator", action="append", default=[], help="a config as JSON; again for each annotator")
    result.add_argument("--documents", type=positive, help="only that many")
    result.set_defaults(warm_up=0)
    return result


def measure(arguments: argparse.Namespace) -> None:
    try:
        annotators = {source: Annotator.from_params(Params(json.loads(source))) for source in arguments.annotator}
    except ValueError as error:
        raise ConfigurationError(f"--annotator: found {error}, expected JSON") from error
    annotators = annotators or without_options()
    texts = read_texts(arguments.data)[: arguments.documents]
    clusters = {}
    for name, annotator in annotators.items():
        alone = [annotator.annotate(text) for text in texts[:3]]
        if alone != annotator.annotate_batch(texts[:3]):
            raise ConfigurationError(f"{name}: no figures, documents have other annotations alone than in a batch")
        clusters[name] = sum(len(text.clusters) for text in annotator.annotate_batch(texts)) / len(texts)
    runs = {name: partial(annotator.annotate_batch, texts) for name, annotator in annotators.items()}
    report = Report(arguments, COLUMNS)
    tokens = sum(map(len, texts))
    for name, times in take_turns(runs, arguments.rounds, arguments.warm_up).items():
        rates = [Spread.of([number / seconds.processor for seconds in times]) for number in (len(texts), tokens)]
        cells = [f"`{name}`", len(texts), f"{tokens:,}", *(f"{rate:,.0f}" for rate in rates), f"{clusters[name]:.1f}"]
        report.add(cells, dict(zip(COLUMNS, [name, len(texts), tokens, *rates, clusters[name]])))


def main() -> None:
    own_options = options()
    try:
        measure(parse(own_options))
    except ConfigurationError as error:
        own_options.error(str(error))


if __name__ == "__main__":
    main()
