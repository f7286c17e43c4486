"""
Scores a coreference annotator against clusters in CoNLL-2012 columns, such as LitBank's.

    python scripts/evaluate_coref.py '{"type": "sieve_coref"}' data/annotators/litbank

The documents are a file, or all files of a folder with conll in their names. The script prints precision, recall and F1
of MUC, B-cubed and CEAF (entities) over all documents together, and their average, the CoNLL score. It also prints the
scores of the links of names, nominals and pronouns, and the tokens a second. Singletons are counted in three ways.
"without" leaves them out of the annotated clusters. "kept" leaves them as annotated and uses AllenNLP's scorer, which
counts them in CEAF's recall but gives no credit for finding them. "credited" counts them like other clusters, as
CoNLL's scorer does. (That is for annotators that give singletons. Not all do by default.)

A link goes from a mention to the nearest mention before it in its cluster. It is right if both are mentions of the same
annotated cluster. Precision is the share of right links among the links that were found. Recall is the number of right
links divided by the number of annotated mentions that have an earlier one.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from allennlp_models.coref.metrics.conll_coref_scores import ConllCorefScores, Scorer
from scipy.optimize import linear_sum_assignment
from tqdm import tqdm

from allennlp_coref_rc.annotation_runs.config_option import build_annotator
from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.annotated_text import Cluster, Span
from allennlp_coref_rc.annotations.annotators.lexicon import CONJUNCTIONS, PREPOSITIONS, PRONOUNS
from allennlp_coref_rc.annotations.formats import FORMATS
from allennlp_coref_rc.common.script import ScriptParser, run


def b_cubed(clusters, mention_to_gold):
    """AllenNLP's B-cubed leaves singletons out."""
    overlaps = (
        Counter(mention_to_gold[mention] for mention in cluster if mention in mention_to_gold) for cluster in clusters
    )
    correct = sum(
        sum(count * count for count in overlap.values()) / len(cluster) for cluster, overlap in zip(clusters, overlaps)
    )
    return correct, sum(map(len, clusters))


def ceafe(clusters, gold_clusters):
    """AllenNLP's CEAF leaves predicted singletons out."""
    number = {mention: i for i, cluster in enumerate(gold_clusters) for mention in cluster}
    scores = np.zeros((len(clusters), len(gold_clusters)))
    for i, cluster in enumerate(clusters):
        for j, count in Counter(number[mention] for mention in cluster if mention in number).items():
            scores[i, j] = 2 * count / (len(cluster) + len(gold_clusters[j]))
    similarity = scores[linear_sum_assignment(-scores)].sum()
    return similarity, len(clusters), similarity, len(gold_clusters)


class CreditedScorer(Scorer):
    """A scorer of AllenNLP that counts singletons like other clusters."""

    muc, b_cubed, ceafe = staticmethod(Scorer.muc), staticmethod(b_cubed), staticmethod(ceafe)


def conll_scores(pairs: Iterable[tuple[Sequence[Cluster], Sequence[Cluster]]], singletons: str) -> dict[str, tuple]:
    """By metric, precision, recall and F1 for pairs of predicted and annotated clusters."""
    metric = ConllCorefScores()
    if singletons == "credited":
        metric.scorers = [CreditedScorer(m) for m in (Scorer.muc, b_cubed, ceafe)]
    for predicted, gold in pairs:
        if singletons == "without":
            gold = [cluster for cluster in gold if len(cluster) > 1]
        # The metric's __call__ does this too, after it has made clusters from a model's tensors.
        predicted, mention_to_predicted = metric.get_gold_clusters(predicted)
        gold, mention_to_gold = metric.get_gold_clusters(gold)
        for scorer in metric.scorers:
            scorer.update(predicted, gold, mention_to_predicted, mention_to_gold)
    scores = {name: scorer.get_prf() for name, scorer in zip(("MUC", "B-cubed", "CEAF"), metric.scorers)}
    return {**scores, "average": metric.get_metric()}


KINDS = ("name", "nominal", "pronoun")


def kind_of_mention(tokens: Sequence[str], span: Span) -> str:
    """
    The kind of a mention, one of `KINDS`. In a name, the first part ends with a capitalised word. Its end is before a
    comma, a preposition, "who" and the like.
    """
    words = [token.lower() for token in tokens[slice(*span)]]
    if words[0] in PRONOUNS and len(words) == 1:
        return "pronoun"
    ends = (i for i, word in enumerate(words) if i and (word in PREPOSITIONS | CONJUNCTIONS or not word[:1].isalnum()))
    last = next((i for i in ends if words[i] != "'s"), len(words)) - 1
    token = tokens[span[0] + last]
    return "name" if token[:1].isupper() else "nominal"


def link_scores(
    texts: Iterable[tuple[Sequence[str], Sequence[Cluster], Sequence[Cluster]]],
) -> dict[str, tuple[float, float, float]]:
    """
    By the kind of the later mention, precision, recall and F1 of links, for (tokens, predicted, annotated clusters).
    """
    right: defaultdict[str, int] = defaultdict(int)
    predicted_links: defaultdict[str, int] = defaultdict(int)
    annotated: defaultdict[str, int] = defaultdict(int)
    for tokens, predicted, gold in texts:
        number = {mention: i for i, cluster in enumerate(gold) for mention in cluster}
        for cluster in gold:
            for mention in sorted(cluster)[1:]:
                annotated[kind_of_mention(tokens, mention)] += 1
        for cluster in predicted:
            ordered: list[Span] = sorted(cluster)
            for before, mention in zip(ordered, ordered[1:]):
                kind = kind_of_mention(tokens, mention)
                predicted_links[kind] += 1
                right[kind] += mention in number and number.get(before) == number[mention]
    return {
        kind: (
            right[kind] / (predicted_links[kind] or 1),
            right[kind] / (annotated[kind] or 1),
            2 * right[kind] / (predicted_links[kind] + annotated[kind] or 1),
        )
        for kind in KINDS
    }


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("annotator", help="its name, or its config as JSON or in a file")
    parser.add_argument("documents", help="a file, or a folder of such files")
    parser.add_argument("--part", choices=["all", "even", "odd"], default="all", help="every other document only")
    arguments = parser.parse_args()

    source = arguments.annotator
    annotator = build_annotator("annotator", source)
    texts = list(FORMATS["conll_2012"].read_all(arguments.documents))
    texts = {"all": texts, "even": texts[::2], "odd": texts[1::2]}[arguments.part]
    bare = [AnnotatedText(text.tokens, text.sentences) for text in texts]
    start = time.process_time()
    predicted = [annotator.annotate(text).clusters for text in tqdm(bare, unit="document")]
    seconds = time.process_time() - start
    tokens = sum(map(len, texts))
    print(
        f"{source}: {len(texts)} documents, {tokens} tokens, {tokens / seconds:,.0f} tokens a second of processor time"
    )
    print("| singletons | metric | precision | recall | F1 |\n|---|---|---|---|---|")
    pairs = [(clusters, text.clusters) for clusters, text in zip(predicted, texts)]
    for singletons in ("without", "kept", "credited"):
        for name, scores in conll_scores(pairs, singletons).items():
            print_row(singletons, name, scores)
    for name, scores in link_scores((text.tokens, *pair) for text, pair in zip(texts, pairs)).items():
        print_row("links", name, scores)


def print_row(one: str, other: str, scores: tuple[float, ...]) -> None:
    figures = " | ".join(f"{100 * score:.1f}" for score in scores)
    print(f"| {one} | {other} | {figures} |")


if __name__ == "__main__":
    run(main)
