"""Transformers that read question and passage together, under layers that read annotations: tiny ones."""

import pytest
import torch
from allennlp.common import Lazy
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models.heads import Head
from allennlp.predictors import Predictor

from allennlp_coref_rc.models import StructuredTransformer
from tests import tiny_transformers
from tests.models.span_models import tensors
from tests.models.structured_transformers import (
    ENCODERS,
    build,
    candidates,
    classes,
    cloze,
    read,
    spans,
    tags,
)

pytestmark = pytest.mark.slow

OUTPUTS = {
    spans: ("span_start_probs", "span_end_probs"),
    tags: ("tag_probs",),
    **dict.fromkeys((candidates, cloze, classes), ("probabilities", "attention")),
}
"""By the kind of its questions, the outputs of a model."""

each_architecture = pytest.mark.parametrize(
    "architecture, questions",
    [(architecture, spans) for architecture in tiny_transformers.ARCHITECTURES]
    + [("deberta", candidates), ("roberta", tags), ("bert", cloze), ("modernbert", classes)],
)

each_encoder = pytest.mark.parametrize(
    "encoder, questions",
    [(encoder, spans) for encoder in ENCODERS] + [("dassa", data) for data in OUTPUTS if data is not spans],
)


def of_layer(model):
    """The parameters of the layer above the transformer, but for its gate."""
    named = dict(model.named_parameters())
    return {
        key: value for key, value in named.items() if key.startswith("_layer.") and not key.endswith("_gate")
    }


def reached_by_annotations(model, questions):
    """The parameters that need annotations. Only Quoref's passages have discourse relations."""
    annotated = {key: value for key, value in of_layer(model).items() if "keys" in key or ".labels." in key}
    unreached = [key for key, value in annotated.items() if not value.grad.any()]
    expected = [] if questions in (spans, tags) else [key for key in unreached if ".labels.1." in key]
    assert unreached == expected
    return annotated


@each_architecture
def test_the_loss_falls(transformer_folders, questions, architecture):
    """Without dropout, which is large for a tiny transformer."""
    model, instances = build(transformer_folders[architecture], questions, "dassa")
    batch = tensors(model.eval(), instances)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    losses = []
    for _ in range(20):
        loss = model(**batch)["loss"]
        optimizer.zero_grad()
        loss.backward()
        assert [key for key, parameter in model.named_parameters() if parameter.grad is None] == []
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.6 * losses[0]
    assert reached_by_annotations(model, questions)


@each_encoder
def test_the_layer_starts_as_the_identity_and_then_learns_from_annotations(
    transformer_folders, questions, encoder
):
    folder = transformer_folders["bert"]
    plain, instances = build(folder, questions)
    model, _ = build(folder, questions, encoder)
    left_out = model.load_state_dict(plain.state_dict(), strict=False)
    assert not left_out.unexpected_keys and all(key.startswith("_layer.") for key in left_out.missing_keys)
    batch = tensors(model, instances)
    before, alone = model.eval()(**batch), plain.eval()(**batch)
    for output in (*OUTPUTS[questions], "loss"):
        assert torch.equal(before[output], alone[output]), output

    model.train()(**batch)["loss"].backward()
    gates = [value for key, value in model.named_parameters() if key.endswith("_layer._gate")]
    assert len(gates) == 1 and gates[0].grad.all() and not gates[0].any()
    assert all(not parameter.grad.any() for parameter in of_layer(model).values())
    torch.optim.AdamW(model.parameters(), lr=0.1).step()
    model.zero_grad()
    model(**batch)["loss"].backward()
    assert bool(reached_by_annotations(model, questions)) == (encoder in ("coref_gru", "dassa"))
    without = {key: value for key, value in batch.items() if "annotations" not in key}
    same = torch.equal(model.eval()(**batch)["loss"], model(**without)["loss"])
    assert same == (encoder == "gru")


@each_architecture
def test_padding_and_batching_change_nothing(transformer_folders, questions, architecture):
    encoder = "dassa" if architecture in ("bert", "modernbert") else "coref_gru"
    model, instances = build(transformer_folders[architecture], questions, encoder)
    for key, value in model.named_parameters():
        if key.endswith("_gate"):
            torch.nn.init.ones_(value)
    assert len({len(instance["passage"]) for instance in instances}) == 2
    with torch.no_grad():
        together = model.eval()(**tensors(model, instances))
        for i, instance in enumerate(instances):
            alone = model(**tensors(model, [instance]))
            for output in OUTPUTS[questions]:
                expected = alone[output][0]
                torch.testing.assert_close(
                    together[output][i, : len(expected)], expected, rtol=1e-4, atol=1e-5
                )


@pytest.mark.parametrize("training", [True, False])
def test_dropout_is_of_the_vectors_at_the_end(training):
    class Ones(torch.nn.Module):
        def get_output_dim(self):
            return 4

        def forward(self, question, passage):
            return torch.ones(1, 2, 4), torch.ones(1, 3, 4), torch.ones(1, 4)

    class ReadingHead(Head):
        def forward(self, *read):
            return read

    question, passage = ({"tokens": {"tokens": torch.ones(1, length, dtype=torch.long)}} for length in (2, 3))
    head = Lazy(lambda vocab, dim: ReadingHead(vocab))
    model = StructuredTransformer(Vocabulary(), Ones(), dropout=1.0, head=head).train(training)
    pair, embedded, summary = model(passage, question)
    assert embedded.passage.vectors.all() and embedded.question.vectors.all() and summary.all()
    for text, length in ((pair.passage, 3), (pair.question, 2)):
        assert torch.equal(text.vectors, torch.full((1, length, 4), 0.0 if training else 1.0))


def test_spans_are_predicted(transformer_folders):
    model, instances = build(transformer_folders["roberta"], spans, "dassa")
    reader, *_ = read(transformer_folders["roberta"], spans)
    predictor = Predictor.by_name(model.default_predictor)(model, reader, explain=True)
    output = predictor.predict_instance(instances[0])
    assert output["answer"] in instances[0]["metadata"]["original_passage"] and output["annotated_heads"]
    clusters = [[[0, 1], [4, 5]]]
    output = predictor.predict_json(
        {"passage": "Mary slept . Then she left .", "question": "Who ?", "clusters": clusters}
    )
    assert output["passage_tokens"][4] == "she"
    assert sum(output["span_start_probs"]) == pytest.approx(1, abs=1e-5)


def test_several_spans_are_learnt_and_predicted(transformer_folders):
    model, instances = build(transformer_folders["modernbert"], tags, "gru")
    batch = tensors(model, instances)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.04)
    for _ in range(50):
        optimizer.zero_grad()
        model.eval()(**batch)["loss"].backward()
        optimizer.step()
    model.get_metrics(reset=True)
    reader, *_ = read(transformer_folders["modernbert"], tags)
    # AllenNLP asks the class, which does not know the head.
    predictor = Predictor.by_name(StructuredTransformer.default_predictor)(model, reader)
    outputs = predictor.predict_batch_instance(instances)
    assert outputs[0]["answers"] == outputs[0]["answer_texts"] == ["Edda Moss", "Tom"]
    assert outputs[0]["best_spans"] == [[0, 1], [8, 8]] and outputs[0]["answer"] == "Edda Moss, Tom"
    assert len(outputs[0]["tag_probs"]) == len(outputs[0]["passage_tokens"])
    assert outputs[1]["answers"] == ["Kit O'Neill"]
    assert [(one["exact_match"], one["f1"]) for one in outputs] == [(1, 1), (1, 1)]
    assert model.get_metrics() == {"exact_match": 1.0, "f1": 1.0}


def test_an_encoder_of_another_size(transformer_folders):
    encoder = {"type": "gru", "input_size": 3, "hidden_size": 6}
    with pytest.raises(ConfigurationError, match="model.encoder input"):
        build(transformer_folders["bert"], spans, encoder=encoder)
