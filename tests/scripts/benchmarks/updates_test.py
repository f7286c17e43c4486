import pytest
import torch

from allennlp_coref_rc.common.errors import ConfigurationError

pytestmark = pytest.mark.slow

QUICK = ["--batch", 2, "--rounds", 1, "--warm-up", 0, "--words", 30, "--entities", 4]


@pytest.fixture
def few_stories(load, monkeypatch, tmp_path):
    batches = load("batches")
    lines = (batches.SIMULATED / "qa2_train.txt").read_text().splitlines(keepends=True)
    (tmp_path / "qa2_train.txt").write_text("".join(lines[:40]))
    monkeypatch.setattr(batches, "SIMULATED", tmp_path)


def test_readers_of_stories_beside_a_gru(compare, few_stories):
    header, *rows = compare(
        "updates", "Updates", "torch.nn.GRU", "babi/quick_start", "--tokens", 20, "--amp", "bfloat16", *QUICK
    )
    assert header[:4] == ["batch", "tokens", "model", "variant"]
    configs = [["babi/quick_start", ""], ["babi/quick_start", "bfloat16"]]
    assert [row[2:4] for row in rows] == [["torch.nn.GRU", ""], *configs]


def test_cloze_readers_with_sparse_and_dense_candidates(compare):
    config = "lambada_development/ga_gru+coref_gru"
    _, *rows = compare("updates", "Updates", config, "--tokens", 9, "--dense", 12, "--no-memory", *QUICK)
    assert [row[2:4] for row in rows] == [[config, ""], [config, "dense"]]


def test_span_readers_beside_those_of_allennlp_models(compare):
    """Also with the config of allennlp-models' model, which is made from ours."""
    names = ["allennlp_qanet", "narrativeqa/dassa_sdp_exp"]
    _, *rows = compare("updates", "Updates", *names, "--tokens", 12, "--no-memory", *QUICK)
    assert [row[2] for row in rows] == names


def test_a_variant_that_computes_something_else_has_no_figures(load, capsys, monkeypatch):
    updates = load("updates")
    forward = updates.DenseAttentionSum.forward

    def wrong(layer, *inputs):
        output = forward(layer, *inputs)
        return output._replace(log_probabilities=output.log_probabilities - 1)

    monkeypatch.setattr(updates.DenseAttentionSum, "forward", wrong)
    given = map(str, ["lambada_development/ga_gru.jsonnet", "--tokens", 9, "--dense", 12, *QUICK])
    assert load("harness").compare(updates.Updates(updates.options().parse_args(list(given)))) == 1
    captured = capsys.readouterr()
    assert captured.out == "" and "variant='dense'" in captured.err


def test_updates_are_those_of_the_config(load, few_stories):
    """Clipping included: after one update with gradients of at most nothing, parameters are what they were."""
    updates = load("updates")
    arguments = updates.options().parse_args(["babi/quick_start", "--batch", "2", "--tokens", "20"])
    for clipping, changes in ((1e-30, False), (10, True)):
        experiment = updates.Experiment(updates.Variant(arguments.models[0], ""), updates.Text(2, 20), arguments)
        experiment.trainer.update(grad_norm=clipping, optimizer={"type": "sgd", "lr": 1.0})
        before = [parameter.detach().clone() for parameter in experiment.model.parameters()]
        experiment.update()()
        after = list(experiment.model.parameters())
        assert any(not torch.allclose(a, b) for a, b in zip(before, after)) == changes


def test_an_unknown_config(compare):
    with pytest.raises(ConfigurationError, match="nowhere.jsonnet: no such file"):
        compare("updates", "Updates", "nowhere.jsonnet")
