from types import SimpleNamespace

import numpy as np
import pytest
import torch

from allennlp_coref_rc.annotations.annotators.coref.ranked import networks
from tests.scripts.scripts import load_script


@pytest.fixture(scope="module")
def training():
    return load_script("train_ranked_coref")


def test_numpy_finds_the_spans_that_pytorch_has_learnt(training):
    torch.manual_seed(1)
    model = training.MentionNetwork(words=5, features=3).eval()
    words, features = torch.randint(6, (30,)), torch.randn(30, 3)
    weights = training.numpy_weights(model)
    with torch.no_grad():
        x = model.encode(words, features)
        assert networks.encode(weights, words.numpy(), features.numpy()) == pytest.approx(x.numpy(), abs=1e-5)
        begin, end, chances = networks.span_chances(weights, words.numpy(), features.numpy(), np.zeros(30, int))
        assert len(begin) > 50
        assert chances == pytest.approx(torch.sigmoid(model.spans(x, begin, end)).numpy(), abs=1e-5)


def test_an_average_of_networks_gives_their_mean_scores(training):
    torch.manual_seed(2)
    models = [training.PairNetwork(vectors=4, features=3).eval() for _ in range(3)]
    vectors, features = torch.randn(6, 4), torch.randn(9, 3)
    earlier, later = torch.randint(6, (9,)), torch.randint(6, (9,))
    weights = training.average([training.numpy_weights(model) for model in models])
    found = networks.pair_scores(
        weights, vectors.numpy(), [features[:5].numpy(), features[5:].numpy()], earlier.numpy(), later.numpy()
    )
    with torch.no_grad():
        every = [model(vectors, features, earlier, later) for model in models]
    for one, expected in zip(found, zip(*every)):
        assert one == pytest.approx(torch.stack(expected).mean(0).numpy(), abs=6e-4)


def test_the_loss_is_the_log_probability_of_all_right_antecedents(training):
    score, new = torch.tensor([1.0, 2.0, -1.0], dtype=torch.float64), torch.tensor([0.0, 0.5, 3.0], dtype=torch.float64)
    later, is_right = torch.tensor([1, 2, 2]), torch.tensor([False, True, True])
    odds = [1, np.exp(0.5) / (np.exp(1) + np.exp(0.5))]
    odds.append((np.exp(2) + np.exp(-1)) / (np.exp(2) + np.exp(-1) + np.exp(3)))
    loss = training.ranking_loss(score, new, later, is_right)
    assert loss.item() == pytest.approx(-np.mean(np.log(odds)))


def test_decisions_are_changed_one_by_one_where_the_scores_get_better(training):
    best, tried = [-0.1, -0.5, 0.6], []

    def score(decisions):
        tried.append(decisions)
        return -sum(abs(one - other) for one, other in zip(decisions, best))

    values = [(-0.1, -0.3), (-0.7, -0.3), (0.4, 0.6, 0.8)]
    assert training.climb(score, (-0.5, -0.5, 0.5), values) == pytest.approx(best)
    assert tried[0] == (-0.5, -0.5, 0.5) and len(tried) == 1 + 2 + 2 + 3


def test_training_again_gives_the_same_weights_to_the_bit(training, monkeypatch):
    monkeypatch.setattr(training, "PAIR_EPOCHS", 2)
    random = np.random.default_rng(3)
    later = np.repeat(np.arange(1, 9), 2)
    documents = [
        training.Pairs(
            SimpleNamespace(vectors=random.random((9, 4), np.float32)),
            later - 1,
            later,
            random.random((16, 3), np.float32),
            random.random(16) < 0.3,
        )
        for _ in range(3)
    ]
    one, same, other = (training.train_pairs(documents, seed) for seed in (0, 0, 1))
    assert all(np.array_equal(one[name], same[name]) for name in one)
    assert not np.array_equal(one["pair.output"], other["pair.output"])
