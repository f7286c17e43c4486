"""
Measures the speed of annotators, in documents and tokens a second, on one thread.

    python scripts/benchmarks/annotators.py data/annotators/litbank
    python scripts/benchmarks/annotators.py data/lambada/lambada_development_plain_text.txt \\
        --annotator '{"type": "sieve_coref", "all_nouns": true}'

Without --annotator it measures all registered annotators that need no options and whose packages and files are there.
The data are a file, or all files of a folder. They have CoNLL-2012 columns (.conll), or text with a document a line,
which is split at blanks. Annotators take turns. Rates are per second of processor time.

Values checked: the first documents have the same annotations alone and in a batch.
"""

import inspect
import sys
from functools import partial
from pathlib import Path

from harness import Report, Spread, parse, parser, positive, take_turns

import allennlp_coref_rc  # noqa: F401  registers annotators
from allennlp_coref_rc.allennlp_runtime.lazy_registry import register_own
from allennlp_coref_rc.annotation_runs.config_option import build_annotator
from allennlp_coref_rc.annotations import AnnotatedText, sentence_spans
from allennlp_coref_rc.annotations.annotators import Annotator
from allennlp_coref_rc.annotations.formats import FORMATS
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import open_text
from allennlp_coref_rc.common.script import ScriptParser, run

COLUMNS = ("annotator", "documents", "tokens", "documents/s", "tokens/s", "clusters/document")


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


def without_options() -> dict[str, Annotator]:
    """The registered annotators that need no options, and whose packages and files are there."""
    register_own()
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


def options() -> ScriptParser:
    result = parser(__doc__, rounds=3, threads=1)
    result.add_argument("data", type=Path)
    result.add_argument(
        "--annotator", action="append", default=[], help="its name, or its config as JSON or in a file; again for each"
    )
    result.add_argument("--documents", type=positive, help="only that many")
    result.set_defaults(warm_up=0)
    return result


def main() -> None:
    arguments = parse(options())
    annotators = {source: build_annotator("--annotator", source) for source in arguments.annotator} or without_options()
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


if __name__ == "__main__":
    run(main)
