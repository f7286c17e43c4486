import pytest
import torch

from allennlp_coref_rc.modules.attention_recorder import AttentionRecorder
from tests.batches import tensors
from tests.models.ga_reader_test import build


@pytest.fixture(scope="module")
def recorded():
    """The records of three questions, and what went into and out of the last layer's attention."""
    model, instances, _ = build("(import 'babi/ga_gru.jsonnet') + (import 'lib/variants.libsonnet').dassa")
    model.eval()
    inputs = tensors(instances[:3], model.vocab)
    plain = model(**inputs)["probabilities"]
    attention = model._passage_encoders[-1].blocks[0].attention
    seen = []
    attention.register_forward_hook(lambda module, arguments, output: seen.append((arguments[0], output)))
    recorder = AttentionRecorder(model)
    with recorder, torch.no_grad():
        assert torch.equal(model(**inputs)["probabilities"], plain)
    return model, instances, recorder, attention, seen


def test_every_annotated_head_is_recorded_for_passage_and_question(recorded):
    model, instances, recorder, _, _ = recorded
    layers = len(model._passage_encoders)
    for i, instance in enumerate(instances[:3]):
        records = recorder.of(i)
        assert [
            (r["encoder"], r["side"], r["application"], r["block"], r["annotation_layer"], r["view"])
            for r in records
        ] == [
            (f"{side}_encoders.{layer}", side, 1, 0, "coref", 1)
            for layer in range(layers)
            for side in ("passage", "question")
        ]
        for record in records:
            length = len(instance[record["side"]])
            assert len(record["labels"]) == length
            # Coreference has one scope, the whole text.
            assert record["scopes"] == [list(range(length))]
            assert all(sum(row) == pytest.approx(1, abs=1e-4 * length) for row in record["weights"][0])


def test_labels_are_those_of_the_annotation(recorded):
    _, instances, recorder, _, _ = recorded
    for i, instance in enumerate(instances[:3]):
        metadata = instance["metadata"].metadata
        passage, question = recorder.of(i)[:2]
        tokens = metadata["passage_tokens"] + metadata["question_tokens"]
        labels = passage["labels"] + question["labels"]
        # Exact match: tokens of one label are the same word, and those without are in no cluster.
        clustered = {start for cluster in metadata["clusters"] for start, _ in cluster}
        assert {place for place, label in enumerate(labels) if label} == clustered
        expected = len(set(labels) - {""})
        assert len({(token.lower(), label) for token, label in zip(tokens, labels) if label}) == expected


def test_recorded_weights_make_what_the_attention_has_put_out(recorded):
    _, instances, recorder, attention, seen = recorded
    inputs, outputs = seen[-1]
    dim = attention.output_projection.in_features
    values = inputs @ attention.projection.weight[2 * dim :].T + attention.projection.bias[2 * dim :]
    heads = (outputs - attention.output_projection.bias) @ torch.linalg.inv(
        attention.output_projection.weight
    ).T
    head_dim = dim // attention._num_heads
    for i, instance in enumerate(instances[:3]):
        record = [r for r in recorder.of(i) if r["side"] == "passage"][-1]
        length = len(instance["passage"])
        found = torch.tensor(record["weights"][0]) @ values[i, :length, :head_dim]
        assert torch.allclose(found, heads[i, :length, :head_dim], atol=5e-3)


def test_nothing_stays_behind_it(recorded):
    model = recorded[0]
    recorder = AttentionRecorder(model)
    with recorder:
        assert model._forward_pre_hooks
    assert not any(module._forward_pre_hooks for module in model.modules())
    assert recorder.of(0) == []
    assert not AttentionRecorder(build("ga_gru")[0])
