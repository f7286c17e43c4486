import json

import numpy
import pytest
import torch
from allennlp.common import Params
from allennlp.common.testing import ModelTestCase
from allennlp.models import Model
from allennlp.predictors import Predictor

from allennlp_coref_rc.metrics.narrativeqa import NarrativeQaMetric
from tests.golden import qanet as golden_qanet
from tests.models.span_models import DASSA, DIM, MODELING_LAYERS, READER, TRAIN, build, qanet, tensors

METRICS = {"rouge_l", "exact_match", "f1", "bleu_1", "bleu_2", "bleu_3", "bleu_4"}


class TestAnnotatedQanet(ModelTestCase):
    def setup_method(self):
        super().setup_method()
        config = {
            "dataset_reader": READER,
            "train_data_path": TRAIN,
            "validation_data_path": TRAIN,
            "model": qanet(),
            "data_loader": {"batch_size": 3},
            "trainer": {"num_epochs": 2, "optimizer": "adam", "validation_metric": "+rouge_l"},
        }
        path = self.TEST_DIR / "config.json"
        path.write_text(json.dumps(config))
        self.set_up_model(str(path), TRAIN)

    def test_trains_saves_and_loads(self):
        # A number added to all logits changes no softmax: the gradients of these are 0 but for rounding.
        biases = {"_span_start_predictor.bias", "_span_end_predictor.bias"}
        self.ensure_model_can_train_save_and_load(self.param_file, gradients_to_ignore=biases)


@pytest.mark.parametrize("modeling_layer", MODELING_LAYERS)
def test_a_question_alone_and_in_a_batch_have_the_same_answer(modeling_layer):
    model, _, instances = build(qanet(modeling_layer))
    together = model.eval()(**tensors(model, instances))
    for i, instance in enumerate(instances):
        alone = model(**tensors(model, [instance]))
        length = len(instance["passage"])
        assert alone["best_span"][0].tolist() == together["best_span"][i].tolist()
        for name in ("span_start_probs", "span_end_probs"):
            torch.testing.assert_close(alone[name][0], together[name][i, :length], atol=1e-6, rtol=0)
            assert (together[name][i, length:] == 0).all()


@pytest.mark.parametrize("modeling_layer", MODELING_LAYERS)
def test_gradients_reach_all_parameters(modeling_layer):
    model, _, instances = build(qanet(modeling_layer))
    model(**tensors(model, instances))["loss"].backward()
    for name, parameter in model.named_parameters():
        # A bias that is the same for all tokens changes no softmax.
        if "_bias" not in name.split(".")[-1] and not name.endswith(
            ("predictor.bias", "_matrix_attention._bias")
        ):
            assert parameter.grad is not None and parameter.grad.abs().sum() > 0, name


def test_one_modelling_layer_reads_three_times():
    model, _, instances = build(qanet())
    calls = []
    model._modeling_layer.register_forward_hook(lambda module, inputs, output: calls.append((inputs, output)))
    output = model.eval()(**tensors(model, instances[:1]))
    assert len(calls) == 3
    for (_, read), (inputs, _) in zip(calls, calls[1:]):
        assert torch.equal(read, inputs[0])
        assert inputs[2] is not None
    first, second, third = (output for _, output in calls)
    predictors = model._span_start_predictor, model._span_end_predictor
    for name, other, predictor in zip(("start", "end"), (second, third), predictors):
        logits = torch.cat([first, other], dim=-1) @ predictor.weight[0] + predictor.bias
        torch.testing.assert_close(output[f"span_{name}_logits"], logits)


class Share(torch.nn.Module):
    """In place of a dropout, multiplies by the share of numbers that it keeps."""

    def __init__(self, kept):
        super().__init__()
        self.kept = kept

    def forward(self, inputs):
        return self.kept * inputs


def train_without_chance(model):
    for module in list(model.train().modules()):
        for name, child in module.named_children():
            if isinstance(child, torch.nn.Dropout):
                setattr(module, name, Share(1 - child.p))
    return model


def test_computes_what_allennlps_qanet_does():
    """
    Of its own parameters; ours has two biases more. Without padding, which its convolutions see. In training,
    dropout has the same places and probabilities.
    """
    encoder = {
        "type": "qanet_encoder",
        "input_dim": DIM,
        "hidden_dim": DIM,
        "attention_projection_dim": DIM,
        "feedforward_hidden_dim": 6,
        "num_convs_per_block": 2,
        "num_attention_heads": 2,
        "layer_dropout_undecayed_prob": 0.0,
    }
    params = {
        **qanet("qanet"),
        "type": "qanet",
        "num_highway_layers": 2,
        "phrase_layer": {**encoder, "num_blocks": 1, "conv_kernel_size": 7},
        "modeling_layer": {**encoder, "num_blocks": 2, "conv_kernel_size": 5},
    }
    model, _, instances = build(
        {**qanet("qanet"), "phrase_layer": {**DASSA, "num_blocks": 1, "conv_kernel_size": 7}}
    )
    theirs = Model.from_params(Params(json.loads(json.dumps(params))), vocab=model.vocab).eval()
    state = {}
    for name, value in theirs.state_dict().items():
        if not name.startswith(("_phrase_layer", "_modeling_layer")):
            state[name] = value
    for layer in ("_phrase_layer", "_modeling_layer"):
        encoder_state = golden_qanet.qanet_state(getattr(theirs, layer).state_dict())
        state.update({f"{layer}.{name}": value for name, value in encoder_state.items()})
    for layer in ("_encoding_proj_layer", "_modeling_proj_layer"):
        state[f"{layer}.bias"] = torch.zeros_like(getattr(model, layer).bias)
    model.load_state_dict(state)
    model.eval()
    for i, instance in enumerate([*instances, instances[0]]):
        if i == len(instances):
            model, theirs = map(train_without_chance, (model, theirs))
        inputs = tensors(model, [instance])
        output = model(**inputs)
        for name in ("passage_annotations", "question_annotations"):
            del inputs[name]
        expected = theirs(**inputs)
        for name in ("span_start_logits", "span_end_logits"):
            torch.testing.assert_close(output[name], expected[name], atol=1e-5, rtol=0)
        assert output["loss"].item() == pytest.approx(expected["loss"].item(), abs=1e-5)
        assert output["best_span"].tolist() == expected["best_span"].tolist()


def test_metrics_are_of_the_answers():
    model, _, instances = build(qanet())
    assert model.get_metrics() == dict.fromkeys(METRICS, 0.0)
    spans = [output["best_span"] for output in model.eval().forward_on_instances(instances)]
    model.get_metrics(reset=True)
    start, end = spans[0]
    metadata = instances[0]["metadata"].metadata
    metadata["answer_texts"][1] = " ".join(metadata["passage_tokens"][start : end + 1])
    model.forward_on_instances(instances)
    metric = NarrativeQaMetric()
    for (start, end), instance in zip(spans, instances):
        text = " ".join(instance["metadata"]["passage_tokens"][start : end + 1])
        metric([text], [instance["metadata"]["answer_texts"]])
    assert model.get_metrics() == metric.get_metric()
    assert metric.get_metric()["exact_match"] >= 1 / len(instances)


def test_questions_without_a_span_have_no_loss_but_count():
    model, _, instances = build(qanet(), max_passage_length=15, keep_skipped=True)
    lost = [instance["span_start"].sequence_index == -1 for instance in instances]
    assert True in lost and False in lost
    inputs = tensors(model.eval(), instances)
    loss = model(**inputs)["loss"]
    kept = tensors(model, [instance for instance, gone in zip(instances, lost) if not gone])
    metric = model.get_metrics(reset=True)
    assert loss.item() == pytest.approx(model(**kept)["loss"].item(), abs=1e-5)
    of_kept = model.get_metrics(reset=True)
    gone = tensors(model, [instance for instance, gone in zip(instances, lost) if gone])
    assert model(**gone)["loss"].item() == 0.0
    means = [of_kept["rouge_l"], model.get_metrics()["rouge_l"]]
    found = metric["rouge_l"]
    assert found == pytest.approx(numpy.average(means, weights=[lost.count(False), lost.count(True)]))
    model.train()(**gone)["loss"].backward()


def test_predictions():
    model, reader, instances = build(qanet())
    model.get_metrics(reset=True)
    predictor = Predictor.by_name(model.default_predictor)(model, reader)
    inputs = [
        {"passage": "Pip cleans the museum. Rain falls.", "question": "What falls?"},
        {"passage": "Rain falls.", "question": "Where does rain fall?"},
    ]
    single = [predictor.predict_json(item) for item in inputs]
    for output, other in zip(single, predictor.predict_batch_json(inputs)):
        names = "answer best_span passage_tokens question_tokens span_start_probs span_end_probs"
        assert set(output) == set(names.split())
        start, end = output["best_span"]
        assert output["answer"] == " ".join(output["passage_tokens"][start : end + 1]) == other["answer"]
        for name in ("span_start_probs", "span_end_probs"):
            assert len(output[name]) == len(output["passage_tokens"])
            assert sum(output[name]) == pytest.approx(1.0, abs=1e-5)
            numpy.testing.assert_allclose(output[name], other[name], atol=1e-6)
    assert model.get_metrics()["rouge_l"] == 0.0
    output = predictor.predict_instance(instances[0])
    assert output["id"] == "0a11ce##000" and len(output["answer_texts"]) == 2


def test_reduced_precision():
    model, _, instances = build(qanet())
    inputs = tensors(model.eval(), instances)
    full = model(**inputs)
    with torch.autocast("cpu", torch.bfloat16):
        half = model(**inputs)
    assert half["span_start_logits"].dtype == torch.float
    assert half["loss"].item() == pytest.approx(full["loss"].item(), rel=0.02)
