"""
Times annotators: documents and tokens a second, on one thread.

    python scripts/benchmarks/annotators.py data/annotators/litbank
    python scripts/benchmarks/annotators.py data/lambada/lambada_development_plain_text.txt \\
        --annotator '{"type": "sieve_coref", "all_nouns": true}'

Without --annotator, all that are registered, can be made without options and have what they need. The data are a file, or all files of a
folder: CoNLL-2012 columns (.conll), or text with a document a line, which is split at blanks. What is printed is a
Markdown table; of several rounds the fastest counts, since what the machine does besides only slows down.
"""

import argparse
import inspect
import json
import sys
import time
from pathlib import Path
from typing import Dict, List

import torch
from allennlp.common import Params

import allennlp_coref_rc  # noqa: F401  registers annotators
from allennlp_coref_rc.annotations import AnnotatedText, sentence_spans
from allennlp_coref_rc.annotations.annotators import Annotator
from allennlp_coref_rc.annotations.formats import read_conll_2012
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import open_text


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--annotator", action="append", default=[], help="a configuration as JSON, any number of times")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--documents", type=int, help="only that many")
    arguments = parser.parse_args()
    torch.set_num_threads(1)

    annotators = {source: Annotator.from_params(Params(json.loads(source))) for source in arguments.annotator}
    texts = read_texts(arguments.data)[: arguments.documents]
    tokens = sum(map(len, texts))
    print(f"{arguments.data.name}: {len(texts)} documents, {tokens} tokens\n")
    print("| annotator | documents/s | tokens/s | clusters/document |\n|---|---|---|---|")
    for name, annotator in (annotators or without_options()).items():
        seconds = []
        for _ in range(arguments.rounds):
            start = time.perf_counter()
            annotated = annotator.annotate_batch(texts)
            seconds.append(time.perf_counter() - start)
        clusters = sum(len(text.clusters) for text in annotated) / len(texts)
        best = min(seconds)
        print(f"| `{name}` | {len(texts) / best:,.0f} | {tokens / best:,.0f} | {clusters:.1f} |")


if __name__ == "__main__":
    main()
