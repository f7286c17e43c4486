"""
Scores a coreference annotator against clusters in CoNLL-2012 columns, such as LitBank's.

    python scripts/evaluate_coref.py '{"type": "sieve_coref"}' data/litbank

The annotator is a JSON or Jsonnet string or file; the documents are a file or all .conll files of a folder. Printed are
precision, recall and F1 of MUC, B-cubed and CEAF (entities) and their average, the CoNLL score, over all documents
together: without singletons, which are then taken out of the annotated clusters, and with them. AllenNLP's scorer
counts an annotated singleton in CEAF's recall and wherever it was linked wrongly, but gives no credit for finding one.
"""

import argparse
import json
from pathlib import Path
from typing import Dict, Iterable, List, Sequence, Tuple

from allennlp.common import Params
from allennlp_models.coref.metrics.conll_coref_scores import ConllCorefScores, Scorer
from tqdm import tqdm

from allennlp_coref_rc.annotations import AnnotatedText, Annotator
from allennlp_coref_rc.annotations.annotated_text import Cluster
from allennlp_coref_rc.annotations.formats import read_conll_2012


def read_texts(path: Path) -> List[AnnotatedText]:
    """The documents of a file or of all .conll files of a folder, in order of their names."""
    files = sorted(path.glob("*.conll")) if path.is_dir() else [path]
    return [text for file in files for text in read_conll_2012(str(file))]


def conll_scores(pairs: Iterable[Tuple[Sequence[Cluster], Sequence[Cluster]]], singletons: bool) -> Dict[str, Tuple]:
    """Precision, recall and F1 by metric, of (predicted, annotated) clusters."""
    metric = ConllCorefScores()
    for predicted, gold in pairs:
        if not singletons:
            gold = [cluster for cluster in gold if len(cluster) > 1]
        # What the metric's __call__ does after it has made clusters of a model's tensors.
        predicted, mention_to_predicted = metric.get_gold_clusters(predicted)
        gold, mention_to_gold = metric.get_gold_clusters(gold)
        for scorer in metric.scorers:
            scorer.update(predicted, gold, mention_to_predicted, mention_to_gold)
    names = {Scorer.muc: "MUC", Scorer.b_cubed: "B-cubed", Scorer.ceafe: "CEAF"}
    scores = {names[scorer.metric]: scorer.get_prf() for scorer in metric.scorers}
    return {**scores, "average": metric.get_metric()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("annotator", help="its configuration, as JSON or in a file")
    parser.add_argument("documents", type=Path)
    parser.add_argument("--part", choices=["all", "even", "odd"], default="all", help="every other document only")
    arguments = parser.parse_args()

    source = arguments.annotator
    params = Params.from_file(source) if Path(source).is_file() else Params(json.loads(source))
    annotator = Annotator.from_params(params)
    texts = read_texts(arguments.documents)
    texts = {"all": texts, "even": texts[::2], "odd": texts[1::2]}[arguments.part]
    pairs = [
        (annotator.annotate(AnnotatedText(text.tokens, text.sentences)).clusters, text.clusters)
        for text in tqdm(texts, unit="document")
    ]
    print(f"{source}: {len(texts)} documents, {sum(map(len, texts))} tokens")
    print("| singletons | metric | precision | recall | F1 |\n|---|---|---|---|---|")
    for singletons in (False, True):
        for name, scores in conll_scores(pairs, singletons).items():
            figures = " | ".join(f"{100 * score:.1f}" for score in scores)
            print(f"| {'with' if singletons else 'without'} | {name} | {figures} |")


if __name__ == "__main__":
    main()
