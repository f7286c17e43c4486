import numpy
import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.testing import ModelTestCase
from allennlp.data import DatasetReader, Vocabulary
from allennlp.models import Model

from allennlp_coref_rc.data.annotation_layers.edges import PADDING
from allennlp_coref_rc.modules.pair import Pair, TokenVectors
from tests.batches import tensors
from tests.shared import PROJECT
from tests.training_config.configs import load, load_text

BABI = PROJECT / "training_config" / "babi"

FEATURE = "(import 'babi/ga_gru.jsonnet') + { qe_comm:: true }"


def build(config="ga_coref_gru", task=2, more=None, split="train"):
    """Of a config's name, or of Jsonnet: the model, the instances of a split, and the reader."""
    is_name = config.isidentifier()
    params = (
        load(BABI / f"{config}.jsonnet", task, more) if is_name else load_text(config, "babi", task, more)
    )
    reader = DatasetReader.from_params(params["dataset_reader"])
    instances = list(reader.read(split))
    vocab = Vocabulary.from_instances(instances)
    torch.manual_seed(0)
    model = Model.from_params(params["model"], vocab=vocab)
    return model, instances, reader


class TestGAReader(ModelTestCase):
    def setup_method(self):
        super().setup_method()
        config = self.TEST_DIR / "ga_coref_gru.json"
        load(BABI / "ga_coref_gru.jsonnet", 2).to_file(str(config))
        self.set_up_model(str(config), "train")

    def test_trains_saves_and_loads(self):
        self.ensure_model_can_train_save_and_load(self.param_file)


@pytest.mark.parametrize("config", ["ga_coref_gru", "ga_gru_one_hot", "ga_mage_gru", "ga_mage_gru_joint"])
@pytest.mark.parametrize("task", [2, 15])
def test_an_instance_alone_and_in_a_batch_have_the_same_probabilities_and_attention(config, task):
    model, instances, _ = build(config, task)
    model.eval()
    together = model.forward_on_instances(instances)
    for instance, in_batch in zip(instances, together):
        alone = model.forward_on_instance(instance)
        expected = in_batch["candidate_probabilities"]
        assert alone["candidate_probabilities"] == pytest.approx(expected, abs=1e-6)
        numpy.testing.assert_allclose(alone["attention"], in_batch["attention"], atol=1e-6)


@pytest.mark.parametrize("config", ["ga_coref_gru", "ga_mage_gru_joint", FEATURE])
def test_short_and_long_passages_of_a_batch_are_read_apart(config, monkeypatch):
    model, _, reader = build(config)
    model.eval()
    instances = []
    for i in range(16):
        story = ["Bill took the milk.", "Fred moved to the office.", "Bill went to the park."] * (
            4 if i % 2 else 1
        )
        instances.append(reader.text_to_instance(story[i % 3 :], "Where is Bill?", answer="park"))
        reader.apply_token_indexers(instances[-1])
    sizes = []
    encode = model._encode
    monkeypatch.setattr(
        model, "_encode", lambda pair, *rest: sizes.append(len(pair.passage.mask)) or encode(pair, *rest)
    )
    batch = tensors(instances, model.vocab)
    apart = model(**batch)
    assert sizes == [8, 8]
    model.explain = True
    together = model(**batch)
    assert sizes == [8, 8, 16]
    for name in ("log_probabilities", "attention", "loss"):
        torch.testing.assert_close(apart[name], together[name], atol=1e-6, rtol=1e-5)
    model.explain = False
    with torch.autocast("cpu", dtype=torch.bfloat16):
        rounded = model(**batch)
    assert sizes == [8, 8, 16, 8, 8]
    torch.testing.assert_close(rounded["attention"], together["attention"], atol=0.02, rtol=0.05)


def test_only_the_cpu_reads_them_apart(monkeypatch):
    """Elsewhere a part waits for the one before. A tensor without values cannot tell a length."""
    model, _, _ = build()
    monkeypatch.setattr(model, "_encode", lambda pair, *rest: pair)
    text = TokenVectors(
        torch.empty(32, 5, 2, device="meta"), torch.empty(32, 5, dtype=torch.bool, device="meta")
    )
    pair = Pair(text, text)
    assert model._encode_in_buckets(pair, None) is pair


def test_an_unseen_answer_counts_as_wrong_and_has_no_loss():
    model, _, reader = build()
    model.get_metrics(reset=True)
    instance = reader.text_to_instance(["Bill went to the cellar."], "Where is Bill?", answer="cellar")
    reader.apply_token_indexers(instance)
    output = model.forward_on_instance(instance)
    assert "loss" not in output
    assert model.get_metrics() == {"accuracy": 0.0, "accuracy_official": 0.0}


def test_a_question_that_gets_no_answer_counts_as_wrong():
    model, _, reader = build()
    model.get_metrics(reset=True)
    candidates = ["attic", "cellar"]
    for answer in candidates:
        instance = reader.text_to_instance(["Bill went to the garage."], "Where is Bill?", candidates, answer)
        reader.apply_token_indexers(instance)
        output = model.forward_on_instance(instance)
        assert output["answer"] is None and output["loss"] > 0
    assert model.get_metrics() == {"accuracy": 0.0, "accuracy_official": 0.0}


def test_one_encoder_for_passage_and_question():
    model, instances, _ = build("ga_mage_gru_joint")
    names = [name for name, _ in model.named_parameters()]
    assert not any("question_encoder" in name for name in names)
    other, _, _ = build("ga_mage_gru_joint", more={"pytorch_seed": 1})
    for parameter in other.parameters():
        torch.nn.init.zeros_(parameter)
    other.load_state_dict(model.state_dict())
    answers = [m.eval().forward_on_instances(instances) for m in (model, other)]
    for output, expected in zip(*answers):
        assert output["candidate_probabilities"] == expected["candidate_probabilities"]


def test_names_are_exchanged_in_training_alone():
    """Of two names only: training makes of a question what it makes of it with both exchanged."""
    more = {"model.entity_substitution": {"groups": [["julie", "bill"]]}, "model.dropout": 0.0}
    model, _, reader = build(more=more)
    plain, _, _ = build()
    plain.load_state_dict(model.state_dict())
    plain.eval()

    def batch(*names):
        story = [name.join(["", " went to the kitchen."]) for name in names] + [
            f"{names[0]} went to the park."
        ]
        instance = reader.text_to_instance(story, f"Where is {names[0]}?", answer="park")
        reader.apply_token_indexers(instance)
        return tensors([instance], model.vocab)

    expected = {
        plain(**batch(*names))["attention"][0, 0].item() for names in (("Julie", "Bill"), ("Bill", "Julie"))
    }
    assert len(expected) == 2
    found = {model.train()(**batch("Julie", "Bill"))["attention"][0, 0].item() for _ in range(20)}
    assert sorted(found) == pytest.approx(sorted(expected), abs=1e-6)
    in_evaluation = {model.eval()(**batch("Julie", "Bill"))["attention"][0, 0].item() for _ in range(5)}
    assert len(in_evaluation) == 1 and in_evaluation <= expected


@pytest.mark.parametrize(
    "feature, places", [("qe_comm:: true", 1), ("question_positions:: 3", 3), ("question_positions:: 9", 9)]
)
def test_the_last_layer_is_told_where_in_the_question_a_token_is(feature, places):
    model, instances, _ = build(f"(import 'babi/ga_gru.jsonnet') + {{ {feature} }}")
    inputs = tensors(instances, model.vocab)
    told = model._occurrences(inputs["passage"], inputs["question"])
    for row, instance in zip(told, instances):
        question = [token.text.lower() for token in instance["question"]]
        words = [token.text.lower() for token in instance["passage"]]
        expected = [min(question.index(word) + 1, places) if word in question else 0 for word in words]
        assert torch.equal(row[: len(words)], model._qe_comm.weight[expected])
        assert 0 in expected and max(expected) > 0
    assert model._passage_encoders[-1].get_input_dim() == 128 + told.size(-1)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"model.qe_comm": True, "model.question_positions": 5}, "found qe_comm and question_positions"),
        ({"model.question_encoders.1.input_size": 100}, r"input of question_encoders\[1\]"),
        ({"model.question_encoders.2.hidden_size": 32}, r"output of passage_encoders\[2\]"),
        ({"model.question_encoders": []}, "expected the same number of both"),
        ({"model.cluster_one_hot": 13}, r"passage_encoders\[0\]"),
        (
            {"model.passage_self_belief": {"encoder": {"type": "pass_through", "input_dim": 5}}},
            "input of passage_self_belief.encoder",
        ),
    ],
)
def test_what_does_not_fit_is_said_by_name(change, message):
    with pytest.raises(ConfigurationError, match=message):
        build(more=change)


@pytest.mark.parametrize("layers", [{}, {"coref_clusters": "coref_edges"}])
def test_one_hot_needs_its_layer(layers):
    model, instances, _ = build("ga_gru_one_hot", more={"dataset_reader.annotation_layers": layers})
    with pytest.raises(ConfigurationError, match="coref_clusters"):
        model.forward_on_instance(instances[0])


def test_indicators_are_of_the_first_clusters_alone():
    model, _, _ = build("ga_gru_one_hot")
    model._cluster_one_hot = 3
    clusters = torch.tensor([[[0, 2], [1, 3], [3, 4], [PADDING, PADDING]]])
    annotations = {"coref_clusters": {"clusters": clusters}}
    added = model._add_cluster_indicators(TokenVectors(torch.zeros(1, 4, 1), None, annotations))
    assert added.tolist() == [[[0, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]]]
