import pytest

from allennlp_coref_rc.common.errors import ConfigurationError

pytestmark = pytest.mark.slow


def test_a_row_for_each_encoder(compare):
    header, *rows = compare("encoders", "Encoders", "--lengths", 6, "--rounds", 1, "--warm-up", 0)
    assert header[:3] == ["batch", "tokens", "encoder"]
    dassa = ["dassa", "dassa explicit 2", "dassa explicit 2 srl 3 coref 1"]
    assert [row[2] for row in rows] == ["qanet_encoder", *dassa]


def test_recurrent_encoders(compare):
    names = ["gru", "coref_gru", "mage_gru"]
    _, *rows = compare("encoders", "Encoders", *names, "--lengths", 6, "--rounds", 1, "--no-memory")
    assert [row[2] for row in rows] == names and all(row[-2:] == ["", ""] for row in rows)


def test_an_encoder_that_is_not_what_it_should_be_is_found(load, monkeypatch):
    encoders = load("encoders")
    benchmark = encoders.Encoders(encoders.options().parse_args(["qanet_encoder", "coref_gru", "dassa"]))
    assert benchmark.problems(encoders.Text(1, 4)) == []
    monkeypatch.setattr(encoders, "relative_error", lambda *_: float("nan"))
    assert [problem.split()[0] for problem in benchmark.problems(encoders.Text(1, 4))] == benchmark.arguments.encoders


def test_an_unknown_encoder(compare):
    with pytest.raises(ConfigurationError, match="found the encoder 'lstm', expected one of qanet_encoder, dassa"):
        compare("encoders", "Encoders", "lstm")
