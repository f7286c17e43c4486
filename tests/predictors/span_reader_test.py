import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.predictors import Predictor
from allennlp_models.rc.tools import drop

from allennlp_coref_rc.data.dataset_readers import AnnotatedQuorefReader
from tests.models.span_models import DASSA, TRAIN, build, qanet, tensors
from tests.models.wrapped_span_reader_test import bidaf
from tests.shared import PROJECT

PASSAGE = "Pip can't clean the museum. Rain falls."
QUESTION = "What falls?"


@pytest.fixture(scope="module")
def trained():
    """A reader, and a model of allennlp-models for it, small and after one batch."""
    model, reader, instances = build(bidaf()["reader"], annotator=None, annotation_layers={})
    model(**tensors(model, instances))["loss"].backward()
    assert 0 <= model.get_metrics()["f1"] <= 1
    return reader, model.eval()


@pytest.fixture(scope="module")
def predictor(trained):
    reader, model = trained
    return Predictor.by_name("span_reader")(model, reader)


def test_the_answer_is_the_span(predictor):
    output = predictor.predict_json({"passage": PASSAGE, "question": QUESTION})
    start, end = output["best_span"]
    assert output["passage_tokens"] == "Pip ca n't clean the museum . Rain falls .".split()
    assert output["answer"] == " ".join(output["passage_tokens"][start : end + 1]) == output["best_span_str"]
    assert len(output["span_start_probs"]) == 10
    assert not {"loss", "id", "answer_texts", "annotated_heads"} & set(output)


def test_of_a_data_set_s_questions_the_answers_are_given_too(trained):
    reader, model = trained
    instances = list(reader.read(TRAIN))[:2]
    for output, instance in zip(
        Predictor.by_name("span_reader")(model, reader).predict_batch_instance(instances), instances
    ):
        metadata = instance["metadata"].metadata
        for name in ("id", "answer_texts", "question_tokens", "passage_tokens"):
            assert output[name] == metadata[name] and output[name]


def test_batches_agree_with_single_questions(predictor):
    inputs = [
        {"passage": PASSAGE, "question": QUESTION},
        {"passage": ["Rain", "falls"], "question": ["What", "?"]},
    ]
    single = [predictor.predict_json(item)["answer"] for item in inputs]
    assert [output["answer"] for output in predictor.predict_batch_json(inputs)] == single


def test_answers_of_quoref_are_pieces_of_the_passage_and_compared_with_all_spans():
    model, reader, _ = build({**qanet("gru"), "metric": "quoref"})
    reader = AnnotatedQuorefReader(token_indexers=reader._token_indexers)
    predictor = Predictor.by_name("span_reader")(model.eval(), reader)
    output = predictor.predict_json({"passage": PASSAGE, "question": QUESTION})
    assert output["answer"] in PASSAGE and " ".join(output["passage_tokens"]) != PASSAGE
    instances = list(reader.read(str(PROJECT / "tests" / "fixtures" / "quoref" / "train.json")))
    outputs = predictor.predict_batch_instance(instances)
    assert [one["id"] for one in outputs] == [f"q{i}" for i in range(1, 10)]
    for one in outputs:
        expected = drop.get_metrics(one["answer"], one["answer_texts"])
        assert (one["exact_match"], one["f1"]) == expected
    assert "f1" not in output
    # "Tom" is half of q2's answer, "Ugander" is none of q4's "Ugand", and "Kit O'Neill" is what q7 asks for.
    chosen = [instances[i]["metadata"].metadata for i in (1, 3, 6)]
    length = max(len(metadata["passage_tokens"]) for metadata in chosen)
    starts, ends = (torch.eye(length)[rows] * 9 for rows in ([8, 37, 2], [8, 37, 3]))
    model.get_metrics(reset=True)
    model.answer(starts, ends, torch.ones(3, length, dtype=torch.bool), metadata=chosen)
    assert model.get_metrics() == pytest.approx({"exact_match": 1 / 3, "f1": (0.5 + 0 + 1) / 3})


def test_annotated_heads_are_explained():
    layers = {"clusters": "coref_views", "sentences": {"type": "sentence_views", "num_views": 1}}
    encoder = {**DASSA, "heads": {"sentences": 1, "clusters": 1}, "annotated_blocks": [1]}
    model, reader, _ = build({**qanet(), "modeling_layer": encoder}, annotation_layers=layers)
    inputs = [
        {"passage": "Pip sees Ann. Ann sees a dog.", "question": QUESTION},
        {"passage": PASSAGE, "question": QUESTION},
    ]
    plain = Predictor.by_name("span_reader")(model.eval(), reader).predict_batch_json(inputs)
    outputs = Predictor.by_name("span_reader")(model, reader, explain=True).predict_batch_json(inputs)
    for output, expected in zip(outputs, plain):
        heads = output.pop("annotated_heads")
        assert output == expected
        # The modelling layer reads the passage three times; the phrase layer has no annotated heads.
        wanted = [(layer, application) for application in (1, 2, 3) for layer in ("clusters", "sentences")]
        assert [(head["annotation_layer"], head["application"]) for head in heads] == wanted
        for head in heads:
            found = (head["encoder"], head["side"], head["block"], head["view"])
            assert found == ("modeling_layer", "passage", 1, 1)
            for scope, weights in zip(head["scopes"], head["weights"]):
                assert [sum(row) for row in weights] == pytest.approx([1] * len(scope), abs=1e-3)
    clusters, sentences = Predictor.by_name("span_reader")(model, reader, explain=True).predict_json(
        inputs[0]
    )["annotated_heads"][:2]
    assert clusters["scopes"] == [list(range(9))]
    assert [bool(label) for label in clusters["labels"]] == [False, False, True, False, True] + [False] * 4
    assert sentences["scopes"] == [[0, 1, 2, 3], [4, 5, 6, 7, 8]]
    assert sentences["labels"] == ["1"] * 9


def test_what_has_nothing_to_explain_is_named(trained):
    reader, model = trained
    with pytest.raises(ConfigurationError, match="found the model BidirectionalAttentionFlow without"):
        Predictor.by_name("span_reader")(model, reader, explain=True)
