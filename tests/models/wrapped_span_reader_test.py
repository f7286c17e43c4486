import pytest
import torch

from tests.models.span_models import EMBEDDERS, build, tensors


def bidirectional(size):
    return {"type": "lstm", "bidirectional": True, "input_size": size, "hidden_size": 3, "num_layers": 1}


def bidaf(**options):
    reader = {
        "type": "bidaf",
        "text_field_embedder": {"token_embedders": EMBEDDERS},
        "num_highway_layers": 1,
        "phrase_layer": bidirectional(10),
        "matrix_attention": {"type": "dot_product"},
        "modeling_layer": bidirectional(24),
        "span_end_encoder": bidirectional(42),
    }
    return {"type": "wrapped_span_reader", "reader": reader, **options}


def test_logits_and_loss_are_the_readers():
    model, _, instances = build(bidaf())
    inputs = tensors(model.eval(), instances)
    output = model(**inputs)
    for name in ("passage_annotations", "question_annotations"):
        del inputs[name]
    expected = model._reader(**inputs)
    for name in ("span_start_logits", "span_end_logits"):
        assert torch.equal(output[name], expected[name])
    assert output["loss"].item() == pytest.approx(expected["loss"].item(), abs=1e-5)
    assert output["best_span"].tolist() == expected["best_span"].tolist()
    assert model.get_metrics()["f1"] == pytest.approx(model._reader.get_metrics()["f1"])


def test_questions_without_a_span_count_and_answers_are_no_longer_than_asked():
    model, _, instances = build(bidaf(max_span_length=2), max_passage_length=15, keep_skipped=True)
    model(**tensors(model, instances))["loss"].backward()
    assert all(parameter.grad is not None for parameter in model.parameters())
    spans = [output["best_span"] for output in model.eval().forward_on_instances(instances)]
    assert max(end - start + 1 for start, end in spans) <= 2
    assert 0 < model.get_metrics()["rouge_l"] <= 1
    starts = [instance["span_start"].sequence_index for instance in instances]
    have_loss = ["loss" in model.forward_on_instance(instance) for instance in instances]
    assert min(starts) < 0 and have_loss == [start >= 0 for start in starts]


def test_the_readers_regularizer_counts():
    config = bidaf(regularizer={"regexes": [[".*weight", {"type": "l2", "alpha": 0.1}]]})
    config["reader"]["regularizer"] = {"regexes": [[".*bias.*", {"type": "l2", "alpha": 0.2}]]}
    model, _, _ = build(config)
    found = model.get_regularization_penalty()
    squares = {name: parameter.pow(2).sum() for name, parameter in model.named_parameters()}
    expected = 0.1 * sum(value for name, value in squares.items() if "weight" in name)
    expected += 0.2 * sum(value for name, value in squares.items() if "bias" in name)
    assert found.item() == pytest.approx(expected.item())
    assert build(bidaf())[0].get_regularization_penalty() is None
