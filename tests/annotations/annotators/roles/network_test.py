"""The network of the annotator `roles`, with random weights."""

import itertools
from collections import Counter

import numpy as np
import pytest
import torch
from allennlp.common.checks import ConfigurationError
from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.annotations.annotators.roles.features import DEPENDENCY, FEATURES, Sentence
from allennlp_coref_rc.annotations.annotators.roles.network import (
    CHAIN,
    Batch,
    Frames,
    RoleNetwork,
    log_likelihood,
    span_probabilities,
)

VECTOR_DIM = 5


def network(seed=0, **options):
    torch.manual_seed(seed)
    sizes = {"embedding_dim": 4, "input_dim": 12, "hidden_size": 6, "pair_dim": 10}
    rows = [20] * len(FEATURES)
    return RoleNetwork(
        ["V", "C-V", "ARG0", "ARG1"], VECTOR_DIM, rows, **{**sizes, "path_rows": 50, **options}
    )


def random_heads(random, length):
    """
    A tree: each word but the first of a random order hangs on one before it in this order. Roots head
    themselves.
    """
    order = random.permutation(length)
    heads = np.arange(length)
    for i in range(1, length):
        heads[order[i]] = order[random.integers(i)]
    return heads


def random_sentence(seed, length):
    random = np.random.default_rng(seed)
    features = random.integers(-(2**62), 2**62, (length, len(FEATURES)))
    vectors = random.normal(size=(length, VECTOR_DIM)).astype(np.float32)
    return Sentence(0, features, random_heads(random, length), vectors)


def every_tags(roles, length):
    """All consistent tags."""

    def is_consistent(tags):
        return all(tag <= roles or before in (tag, tag - roles) for before, tag in zip((0, *tags), tags))

    return list(filter(is_consistent, itertools.product(range(2 * roles + 1), repeat=length)))


@given(st.integers(0, 10**6), st.integers(1, 4), st.sampled_from([0.05, 0.3]))
@settings(max_examples=30, derandomize=True, deadline=None)
def test_the_probabilities_of_spans_are_those_of_brute_force(seed, length, least):
    roles = 2
    scores = torch.randn(
        1, length, 2 * roles + 1, generator=torch.Generator().manual_seed(seed), dtype=torch.double
    )
    every = every_tags(roles, length)
    weights = torch.stack([scores[0, range(length), tags].sum() for tags in every]).softmax(0)
    expected = Counter()
    for tags, weight in zip(every, weights.tolist()):
        for start, tag in enumerate(tags):
            if 1 <= tag <= roles:
                stop = start + 1
                while stop < length and tags[stop] == tag + roles:
                    stop += 1
                expected[tag - 1, start, stop] += weight
    likely = {span: value for span, value in expected.items() if value >= least}
    # Padding after it changes nothing.
    padded = torch.cat([scores, torch.full((1, 3, 2 * roles + 1), 9.0)], dim=1)
    found, _ = span_probabilities(torch.cat([padded, padded]), torch.tensor([length, length + 3]), least)
    assert {tuple(span): value for value, *span in found} == pytest.approx(likely, abs=1e-9)


def test_a_sentence_has_the_same_frames_alone_and_in_a_batch():
    model = network().eval()
    sentences = [random_sentence(i, length) for i, length in enumerate([1, 7, 3, 12, 7, 2])]
    together = model.label_sentences(sentences, batch_tokens=100)
    assert together == [model.label_sentences([sentence], 100)[0] for sentence in sentences]
    assert together == model.label_sentences(sentences, batch_tokens=1)
    assert (
        sum(map(len, together)) > 5
        and sum(len(frame.arguments) for frames in together for frame in frames) > 5
    )


def test_predicates_may_be_given_and_are_labelled_in_parts(monkeypatch):
    model = network().eval()
    batch = Batch.of([random_sentence(1, 6), random_sentence(2, 9)])
    given = Frames(torch.tensor([0, 0, 1, 1, 1]), torch.tensor([2, 5, 0, 4, 8]))
    frames = model.label(batch, given)
    assert [frame.predicate[0] for some in frames for frame in some] == given.position.tolist()
    monkeypatch.setattr("allennlp_coref_rc.annotations.annotators.roles.network.MAX_CELLS", 1)
    assert model.label(batch, given) == frames
    assert model.label(batch, Frames(*torch.zeros(2, 0, dtype=torch.long))) == [[], []]


@given(st.integers(0, 10**6), st.integers(1, 4))
@settings(max_examples=30, derandomize=True, deadline=None)
def test_the_likelihood_is_that_among_all_consistent_tags(seed, length):
    roles = 2
    scores = torch.randn(
        1, length, 2 * roles + 1, generator=torch.Generator().manual_seed(seed), dtype=torch.double
    )

    every = every_tags(roles, length)
    weights = torch.stack([scores[0, range(length), tags].sum() for tags in every]).softmax(0)
    for tags, weight in zip(every, weights):
        padded = torch.cat([scores, torch.full((1, 2, 2 * roles + 1), 9.0)], dim=1)
        likelihood = log_likelihood(padded, torch.tensor([[*tags, 0, 0]]), torch.tensor([length]))
        assert likelihood.exp().item() == pytest.approx(weight.item(), abs=1e-9)


def test_frames_are_consistent():
    lengths = 6, 4
    batch = Batch.of([random_sentence(i, length) for i, length in enumerate(lengths)])
    frames = Frames(torch.tensor([0, 0, 1]), torch.tensor([3, 0, 1]))
    number = 0
    for seed in range(20):
        model = network(seed).eval()
        model.tags.weight.data *= 30
        for length, positions, labelled in zip(lengths, ([3, 0], [1]), model.label(batch, frames)):
            for position, frame in zip(positions, labelled):
                spans = sorted([frame.predicate, *(span for _, span in frame.arguments)])
                assert frame.predicate[0] == position and spans[0][0] >= 0 and spans[-1][1] <= length
                assert all(a < b <= c for (a, b), (c, _) in itertools.pairwise([*spans, (length, length)]))
                roles = [role for role, _ in frame.arguments]
                assert "V" not in roles and roles.count("ARG0") < 2 and roles.count("ARG1") < 2
                number += len(frame.arguments)
    assert number > 20


def test_every_parameter_has_a_gradient():
    model = network(dropout=0.0, feature_dropout=0.0, path_rows=2).double().train()
    batch = Batch.of([random_sentence(i, 9) for i in range(40)])
    batch = batch._replace(vectors=batch.vectors.double())
    encoded = model.encode(batch)
    frames = Frames(torch.arange(40), torch.arange(40) % 9)
    lengths = batch.lengths[frames.sentence]
    tags = torch.randint(5, (40, 9))
    likelihood = log_likelihood(model.score_tags(batch, encoded, frames), tags, lengths)
    (model.score_predicates(encoded).sum() + likelihood.sum()).backward()
    assert [name for name, values in model.named_parameters() if not values.grad.abs().sum() > 0] == []


@given(st.integers(0, 10**6), st.integers(1, 12))
@settings(max_examples=60, derandomize=True, deadline=None)
def test_branches_are_those_of_a_walk_up_the_tree(seed, length):
    random = np.random.default_rng(seed)
    sentence = random_sentence(seed, length)
    heads, position = sentence.heads.tolist(), int(random.integers(length))
    padded = Batch.of([sentence, random_sentence(seed, length + 3)])
    branch, path, _, flags = network()._paths(padded, Frames(torch.tensor([0]), torch.tensor([position])))

    def way_up(word):
        way = [word]
        while heads[way[-1]] != way[-1]:
            way.append(heads[way[-1]])
        return way

    chain = way_up(position)[: CHAIN + 1]
    labels = np.remainder(sentence.features[:, DEPENDENCY], 127)
    expected, paths = [], {}
    for word in range(length):
        way = way_up(word)
        joint = next((i for i, ancestor in enumerate(way) if ancestor in chain), None)
        expected.append(way[-1] if joint is None else way[max(joint - 1, 0)])
        if joint is not None:
            up = tuple(labels[chain[: chain.index(way[joint])]])
            key = (*up, "down", *labels[way[max(joint - 1, 0) : joint]], word < position)
            assert paths.setdefault(key, path[0, word]) == path[0, word]
    assert branch[0, :length].tolist() == expected
    for word in range(length):
        first = word == 0 or expected[word - 1] != expected[word]
        last = word == length - 1 or expected[word + 1] != expected[word]
        assert (bool(flags[0, word] & 1), bool(flags[0, word] & 2)) == (first, last)


def test_mistakes_are_named():
    with pytest.raises(ConfigurationError, match="found vectors of 7 .*expected 5"):
        model = network()
        sentence = random_sentence(1, 2)
        model.label_sentences([sentence._replace(vectors=np.zeros((2, 7), np.float32))], 10)
    with pytest.raises(ConfigurationError, match="'ARG0'.*'V'"):
        RoleNetwork(["ARG0"], 5, [20] * len(FEATURES))
    with pytest.raises(ConfigurationError, match="found 2 .*9"):
        RoleNetwork(["V"], 5, [20, 20])
