"""
Measures `connective_discourse` and `discourse` on corpora in DISRPT's format:

    python scripts/evaluate_discourse.py data/annotators/gdtb --documents data/annotators/gum/dev
    python scripts/evaluate_discourse.py data/annotators/gdtb --fold valid --model others.npz

For each corpus it prints precision, recall and F1 of the connectives of explicit relations. A connective is right if it
shares a token with an annotated one, which counts only once. Of the connectives that are right, it prints how often the
sense is right (the senses of CoNLL-2016; relations with others are not counted), and how often both arguments are: in
their words, and in their heads. It also prints how often the senses of implicit relations are right if the arguments
are given.

`--documents` reads only documents that have a file of their name in that folder, and `--fold` only those of a fold:
"valid" has a fifth of the documents, by their names. Weights that were trained on documents should be measured on
others.

If a `.conllu` file beside a `.rels` file marks connectives (TED-MDB), those are the annotated ones. If not (GDTB), they
are where `discourse_corpora.py` finds them, and relations for which it finds none count as missed.
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.annotated_text import DiscourseRelation, Span
from allennlp_coref_rc.annotations.annotators import Annotator, ConnectiveDiscourse, Discourse
from allennlp_coref_rc.annotations.annotators.discourse.clauses import Parse
from allennlp_coref_rc.annotations.annotators.discourse.discourse import MODEL, load_weights
from allennlp_coref_rc.annotations.annotators.senses import conll_sense
from allennlp_coref_rc.annotations.english import parse
from allennlp_coref_rc.annotations.formats.conllu import read_conllu_sentences
from allennlp_coref_rc.common.script import ScriptParser, run
from allennlp_coref_rc.data.corpora.corpus_reader import FOLDS, CorpusReader
from allennlp_coref_rc.data.corpora.discourse_corpora import read_rels_texts


class Gold(NamedTuple):
    """A text without its relations; its explicit relations; and the tokens of each annotated connective."""

    text: AnnotatedText
    relations: list[DiscourseRelation]
    connectives: list[set[int]]
    number: int
    """How many connectives are annotated, with those that were not found."""


def tokens_of(spans: Iterable[Span]) -> set[int]:
    return {i for span in spans for i in range(*span)}


def rels_texts(path: str) -> Iterator[Gold]:
    for text in read_rels_texts(path):
        explicit = [relation for relation in text.relations if relation.type == "Explicit"]
        located = [relation for relation in explicit if relation.connective]
        connectives = [tokens_of(relation.connective) for relation in located]
        yield Gold(replace(text, relations=[]), located, connectives, len(explicit))


def conllu_texts(path: str) -> Iterator[Gold]:
    documents: dict[str, tuple[list[str], list[Span], list[set[int]]]] = {}
    for sentence in read_conllu_sentences(path):
        tokens, sentences, connectives = documents.setdefault(sentence.document, ([], [], []))
        sentences.append((len(tokens), len(tokens) + len(sentence.words)))
        for word in sentence.words:
            segment = word.columns[9].split("|")
            if "Seg=B-Conn" in segment:
                connectives.append({len(tokens)})
            elif "Seg=I-Conn" in segment and connectives:
                connectives[-1].add(len(tokens))
            tokens.append(word.form)
    for name, (tokens, sentences, connectives) in documents.items():
        yield Gold(AnnotatedText(tokens, sentences, id=name), [], connectives, len(connectives))


def words_of(spans: Iterable[Span], parsed: Parse) -> set[int]:
    return {i for i in tokens_of(spans) if parsed.has_words([i])}


def head_of(words: set[int], parsed: Parse) -> int:
    """The first word of an argument whose head is outside of it."""
    return min((i for i in words if parsed.heads[i] not in words or parsed.heads[i] == i), default=-1)


def measure(golds: list[Gold], annotator: Annotator) -> Counter:
    counts: Counter = Counter()
    texts = [gold.text for gold in golds]
    for gold, annotated, doc in zip(golds, annotator.annotate_batch(texts), parse(texts)):
        parsed = Parse(doc, gold.text.sentences)
        explicit = [relation for relation in annotated.relations if relation.type == "Explicit"]
        spans = [tokens_of(relation.connective) for relation in explicit]
        counts["annotated"] += gold.number
        counts["found"] += len(explicit)
        counts["right"] += sum(any(tokens & span for span in spans) for tokens in gold.connectives)
        counts["found right"] += sum(any(tokens & span for tokens in gold.connectives) for span in spans)
        for relation, span in zip(explicit, spans):
            reference = next((item for item in gold.relations if tokens_of(item.connective) & span), None)
            if not reference:
                continue
            counts["relations"] += 1
            pairs = [
                (words_of(arg, parsed), words_of(other, parsed))
                for arg, other in ((relation.arg1, reference.arg1), (relation.arg2, reference.arg2))
            ]
            counts["arguments"] += all(first == second for first, second in pairs)
            counts["heads"] += all(head_of(first, parsed) == head_of(second, parsed) for first, second in pairs)
            if sense := conll_sense(reference.sense):
                counts["senses"] += 1
                counts["senses right"] += sense == relation.sense
    return counts


def print_explicit(name: str, counts: Counter, relations: Counter) -> None:
    precision = counts["found right"] / max(counts["found"], 1)
    recall = counts["right"] / max(counts["annotated"], 1)
    f1 = 2 * precision * recall / max(precision + recall, 1e-9)
    senses = relations["senses right"] / max(relations["senses"], 1)
    arguments, heads = (relations[part] / max(relations["relations"], 1) for part in ("arguments", "heads"))
    scores = f"{counts['found']:7}{precision:11.3f}{recall:8.3f}{f1:7.3f}"
    print(f"  {name:26}{scores}{senses:8.3f}{relations['senses']:6}{arguments:11.3f}{heads:7.3f}")


def print_implicit(texts: Iterable[AnnotatedText], model: str) -> None:
    weights = load_weights(model)
    golds, predictions = [], []
    for text in texts:
        for relation in text.relations:
            if relation.type == "Implicit" and (sense := conll_sense(relation.sense)):
                golds.append(sense)
                arguments = (
                    [text.tokens[i].lower() for i in sorted(tokens_of(arg))] for arg in (relation.arg1, relation.arg2)
                )
                predictions.append(weights.implicit_sense(*arguments))
    right = sum(map(str.__eq__, predictions, golds)) / max(len(golds), 1)
    conjunction = golds.count("Expansion.Conjunction") / max(len(golds), 1)
    print(f"  implicit senses: {right:.3f} of {len(golds)}, always Expansion.Conjunction {conjunction:.3f}")


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("corpora", nargs="+", help="folders or files")
    parser.add_argument("--documents", type=Path, metavar="FOLDER", help="by default all documents")
    parser.add_argument("--fold", choices=FOLDS, help="by default both")
    parser.add_argument("--model", default=str(MODEL), help="a file of weights that train_discourse.py wrote")
    arguments = parser.parse_args()
    annotators: dict[str, Annotator] = {
        "connective_discourse": ConnectiveDiscourse(),
        "  exclude: []": ConnectiveDiscourse(exclude=[]),
        "  paper_like: true": ConnectiveDiscourse(paper_like=True),
        "discourse": Discourse(model=arguments.model),
    }
    reader = CorpusReader(fold=arguments.fold)
    reader.suffixes = (".rels",)
    names = arguments.documents and {path.stem for path in arguments.documents.iterdir()}

    def wanted(text: AnnotatedText) -> bool:
        return (not names or text.id in names) and (not arguments.fold or reader.in_fold(str(text.id)))

    for corpus in arguments.corpora:
        paths = list(reader.files(corpus))
        rels = [gold for path in paths for gold in rels_texts(path) if wanted(gold.text)]
        beside = [path for path in (path[: -len("rels")] + "conllu" for path in paths) if os.path.exists(path)]
        marked = [gold for path in beside for gold in conllu_texts(path) if wanted(gold.text)]
        print(f"{corpus}: {len(rels)} documents, {sum(gold.number for gold in marked or rels)} explicit connectives")
        print(f"{'':28}  found  precision  recall     F1   sense    of  arguments  heads")
        for name, annotator in annotators.items():
            counts = measure(marked or rels, annotator)
            print_explicit(name, counts, measure(rels, annotator) if marked else counts)
        print_implicit((text for path in paths for text in read_rels_texts(path) if wanted(text)), arguments.model)


if __name__ == "__main__":
    run(main)
