"""
Trains the model of `coref` on LitBank, the free genres of OntoGUM, and GAP, and writes its weights.

    python scripts/train_coref.py data/annotators model.npz

The folder has litbank, ontogum and gap. The documents are divided into five folds. For each fold, two
networks are trained on the other four: one tells which noun phrases are annotated, and one ranks antecedents.
The second sees only noun phrases that the first, which has not seen their document, finds likely. The model
is the average of the five networks of each kind. The figures that are printed are for documents, and GAP's
passages, that no network has seen, and for OntoGUM's dev part by the average. How readily mentions of each
kind are linked is chosen on the folds. It takes about six minutes on one core and needs PyTorch. The same
command gives the same weights on the same machine.
"""

import csv
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from evaluate_annotator import conll_scores
from spacy.tokens import Doc
from torch import nn
from torch.nn import functional
from tqdm import tqdm
from train_english import GENRES

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.annotated_text import Cluster, Span
from allennlp_coref_rc.annotations.annotators.coref.english import network
from allennlp_coref_rc.annotations.annotators.coref.english.entities import describe
from allennlp_coref_rc.annotations.annotators.coref.english.mentions import WIDTH, Document, Mentions
from allennlp_coref_rc.annotations.annotators.coref.english.pairs import Pairs, make_pairs
from allennlp_coref_rc.annotations.annotators.parse import Parse
from allennlp_coref_rc.annotations.english import parse
from allennlp_coref_rc.annotations.formats import FORMATS
from allennlp_coref_rc.annotations.tokenization import token_span
from allennlp_coref_rc.common.script import ScriptParser, run

FOLDS, HIDDEN, EPOCHS, MENTION_EPOCHS, RATE = 5, 64, 8, 10, 4e-3
LITBANK = 3
"""How often an epoch has the documents of LitBank, which are fewer."""

PASSAGES, MENTIONS = 16, 160
"""Passages of GAP in a batch, and mentions in a batch of another document."""

NO_TENSOR = 0.1
"""The share of batches without the vectors of the pipeline's network, which other pipelines do not have."""

START = (0.0, -0.5, -1.0, -1.0)
STEPS = (-1.5, -1.0, -0.5, 0.5)
"""The first bonuses (`network.link`), and the changes that are tried."""


class Passage(NamedTuple):
    """
    A passage of GAP: the tokens of the pronoun and of both names, and which of the names is right (2:
    neither).
    """

    pronoun: int
    places: tuple[list[int], list[int]]
    label: int
    feminine: bool


@dataclass
class Example:
    """
    A document and its annotations, and after `prepare` the pairs of the mentions that are likely. For a
    passage of GAP: its pronoun, and for both names the mentions in their places, and those of the same name
    anywhere.
    """

    corpus: str
    document: Document
    clusters: Sequence[Cluster] = ()
    passage: Passage = Passage(-1, ([], []), 2, False)
    pairs: Pairs = field(init=False)
    features: np.ndarray = field(init=False)
    is_right: np.ndarray = field(init=False)
    pronoun: int = -1
    named: tuple[np.ndarray, ...] = ()
    names: tuple[np.ndarray, ...] = ()

    def __post_init__(self) -> None:
        self.vectors = self.document.vectors()

    @property
    def mentions(self) -> Mentions:
        return self.document.mentions

    @property
    def spans(self) -> list[Span]:
        return list(zip(self.mentions.start.tolist(), self.mentions.stop.tolist()))

    @property
    def entities(self) -> np.ndarray:
        """The number of the cluster of each mention, or -1."""
        gold = {span: number for number, cluster in enumerate(self.clusters) for span in cluster}
        return np.array([gold.get(span, -1) for span in self.spans], int)

    @property
    def can_be_learnt(self) -> bool:
        if self.corpus != "gap":
            return len(self.mentions) > 1
        return self.pronoun >= 0 and (self.passage.label == 2 or len(self.names[self.passage.label]) > 0)

    def prepare(self, scores: np.ndarray) -> None:
        """Keeps the likely mentions, and describes their pairs."""
        self.document.keep(scores)
        mentions, number = self.mentions, self.entities
        self.vectors, self.pairs = self.document.vectors(), make_pairs(self.document)
        self.features = np.concatenate(list(describe(self.pairs)))
        earlier, later = self.pairs.earlier, self.pairs.later
        self.is_right = (number[earlier] == number[later]) & (number[later] >= 0)
        if self.corpus == "gap":
            pronouns = np.flatnonzero((mentions.head == self.passage.pronoun) & mentions.is_pronoun)
            self.pronoun = int(pronouns[0]) if len(pronouns) else -1
            named = [
                np.isin(mentions.head, place) & ~mentions.is_coordination for place in self.passage.places
            ]
            words = [int(np.bitwise_or.reduce(mentions.bits[own])) for own in named]
            is_name = mentions.is_name & ~mentions.is_coordination
            names = [
                own | (is_name & ((mentions.bits & one) != 0) & ((mentions.bits & other) == 0))
                for own, one, other in zip(named, words, reversed(words))
            ]
            self.named, self.names = tuple(map(np.flatnonzero, named)), tuple(map(np.flatnonzero, names))


def make_example(corpus: str, doc: Doc, clusters: Sequence[Cluster] = ()) -> Example:
    return Example(corpus, Document(Parse(doc), corpus == "litbank"), clusters)


def make_gap_example(doc: Doc, row: dict[str, str], text: AnnotatedText) -> Example:
    def tokens(name: str) -> list[int]:
        start = int(row[f"{name}-offset"])
        return list(range(*token_span(text.offsets or [], start, start + len(row[name])) or (0, 0)))

    places = tokens("A"), tokens("B")
    # A name's mention has its head in the name, or the name depends on it ("director Sophie Consagra").
    for place in places:
        for token in list(place):
            while doc[token].dep_.startswith("flat") and doc[token].head.i not in place:
                token = doc[token].head.i
                place.append(token)
    label = 0 if row["A-coref"] == "TRUE" else 1 if row["B-coref"] == "TRUE" else 2
    example = make_example("gap", doc)
    example.passage = Passage(
        tokens("Pronoun")[0], places, label, row["Pronoun"].lower() in ("she", "her", "hers")
    )
    return example


class MentionNetwork(nn.Module):
    """The network that tells which noun phrases are annotated, as `network.mention_scores` computes it."""

    def __init__(self, vectors: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(vectors, HIDDEN)
        self.output = nn.Linear(HIDDEN, 1)
        self.dropout, self.input_dropout = nn.Dropout(0.3), nn.Dropout(0.2)

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        hidden = functional.relu(self.hidden(without_tensor(self, self.input_dropout(vectors))))
        return self.output(self.dropout(hidden))[:, 0]


def without_tensor(model: nn.Module, vectors: torch.Tensor) -> torch.Tensor:
    """In some batches of training, the vectors without those of the pipeline's network."""
    if not model.training or torch.rand(()) >= NO_TENSOR:
        return vectors
    return torch.cat([vectors[:, :-WIDTH], torch.zeros(len(vectors), WIDTH)], 1)


def weights_of(model: nn.Module) -> network.Weights:
    """The weights under the names that `network` expects."""
    weights = {name.removesuffix(".weight"): value.detach().t() for name, value in model.named_parameters()}
    return {name.replace(".", "_"): value.numpy().copy() for name, value in weights.items()}


class Network(nn.Module):
    """The network that scores pairs of mentions, as `network.score` computes it."""

    def __init__(self, vectors: int, pairs: int) -> None:
        super().__init__()
        self.earlier = nn.Linear(vectors, HIDDEN, bias=False)
        self.later = nn.Linear(vectors, HIDDEN)
        self.pair = nn.Linear(pairs, HIDDEN, bias=False)
        self.output = nn.Linear(HIDDEN, 1)
        self.new = nn.Linear(vectors, HIDDEN)
        self.new_output = nn.Linear(HIDDEN, 1)
        self.dropout, self.input_dropout = nn.Dropout(0.25), nn.Dropout(0.1)

    def forward(
        self, vectors: torch.Tensor, pairs: torch.Tensor, earlier: torch.Tensor, later: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        vectors = without_tensor(self, self.input_dropout(vectors))
        hidden = (
            self.earlier(vectors).index_select(0, earlier)
            + self.later(vectors).index_select(0, later)
            + self.pair(pairs)
        )
        new = self.new_output(self.dropout(functional.relu(self.new(vectors))))
        return self.output(self.dropout(functional.relu(hidden)))[:, 0], new[:, 0]


def average(every: Sequence[network.Weights]) -> network.Weights:
    """
    One network that gives the mean of the scores of several networks. It has the hidden units of all of them.
    """
    weights = {}
    for name in every[0]:
        parts = [one[name] for one in every]
        if name.endswith(("output_bias", "output.bias")):
            weights[name] = np.mean(parts, axis=0)
        elif name.endswith("output"):
            weights[name] = np.concatenate(parts) / len(parts)
        else:
            weights[name] = np.concatenate(parts, axis=-1)
    return weights


def log_sum(values: torch.Tensor, rows: torch.Tensor, first: torch.Tensor) -> torch.Tensor:
    """
    For each entry of `first`, the logarithm of the sum of its exponential and those of the values in its row.
    """
    top = first.detach().scatter_reduce(0, rows, values.detach(), "amax")
    total = torch.exp(first - top).index_add(0, rows, torch.exp(values - top[rows]))
    return top + torch.log(total)


def ranking_loss(
    score: torch.Tensor, new: torch.Tensor, later: torch.Tensor, is_right: torch.Tensor, start: int = 0
) -> torch.Tensor:
    """
    The negative log-probability of all right antecedents together, or of a new entity if none is right, as
    the mean over the mentions from `start`.
    """
    has_right = torch.zeros(len(new), dtype=torch.bool).index_fill(0, later[is_right], True)
    nothing = torch.where(has_right, torch.full_like(new, -50), new)
    return (log_sum(score, later, new) - log_sum(score[is_right], later[is_right], nothing))[start:].mean()


def gap_loss(
    score: torch.Tensor,
    new: torch.Tensor,
    earlier: torch.Tensor,
    later: torch.Tensor,
    batch: Sequence[tuple[int, Example]],
) -> torch.Tensor:
    """
    The negative log-probability that the pronoun is in the entity of the right name, or in that of neither,
    over all ways to link the mentions between them; and that a name is not linked to the other name, or to
    the pronoun of another. Links of other names and of nominals are not changed. `batch` has passages, and
    the number of the first mention of each.
    """
    count = len(new)
    named, started, wrong = torch.zeros(count, 2), torch.zeros(count, 1), torch.zeros(count, count)
    can_change = torch.zeros(count, dtype=torch.bool)
    for first, example in batch:
        started[first + example.pronoun] = 1
        can_change[first + np.flatnonzero(example.mentions.is_pronoun)] = True
        for side, names in enumerate(example.names):
            named[first + names, side] = 1
            can_change[first + names] = True
            others = [*example.names[1 - side], *[example.pronoun] * (example.passage.label != side)]
            wrong[first + names[:, None], first + np.array(others, int)[None]] = 1
    chance = torch.exp(score - log_sum(score, later, new)[later])
    chance = torch.where(can_change[later], chance, chance.detach())
    links = torch.zeros(count, count).index_put((later, earlier), chance)
    # The probability of a mention to be in an entity is the sum of those of its antecedents, times its links
    # to them.
    one = torch.eye(count)
    back = torch.linalg.solve_triangular(one - links * (1 - named.amax(1, keepdim=True)), named, upper=False)
    forth = torch.linalg.solve_triangular(one - links * (1 - started), started, upper=False)
    chances = []
    for first, example in batch:
        both = [torch.zeros(())] * 2
        for side, names in enumerate(example.names):
            if len(names):
                is_before = names[0] < example.pronoun
                both[side] = back[first + example.pronoun, side] if is_before else forth[first + names[0], 0]
        chances.append((*both, 1 - both[0] - both[1])[example.passage.label])
    apart = -torch.log((1 - (links * wrong).sum(1)).clamp(min=1e-3)).sum() / len(batch)
    return -torch.log(torch.stack(chances).clamp(min=1e-3)).mean() + apart


def loss_of_passages(model: Network, batch: Sequence[Example]) -> torch.Tensor:
    firsts = np.cumsum([0, *(len(example.mentions) for example in batch)]).tolist()
    earlier, later = (
        torch.tensor(np.concatenate([getattr(one.pairs, side) + first for first, one in zip(firsts, batch)]))
        for side in ("earlier", "later")
    )
    vectors = torch.tensor(np.concatenate([example.vectors for example in batch]))
    features = torch.tensor(np.concatenate([example.features for example in batch])).float()
    score, new = model(vectors, features, earlier, later)
    return gap_loss(score, new, earlier, later, list(zip(firsts, batch)))


def loss_of_document(model: Network, example: Example, start: int, stop: int) -> torch.Tensor:
    """The loss of the mentions from start to stop."""
    stop = min(stop, len(example.mentions))
    own = slice(*np.searchsorted(example.pairs.later, (start, stop)))
    earlier, later, is_right = (
        torch.tensor(values[own]) for values in (example.pairs.earlier, example.pairs.later, example.is_right)
    )
    first = int(earlier.min()) if len(earlier) else start
    vectors, features = torch.tensor(example.vectors[first:stop]), torch.tensor(example.features[own]).float()
    score, new = model(vectors, features, earlier - first, later - first)
    return ranking_loss(score, new, later - first, is_right, start - first)


def train_mentions(examples: Sequence[Example], seed: int) -> network.Weights:
    torch.manual_seed(seed)
    annotated = [example for example in examples if example.corpus != "gap"]
    vectors = torch.tensor(np.concatenate([example.vectors for example in annotated]))
    target = torch.tensor(np.concatenate([example.entities >= 0 for example in annotated])).float()
    model = MentionNetwork(vectors.shape[1])
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1, 0, MENTION_EPOCHS)
    for _ in range(MENTION_EPOCHS):
        for batch in torch.randperm(len(vectors)).split(256):
            loss = functional.binary_cross_entropy_with_logits(model(vectors[batch]), target[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        schedule.step()
    return {f"mention.{name}": value for name, value in weights_of(model).items()}


def train_ranking(examples: Sequence[Example], seed: int) -> network.Weights:
    torch.manual_seed(seed)
    order = random.Random(seed)
    model = Network(examples[0].vectors.shape[1], examples[0].features.shape[1])
    documents = [
        (example, first, first + MENTIONS)
        for example in examples
        if example.corpus != "gap" and example.can_be_learnt
        for first in range(0, len(example.mentions), MENTIONS)
        for _ in range(LITBANK if example.corpus == "litbank" else 1)
    ]
    passages = [example for example in examples if example.corpus == "gap" and example.can_be_learnt]
    steps = EPOCHS * (len(documents) + -(-len(passages) // PASSAGES))
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, (step + 1) / 100) * (1 - step / steps)
    )
    for _ in tqdm(range(EPOCHS)):
        order.shuffle(passages)
        batches: list = [passages[k : k + PASSAGES] for k in range(0, len(passages), PASSAGES)] + documents
        order.shuffle(batches)
        for batch in batches:
            loss = (
                loss_of_document(model, *batch)
                if isinstance(batch, tuple)
                else loss_of_passages(model, batch)
            )
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
            schedule.step()
    return weights_of(model)


Scores = tuple[np.ndarray, np.ndarray]


def score(weights: network.Weights, example: Example) -> Scores:
    earlier, later = example.pairs.earlier, example.pairs.later
    return network.score(weights, example.vectors, [example.features], earlier, later)


def link(examples: Sequence[Example], scores: Sequence[Scores], bonuses: np.ndarray) -> list[np.ndarray]:
    return [network.link(one.document, one.pairs, *own, bonuses)[0] for one, own in zip(examples, scores)]


def gap_scores(examples: Sequence[Example], linked: Sequence[np.ndarray]) -> tuple[float, float, float]:
    """
    F1 over all pairs of a pronoun and a name, over those of masculine pronouns, and over those of feminine
    ones.
    """
    counts = {True: np.zeros(3), False: np.zeros(3)}
    for example, entity in zip(examples, linked):
        for side, named in enumerate(example.named):
            is_right = example.passage.label == side
            is_found = example.pronoun >= 0 and bool((entity[named] == entity[example.pronoun]).any())
            counts[example.passage.feminine] += (is_right and is_found, is_right, is_found)
    both = (counts[True] + counts[False], counts[False], counts[True])
    return tuple(2 * right / max(1, gold + found) for right, gold, found in both)


def conll_score(examples: Sequence[Example], linked: Sequence[np.ndarray]) -> float:
    pairs = []
    for example, entity in zip(examples, linked):
        clusters: dict[int, Cluster] = {}
        for number, span in zip(entity.tolist(), example.spans):
            clusters.setdefault(number, []).append(span)
        pairs.append(([cluster for cluster in clusters.values() if len(cluster) > 1], example.clusters))
    return conll_scores(pairs, "without")["CoNLL"][2]


def by_corpus(
    examples: Sequence[Example], scores: Sequence[Scores]
) -> Iterator[tuple[str, list[Example], list[Scores]]]:
    for corpus in sorted({example.corpus for example in examples}):
        part = [(one, own) for one, own in zip(examples, scores) if one.corpus == corpus]
        yield corpus, *map(list, zip(*part))


def choose_bonuses(examples: Sequence[Example], scores: Sequence[Scores]) -> np.ndarray:
    """
    Those with the highest sum of the scores of the corpora: tries changes of each bonus, from the last to the
    first, and keeps one if the sum gets better.
    """

    def total(bonuses: np.ndarray) -> float:
        total = 0.0
        for corpus, part, own in by_corpus(examples, scores):
            linked = link(part, own, bonuses)
            total += gap_scores(part, linked)[0] if corpus == "gap" else conll_score(part, linked)
        return total

    best = np.array(START)
    most = total(best)
    for place, step in product(reversed(range(len(START))), STEPS):
        other = np.where(np.arange(len(START)) == place, START[place] + step, best)
        if (found := total(other)) > most:
            best, most = other, found
    return best


def report(
    name: str, examples: Sequence[Example], scores: Sequence[Scores], bonuses: dict[str, np.ndarray]
) -> None:
    for corpus, part, own in by_corpus(examples, scores):
        linked = link(part, own, bonuses["litbank" if corpus == "litbank" else "ontonotes"])
        figures = gap_scores(part, linked) if corpus == "gap" else [conll_score(part, linked)]
        values = " / ".join(f"{100 * figure:.2f}" for figure in figures)
        print(f"{name}, {corpus}, {len(part)}: {values}", flush=True)


def read(folder: Path) -> tuple[list[Example], list[Example]]:
    """The documents for training, and OntoGUM's dev part."""
    litbank, train, dev = (
        list(FORMATS["conll_2012"].read_all(str(folder / name)))
        for name in ("litbank", "ontogum/train", "ontogum/dev")
    )
    train = [text for text in train if text.id and text.id.split("_")[1] in GENRES]
    documents = make_examples("litbank", litbank) + make_examples("ontonotes", train)
    rows = []
    for name in ("development", "validation"):
        with (folder / "gap" / f"gap-{name}.tsv").open(encoding="utf-8") as file:
            rows += list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    texts = [AnnotatedText.of_text(row["Text"]) for row in rows]
    passages = [make_gap_example(*each) for each in zip(parse_bare(texts), rows, texts)]
    return documents + passages, make_examples("ontonotes", dev)


def parse_bare(texts: Iterable[AnnotatedText]) -> list[Doc]:
    return parse([AnnotatedText(text.tokens, text.sentences) for text in texts])


def make_examples(corpus: str, texts: Sequence[AnnotatedText]) -> list[Example]:
    return [make_example(corpus, doc, text.clusters) for doc, text in zip(parse_bare(texts), texts)]


def train_model(examples: Sequence[Example], held_out: Sequence[Example]) -> dict[str, Any]:
    folds = [range(fold, len(examples), FOLDS) for fold in range(FOLDS)]
    others = [[example for k, example in enumerate(examples) if k not in fold] for fold in folds]
    members = [train_mentions(own, seed) for seed, own in enumerate(others)]
    mentions = average(members)
    for k, example in enumerate(examples):
        example.prepare(network.mention_scores(members[k % FOLDS], example.vectors))
    for example in held_out:
        example.prepare(network.mention_scores(mentions, example.vectors))
    members = [train_ranking(own, seed) for seed, own in enumerate(others)]
    scores = [score(members[k % FOLDS], example) for k, example in enumerate(examples)]
    weights = average(members)
    bonuses = {}
    for guideline in ("litbank", "ontonotes"):
        part = [k for k, one in enumerate(examples) if (one.corpus == "litbank") == (guideline == "litbank")]
        bonuses[guideline] = choose_bonuses([examples[k] for k in part], [scores[k] for k in part])
    report("unseen in training", examples, scores, bonuses)
    report("dev", held_out, [score(weights, example) for example in held_out], bonuses)
    decisions = {f"bonuses.{guideline}": values for guideline, values in bonuses.items()}
    return {name: value.astype(np.float16) for name, value in {**weights, **mentions, **decisions}.items()}


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("data", help="the folder of the corpora")
    parser.add_argument("output", help="the file to write")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    model = train_model(*read(Path(arguments.data)))
    np.savez_compressed(arguments.output, **model)
    print(f"{arguments.output}: {Path(arguments.output).stat().st_size} bytes")


if __name__ == "__main__":
    run(main)
