from types import SimpleNamespace

import numpy as np
import pytest
import torch

from allennlp_coref_rc.annotations.annotators.coref.english import network
from allennlp_coref_rc.annotations.annotators.coref.english.mentions import WIDTH, Mentions
from tests.scripts.scripts import load_script


@pytest.fixture(scope="module")
def training():
    return load_script("train_coref")


def test_an_average_of_networks_gives_their_mean_scores_in_numpy(training):
    torch.manual_seed(2)
    models = [training.Network(vectors=4 + WIDTH, pairs=3).eval() for _ in range(3)]
    vectors, pairs = torch.randn(6, 4 + WIDTH), torch.randn(9, 3)
    i, j = torch.randint(6, (9,)), torch.randint(6, (9,))
    weights = training.average([training.weights_of(model) for model in models])
    scores = network.score(
        weights, vectors.numpy(), [pairs[:5].numpy(), pairs[5:].numpy()], i.numpy(), j.numpy()
    )
    with torch.no_grad():
        every = [model(vectors, pairs, i, j) for model in models]
    for one, expected in zip(scores, zip(*every)):
        assert one == pytest.approx(torch.stack(expected).mean(0).numpy(), abs=6e-4)


def test_numpy_tells_which_noun_phrases_are_annotated_as_pytorch_does(training):
    torch.manual_seed(3)
    model = training.MentionNetwork(vectors=5 + WIDTH).eval()
    weights = {f"mention.{name}": value for name, value in training.weights_of(model).items()}
    vectors = torch.randn(7, 5 + WIDTH)
    with torch.no_grad():
        found = network.mention_scores(weights, vectors.numpy())
        assert found == pytest.approx(model(vectors).numpy(), abs=6e-4)


def test_the_loss_is_the_log_probability_of_all_right_antecedents(training):
    score, new = (
        torch.tensor([1.0, 2.0, -1.0], dtype=torch.float64),
        torch.tensor([0.0, 0.5, 3.0], dtype=torch.float64),
    )
    j, is_right = torch.tensor([1, 2, 2]), torch.tensor([False, True, True])
    odds = [1, np.exp(0.5) / (np.exp(1) + np.exp(0.5))]
    odds.append((np.exp(2) + np.exp(-1)) / (np.exp(2) + np.exp(-1) + np.exp(3)))
    assert training.ranking_loss(score, new, j, is_right).item() == pytest.approx(-np.mean(np.log(odds)))


def passage(count, pronoun, names, label):
    places = np.arange(count)
    mentions = Mentions({"start": places, "is_pronoun": ~np.isin(places, np.concatenate(names))})
    return SimpleNamespace(
        mentions=mentions, pronoun=pronoun, names=names, passage=SimpleNamespace(label=label)
    )


def chances(count, i, j, score, new):
    """The probability of each antecedent, or of none (-1), for each mention."""
    result = [{-1: np.exp(new[k])} for k in range(count)]
    for one, other, value in zip(i, j, score):
        result[other][one] = np.exp(value)
    return [{key: value / sum(own.values()) for key, value in own.items()} for own in result]


def test_the_loss_of_gap_sums_over_all_chains_of_links(training):
    # The names are mentions 0 and 1; 2 and 3 are pronouns, 3 the one that is asked for.
    i, j = [0, 0, 1, 0, 1, 2], [1, 2, 2, 3, 3, 3]
    score, new = [3.0, 0.5, 1.0, -0.2, 0.3, 1.5], [0.0, 1.0, 0.2, -0.5]
    p = chances(4, i, j, score, new)
    expected = [p[3][side] + p[3][2] * p[2][side] for side in (0, 1)]
    expected.append(1 - sum(expected))
    tensors = [torch.tensor(one) for one in (score, new)] + [torch.tensor(one) for one in (i, j)]
    for label, chance in enumerate(expected):
        example = passage(4, 3, (np.array([0]), np.array([1])), label)
        # The names are of different persons.
        apart = -np.log(1 - p[1][0])
        found = training.gap_loss(*tensors, [(0, example)]).item()
        assert found == pytest.approx(-np.log(chance) + apart, rel=1e-5)


def test_the_loss_of_gap_takes_names_after_the_pronoun(training):
    # The pronoun is mention 0, another pronoun 1, and the name 2.
    i, j, score, new = [0, 0, 1], [1, 2, 2], [1.0, 0.5, 0.8], [0.0, 0.3, 0.1]
    p = chances(3, i, j, score, new)
    expected = p[2][0] + p[2][1] * p[1][0]
    tensors = [torch.tensor(one) for one in (score, new)] + [torch.tensor(one) for one in (i, j)]
    example = passage(3, 0, (np.array([2]), np.zeros(0, int)), 0)
    assert training.gap_loss(*tensors, [(0, example)]).item() == pytest.approx(-np.log(expected), rel=1e-5)


def test_training_again_gives_the_same_weights_to_the_bit(training, monkeypatch):
    monkeypatch.setattr(training, "EPOCHS", 2)
    random = np.random.default_rng(3)
    j = np.repeat(np.arange(1, 9), 2)

    def example(corpus):
        return SimpleNamespace(
            **vars(passage(9, 8, (np.array([0]), np.array([1])), 0)),
            corpus=corpus,
            can_be_learnt=True,
            vectors=random.random((9, 4 + WIDTH), np.float32),
            features=random.integers(0, 2, (16, 3)).astype(np.uint8),
            pairs=SimpleNamespace(earlier=j - 1, later=j),
            is_right=random.random(16) < 0.3,
        )

    examples = [example(corpus) for corpus in ("litbank", "ontonotes", "gap", "gap")]
    one, same, other = (training.train_ranking(examples, seed) for seed in (0, 0, 1))
    assert all(np.array_equal(one[name], same[name]) for name in one)
    assert not np.array_equal(one["output"], other["output"])
