"""
Trains the weights of `discourse` on discourse relations.

    python scripts/train_discourse.py data/annotators/gdtb model.npz --documents data/annotators/gum/train \
        --genres academic bio court interview news speech textbook vlog voyage

The corpus is a folder of `.rels` files in DISRPT's format, or a `relations.json` of CoNLL-2016 with its
`parses.json`. Of a folder, `--documents` keeps the documents that have a file of their name in another
folder, `--genres` those whose names have one of these genres as their second part, as in GUM, and `--fold`
those of a fold (see `evaluate_discourse.py`).

It takes half a minute on one core. The same command writes the same weights on the same machine.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from allennlp_coref_rc.annotations import AnnotatedText
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
from allennlp_coref_rc.annotations.annotators.parse import Parse
from allennlp_coref_rc.annotations.annotators.senses import conll_sense, sense_of
from allennlp_coref_rc.annotations.english import parse
from allennlp_coref_rc.annotations.formats import read_conll_2016
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.script import ScriptParser, run
from allennlp_coref_rc.data.corpora.discourse_corpora import FOLDS, in_fold, read_rels_texts


class Instances:
    """Instances of a corpus: the rows of their features, and their labels."""

    def __init__(self, corpus: Path) -> None:
        self._corpus = corpus
        self.rows: list[list[int]] = []
        self.labels: list = []

    def add(self, rows: list[int], label: object) -> None:
        self.rows.append(rows)
        self.labels.append(label)

    def fit(self, number_of_rows: int, regularization: float) -> tuple[np.ndarray, list]:
        """The weights of a log-linear model, (rows, labels), and the labels in order."""
        if len(set(self.labels)) < 2:
            raise ConfigurationError(
                f"{self._corpus}: found only {set(self.labels)}, expected two labels or more"
            )
        bounds = np.cumsum([0, *map(len, self.rows)])
        columns = np.concatenate(self.rows)
        matrix = csr_matrix((np.ones(len(columns)), columns, bounds), shape=(len(self.rows), number_of_rows))
        model = LogisticRegression(C=regularization, fit_intercept=False, max_iter=1000)
        model.fit(matrix, self.labels)
        weights = model.coef_.T
        if weights.shape[1] == 1:
            weights = np.hstack([np.zeros_like(weights), weights])
        return weights.astype(np.float16), model.classes_.tolist()


def train(corpus: Path, texts: Sequence[AnnotatedText], parses: Sequence[Parse]) -> dict[str, np.ndarray]:
    """
    The arrays of `discourse`'s file of weights, trained on texts with relations, whose labels are the
    corpus's.
    """
    relation, explicit, implicit = (Instances(corpus) for _ in range(3))
    for text, parsed in zip(texts, parses):
        labels = {
            i: relation.sense
            for relation in reversed(text.relations)
            for span in relation.connective
            for i in range(*span)
        }
        for number, span, words in find_candidates(parsed):
            features = list(connective_features(parsed, parsed.sentences[number], span))
            label = next((labels[i] for i in range(*span) if i in labels), None)
            relation.add(connective_rows(words, features), label is not None)
            if label is not None and sense_of(label):
                explicit.add(sense_rows(words, features), sense_of(label))
        for other in text.relations:
            if other.type in ("Implicit", "EntRel") and (sense := conll_sense(other.sense)):
                parts = (
                    [parsed.words[i] for span in arg for i in range(*span)]
                    for arg in (other.arg1, other.arg2)
                )
                implicit.add(pair_rows(*parts), sense)
    arrays: dict[str, np.ndarray] = {"relation": relation.fit(RELATION_ROWS, 0.2)[0][:, 1]}
    for name, instances, rows, regularization in (
        ("explicit", explicit, EXPLICIT_ROWS, 0.1),
        ("implicit", implicit, IMPLICIT_ROWS, 0.01),
    ):
        arrays[name], senses = instances.fit(rows, regularization)
        arrays[f"{name}_senses"] = np.array(senses)
    return arrays


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("corpus", type=Path, help="a folder of .rels files, or a relations.json")
    parser.add_argument("output", type=Path, help="the file of weights to write, .npz")
    parser.add_argument("--documents", type=Path, metavar="FOLDER", help="by default all documents")
    parser.add_argument("--genres", nargs="+", help="by default all genres")
    parser.add_argument("--fold", choices=FOLDS, help="by default both")
    arguments = parser.parse_args()
    if arguments.corpus.is_dir():
        texts = [
            text for path in sorted(arguments.corpus.glob("*.rels")) for text in read_rels_texts(str(path))
        ]
    else:
        texts = list(read_conll_2016(str(arguments.corpus)))
    if arguments.documents:
        names = {path.stem for path in arguments.documents.iterdir()}
        texts = [text for text in texts if text.id in names]
    if arguments.genres:
        texts = [text for text in texts if str(text.id).split("_")[1] in arguments.genres]
    if arguments.fold:
        texts = [text for text in texts if in_fold(str(text.id), arguments.fold)]
    parses = [Parse(doc) for doc in parse(texts)]
    np.savez_compressed(arguments.output, **train(arguments.corpus, texts, parses))
    print(f"{len(texts)} documents, {arguments.output.stat().st_size:,} bytes")


if __name__ == "__main__":
    run(main)
