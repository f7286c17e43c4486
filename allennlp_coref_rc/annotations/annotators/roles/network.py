"""
The network that labels semantic roles. It needs PyTorch, but not AllenNLP, which would take seconds to
import.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Optional

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from allennlp_coref_rc.annotations.annotated_text import Frame, Span
from allennlp_coref_rc.annotations.annotators.roles.features import DEPENDENCY, FEATURES, MAX_LENGTH, Sentence
from allennlp_coref_rc.annotations.bio import PREDICATE
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.safe_archives.archives import config_and_weights
from allennlp_coref_rc.safe_archives.weights import check_weights

CHAIN = 4
"""How many ancestors of a predicate are told apart."""

DISTANCES = torch.tensor([0, 1, 2, 3, 4, 5, 8, 16, 32])
"""The least distances of the classes of distance, in tokens. Those to the left have classes of their own."""

FLAGS = 8

LABEL_ROWS = 127

BEGIN_PREDICATE = 1
"""The tag `B-V`."""

IMPOSSIBLE = -1e4
"""The score of what cannot be."""

LEAST = 0.4
"""The least probability of an argument. On PropBank's development part, .3 to .5 give almost the same F1."""

CORE = re.compile(r"ARG\d")
"""Roles that a frame has once."""

MAX_CELLS = 100_000
"""The most pairs of a predicate and a token that are scored at once."""


class Batch(NamedTuple):
    """
    Sentences with padding.

    *Shape:* features (sentences, tokens, features), heads (sentences, tokens), vectors (sentences, tokens,
    width), lengths (sentences,).
    """

    features: Tensor
    heads: Tensor
    vectors: Tensor
    lengths: Tensor

    @classmethod
    def of(cls, sentences: Sequence[Sentence]) -> "Batch":
        features, heads, vectors = (
            pad_sequence(
                [torch.from_numpy(getattr(sentence, name)) for sentence in sentences], batch_first=True
            )
            for name in ("features", "heads", "vectors")
        )
        return cls(features, heads, vectors, torch.tensor([len(sentence.heads) for sentence in sentences]))

    def mask(self) -> Tensor:
        """False for padding. *Shape:* (sentences, tokens)."""
        return torch.arange(self.heads.shape[1]) < self.lengths.unsqueeze(1)


class Frames(NamedTuple):
    """Predicates, each by its sentence in the batch and its position there. *Shape:* (predicates,) both."""

    sentence: Tensor
    position: Tensor


class RoleNetwork(nn.Module):
    """
    Finds predicates, and labels the arguments of each predicate with BIO tags.

    The words' features are hashed into rows of embeddings (as in spaCy's `HashEmbed`). Beside them stand the
    vector by the pipeline and the sum of embeddings of the dependents' labels. A bidirectional LSTM reads
    them once for each sentence. A pair of a predicate and a token is the sum of projections of the token, of
    the predicate and of the token's branch, and of embeddings of the path and the distance between the two.
    Convolutions over the tokens of the sentence follow, which also see the maximum over its pairs. Spans are
    chosen by their probabilities.

    The path is that of the dependency tree. The predicate and its first `CHAIN` ancestors are the chain. On
    the way from a token up to the chain, the branch is the last word below the chain, and the twig the one
    before it. So all words of a constituent beside the chain share a branch. The embeddings tell the labels
    from the predicate up to where the branch is attached, those of branch and twig, and whether the token is
    the first or the last that has this branch, or this twig.

    # Parameters

    roles : `list[str]`
        The labels of arguments. Their first is `V`, the predicate and its particle.
    vector_dim : `int`
        The width of the pipeline's vectors.
    rows : `list[int]`
        The number of rows of embeddings for each feature (see `FEATURES`).
    embedding_dim : `int`, optional (default = `32`)
    input_dim : `int`, optional (default = `160`)
        Of the projection of all features.
    hidden_size : `int`, optional (default = `100`)
        Of each direction.
    pair_dim : `int`, optional (default = `128`)
        Of pairs of a predicate and a token.
    dilations : `Sequence[int]`, optional (default = `(1, 3, 9)`)
        Of the convolutions, whose kernels have three tokens.
    path_rows : `int`, optional (default = `1000`)
        The number of rows of embeddings of paths.
    dropout : `float`, optional (default = `0.2`)
        The same for all tokens of a sentence.
    feature_dropout : `float`, optional (default = `0.1`)
        The probability that a feature of a token is hidden.
    """

    rows: Tensor
    first_rows: Tensor

    def __init__(
        self,
        roles: list[str],
        vector_dim: int,
        rows: list[int],
        embedding_dim: int = 32,
        input_dim: int = 160,
        hidden_size: int = 100,
        pair_dim: int = 128,
        dilations: Sequence[int] = (1, 3, 9),
        path_rows: int = 1000,
        dropout: float = 0.2,
        feature_dropout: float = 0.1,
    ) -> None:
        super().__init__()
        if roles[:1] != [PREDICATE]:
            raise ConfigurationError(f"network.roles: found {roles[:1]} as the first, expected {PREDICATE!r}")
        if len(rows) != len(FEATURES):
            raise ConfigurationError(f"network.rows: found {len(rows)} numbers, expected {len(FEATURES)}")
        self.roles = roles
        self.vector_dim = vector_dim
        self.register_buffer("rows", torch.tensor(rows), persistent=False)
        self.register_buffer("first_rows", torch.tensor([0, *np.cumsum(rows)[:-1]]), persistent=False)
        self.embedding = _embedding(sum(rows), embedding_dim, 0.3)
        self.dependents = _embedding(LABEL_ROWS, embedding_dim, 0.3)
        features = embedding_dim * (len(rows) + 1) + vector_dim
        self.projection = nn.Sequential(nn.Linear(features, input_dim), nn.ReLU(), nn.LayerNorm(input_dim))
        self.forward_encoder = nn.LSTM(input_dim, hidden_size, batch_first=True)
        self.backward_encoder = nn.LSTM(input_dim, hidden_size, batch_first=True)
        encoded = 2 * hidden_size + input_dim
        self.predicate = nn.Sequential(nn.Linear(encoded, 64), nn.ReLU(), nn.Linear(64, 1))
        self.of_token = nn.Linear(encoded, pair_dim)
        self.of_predicate = nn.Linear(encoded, pair_dim, bias=False)
        self.of_branch = nn.Linear(encoded, pair_dim, bias=False)
        self.path, self.longer_path = _embedding(path_rows, pair_dim), _embedding(path_rows, pair_dim)
        self.flags = _embedding(2**FLAGS, pair_dim)
        self.distance = _embedding(2 * len(DISTANCES), pair_dim)
        self.convolutions = nn.ModuleList(
            nn.Conv1d(pair_dim, pair_dim, 3, padding=dilation, dilation=dilation) for dilation in dilations
        )
        self.of_frame = nn.Linear(pair_dim, pair_dim, bias=False)
        self.tags = nn.Linear(pair_dim, 2 * len(roles) + 1)
        self._dropout, self._feature_dropout = dropout, feature_dropout

    @classmethod
    def from_archive(cls, archive: str) -> "RoleNetwork":
        """The network of an archive, or of the folder of a training, of the model `role_labeller`."""
        config, weights = config_and_weights(archive)
        model = config["model"]
        if model.get("type") != "role_labeller":
            raise ConfigurationError(
                f"{archive}: found a model {model.get('type')!r}, expected 'role_labeller'"
            )
        network = cls(**model["network"])
        check_weights(weights, network.state_dict(prefix="network."), archive)
        network.load_state_dict({name.removeprefix("network."): values for name, values in weights.items()})
        return network.eval()

    def encode(self, batch: Batch) -> Tensor:
        """The words in context. *Shape:* (sentences, tokens, encoded)."""
        if batch.vectors.shape[-1] != self.vector_dim:
            raise ConfigurationError(
                f"found vectors of {batch.vectors.shape[-1]} numbers, expected {self.vector_dim}: this is not the "
                "pipeline of spaCy that the model was trained on"
            )
        embedded = self.embedding(torch.remainder(batch.features, self.rows) + self.first_rows)
        if self.training and self._feature_dropout:
            embedded = embedded * (torch.rand(embedded.shape[:-1]) >= self._feature_dropout).unsqueeze(-1)
        mask, own = batch.mask(), torch.arange(batch.heads.shape[1])
        label = self.dependents(torch.remainder(batch.features[..., DEPENDENCY], LABEL_ROWS))
        label = label * (mask & (batch.heads != own)).unsqueeze(-1)
        dependents = torch.zeros_like(label).scatter_add_(
            1, batch.heads.unsqueeze(-1).expand_as(label), label
        )
        inputs = torch.cat([embedded.flatten(2), dependents, batch.vectors], dim=-1)
        inputs = self._drop(self.projection(self._drop(inputs)))
        # Each sentence in reverse order, without its padding.
        reverse = torch.where(mask, batch.lengths.unsqueeze(1) - 1 - own, own).unsqueeze(-1)
        before, _ = self.forward_encoder(inputs)
        after, _ = self.backward_encoder(inputs.gather(1, reverse.expand_as(inputs)))
        return self._drop(torch.cat([before, after.gather(1, reverse.expand_as(after)), inputs], dim=-1))

    def score_predicates(self, encoded: Tensor) -> Tensor:
        """Positive for predicates. *Shape:* (sentences, tokens)."""
        return self.predicate(encoded).squeeze(-1)

    def score_tags(self, batch: Batch, encoded: Tensor, frames: Frames) -> Tensor:
        """
        Scores of `O`, of each role's `B-` and of each role's `I-`. Only the predicate can be `B-V`.

        *Shape:* (predicates, tokens, 2 * roles + 1).
        """
        sentence, position = frames
        branch, path, longer_path, flags = self._paths(batch, frames)
        offset = torch.arange(encoded.shape[1]) - position.unsqueeze(1)
        distance = torch.bucketize(offset.abs(), DISTANCES, right=True) - 1 + len(DISTANCES) * (offset < 0)
        pairs = (
            self.of_token(encoded)[sentence]
            + self.of_predicate(encoded[sentence, position]).unsqueeze(1)
            + self.of_branch(encoded)[sentence.unsqueeze(1), branch]
            + (self.path(path) + self.longer_path(longer_path) + self.flags(flags) + self.distance(distance))
        )
        mask = batch.mask()[sentence].unsqueeze(-1)
        pairs = torch.relu(pairs) * mask
        frame = self.of_frame(pairs.amax(1)).unsqueeze(1)
        for convolution in self.convolutions:
            around = convolution((self._drop(pairs) * mask).transpose(1, 2)).transpose(1, 2)
            pairs = pairs + torch.relu(around + frame)
        scores = self.tags(self._drop(pairs))
        impossible = torch.zeros_like(scores, dtype=torch.bool)
        impossible[..., BEGIN_PREDICATE] = True
        is_predicate = (offset == 0).unsqueeze(-1)
        return scores.masked_fill(impossible ^ is_predicate, IMPOSSIBLE)

    def _paths(self, batch: Batch, frames: Frames) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """
        For each predicate and token: the branch, the row of the path to the branch, the row of the path to
        the twig, and the flags. *Shape:* (predicates, tokens) each.
        """
        own = torch.arange(batch.heads.shape[1])
        # Padding is its own head, so that it is no token's neighbour on the same branch.
        heads = torch.where(batch.mask(), batch.heads, own)[frames.sentence]
        label = torch.remainder(batch.features[..., DEPENDENCY], LABEL_ROWS)[frames.sentence] + 1
        own = own.expand_as(heads)
        position = frames.position.unsqueeze(1)

        rung = torch.full_like(heads, -1)  # of the chain
        labels = torch.zeros_like(heads)  # from the predicate up to this rung, as a number
        word, so_far = position, torch.zeros_like(position)
        for number in range(CHAIN + 1):
            # A root is its own head: the first visit counts.
            rung.scatter_(1, word, torch.where(rung.gather(1, word) < 0, number, rung.gather(1, word)))
            labels.scatter_(
                1, word, torch.where(rung.gather(1, word) == number, so_far, labels.gather(1, word))
            )
            so_far = so_far * 131 + label.gather(1, word)
            word = heads.gather(1, word)

        branch = _climb(heads, (rung >= 0) | (rung.gather(1, heads) >= 0) | (heads == own))
        twig = _climb(heads, (own == branch) | (heads == branch))
        on_chain = rung.gather(1, branch) >= 0
        joint = torch.where(on_chain, branch, heads.gather(1, branch))
        is_apart = rung.gather(1, joint) < 0
        path = torch.where(is_apart, -1, labels.gather(1, joint)) * 1009
        path = (path + torch.where(on_chain, 0, label.gather(1, branch))) * 2 + (own < position)
        longer_path = path * 131 + torch.where(twig == branch, 0, label.gather(1, twig))
        bits = *_ends(branch), *_ends(twig), branch == own, own == position, own < position, is_apart
        flags = sum(bit * 2**i for i, bit in enumerate(bits))
        return (
            branch,
            _row(path, self.path.num_embeddings),
            _row(longer_path, self.path.num_embeddings),
            flags,
        )

    def _drop(self, values: Tensor) -> Tensor:
        if not (self.training and self._dropout):
            return values
        keep = torch.empty(values.shape[0], 1, values.shape[2]).bernoulli_(1 - self._dropout)
        return values * keep / (1 - self._dropout)

    def decode(self, scores: Tensor, lengths: Tensor, positions: Sequence[int]) -> list[Frame]:
        """
        The frames of predicates at these positions. An argument is a span whose probability is `LEAST` or
        more. Of two that overlap, and of two with one role of `CORE`, the more probable one stays.

        *Shape:* scores (predicates, tokens, 2 * roles + 1), lengths (predicates,).
        """
        frames = []
        for position, spans in zip(positions, span_probabilities(scores.double(), lengths, LEAST)):
            kept: list[tuple[str, Span]] = []
            # The predicate is the first.
            spans.append((0.0, 0, position, position + 1))
            for _, number, start, stop in sorted(spans, key=lambda span: (span[1] > 0, -span[0])):
                role = self.roles[number]
                is_free = all(stop <= first or last <= start for _, (first, last) in kept)
                if is_free and not (CORE.fullmatch(role) and role in dict(kept)):
                    kept.append((role, (start, stop)))
            frames.append(Frame(kept[0][1], sorted(kept[1:], key=lambda argument: argument[1])))
        return frames

    @torch.inference_mode()
    def label(self, batch: Batch, predicates: Optional[Frames] = None) -> list[list[Frame]]:
        """The frames of each sentence, in order. Predicates may be given."""
        encoded = self.encode(batch)
        if predicates is None:
            predicates = Frames(
                *torch.nonzero((self.score_predicates(encoded) > 0) & batch.mask(), as_tuple=True)
            )
        found: list[list[Frame]] = [[] for _ in batch.lengths]
        step = max(1, MAX_CELLS // encoded.shape[1])
        for some in zip(*(torch.split(values, step) for values in predicates)):
            frames = Frames(*some)
            scores, sentences = self.score_tags(batch, encoded, frames), frames.sentence
            decoded = self.decode(scores, batch.lengths[sentences], frames.position.tolist())
            for sentence, frame in zip(sentences.tolist(), decoded):
                found[sentence].append(frame)
        return found

    def label_sentences(self, sentences: Sequence[Sentence], batch_tokens: int) -> list[list[Frame]]:
        """
        The frames of each sentence. Sentences of similar lengths make a batch, of at most so many tokens.
        """
        order = sorted(range(len(sentences)), key=lambda i: len(sentences[i].heads))
        found: list[list[Frame]] = [[] for _ in sentences]
        for some in _batches(order, [len(sentence.heads) for sentence in sentences], batch_tokens):
            for i, frames in zip(some, self.label(Batch.of([sentences[i] for i in some]))):
                found[i] = frames
        return found


def log_likelihood(scores: Tensor, tags: Tensor, lengths: Tensor) -> Tensor:
    """
    The logarithm of the probability of tags among all consistent BIO tags, as in a conditional random field
    without weights of transitions. Tags are 0 for `O`, then each role's `B-`, then each role's `I-`. `I-X`
    follows only `B-X` or `I-X`.

    *Shape:* scores (sequences, tokens, 2 * roles + 1), tags (sequences, tokens), lengths and output
    (sequences,).
    """
    roles = scores.shape[-1] // 2
    total = torch.cat(
        [scores[:, 0, : 1 + roles], torch.full_like(scores[:, 0, 1 + roles :], IMPOSSIBLE)], dim=1
    )
    for t in range(1, scores.shape[1]):
        anything = total.logsumexp(1, keepdim=True).expand(-1, 1 + roles)
        same = torch.logaddexp(total[:, 1 : 1 + roles], total[:, 1 + roles :])
        step = torch.cat([anything, same], dim=1) + scores[:, t]
        total = torch.where((t < lengths).unsqueeze(1), step, total)
    mask = torch.arange(scores.shape[1]) < lengths.unsqueeze(1)
    return (scores.gather(2, tags.unsqueeze(-1)).squeeze(-1) * mask).sum(1) - total.logsumexp(1)


def span_probabilities(
    scores: Tensor, lengths: Tensor, least: float
) -> list[list[tuple[float, int, int, int]]]:
    """
    For each sequence, the spans whose probability among all consistent BIO tags is high enough, by the
    forward-backward algorithm: probability, number of the role, start and stop.

    *Shape:* scores (sequences, tokens, 2 * roles + 1), lengths (sequences,).
    """
    sequences, tokens, number = scores.shape
    weights = (scores - scores.amax(2, keepdim=True)).exp().transpose(0, 1).contiguous()
    # After the end, all is `O`.
    ended = torch.arange(tokens).unsqueeze(1) >= lengths
    weights[ended] = torch.eye(number, dtype=weights.dtype)[0]
    outside, begin, inside = weights.split([1, number // 2, number // 2], dim=2)
    # Each token's weights are divided by a number, so that the tags before each place have the sum 1.
    ongoing = torch.zeros_like(begin[0])
    for t in range(tokens):
        ongoing = torch.addcmul(begin[t], ongoing, inside[t])
        total = outside[t] + ongoing.sum(1, keepdim=True)
        ongoing /= total
        weights[t] /= total
    # Sums over the tags from each place on: over all, and over those that continue a role which began before.
    after = weights.new_ones(tokens + 1, sequences, 1)
    going_on = weights.new_ones(tokens + 1, sequences, number // 2)
    for t in reversed(range(tokens)):
        after[t] = outside[t] * after[t + 1] + (begin[t] * going_on[t + 1]).sum(1, keepdim=True)
        # A role that cannot have begun may be large here. Infinity times 0 would be no number.
        going_on[t] = torch.addcmul(after[t], inside[t], going_on[t + 1]).clamp_(max=1e200)
    start, sequence, role = torch.nonzero(begin * going_on[1:] >= least, as_tuple=True)
    # Each column has the probabilities of one start with every last token.
    last = torch.arange(tokens).unsqueeze(1)
    continued = torch.where(last > start, inside[:, sequence, role], 1.0).cumprod(0)
    chances = (last >= start) * begin[start, sequence, role] * continued * after[1:, sequence, 0]
    found: list[list[tuple[float, int, int, int]]] = [[] for _ in range(sequences)]
    for stop, column in zip(*(index.tolist() for index in torch.nonzero(chances >= least, as_tuple=True))):
        span = float(chances[stop, column]), int(role[column]), int(start[column]), stop + 1
        found[int(sequence[column])].append(span)
    return found


def _embedding(rows: int, width: int, scale: float = 0.1) -> nn.Embedding:
    embedding = nn.Embedding(rows, width)
    nn.init.normal_(embedding.weight, std=scale)
    return embedding


def _climb(heads: Tensor, stops: Tensor) -> Tensor:
    """
    The first word at which to stop on each word's way up, by doubling the steps. *Shape:* (predicates,
    tokens).
    """
    reached = torch.where(stops, torch.arange(heads.shape[1]), heads)
    for _ in range(MAX_LENGTH.bit_length()):
        reached = reached.gather(1, reached)
    return reached


def _ends(values: Tensor) -> tuple[Tensor, Tensor]:
    """Whether a token is the first, or the last, of a row of tokens with the same value."""
    change = values[:, 1:] != values[:, :-1]
    edge = torch.ones(len(values), 1, dtype=torch.bool)
    return torch.cat([edge, change], dim=1), torch.cat([change, edge], dim=1)


def _row(number: Tensor, rows: int) -> Tensor:
    """A row by hashing."""
    return torch.remainder(number * 2654435761 % 1000003, rows)


def _batches(order: Sequence[int], lengths: Sequence[int], tokens: int) -> Iterator[list[int]]:
    """Cuts an order by rising length into batches of at most so many tokens with padding."""
    batch: list[int] = []
    for i in order:
        if batch and lengths[i] * (len(batch) + 1) > tokens:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch
