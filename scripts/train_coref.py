"""
Trains the model of `coref` on LitBank, the free genres of OntoGUM, and GAP, and writes its weights.

    python scripts/train_coref.py data/annotators model.npz

The folder has litbank, ontogum and gap. The documents are divided into three folds. For each fold, two networks are
trained on the two other folds: the first ranks antecedents; the second sees also the entities that first networks make
of documents that they have not been trained on. The model is the average of the three networks of each kind. The
figures that are printed are for documents, and GAP's passages, that the networks have not seen, and for OntoGUM's dev
part by the average. How readily mentions of each kind are linked is chosen on the folds. It takes about ten minutes on
one core and needs PyTorch. The same command gives the same weights on the same machine.
"""

import csv
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from evaluate_annotator import conll_scores
from spacy.tokens import Doc
from torch import nn
from torch.nn import functional
from tqdm import tqdm

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.annotated_text import Cluster
from allennlp_coref_rc.annotations.annotators.coref.english_coref import features, network
from allennlp_coref_rc.annotations.annotators.coref.english_coref.features import NAME, PRONOUN, Mentions
from allennlp_coref_rc.annotations.annotators.coref.english_coref.mentions import WIDTH, Parse
from allennlp_coref_rc.annotations.english import parse
from allennlp_coref_rc.annotations.formats import FORMATS
from allennlp_coref_rc.annotations.tokenization import token_span
from allennlp_coref_rc.common.script import ScriptParser, run

GENRES = frozenset("academic bio court interview news speech textbook vlog voyage".split())
"""The genres of OntoGUM whose licences allow any use."""

FOLDS, HIDDEN, EPOCHS, RATE = 3, 48, 7, 4e-3
LITBANK = 3
"""How often an epoch has the documents of LitBank, which are fewer."""

PASSAGES, MENTIONS = 16, 160
"""Passages of GAP in a batch, and mentions in a batch of another document."""

NO_TENSOR = 0.1
"""The share of batches without the vectors of the pipeline's network, which other pipelines do not have."""

STEPS = (-1.5, -1.0, -0.5, 0.5)
"""The changes of decisions that are tried."""


@dataclass
class Example:
    """
    A document's mentions, pairs and annotations. For GAP there are the pronoun, the mentions of both names' entities,
    those in the places that the data set names, and which of the names is right (2: neither).
    """

    corpus: str
    mentions: Mentions
    i: np.ndarray
    j: np.ndarray
    features: np.ndarray
    vectors: np.ndarray
    clusters: Sequence[Cluster] = ()
    is_right: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))
    is_mention: np.ndarray = field(default_factory=lambda: np.zeros(0, np.float32))
    pronoun: int = -1
    names: tuple[np.ndarray, ...] = ()
    named: tuple[np.ndarray, ...] = ()
    label: int = 2
    feminine: bool = False

    @property
    def can_be_learnt(self) -> bool:
        if self.corpus != "gap":
            return self.mentions.count > 1
        return self.pronoun >= 0 and (self.label == 2 or len(self.names[self.label]) > 0)


def make_example(corpus: str, doc: Doc, clusters: Sequence[Cluster] = ()) -> Example:
    m = Mentions(Parse.of(doc), corpus == "litbank")
    i, j = features.make_pairs(m)
    gold = {span: number for number, cluster in enumerate(clusters) for span in cluster}
    number = np.array([gold.get(span, -1) for span in zip(m.start.tolist(), m.stop.tolist())])
    is_right = (number[i] == number[j]) & (number[j] >= 0)
    is_mention = (number >= 0).astype(np.float32)
    return Example(
        corpus, m, i, j, features.pair_features(m, i, j), features.vectors(m), clusters, is_right, is_mention
    )


def make_gap_example(doc: Doc, row: dict[str, str], text: AnnotatedText) -> Example:
    def tokens(name: str) -> range:
        start = int(row[f"{name}-offset"])
        return range(*token_span(text.offsets or [], start, start + len(row[name])) or (0, 0))

    example = make_example("gap", doc)
    m = example.mentions
    pronouns = np.flatnonzero((m.head == tokens("Pronoun")[0]) & (m.stop == m.start + 1))
    example.pronoun = int(pronouns[0]) if len(pronouns) else -1
    # A name's mention has its head in the name, or the name depends on it ("director Sophie Consagra").
    places = [set(tokens(name)) for name in "AB"]
    for place in places:
        for token in sorted(place):
            while doc[token].dep_.startswith("flat") and doc[token].head.i not in place:
                token = doc[token].head.i
                place.add(token)
    named = [np.isin(m.head, list(place)) & (m.whole == 0) for place in places]
    words = [int(np.bitwise_or.reduce(m.bits[own])) if own.any() else 0 for own in named]
    names = [
        own | ((m.kind == NAME) & (m.whole == 0) & ((m.bits & one) != 0) & ((m.bits & other) == 0))
        for own, one, other in zip(named, words, reversed(words))
    ]
    example.named, example.names = tuple(map(np.flatnonzero, named)), tuple(map(np.flatnonzero, names))
    example.label = 0 if row["A-coref"] == "TRUE" else 1 if row["B-coref"] == "TRUE" else 2
    example.feminine = row["Pronoun"].lower() in ("she", "her", "hers")
    return example


class Network(nn.Module):
    """The network that scores pairs of mentions, as `network.score` computes it."""

    def __init__(self, vectors: int, pairs: int) -> None:
        super().__init__()
        self.earlier = nn.Linear(vectors, HIDDEN, bias=False)
        self.later = nn.Linear(vectors, HIDDEN)
        self.pair = nn.Linear(pairs, HIDDEN, bias=False)
        self.output = nn.Linear(HIDDEN, 1)
        self.new = nn.Linear(vectors, HIDDEN)
        self.new_output = nn.Linear(HIDDEN, 2)
        self.dropout, self.input_dropout = nn.Dropout(0.25), nn.Dropout(0.1)

    def forward(
        self, vectors: torch.Tensor, pairs: torch.Tensor, i: torch.Tensor, j: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        vectors = self.input_dropout(vectors)
        if self.training and torch.rand(()) < NO_TENSOR:
            vectors = torch.cat([vectors[:, :-WIDTH], torch.zeros(len(vectors), WIDTH)], 1)
        hidden = self.earlier(vectors).index_select(0, i) + self.later(vectors).index_select(0, j) + self.pair(pairs)
        new = self.new_output(self.dropout(functional.relu(self.new(vectors))))
        return self.output(self.dropout(functional.relu(hidden)))[:, 0], new

    def weights(self) -> network.Weights:
        """The weights under the names that `network` expects."""
        weights = {name.removesuffix(".weight"): value.detach().t() for name, value in self.named_parameters()}
        return {name.replace(".", "_"): value.numpy().copy() for name, value in weights.items()}


def average(every: Sequence[network.Weights]) -> network.Weights:
    """One network that gives the mean of the scores of several networks. It has the hidden units of all of them."""
    weights = {}
    for name in every[0]:
        parts = [one[name] for one in every]
        if name.endswith("output_bias"):
            weights[name] = np.mean(parts, axis=0)
        elif name.endswith("output"):
            weights[name] = np.concatenate(parts) / len(parts)
        else:
            weights[name] = np.concatenate(parts, axis=-1)
    return weights


def log_sum(values: torch.Tensor, rows: torch.Tensor, first: torch.Tensor) -> torch.Tensor:
    """For each entry of `first`, the logarithm of the sum of its exponential and those of the values in its row."""
    top = first.detach().scatter_reduce(0, rows, values.detach(), "amax")
    total = torch.exp(first - top).index_add(0, rows, torch.exp(values - top[rows]))
    return top + torch.log(total)


def ranking_loss(
    score: torch.Tensor, new: torch.Tensor, j: torch.Tensor, is_right: torch.Tensor, start: int = 0
) -> torch.Tensor:
    """
    The negative log-probability of all right antecedents together, or of a new entity if none is right, as the mean
    over the mentions from `start`.
    """
    has_right = torch.zeros(len(new), dtype=torch.bool).index_fill(0, j[is_right], True)
    nothing = torch.where(has_right, torch.full_like(new, -50), new)
    return (log_sum(score, j, new) - log_sum(score[is_right], j[is_right], nothing))[start:].mean()


def gap_loss(
    score: torch.Tensor, new: torch.Tensor, i: torch.Tensor, j: torch.Tensor, batch: Sequence[tuple[int, Example]]
) -> torch.Tensor:
    """
    The negative log-probability that the pronoun is in the entity of the right name, or in that of neither, over all
    ways to link the mentions between them; and that a name is not linked to the other name, or to the pronoun of
    another. Links of other names and of nominals are not changed. `batch` has passages, and the number of the first
    mention of each.
    """
    count = len(new)
    named, started, can_change = torch.zeros(count, 2), torch.zeros(count, 1), torch.zeros(count, dtype=torch.bool)
    wrong = torch.zeros(count, count)
    for first, example in batch:
        started[first + example.pronoun] = 1
        can_change[first + np.flatnonzero(example.mentions.kind == PRONOUN)] = True
        for side, names in enumerate(example.names):
            named[first + names, side] = 1
            can_change[first + names] = True
            others = [*example.names[1 - side], *[example.pronoun] * (example.label != side)]
            wrong[first + names[:, None], first + np.array(others, int)[None]] = 1
    chance = torch.exp(score - log_sum(score, j, new)[j])
    chance = torch.where(can_change[j], chance, chance.detach())
    links = torch.zeros(count, count).index_put((j, i), chance)
    # The probability of a mention to be in an entity is the sum of those of its antecedents, times its links to them.
    one = torch.eye(count)
    back = torch.linalg.solve_triangular(one - links * (1 - named.amax(1, keepdim=True)), named, upper=False)
    forth = torch.linalg.solve_triangular(one - links * (1 - started), started, upper=False)
    chances = []
    for first, example in batch:
        both = [
            (back[first + example.pronoun, side] if names[0] < example.pronoun else forth[first + names[0], 0])
            if len(names)
            else torch.zeros(())
            for side, names in enumerate(example.names)
        ]
        chances.append((*both, 1 - both[0] - both[1])[example.label])
    apart = -torch.log((1 - (links * wrong).sum(1)).clamp(min=1e-3)).sum() / len(batch)
    return -torch.log(torch.stack(chances).clamp(min=1e-3)).mean() + apart


def loss_of_passages(model: Network, batch: Sequence[Example]) -> torch.Tensor:
    firsts = np.cumsum([0, *(example.mentions.count for example in batch)]).tolist()
    i = torch.tensor(np.concatenate([example.i + first for first, example in zip(firsts, batch)]))
    j = torch.tensor(np.concatenate([example.j + first for first, example in zip(firsts, batch)]))
    vectors = torch.tensor(np.concatenate([example.vectors for example in batch]))
    pairs = torch.tensor(np.concatenate([example.features for example in batch])).float()
    score, new = model(vectors, pairs, i, j)
    return gap_loss(score, new[:, 0], i, j, list(zip(firsts, batch)))


def loss_of_document(model: Network, example: Example, start: int, stop: int) -> torch.Tensor:
    """The loss of the mentions from start to stop."""
    stop = min(stop, example.mentions.count)
    pairs = slice(*np.searchsorted(example.j, (start, stop)))
    i, j, is_right = (torch.tensor(values[pairs]) for values in (example.i, example.j, example.is_right))
    first = int(i.min()) if len(i) else start
    vectors = torch.tensor(example.vectors[first:stop])
    score, new = model(vectors, torch.tensor(example.features[pairs]).float(), i - first, j - first)
    loss = ranking_loss(score, new[:, 0], j - first, is_right, start - first)
    if example.corpus == "litbank":
        target = torch.tensor(example.is_mention[start:stop])
        loss = loss + 0.3 * functional.binary_cross_entropy_with_logits(new[start - first :, 1], target)
    return loss


def train(examples: Sequence[Example], seed: int, description: str) -> network.Weights:
    torch.manual_seed(seed)
    order = random.Random(seed)
    model = Network(examples[0].vectors.shape[1], examples[0].features.shape[1])
    documents = [
        (example, first, first + MENTIONS)
        for example in examples
        if example.corpus != "gap" and example.can_be_learnt
        for first in range(0, example.mentions.count, MENTIONS)
        for _ in range(LITBANK if example.corpus == "litbank" else 1)
    ]
    passages = [example for example in examples if example.corpus == "gap" and example.can_be_learnt]
    steps = EPOCHS * (len(documents) + -(-len(passages) // PASSAGES))
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1, (step + 1) / 100) * (1 - step / steps))
    for _ in tqdm(range(EPOCHS), desc=description):
        order.shuffle(passages)
        batches: list = [passages[k : k + PASSAGES] for k in range(0, len(passages), PASSAGES)] + documents
        order.shuffle(batches)
        for batch in batches:
            loss = loss_of_document(model, *batch) if isinstance(batch, tuple) else loss_of_passages(model, batch)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
            schedule.step()
    return model.weights()


Scores = tuple[np.ndarray, np.ndarray]


def score(weights: network.Weights, example: Example) -> Scores:
    return network.score(weights, example.vectors, [example.features], example.i, example.j)


def entities(example: Example, scores: Scores, bonuses: np.ndarray) -> np.ndarray:
    return network.link(example.mentions, example.i, example.j, *scores, bonuses)


def with_entities(example: Example, entity: np.ndarray) -> None:
    """Replaces the features of entities by those of another linking."""
    own = features.EntityFeatures(example.mentions, entity).of(example.i, example.j)
    example.features = np.concatenate([example.features[:, : features.PAIR_FEATURES], own], axis=1)


def gap_scores(examples: Sequence[Example], linked: Sequence[np.ndarray]) -> tuple[float, float, float]:
    """F1 over all pairs of a pronoun and a name, over those of masculine pronouns, and over those of feminine ones."""
    counts = {True: np.zeros(3), False: np.zeros(3)}
    for example, entity in zip(examples, linked):
        for side, named in enumerate(example.named):
            is_right, is_found = example.label == side, bool((entity[named] == entity[example.pronoun]).any())
            is_found = is_found and example.pronoun >= 0
            counts[example.feminine] += (is_right and is_found, is_right, is_found)
    both = (counts[True] + counts[False], counts[False], counts[True])
    return tuple(2 * right / max(1, gold + found) for right, gold, found in both)


def conll_score(examples: Sequence[Example], linked: Sequence[np.ndarray]) -> float:
    pairs = []
    for example, entity in zip(examples, linked):
        clusters: dict[int, Cluster] = {}
        for number, *span in zip(entity.tolist(), example.mentions.start.tolist(), example.mentions.stop.tolist()):
            clusters.setdefault(number, []).append((span[0], span[1]))
        pairs.append(([cluster for cluster in clusters.values() if len(cluster) > 1], example.clusters))
    return conll_scores(pairs, "without")["CoNLL"][2]


def choose_bonuses(examples: Sequence[Example], scores: Sequence[Scores], start: Sequence[float]) -> np.ndarray:
    """Changes one bonus after the other, and keeps a change if the scores of the corpora get better."""
    corpora = sorted({example.corpus for example in examples})
    parts = {corpus: [k for k, example in enumerate(examples) if example.corpus == corpus] for corpus in corpora}
    best, most = np.array(start), -1.0
    for kind, step in [(0, 0.0)] + [(kind, step) for kind in (3, 2, 1, 0) for step in STEPS]:
        bonuses = np.array([start[kind] + step if own == kind else one for own, one in enumerate(best)])
        total = 0.0
        for corpus, part in parts.items():
            chosen = [examples[k] for k in part]
            linked = [entities(examples[k], scores[k], bonuses) for k in part]
            total += gap_scores(chosen, linked)[0] if corpus == "gap" else conll_score(chosen, linked)
        if total > most:
            best, most = bonuses, total
    return best


def report(name: str, examples: Sequence[Example], scores: Sequence[Scores], bonuses: dict[str, np.ndarray]) -> None:
    for corpus in sorted({example.corpus for example in examples}):
        part = [k for k, example in enumerate(examples) if example.corpus == corpus]
        own = bonuses["litbank" if corpus == "litbank" else "ontonotes"]
        chosen, linked = [examples[k] for k in part], [entities(examples[k], scores[k], own) for k in part]
        figures = gap_scores(chosen, linked) if corpus == "gap" else [conll_score(chosen, linked)]
        print(f"{name}, {corpus}, {len(part)}: {' / '.join(f'{100 * one:.2f}' for one in figures)}", flush=True)


def read(folder: Path) -> tuple[list[Example], list[Example]]:
    """The documents for training, and OntoGUM's dev part."""
    parts = [
        list(FORMATS["conll_2012"].read_all(str(folder / name))) for name in ("litbank", "ontogum/train", "ontogum/dev")
    ]
    parts[1] = [text for text in parts[1] if text.id and text.id.split("_")[1] in GENRES]
    made = [
        [
            make_example("litbank" if not k else "ontonotes", doc, text.clusters)
            for text, doc in zip(part, parse_bare(part))
        ]
        for k, part in enumerate(parts)
    ]
    rows = []
    for name in ("development", "validation"):
        with (folder / "gap" / f"gap-{name}.tsv").open(encoding="utf-8") as file:
            rows += list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    texts = [AnnotatedText.of_text(row["Text"]) for row in rows]
    passages = [make_gap_example(*each) for each in zip(parse_bare(texts), rows, texts)]
    return made[0] + made[1] + passages, made[2]


def parse_bare(texts: Iterable[AnnotatedText]) -> list[Doc]:
    return parse([AnnotatedText(text.tokens, text.sentences) for text in texts])


def train_model(examples: Sequence[Example], held_out: Sequence[Example]) -> network.Weights:
    for example in (*examples, *held_out):
        with_entities(example, features.first_entities(example.mentions))
    model: dict[str, Any] = {}
    bonuses = {"litbank": np.array(network.START), "ontonotes": np.array(network.START)}
    for step, name in enumerate(("first", "second")):
        scores: list[Scores] = [(np.zeros(0), np.zeros(0))] * len(examples)
        members = []
        for fold in range(FOLDS):
            own = [example for k, example in enumerate(examples) if k % FOLDS != fold]
            members.append(train(own, fold, f"{name} network, fold {fold + 1} of {FOLDS}"))
            for k in range(fold, len(examples), FOLDS):
                scores[k] = score(members[-1], examples[k])
        weights = average(members)
        others = [score(weights, example) for example in held_out]
        if name == "second":
            both = [tuple((a + b) / 2 for a, b in zip(*pair)) for pair in zip(before[0], scores)]
            other_both = [tuple((a + b) / 2 for a, b in zip(*pair)) for pair in zip(before[1], others)]
            report("blend, unseen", examples, both, bonuses)
            report("blend, dev", held_out, other_both, bonuses)
            report("second, unseen", examples, scores, bonuses)
            report("second, dev", held_out, others, bonuses)
            scores, others = both, other_both
            for guideline in bonuses:
                part = [k for k, one in enumerate(examples) if (one.corpus == "litbank") == (guideline == "litbank")]
                chosen = choose_bonuses([examples[k] for k in part], [scores[k] for k in part], network.START)
                bonuses[guideline] = chosen
                model[f"bonuses.{guideline}"] = chosen.astype(np.float32)
        report(f"{name} network, unseen in training", examples, scores, bonuses)
        report(f"{name} network, dev", held_out, others, bonuses)
        for example, own_scores in zip((*examples, *held_out), (*scores, *others)):
            guideline = "litbank" if example.corpus == "litbank" else "ontonotes"
            if not step:
                with_entities(example, entities(example, own_scores, bonuses[guideline]))
        before = (scores, others)
        model |= {f"{name}.{key}": value.astype(np.float16) for key, value in weights.items()}
    return model


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
