"""
Trains the weights of `discourse` on documents in DISRPT's format, such as GDTB's.

    python scripts/train_discourse.py data/annotators/gdtb model.npz --documents data/annotators/gum/train \
        --genres academic bio court interview news speech textbook vlog voyage --pipelines output/half1 output/half0

This trains on the documents that have a file of their name in the folder `--documents`, and are of the `--genres` (the
second part of GUM's names); by default on all. With two `--pipelines`, the first parses the documents at even positions
of these files, and the second the others. So no text is parsed by a pipeline that was trained on it, if the first was
trained on the documents at odd positions and the second on those at even ones.

It takes a minute on one core. The same command writes the same weights on the same machine.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.annotators.discourse.clauses import Parse
from allennlp_coref_rc.annotations.annotators.discourse.discourse import find_candidates
from allennlp_coref_rc.annotations.annotators.discourse.features import (
    EXPLICIT_ROWS,
    IMPLICIT_ROWS,
    RELATION_ROWS,
    connective_features,
    connective_rows,
    pair_rows,
    sense_rows,
)
from allennlp_coref_rc.annotations.annotators.senses import conll_sense
from allennlp_coref_rc.annotations.english import parse
from allennlp_coref_rc.common.script import ScriptParser, run
from allennlp_coref_rc.data.corpora.discourse_corpora import read_rels_texts

FURTHER_SENSES = ("Contingency.Purpose", "Expansion.Manner", "Comparison.Similarity")
"""Senses of PDTB 3 that have no counterpart in CoNLL-2016."""


class Instances:
    """Rows of features with labels."""

    def __init__(self) -> None:
        self.rows: list[list[int]] = []
        self.labels: list = []

    def add(self, rows: list[int], label: object) -> None:
        self.rows.append(rows)
        self.labels.append(label)

    def fit(self, number_of_rows: int, regularization: float) -> tuple[np.ndarray, list]:
        """The weights of a log-linear model, (rows, labels), or (rows) for two labels; and the labels in order."""
        bounds = np.cumsum([0, *map(len, self.rows)])
        columns = np.concatenate(self.rows)
        matrix = csr_matrix((np.ones(len(columns)), columns, bounds), shape=(len(self.rows), number_of_rows))
        model = LogisticRegression(C=regularization, fit_intercept=False, max_iter=1000)
        model.fit(matrix, self.labels)
        weights = model.coef_.T.astype(np.float16)
        return (weights[:, 0] if weights.shape[1] == 1 else weights), model.classes_.tolist()


def sense_of(label: str) -> str:
    """The sense of CoNLL-2016 or the further one that a label stands for, or ""."""
    further = (sense for sense in FURTHER_SENSES if label.lower().startswith(sense.lower()))
    return conll_sense(label) or next(further, "")


def train(texts: Sequence[AnnotatedText], parses: Iterable[Parse]) -> dict[str, np.ndarray]:
    """The arrays of `discourse`'s file of weights, trained on texts with relations, whose labels are the corpus's."""
    relation, explicit, implicit = Instances(), Instances(), Instances()
    for text, parsed in zip(texts, parses):
        labels = {
            i: relation.sense
            for relation in reversed(text.relations)
            for span in relation.connective
            for i in range(*span)
        }
        for number, span, words in find_candidates(text):
            features = list(connective_features(parsed, text.sentences[number], span))
            label = next((labels[i] for i in range(*span) if i in labels), None)
            relation.add(connective_rows(words, features), label is not None)
            if label is not None and sense_of(label):
                explicit.add(sense_rows(words, features), sense_of(label))
        for other in text.relations:
            if other.type in ("Implicit", "EntRel") and (sense := conll_sense(other.sense)):
                parts = ([parsed.words[i] for span in arg for i in range(*span)] for arg in (other.arg1, other.arg2))
                implicit.add(pair_rows(*parts), sense)
    arrays: dict[str, np.ndarray] = {"relation": relation.fit(RELATION_ROWS, 0.1)[0]}
    for name, instances, rows, regularization in (
        ("explicit", explicit, EXPLICIT_ROWS, 0.1),
        ("implicit", implicit, IMPLICIT_ROWS, 0.01),
    ):
        arrays[name], senses = instances.fit(rows, regularization)
        arrays[f"{name}_senses"] = np.array(senses)
    return arrays


def read_texts(corpus: Path, documents: Path | None, genres: Sequence[str]) -> tuple[list[AnnotatedText], list[int]]:
    """The documents to train on, and the position of each among the files of `documents` or of the corpus."""
    names = sorted(path.stem for path in (documents or corpus).iterdir())
    names = [name for name in names if not genres or name.split("_")[1] in genres]
    texts = [text for path in sorted(corpus.glob("*.rels")) for text in read_rels_texts(str(path)) if text.id in names]
    return texts, [names.index(str(text.id)) for text in texts]


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("corpus", type=Path, help="a folder of .rels files")
    parser.add_argument("output", type=Path, help="the file of weights to write, .npz")
    parser.add_argument("--documents", type=Path, metavar="FOLDER", help="train on the documents that are here too")
    parser.add_argument("--genres", nargs="+", default=[], help="train on these genres")
    parser.add_argument("--pipelines", nargs=2, default=[None, None], metavar=("EVEN", "ODD"), help="spaCy pipelines")
    arguments = parser.parse_args()
    texts, positions = read_texts(arguments.corpus, arguments.documents, arguments.genres)
    parses: dict[int, Parse] = {}
    for remainder, pipeline in enumerate(arguments.pipelines):
        chosen = [i for i, position in enumerate(positions) if position % 2 == remainder]
        docs = parse([texts[i] for i in chosen], pipeline)
        parses |= {i: Parse(doc, texts[i].sentences) for i, doc in zip(chosen, docs)}
    arrays = train(texts, [parses[i] for i in range(len(texts))])
    np.savez_compressed(arguments.output, **arrays)
    print(f"{len(texts)} documents, {arguments.output.stat().st_size:,} bytes")


if __name__ == "__main__":
    run(main)
