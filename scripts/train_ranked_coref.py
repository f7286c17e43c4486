"""
Trains the model of ranked_coref on clusters in CoNLL-2012 columns, such as LitBank's, and writes its weights.

    python scripts/train_ranked_coref.py data/annotators/litbank model.npz --part even

The documents are split into folds. The second network learns from mentions that were found by networks that have not
seen their document. All figures that are printed are for documents that the second network has not seen. The same folds
are used to choose how readily mentions of each kind are linked, and how likely a mention has to be. The networks that
are written are then trained on all documents. This takes about five minutes on one core and needs PyTorch. The same
command gives the same weights on the same machine.
"""

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from evaluate_annotator import conll_scores
from joblib import Parallel, delayed
from torch import nn
from torch.nn import functional
from tqdm import tqdm
from train_coref import average, climb, ranking_loss

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.annotators.coref.ranked import networks
from allennlp_coref_rc.annotations.annotators.coref.ranked.candidates import Candidates, describe
from allennlp_coref_rc.annotations.annotators.coref.ranked.pairs import link, make_pairs
from allennlp_coref_rc.annotations.annotators.coref.ranked.ranked_coref import (
    LEAST_CHANCE,
    choose_clusters,
    features_of_pairs,
    number_sentences,
)
from allennlp_coref_rc.annotations.annotators.coref.ranked.token_features import token_features
from allennlp_coref_rc.annotations.annotators.coref.sieve.sieve_coref import Resolution, SieveCoref
from allennlp_coref_rc.annotations.formats import FORMATS
from allennlp_coref_rc.common.script import ScriptParser, run

FOLDS, SEEDS, WORKERS = 4, 2, 2
"""Folds of the documents, networks for pairs that are averaged, and processes."""

HIDDEN, EMBEDDING = 64, 16
FREQUENT = 4
"""A word is known if it occurs at least this often."""

MENTION_EPOCHS, MENTION_RATE = 18, 3e-3
PAIR_EPOCHS, PAIR_RATE = 12, 4e-3
WARM_UP = 40
START = (-0.5, -0.5, -0.5, -0.5, 0.4, 0.5)
STEPS = (-0.8, -0.4, 0.4, 0.8)
CHANCES = (0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6)
"""The first values of the decisions (four bonuses and two least chances), and the changes and values that are tried."""


class Document(NamedTuple):
    """A text, what the rules found in it, the features of its tokens, and the number of each token's sentence."""

    text: AnnotatedText
    rules: Resolution
    features: torch.Tensor
    sentence_of: np.ndarray


class MentionNetwork(nn.Module):
    """The network that finds mentions, as `networks.span_chances` computes it."""

    def __init__(self, words: int, features: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words + 1, EMBEDDING)
        nn.init.normal_(self.embedding.weight, 0, 0.1)
        self.input = nn.Linear(EMBEDDING + features, HIDDEN)
        self.convolution = nn.ModuleList(
            nn.Conv1d(HIDDEN, HIDDEN, 3, padding=dilation, dilation=dilation) for dilation in networks.DILATIONS
        )
        self.bounds = nn.Linear(HIDDEN, 2)
        self.span = nn.ModuleDict({name: nn.Linear(HIDDEN, HIDDEN, bias=False) for name in ("first", "last", "mean")})
        self.span.update({"length": nn.Embedding(networks.LENGTHS, HIDDEN), "output": nn.Linear(HIDDEN, 1)})
        self.dropout, self.input_dropout = nn.Dropout(0.3), nn.Dropout(0.2)

    def encode(self, words: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
        x = functional.relu(self.input(self.input_dropout(torch.cat([self.embedding(words), features], 1))))
        for convolution in self.convolution:
            x = x + functional.relu(convolution(self.dropout(x).t()[None])[0].t())
        return x

    def spans(self, x: torch.Tensor, begin: np.ndarray, end: np.ndarray) -> torch.Tensor:
        x = self.dropout(x)
        first, last, length = torch.tensor(begin), torch.tensor(end), end - begin
        total = torch.cat([torch.zeros(1, HIDDEN), x.cumsum(0)])
        mean = (total[last + 1] - total[first]) / torch.tensor(length + 1)[:, None]
        span = self.span
        hidden = span["first"](x).index_select(0, first) + span["last"](x).index_select(0, last) + span["mean"](mean)
        hidden = hidden + span["length"](torch.tensor(networks.length_classes(length)))
        return span["output"](self.dropout(functional.relu(hidden)))[:, 0]


class PairNetwork(nn.Module):
    """The network that scores pairs of mentions, as `networks.pair_scores` computes it."""

    def __init__(self, vectors: int, features: int) -> None:
        super().__init__()
        self.pair = nn.ModuleDict(
            {
                "earlier": nn.Linear(vectors, HIDDEN),
                "later": nn.Linear(vectors, HIDDEN, bias=False),
                "features": nn.Linear(features, HIDDEN, bias=False),
                "output": nn.Linear(HIDDEN, 1),
            }
        )
        self.new = nn.Linear(vectors, HIDDEN)
        self.new_output = nn.Linear(HIDDEN, 1)
        self.dropout, self.input_dropout = nn.Dropout(0.3), nn.Dropout(0.1)

    def forward(
        self, vectors: torch.Tensor, features: torch.Tensor, earlier: torch.Tensor, later: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        vectors = self.input_dropout(vectors)
        pair = self.pair
        hidden = pair["earlier"](vectors).index_select(0, earlier) + pair["later"](vectors).index_select(0, later)
        hidden = functional.relu(hidden + pair["features"](self.input_dropout(features)))
        new = self.new_output(self.dropout(functional.relu(self.new(vectors))))
        return pair["output"](self.dropout(hidden))[:, 0], new[:, 0]


class Learner:
    """Does steps of AdamW with a learning rate that first rises, and then falls to zero."""

    def __init__(self, model: nn.Module, rate: float, steps: int) -> None:
        self._model, self._rate, self._steps, self._step = model, rate, steps, 0
        self._optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.01)

    def step(self, loss: torch.Tensor) -> None:
        for group in self._optimizer.param_groups:
            group["lr"] = self._rate * min(1, (self._step + 1) / WARM_UP) * (1 - self._step / self._steps)
        self._step += 1
        self._optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self._model.parameters(), 5.0)
        self._optimizer.step()


def gold_spans(document: Document) -> dict[tuple[int, int], int]:
    return {span: number for number, cluster in enumerate(document.text.clusters) for span in cluster}


def word_numbers(document: Document, vocabulary: dict[str, int]) -> np.ndarray:
    return np.array([vocabulary.get(word, 0) for word in document.rules.words])


# By our name, that of `networks`.
NAMES = {"pair.earlier.bias": "pair.bias", "new_output": "new.output", "new_output.bias": "new.output.bias"}


def numpy_weights(model: nn.Module) -> networks.Weights:
    """The weights under the names that `networks` expects. Those of embeddings alone are not transposed."""
    weights = {}
    for module_name, module in model.named_modules():
        for name, value in module.named_parameters(module_name, recurse=False):
            name = name.removesuffix(".weight")
            array = value.detach().numpy()
            weights[NAMES.get(name, name)] = (array if isinstance(module, nn.Embedding) else array.T).copy()
    if "input" in weights:
        weights["input.words"], weights["input.features"] = np.split(weights.pop("input"), [EMBEDDING])
    return weights


def train_mentions(documents: Sequence[Document], seed: int = 0) -> tuple[networks.Weights, list[str]]:
    torch.manual_seed(seed)
    order = random.Random(seed)
    counts = Counter(word for document in documents for word in document.rules.words)
    known = sorted(word for word, count in counts.items() if count >= FREQUENT)
    vocabulary = {word: i + 1 for i, word in enumerate(known)}
    model = MentionNetwork(len(known), documents[0].features.shape[1])
    learner = Learner(model, MENTION_RATE, MENTION_EPOCHS * len(documents) * 2)
    halves = []
    for document in documents:
        middle = document.rules.sentences[len(document.rules.sentences) // 2][0]
        words = torch.tensor(word_numbers(document, vocabulary))
        halves += [
            (document, words, start, stop) for start, stop in ((0, middle), (middle, len(words))) if start < stop
        ]
    for _ in tqdm(range(MENTION_EPOCHS), desc="mentions"):
        order.shuffle(halves)
        for document, words, start, stop in halves:
            own = words[start:stop].clone()
            own[torch.rand(len(own)) < 0.15] = 0
            x = model.encode(own, document.features[start:stop])
            bounds = model.bounds(model.dropout(x))
            gold = [(a - start, b - 1 - start) for a, b in gold_spans(document) if start <= a and b <= stop]
            target = torch.zeros(stop - start, 2)
            for a, b in gold:
                target[a, 0] = target[b, 1] = 1
            likely = (torch.sigmoid(bounds.detach()) > networks.LIKELY) | (target > 0)
            first, last = (np.flatnonzero(likely[:, column].numpy()) for column in (0, 1))
            begin, end = networks.possible_spans(first, last, document.sentence_of[start:stop])
            right = set(gold)
            is_mention = torch.tensor([float(span in right) for span in zip(begin.tolist(), end.tolist())])
            loss = functional.binary_cross_entropy_with_logits(bounds, target)
            spans = functional.binary_cross_entropy_with_logits(model.spans(x, begin, end), is_mention, reduction="sum")
            learner.step(2 * loss + 2 * spans / (stop - start))
    return numpy_weights(model), known


def find_mentions(document: Document, weights: networks.Weights, known: Sequence[str]) -> Candidates:
    """The mentions that a network finds in a document, with their descriptions."""
    words = word_numbers(document, {word: i + 1 for i, word in enumerate(known)})
    spans = networks.span_chances(weights, words, document.features.numpy(), document.sentence_of)
    chosen = networks.choose_spans(*spans, LEAST_CHANCE, document.rules.words, document.sentence_of)
    return describe(document.text, document.rules, document.sentence_of, *chosen)


class Pairs(NamedTuple):
    mentions: Candidates
    earlier: np.ndarray
    later: np.ndarray
    features: np.ndarray
    is_right: np.ndarray


def pairs_of(document: Document, mentions: Candidates) -> Pairs:
    gold = gold_spans(document)
    cluster = np.array([gold.get(span, -1) for span in mentions.spans])
    earlier, later = make_pairs(mentions)
    is_right = (cluster[earlier] == cluster[later]) & (cluster[later] >= 0)
    features = np.concatenate(list(features_of_pairs(mentions, earlier, later)))
    return Pairs(mentions, earlier, later, features, is_right)


def train_pairs(documents: Sequence[Pairs], seed: int) -> networks.Weights:
    torch.manual_seed(seed)
    order = random.Random(seed)
    model = PairNetwork(documents[0].mentions.vectors.shape[1], documents[0].features.shape[1])
    learner = Learner(model, PAIR_RATE, PAIR_EPOCHS * len(documents))
    tensors = [
        list(map(torch.tensor, (one.mentions.vectors, one.features, one.earlier, one.later, one.is_right)))
        for one in documents
    ]
    for _ in tqdm(range(PAIR_EPOCHS), desc="pairs"):
        order.shuffle(tensors)
        for vectors, features, earlier, later, is_right in tensors:
            learner.step(ranking_loss(*model(vectors, features, earlier, later), later, is_right))
    return numpy_weights(model)


def cross_validated(
    documents: Sequence[Document], links: Sequence[Pairs], scores: Sequence[tuple], decisions: Sequence[float]
) -> tuple[float, float]:
    """The average F1 without singletons, and with them, over documents that the networks have not seen."""
    clusters = []
    for document, own, (score, new) in zip(documents, links, scores):
        entity = link(own.mentions, own.earlier, own.later, score, new, np.array(decisions[:-2]))
        clusters.append((choose_clusters(own.mentions, entity, *decisions[-2:]), document.text.clusters))
    bare = [([cluster for cluster in mine if len(cluster) > 1], gold) for mine, gold in clusters]
    return conll_scores(bare, "without")["CoNLL"][2], conll_scores(clusters, "credited")["CoNLL"][2]


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("documents", help="a file, or a folder of such files")
    parser.add_argument("output", help="the file to write")
    parser.add_argument("--part", choices=["all", "even", "odd"], default="even", help="default: %(default)s")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)

    texts = list(FORMATS["conll_2012"].read_all(arguments.documents))
    texts = {"all": texts, "even": texts[::2], "odd": texts[1::2]}[arguments.part]
    documents = []
    for text in texts:
        bare = AnnotatedText(text.tokens, text.sentences)
        rules = SieveCoref(descriptions=False).resolve(bare)
        features = torch.tensor(token_features(bare.tokens, rules))
        documents.append(Document(text, rules, features, number_sentences(rules.sentences, len(text))))
    every = range(len(documents))
    folds = [list(every[first::FOLDS]) for first in range(FOLDS)]
    parts = [[i for i in every if i not in fold] for fold in folds] + [list(every)]
    # Forked processes have the settings of torch.
    parallel = Parallel(WORKERS, backend="multiprocessing")
    networks_for_mentions = parallel(delayed(train_mentions)([documents[i] for i in part]) for part in parts)
    pairs = {
        i: pairs_of(documents[i], find_mentions(documents[i], *network))
        for fold, network in zip(folds, networks_for_mentions)
        for i in fold
    }
    trained = parallel(delayed(train_pairs)([pairs[i] for i in part], seed) for part in parts for seed in range(SEEDS))
    networks_for_pairs = [average(trained[i : i + SEEDS]) for i in range(0, len(trained), SEEDS)]
    scores: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    for fold, weights in zip(folds, networks_for_pairs):
        for i in fold:
            own = pairs[i]
            scores[i] = networks.pair_scores(weights, own.mentions.vectors, [own.features], own.earlier, own.later)
    of_folds = [pairs[i] for i in every], [scores[i] for i in every]
    tried = [[first + step for step in STEPS] for first in START[:-2]] + 2 * [CHANCES]
    decisions = climb(lambda decisions: sum(cross_validated(documents, *of_folds, decisions)), START, tried)
    without, singletons = cross_validated(documents, *of_folds, decisions)
    print(f"average F1 without singletons {100 * without:.2f}, with singletons {100 * singletons:.2f}")

    weights, known = networks_for_mentions[-1]
    weights.update(networks_for_pairs[-1])
    weights = {name: weight.astype(np.float16) for name, weight in weights.items()}
    weights["decisions"] = np.array(decisions, np.float32)
    weights["words"] = np.frombuffer("\n".join(known).encode(), np.uint8)
    np.savez_compressed(arguments.output, **weights)
    print(f"{arguments.output}: {Path(arguments.output).stat().st_size} bytes, decisions {decisions}")


if __name__ == "__main__":
    run(main)
