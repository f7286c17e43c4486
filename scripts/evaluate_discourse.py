"""
Measures `connective_discourse`, and a model for `trained_discourse_senses`, on corpora in DISRPT's format:

    python scripts/evaluate_discourse.py data/annotators/gdtb --archive output/senses/model.tar.gz

For each corpus it prints how well explicit relations are found: precision, recall and F1 of connectives. A connective
is right if it shares a token with an annotated one, which counts only once. It also prints how often the sense is
right: of the relations that were found and are right, and of implicit relations, whose arguments are given. Senses are
the fifteen of CoNLL-2016; relations with others are not counted. `--fold valid` reads only the documents that
`discourse_senses.jsonnet` holds out.

If a `.conllu` file beside a `.rels` file marks connectives (TED-MDB), those are the annotated ones. If not (GDTB), they
are where `discourse_corpora.py` finds them, and relations for which it finds none count as missed.
"""

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.annotators import Annotator, ConnectiveDiscourse, TrainedDiscourseSenses
from allennlp_coref_rc.annotations.annotators.archived_model import ArchivedModel
from allennlp_coref_rc.annotations.annotators.senses import conll_sense
from allennlp_coref_rc.annotations.formats.conllu import read_conllu_sentences
from allennlp_coref_rc.common.script import ScriptParser, run
from allennlp_coref_rc.data.corpora.discourse_corpora import read_discourse_corpus, read_rels_texts
from allennlp_coref_rc.data.dataset_readers import DiscourseSensesReader


class Gold(NamedTuple):
    """
    A text without its relations, and what is annotated: by token of a connective, its sense; the tokens of each
    connective; and the number of relations.
    """

    text: AnnotatedText
    senses: dict[int, str]
    connectives: list[set[int]]
    relations: int


def rels_texts(path: str) -> Iterator[Gold]:
    for text in read_rels_texts(path):
        explicit = [relation for relation in text.relations if relation.type == "Explicit"]
        connectives = [{i for span in relation.connective for i in range(*span)} for relation in explicit]
        senses = {i: relation.sense for relation, tokens in zip(explicit, connectives) for i in tokens}
        yield Gold(replace(text, relations=[]), senses, [tokens for tokens in connectives if tokens], len(explicit))


def conllu_texts(path: str) -> Iterator[Gold]:
    documents: dict[str, tuple[list[str], list[tuple[int, int]], list[set[int]]]] = {}
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
        yield Gold(AnnotatedText(tokens, sentences, id=name), {}, connectives, len(connectives))


def measure(golds: list[Gold], annotator: Annotator) -> Counter:
    counts: Counter = Counter()
    for gold, annotated in zip(golds, annotator.annotate_batch([gold.text for gold in golds])):
        explicit = [relation for relation in annotated.relations if relation.type == "Explicit"]
        spans = [{i for span in relation.connective for i in range(*span)} for relation in explicit]
        counts["annotated"] += gold.relations
        counts["found"] += len(explicit)
        counts["right"] += sum(any(tokens & span for span in spans) for tokens in gold.connectives)
        counts["found right"] += sum(any(tokens & span for tokens in gold.connectives) for span in spans)
        for relation, span in zip(explicit, spans):
            sense = next((conll_sense(gold.senses[i]) for i in sorted(span) if i in gold.senses), None)
            counts["senses"] += sense is not None
            counts["senses right"] += sense is not None and sense == relation.sense
    return counts


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("corpora", nargs="+", help="folders or files")
    parser.add_argument("--archive", help="a model of discourse_senses.jsonnet")
    parser.add_argument("--fold", choices=("train", "valid"), help="by default all documents")
    arguments = parser.parse_args()
    annotators: dict[str, Annotator] = {
        "connective_discourse": ConnectiveDiscourse(),
        "  exclude: []": ConnectiveDiscourse(exclude=[]),
        "  paper_like: true": ConnectiveDiscourse(paper_like=True),
    }
    if arguments.archive:
        explicit = ConnectiveDiscourse(exclude=[])
        annotators["trained_discourse_senses"] = TrainedDiscourseSenses(arguments.archive, explicit)
        annotators["  no_relation: 1"] = TrainedDiscourseSenses(arguments.archive, explicit, no_relation=1.0)
    reader = DiscourseSensesReader(fold=arguments.fold)

    def wanted(document: str) -> bool:
        return arguments.fold is None or reader.in_fold(document)

    for corpus in arguments.corpora:
        paths = list(reader.files(corpus))
        rels = [gold for path in paths for gold in rels_texts(path) if wanted(gold.text.id)]
        beside = [path for path in (path[: -len("rels")] + "conllu" for path in paths) if os.path.exists(path)]
        marked = [gold for path in beside for gold in conllu_texts(path) if wanted(gold.text.id)]
        print(f"{corpus}: {len(rels)} documents, {sum(gold.relations for gold in marked or rels)} explicit connectives")
        print(f"  {'':26}{'found':>7}{'precision':>11}{'recall':>8}{'F1':>7}{'sense right':>13}{'of':>6}")
        for name, annotator in annotators.items():
            counts = measure(marked or rels, annotator)
            senses = measure(rels, annotator) if marked else counts
            precision = counts["found right"] / max(counts["found"], 1)
            recall = counts["right"] / max(counts["annotated"], 1)
            f1 = 2 * precision * recall / max(precision + recall, 1e-9)
            right = senses["senses right"] / max(senses["senses"], 1)
            scores = f"{counts['found']:7}{precision:11.3f}{recall:8.3f}{f1:7.3f}"
            print(f"  {name:26}{scores}{right:13.3f}{senses['senses']:6}")
        implicit = [
            relation
            for path in paths
            for relation in read_discourse_corpus(path)
            if relation.type == "Implicit" and wanted(relation.document) and conll_sense(relation.label)
        ]
        golds = [conll_sense(relation.label) for relation in implicit]
        conjunction = golds.count("Expansion.Conjunction") / max(len(golds), 1)
        print(f"  senses of implicit relations: Expansion.Conjunction {conjunction:.3f} of {len(golds)}", end="")
        if arguments.archive and golds:
            model = ArchivedModel(arguments.archive, batch_size=64)
            instances = [model.reader.text_to_instance(relation.arg1, relation.arg2) for relation in implicit]
            predictions = model.predict(instances, "label")
            print(f", the model {sum(map(str.__eq__, predictions, golds)) / len(golds):.3f}", end="")
        print()


if __name__ == "__main__":
    run(main)
