"""Readers of cloze questions: gating, read-out and self-belief, on hand-made questions with a placeholder."""

import json

import numpy
import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.data.tokenizers import WhitespaceTokenizer
from allennlp.models import Model
from allennlp.modules import Seq2SeqEncoder

from allennlp_coref_rc.data.dataset_readers import AnnotatedBabiReader
from allennlp_coref_rc.data.fields import (
    CANDIDATE_LABELS,
    CLASS_LABELS,
    SKIPPED_ANSWER,
    UNKNOWN_ANSWER,
)
from allennlp_coref_rc.modules.answer_layers import AttentionSum
from allennlp_coref_rc.modules.pair import TokenVectors
from allennlp_coref_rc.modules.self_belief_aggregation import SelfBeliefAggregation
from allennlp_coref_rc.predictors import ClozeReaderPredictor
from tests.batches import tensors
from tests.training_config.configs import BABI

QUESTIONS = [
    ("Mary saw Bill . Bill left the old house .", "@placeholder left", ["Mary", "Bill", "the house"], "Bill"),
    ("Jeff slept .", "the one who slept for hours was @placeholder then", ["Jeff"], "Jeff"),
    ("Fred and Julie met Mary in the park .", "Fred saw @placeholder", ["Julie", "Mary"], "Mary"),
]
READER = AnnotatedBabiReader(tokenizer=WhitespaceTokenizer())


def encoder(input_size):
    return {"type": "gru", "input_size": input_size, "hidden_size": 3, "bidirectional": True}


def instance_of(*question):
    made = READER.text_to_instance(*question)
    READER.apply_token_indexers(made)
    return made


def instances():
    return [instance_of(*question) for question in QUESTIONS]


def build(layers=2, second_input=6, vocab=None, **options):
    vocab = vocab or Vocabulary.from_instances(instances())
    params = {
        "type": "ga_reader",
        "text_field_embedder": {"token_embedders": {"tokens": {"type": "embedding", "embedding_dim": 4}}},
        "passage_encoders": [encoder(4)] + [encoder(second_input)] * (layers - 1),
        "question_encoders": [encoder(4)] * layers,
        "stack_question": False,
        "read_out": "cloze",
        **options,
    }
    torch.manual_seed(1)
    return Model.from_params(Params(json.loads(json.dumps(params))), vocab=vocab).eval()


def test_a_padded_vocabulary_without_the_answers_will_do():
    """As "from_pretrained_transformer" makes it: the candidates are those of each question."""
    vocab = Vocabulary.from_instances(instances(), non_padded_namespaces=[])
    assert not {CLASS_LABELS, CANDIDATE_LABELS} & vocab.get_namespaces()
    assert build(vocab=vocab).forward_on_instances(instances())[0]["answer"] is not None


def assert_same_probabilities(first, second):
    first, second = (output["candidate_probabilities"] for output in (first, second))
    assert first.keys() == second.keys()
    numpy.testing.assert_allclose(list(first.values()), list(second.values()), atol=1e-6)


SELF_BELIEF = {"encoder": encoder(4)}
VARIANTS = {
    "gated_attention": {},
    "sum": {"gating": {"type": "gated_attention", "operation": "sum"}},
    "concatenation": {
        "gating": {"type": "gated_attention", "operation": "concatenation"},
        "second_input": 12,
    },
    "collaborative": {"gating": "collaborative"},
    "collaborative by Z, no final filtering": {
        "gating": {"type": "collaborative", "gate_by": "filtered_question", "final_filtering": False}
    },
    "self-belief": {"question_self_belief": SELF_BELIEF},
    "self-belief, tanh": {"question_self_belief": {**SELF_BELIEF, "attention": "tanh"}},
    "self-belief of the passage": {"passage_self_belief": SELF_BELIEF},
    "all": {
        "gating": "collaborative",
        "question_self_belief": SELF_BELIEF,
        "passage_self_belief": SELF_BELIEF,
    },
    "self-belief, final states": {"question_self_belief": SELF_BELIEF, "read_out": "final_states"},
    "Stanford Reader": {"pointer": {"type": "attention_sum", "bilinear": True}, "layers": 1},
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_an_instance_alone_and_in_a_batch_are_the_same(variant):
    model = build(**VARIANTS[variant])
    model.explain = True
    together = model.forward_on_instances(instances())
    for instance, in_batch in zip(instances(), together):
        alone = model.forward_on_instance(instance)
        assert_same_probabilities(alone, in_batch)
        for attention, other in zip(alone["explanations"], in_batch["explanations"], strict=True):
            numpy.testing.assert_allclose(attention.pop("weights"), other.pop("weights"), atol=1e-6)
            assert attention == other


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_parameter_learns(variant):
    model = build(**VARIANTS[variant]).train()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    batch = tensors(instances(), model.vocab)
    losses = []
    for _ in range(5):
        loss = model(**batch)["loss"]
        optimizer.zero_grad()
        loss.backward()
        assert all(parameter.grad is not None for parameter in model.parameters())
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]


class Positions(Seq2SeqEncoder):
    """A token is its position, one-hot and large: a softmax gives each token all weight on itself."""

    def forward(self, inputs, mask):
        return 30.0 * torch.eye(inputs.size(1)).expand(inputs.size(0), -1, -1)

    def get_input_dim(self):
        return 4

    def get_output_dim(self):
        return 1

    def is_bidirectional(self):
        return False


@pytest.mark.parametrize("gating", ["gated_attention", "collaborative"])
def test_self_belief_that_stays_where_it_is_changes_nothing(gating):
    model = build(gating=gating)
    plain = model.forward_on_instances(instances())
    model._question_self_belief = model._passage_self_belief = SelfBeliefAggregation(Positions())
    for expected, found in zip(plain, model.forward_on_instances(instances())):
        assert_same_probabilities(found, expected)


def test_the_score_is_that_of_the_encoding_at_the_cloze():
    """Against the encodings taken out of the model's own encoders."""
    model = build(layers=1)
    encodings = {}
    model._passage_encoders[0].register_forward_hook(lambda m, i, o: encodings.__setitem__("passage", o))
    model._question_encoders[0].register_forward_hook(lambda m, i, o: encodings.__setitem__("question", o))
    output = model.forward_on_instance(instances()[0])
    position = output["question_tokens"].index("@placeholder")
    scores = (encodings["passage"][0] @ encodings["question"][0, position]).detach().numpy()
    tokens = [token.lower() for token in output["passage_tokens"]]
    words = {"mary", "bill", "the", "house"}
    weights = numpy.array([numpy.exp(s) if token in words else 0.0 for s, token in zip(scores, tokens)])
    weights /= weights.sum()
    bill = sum(weight for weight, token in zip(weights, tokens) if token == "bill")
    assert output["candidate_probabilities"]["Bill"] == pytest.approx(bill, abs=1e-5)


@pytest.mark.parametrize("training", [True, False])
def test_dropout_is_of_the_gated_passage(training):
    stacked = {"stack_question": True, "question_encoders": [encoder(4), encoder(6), encoder(6)]}
    model = build(layers=3, dropout=1.0, **stacked).train(training)
    read = {}
    for name, encoders in (("passage", model._passage_encoders), ("question", model._question_encoders)):
        for i, layer in enumerate(encoders):
            layer.register_forward_pre_hook(lambda _, inputs, key=(name, i): read.__setitem__(key, inputs[0]))
    model(**tensors(instances(), model.vocab))
    assert len(read) == 6
    dropped = [key for key, inputs in read.items() if not inputs.any()]
    assert dropped == ([("passage", 1), ("passage", 2)] if training else [])


def test_the_loss_is_of_the_known_answers_and_the_accuracy_of_all_that_are_not_skipped():
    model = build()
    probabilities = torch.tensor([[0.7, 0.3], [0.6, 0.4], [0.9, 0.1], [0.8, 0.2], [0.2, 0.8]])
    answers = torch.tensor([0, 1, UNKNOWN_ANSWER, SKIPPED_ANSWER, 1])
    # The last answer is right, but by chance: none of its candidates is in the passage.
    has_candidate = torch.tensor([True, True, True, True, False])
    loss = model._score(probabilities.log(), answers, has_candidate)
    assert loss.item() == pytest.approx(-numpy.log([0.7, 0.4, 0.8]).mean())
    assert model.get_metrics() == {"accuracy": 1 / 4, "accuracy_official": 1 / 5}


def test_a_class_that_was_not_learnt_is_refused():
    reader = AnnotatedBabiReader(folder=str(BABI), task=15)
    made = list(reader.read("train"))
    vocab = Vocabulary.from_instances(made)
    model = build(vocab=vocab, read_out="final_states")
    known = vocab.get_vocab_size(CLASS_LABELS)
    assert len(model.forward_on_instances(made)) == len(made)
    vocab.add_token_to_namespace("zebra", CLASS_LABELS)
    with pytest.raises(
        ConfigurationError, match=f"found {known + 1} answers .* learnt to tell {known} apart"
    ):
        model.forward_on_instances(made)


def test_a_question_without_a_placeholder_is_an_error():
    with pytest.raises(ConfigurationError, match="found a question without @placeholder"):
        build().forward_on_instance(instance_of("Mary left .", "who left", ["Mary"]))


@pytest.mark.parametrize("bilinear", [False, True])
def test_tokens_are_scored_by_the_equation(bilinear):
    tokens, vector = torch.randn(1, 3, 2, dtype=torch.float64), torch.randn(1, 2, dtype=torch.float64)
    mask = torch.ones(1, 3, dtype=torch.bool)
    places = {"candidates": torch.tensor([[0, 1, 1]]), "positions": torch.tensor([[0, 1, 2]])}
    candidates = {**places, "mask": mask[:, :2]}
    layer = AttentionSum(None, 2, 2, epsilon=0.0, **({"bilinear": True} if bilinear else {})).double()
    log_probabilities, _ = layer(TokenVectors(tokens, mask), vector, None, candidates)
    weight = layer._bilinear.weight.detach().numpy() if bilinear else numpy.eye(2)
    scores = numpy.exp(tokens[0].numpy() @ weight @ vector[0].numpy())
    expected = [scores[0] / scores.sum(), (scores[1] + scores[2]) / scores.sum()]
    numpy.testing.assert_allclose(log_probabilities[0].detach().exp().numpy(), expected, atol=1e-12)


def test_probabilities_of_candidates_that_share_tokens_sum_to_more_than_one():
    model = build(layers=1)
    for parameter in model.parameters():
        parameter.data.zero_()
    instance = instance_of("the old man and the sea", "@placeholder is wet", ["the sea", "the old man"])
    probabilities = model.forward_on_instance(instance)["candidate_probabilities"]
    assert probabilities["the sea"] / probabilities["the old man"] == pytest.approx(3 / 4, abs=1e-4)
    assert sum(probabilities.values()) == pytest.approx(7 / 5, abs=1e-4)


def test_predictions_are_explained_on_request():
    model = build(gating="collaborative", question_self_belief=SELF_BELIEF, passage_self_belief=SELF_BELIEF)
    asked = {"passage": QUESTIONS[0][0], "question": QUESTIONS[0][1], "candidates": QUESTIONS[0][2]}
    assert "explanations" not in ClozeReaderPredictor(model, READER).predict_json(asked)
    answer = ClozeReaderPredictor(model, READER, explain=True).predict_json(asked)
    passage, question = len(answer["passage_tokens"]), len(answer["question_tokens"])
    weights = [attention.pop("weights") for attention in answer["explanations"]]
    assert list(zip(answer["explanations"], map(numpy.shape, weights))) == [
        ({"kind": "gating", "side": "question", "to": "passage", "layer": 1}, (question, passage)),
        ({"kind": "gating", "side": "passage", "to": "question", "layer": 1}, (passage, question)),
        ({"kind": "gating", "side": "question", "to": "passage", "layer": 2}, (question, passage)),
        ({"kind": "self_belief", "side": "passage", "to": "passage"}, (passage, passage)),
        ({"kind": "self_belief", "side": "question", "to": "question"}, (1, question)),
    ]
    for paid in weights:
        numpy.testing.assert_allclose(numpy.sum(paid, axis=1), 1.0, atol=1e-5)
