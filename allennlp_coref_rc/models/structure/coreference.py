from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from allennlp.common.util import is_distributed
from allennlp.data import Vocabulary
from allennlp.models.heads import Head
from allennlp.training.metrics import Average
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span
from allennlp_coref_rc.annotations.layers import Link, rounded
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.structure_corpora.coreference import GUIDELINES, TYPES, CoreferenceText
from allennlp_coref_rc.models.structure.encoder import matrices_in_bfloat16
from allennlp_coref_rc.models.structure.text_head import mlp

if TYPE_CHECKING:
    from allennlp_coref_rc.models.structure._coreference_scores import ClusterScores

LEFT, RIGHT = 20, 40
"""How far a mention reaches at most from its head."""

BLOCK, REACH = 512, 2048
"""Antecedents are scored for so many mentions at once, and lie at most so many mentions before the last of them."""

DISTANCES = 10
"""Distances in words are divided into classes by powers of 2: 1, 2–3, 4–7, … 512 and more."""

PAIR_DIM = 128
"""The size of the products of both words' vectors."""

GAP_WEIGHT = 0.5
"""The weight of the loss of passages of GAP."""

FEATURES = 2 * DISTANCES + len(GUIDELINES) + 14


class Candidates(NamedTuple):
    """
    The mentions of a text and their candidates for antecedents, nearest last. All positions are places among
    `words`.
    """

    words: Tensor
    """The words that may be heads of mentions. *Shape:* (mentions,)"""
    antecedents: Tensor
    """Mentions before each one; where there are fewer, the mention itself. *Shape:* (mentions, candidates)"""
    scores: Tensor
    """Their scores, -inf for the mention itself. *Shape:* (mentions, candidates)"""
    likely: Tensor
    """How likely each word is a mention with others, as a logit. *Shape:* (all words,)"""


@Head.register("coreference")
class CoreferenceHead(Head):
    """
    Coreference between words (Dobrovolskii, EMNLP 2021). A network finds the words that may be heads of
    mentions. A bilinear form chooses candidates for the antecedent of each one, and a second network scores
    these from the vectors of both words and what is known of the pair: distance, equal words, shared names,
    quotations, guideline, and entities, genders and numbers by the rules of `sieve_coref`. Each mention is
    linked to the best one, if its score is above 0. A third network finds where the mention of a head starts
    and stops. Time and memory are linear in the length of the text, as antecedents are at most `REACH` mentions
    away.

    It departs from the paper: candidates are also the last words that are equal or share a name, words that
    are unlikely heads are left out first, and "and" is the head of a coordination. The loss is the negative
    log-likelihood of all right antecedents together, of heads, of spans, and, with GUM, of the types of entities;
    for passages of GAP, that the pronoun and each name are in one entity or not, over all ways to link the
    mentions between them.

    Registered as a `Head` with name "coreference".

    # Parameters

    vocab : `Vocabulary`
        It may be empty.
    input_dim : `int`
        The size of the encoder's vectors.
    hidden_dim : `int`, optional (default = `256`)
    share : `float`, optional (default = `0.4`)
        Which share of the words may be heads of mentions.
    candidates : `int`, optional (default = `25`)
        How many antecedents the bilinear form chooses.
    named : `int`, optional (default = `15`)
        How many more are chosen as equal words or shared names.
    dropout : `float`, optional (default = `0.3`)
    """

    def __init__(
        self,
        vocab: Vocabulary,
        input_dim: int,
        hidden_dim: int = 256,
        share: float = 0.4,
        candidates: int = 25,
        named: int = 15,
        dropout: float = 0.3,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, **kwargs)
        self._share, self._candidates, self._named = share, candidates, named
        self.guidelines = nn.Embedding(len(GUIDELINES), input_dim)
        self.guidelines.weight.data.zero_()
        self.dropout = nn.Dropout(dropout)
        self.mention = mlp(input_dim, hidden_dim, 1, dropout)
        self.types = mlp(input_dim, hidden_dim, 1 + len(TYPES), dropout)
        self.bilinear = nn.Linear(input_dim, input_dim)
        self.earlier = nn.Linear(input_dim, hidden_dim, bias=False)
        self.later = nn.Linear(input_dim, hidden_dim)
        self.projection = nn.Linear(input_dim, PAIR_DIM)
        self.product = nn.Linear(PAIR_DIM, hidden_dim, bias=False)
        self.features = nn.Linear(FEATURES, hidden_dim, bias=False)
        self.pair = nn.Sequential(
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(hidden_dim, hidden_dim),
            nn.ReLU(),
            nn.Linear(hidden_dim, 1),
        )
        self.span_head = nn.Linear(input_dim, PAIR_DIM)
        self.edges = nn.ModuleList(nn.Linear(2 * input_dim, PAIR_DIM, bias=False) for _ in range(2))
        self.offsets = nn.ModuleList(nn.Embedding(reach + 1, PAIR_DIM) for reach in (LEFT, RIGHT))
        self.edge_scores = nn.ModuleList(nn.Linear(PAIR_DIM, 1) for _ in range(2))
        self._losses = {name: Average() for name in ("text", "gap")}
        self._start_scores()

    def forward(
        self, encoded_text: Tensor, encoded_text_mask: Tensor, coreference: Sequence[CoreferenceText]
    ) -> dict[str, Any]:
        """
        # Parameters

        encoded_text : `Tensor`
            *Shape:* (texts, words, size)
        encoded_text_mask : `Tensor`
            *Shape:* (texts, words)
        coreference : `Sequence[CoreferenceText]`
            What else is known of each text.

        # Returns

        `loss`, if there are gold clusters; when not training, also `clusters` and `links`, a list for each text.

        # Raises

        `ConfigurationError`
            In a training of several processes, whose losses and scores by corpus cannot be summed.
        """
        if self.training and is_distributed():
            raise ConfigurationError("coreference: found `distributed`, expected a training in one process")
        losses: dict[str, list[Tensor]] = {"text": [], "gap": []}
        output: dict[str, Any] = {"clusters": [], "links": []}
        mentions = 0
        for vectors, mask, text in zip(encoded_text, encoded_text_mask, coreference):
            vectors = vectors[: int(mask.sum())] + self.guidelines.weight[text.guideline]
            found = self._antecedents(vectors, text)
            if text.gold is not None:
                is_gap = text.corpus == "gap"
                losses["gap" if is_gap else "text"].append(self._loss(vectors, found, text))
                mentions += 0 if is_gap else len(found.words)
            if not self.training:
                clusters, links = self._link(vectors, found, text)
                output["clusters"].append(clusters)
                output["links"].append(links)
                self._score(clusters, text)
        parts = []
        for name, values in losses.items():
            if values:
                mean = torch.stack(values).sum() / (mentions if name == "text" else len(values))
                self._losses[name](mean.detach())
                parts.append(mean * (GAP_WEIGHT if name == "gap" else 1))
        return {**output, "loss": torch.stack(parts).sum()} if parts else output

    def _antecedents(self, vectors: Tensor, text: CoreferenceText) -> Candidates:
        """Finds likely heads, and scores the candidates for their antecedents."""
        vectors = self.dropout(vectors)
        likely = self.mention(vectors)[:, 0]
        count = min(len(likely), 2 + int(self._share * len(likely)))
        rank = likely.detach().clone()
        if self.training:
            rank[[mention.head for mention in text.mentions]] = torch.inf
        words = rank.topk(count).indices.sort().values
        vectors, unary = vectors[words], likely[words]
        keys, queries = self.bilinear(vectors), vectors
        names, rules = text.names.to(words.device)[words], text.rules.to(words.device)[words, 0]
        order = torch.arange(count, device=words.device)
        antecedents, scores = [], []
        for start in range(0, count, BLOCK):
            later = order[start : start + BLOCK]
            earlier = order[max(0, start + BLOCK - REACH) : start + BLOCK]
            allowed = earlier < later[:, None]
            coarse = (
                queries[later] @ keys[earlier].T / vectors.size(1) ** 0.5
                + unary[earlier]
                + unary[later][:, None]
            )
            coarse = coarse.masked_fill(~allowed, -torch.inf)
            some, other = names[later], names[earlier]
            shared = (some[:, None, :, None] == other[None, :, None, :]) & (other >= 0)[None, :, None, :]
            shared = shared.flatten(2).any(2) & allowed
            by_rules = (rules[later][:, None] == rules[earlier]) & (rules[earlier] >= 0) & allowed
            # The candidates of the bilinear form, then the last ones with shared names, or of one entity by
            # rules, that are not among them.
            by_score = coarse.detach().topk(min(self._candidates, len(earlier)), 1).indices
            recency = torch.where(shared | by_rules, earlier, -1).scatter(1, by_score, -1)
            by_name = recency.topk(min(self._named, len(earlier)), 1)
            places = torch.cat([by_score, by_name.indices], 1)
            is_real = torch.cat([allowed.gather(1, by_score), by_name.values >= 0], 1)
            chosen = torch.where(is_real, earlier[places], later[:, None])
            features = self._features(words, names, text, later, chosen, shared.gather(1, places))
            fine = self._pair_scores(vectors, later, chosen, features)
            scores.append((coarse.gather(1, places) + fine).masked_fill(~is_real, -torch.inf))
            antecedents.append(chosen)
        width = max(block.size(1) for block in scores)
        padded = [nn.functional.pad(block, (0, width - block.size(1)), value=-torch.inf) for block in scores]
        filled = [
            torch.cat([block, later[:, None].expand(-1, width - block.size(1))], 1)
            for block, later in zip(antecedents, order.split(BLOCK))
        ]
        return Candidates(words, torch.cat(filled), torch.cat(padded), likely)

    def _features(
        self,
        words: Tensor,
        names: Tensor,
        text: CoreferenceText,
        later: Tensor,
        earlier: Tensor,
        shared: Tensor,
    ) -> Tensor:
        """What is known of pairs. *Shape:* (mentions, candidates, FEATURES)"""
        i, j = words[earlier], words[later][:, None].expand_as(earlier)
        sentences, quotes = text.sentences.to(words.device), text.quotes.to(words.device)
        distances = [j - i, sentences[j] - sentences[i]]
        classes = [(d + 1).float().log2().long().clamp(0, DISTANCES - 1) for d in distances]
        one_hot = [nn.functional.one_hot(c, DISTANCES) for c in classes]
        guideline = nn.functional.one_hot(torch.full_like(i, text.guideline), len(GUIDELINES))
        both, equal = (quotes[i] > 0) & (quotes[j] > 0), quotes[i] == quotes[j]
        flags = [
            shared,
            names[earlier][..., 0] == names[later][:, None, 0],
            both & equal,
            both & ~equal,
            (quotes[i] > 0) & (quotes[j] == 0),
            (quotes[i] == 0) & (quotes[j] > 0),
        ]
        rules = text.rules.to(words.device)
        entities, others = rules[i, 0], rules[j, 0]
        flags += [
            (entities == others) & (entities >= 0),
            (entities != others) & (entities >= 0) & (others >= 0),
        ]
        for bits, other_bits in zip(rules[i, 1:].unbind(2), rules[j, 1:].unbind(2)):
            both = (bits > 0) & (other_bits > 0)
            flags += [both & (bits == other_bits), both & ((bits & other_bits) == 0)]
        return torch.cat([*one_hot, guideline, torch.stack(flags, 2)], 2)

    def _pair_scores(self, vectors: Tensor, later: Tensor, earlier: Tensor, features: Tensor) -> Tensor:
        """*Shape:* (mentions, candidates)"""
        with matrices_in_bfloat16(vectors.device):
            projected = self.projection(vectors)
            hidden = (
                self.earlier(vectors)[earlier]
                + self.later(vectors[later])[:, None]
                + self.product(projected[earlier] * projected[later][:, None])
                + self.features(features.to(vectors.dtype))
            )
            return self.pair(hidden)[..., 0].to(vectors.dtype)

    def _loss(self, vectors: Tensor, found: Candidates, text: CoreferenceText) -> Tensor:
        device = found.words.device
        entity = torch.full((len(found.likely),), -1, device=device)
        heads = torch.tensor([mention.head for mention in text.mentions], dtype=torch.long, device=device)
        entity[heads] = torch.tensor(
            [mention.cluster for mention in text.mentions], dtype=torch.long, device=device
        )
        if text.corpus == "gap":
            return self._gap_loss(found, heads, entity)
        is_mention = (entity >= 0).float()
        loss = binary_cross_entropy_with_logits(found.likely, is_mention, reduction="sum")
        if text.types is not None:
            loss = loss + cross_entropy(
                self.types(self.dropout(vectors)), text.types.to(device), reduction="sum"
            )
        entity = entity[found.words]
        right = (
            (entity[found.antecedents] == entity[:, None]) & (entity >= 0)[:, None] & found.scores.isfinite()
        )
        order = torch.arange(len(entity), device=device)
        first = torch.full(
            (1 + max((m.cluster for m in text.mentions), default=0),), len(entity), device=device
        )
        first = first.scatter_reduce(0, entity[entity >= 0], order[entity >= 0], "amin")
        # If the right antecedents are no candidates, there is nothing to learn.
        is_new = entity < 0
        is_new[first[first < len(entity)]] = True
        none = found.scores.new_zeros(len(entity), 1)
        total = torch.cat([none, found.scores], 1).logsumexp(1)
        chosen = torch.cat(
            [none.masked_fill(~is_new[:, None], -torch.inf), found.scores.masked_fill(~right, -torch.inf)], 1
        )
        known = is_new | right.any(1)
        loss = loss + (total - chosen.logsumexp(1))[known].sum()
        return loss + self._span_loss(vectors, text)

    def _gap_loss(self, found: Candidates, heads: Tensor, entity: Tensor) -> Tensor:
        """That the pronoun is in one entity with a name or not, and the names are not."""
        heads = heads[torch.isin(heads, found.words)]
        places = torch.searchsorted(found.words, heads)
        together = same_entity(found)
        pairs = torch.combinations(torch.arange(len(places), device=places.device))
        is_one = entity[heads[pairs[:, 0]]] == entity[heads[pairs[:, 1]]]
        chances = together[places[pairs[:, 0]], places[pairs[:, 1]]]
        # A small chance still has a gradient.
        logs = torch.where(is_one, chances.clamp(min=1e-20).log(), (-chances.clamp(max=1 - 1e-6)).log1p())
        return -logs.sum()

    def _edge_logits(self, vectors: Tensor, heads: Tensor, text: CoreferenceText) -> list[Tensor]:
        """
        Scores for the first and the last word of the mentions of heads: the head itself, or a word so far to the
        left, or to the right. *Shape:* (mentions, LEFT + 1) and (mentions, RIGHT + 1)
        """
        sentences = text.sentences.to(heads.device)
        zero = vectors.new_zeros(1, vectors.size(1))
        pairs = [torch.cat([zero, vectors[:-1]]), torch.cat([vectors[1:], zero])]
        logits = []
        for side, (step, reach) in enumerate(((-1, LEFT), (1, RIGHT))):
            distance = torch.arange(reach + 1, device=heads.device)
            places = heads[:, None] + step * distance
            inside = (places >= 0) & (places < len(vectors))
            places = places.clamp(0, len(vectors) - 1)
            inside &= sentences[places] == sentences[heads][:, None]
            words = self.edges[side](torch.cat([vectors, pairs[side]], 1))
            hidden = words[places] + self.span_head(vectors[heads])[:, None] + self.offsets[side](distance)
            scores = self.edge_scores[side](torch.relu(hidden))[..., 0]
            logits.append(scores.masked_fill(~inside, -torch.inf))
        return logits

    def _span_loss(self, vectors: Tensor, text: CoreferenceText) -> Tensor:
        usable = [
            m
            for m in text.mentions
            if m.head - m.start <= LEFT
            and m.stop - 1 - m.head <= RIGHT
            and text.sentences[m.start] == text.sentences[m.stop - 1]
        ]
        if not usable:
            return vectors.new_zeros(())
        gold = torch.tensor(
            [[m.head, m.head - m.start, m.stop - 1 - m.head] for m in usable], device=vectors.device
        )
        logits = self._edge_logits(self.dropout(vectors), gold[:, 0], text)
        first, last = (cross_entropy(*pair, reduction="sum") for pair in zip(logits, gold.T[1:]))
        return first + last

    def _link(
        self, vectors: Tensor, found: Candidates, text: CoreferenceText
    ) -> tuple[list[list[Span]], list[Link]]:
        """The clusters of a text, and the links that made them."""
        none = found.scores.new_zeros(len(found.words), 1)
        chances = torch.cat([none, found.scores], 1).softmax(1)
        best, choice = chances.max(1)
        later = choice.nonzero()[:, 0]
        earlier = found.antecedents[later, choice[later] - 1]
        heads = found.words[torch.cat([earlier, later]).unique()]
        if not len(heads):
            return [], []
        starts, ends = (scores.argmax(1) for scores in self._edge_logits(vectors, heads, text))
        spans = zip((heads - starts).tolist(), (heads + ends + 1).tolist())
        span_of = dict(zip(heads.tolist(), spans))
        cluster_of: dict[int, list[Span]] = {}
        taken: dict[Span, int] = {}
        links = []
        places = found.words.tolist()
        for i, j, chance in zip(earlier.tolist(), later.tolist(), best[later].tolist()):
            first, second = places[i], places[j]
            for word in (first, second):
                # Two heads may get the same span, which is then the mention of the first of them.
                taken.setdefault(span_of[word], word)
            first, second = taken[span_of[first]], taken[span_of[second]]
            if first == second or second in cluster_of:
                continue
            cluster = cluster_of.setdefault(first, [span_of[first]])
            cluster.append(span_of[second])
            cluster_of[second] = cluster
            links.append(Link(span_of[second], span_of[first], rounded(chance)))
        unique = {id(cluster): sorted(cluster) for cluster in cluster_of.values()}
        return sorted(unique.values()), links

    def _start_scores(self) -> None:
        self._scores: dict[str, "ClusterScores"] = {}
        self._passages: list[tuple[AnnotatedText, AnnotatedText]] = []

    def _score(self, clusters: list[list[Span]], text: CoreferenceText) -> None:
        # allennlp-models' readers, which come with its metrics, import NLTK: a second at every start.
        from allennlp_coref_rc.models.structure._coreference_scores import ClusterScores

        if text.gold is not None and text.corpus == "gap":
            self._passages.append((replace(text.gold, clusters=clusters), text.gold))
        elif text.gold is not None:
            self._scores.setdefault(text.corpus, ClusterScores()).add(clusters, text.gold.clusters)

    def get_metrics(self, reset: bool = False) -> dict[str, float]:
        """
        The means of both losses and, when not training, by corpus the CoNLL F1 without singletons, GAP's F1 and bias,
        and the mean of the F1 of all corpora.
        """
        values = {f"{name}_loss": float(average.get_metric(reset)) for name, average in self._losses.items()}
        scores = {f"{corpus}_f1": float(scores.get_metric()[2]) for corpus, scores in self._scores.items()}
        if self._passages:
            from allennlp_coref_rc.models.structure._coreference_scores import score_gap

            gap = dict(score_gap(self._passages))
            scores["gap_f1"], values["gap_bias"] = gap["GAP"][2], gap["GAP bias"][0]
        if scores:
            values |= {**scores, "mean_f1": sum(scores.values()) / len(scores)}
        if reset:
            self._start_scores()
        return values


def same_entity(found: Candidates) -> Tensor:
    """
    The probability that two mentions are in one entity, over all ways to choose antecedents: a mention is in the
    entity of its antecedent. *Shape:* (mentions, mentions)

    Walks from antecedent to antecedent that meet are one from there on, so they meet as often as independent ones.
    Those that meet have a last mention m in common: both come to it with the chance `visits[i, m] * visits[j, m]`,
    and two walks from m do not meet again with the chance `apart[m]`. Walks from the same mention do meet, so for
    i = j the sum over m is 1, which gives `apart`.
    """
    count = len(found.words)
    none = found.scores.new_zeros(count, 1)
    chances = torch.cat([none, found.scores], 1).softmax(1)[:, 1:]
    links = chances.new_zeros(count, count).scatter_add(1, found.antecedents, chances)
    one = torch.eye(count).to(links)
    visits = torch.linalg.solve_triangular(one - links, one, upper=False, unitriangular=True)
    apart = torch.linalg.solve_triangular(visits**2, one.sum(1, True), upper=False, unitriangular=True)
    return visits @ (apart * visits.T)
