"""Readers whose answers are spans, and transformers."""

import pytest
from allennlp.predictors import Predictor

import allennlp_coref_rc
from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.api.load import Reader
from allennlp_coref_rc.common.errors import ConfigurationError
from tests import tiny_transformers
from tests.models import span_models
from tests.models.structured_transformers import build, candidates, read, spans, tags

pytestmark = pytest.mark.slow

TEXT = "Mary  didn't go. She slept in the garden."
QUESTION = "Who slept?"


@pytest.fixture(scope="module")
def transformer(tmp_path_factory):
    folder = tiny_transformers.make("bert", tmp_path_factory.mktemp("transformer") / "bert")

    def reader(questions):
        model, _ = build(folder, questions, "dassa")
        dataset_reader, _, _ = read(folder, questions)
        return Reader("tiny", Predictor.by_name(model.default_predictor)(model.eval(), dataset_reader))

    return reader


@pytest.fixture(scope="module")
def qanet():
    model, dataset_reader, _ = span_models.build(span_models.qanet())
    return Reader("qanet", Predictor.by_name("span_reader")(model.eval(), dataset_reader))


def test_an_answer_that_is_a_span(transformer):
    answer = transformer(spans).answer(TEXT, QUESTION)
    ((start, stop),) = answer.spans
    ((first, end),) = answer.span_characters
    assert answer.answer == TEXT[first:end]
    assert answer.passage_tokens[start] == TEXT[first : first + len(answer.passage_tokens[start])]
    starts, ends = answer.output["span_start_probs"], answer.output["span_end_probs"]
    assert answer.probability == starts[start] * ends[stop - 1]
    assert answer.candidates == {} and answer.attention is None and answer.warnings == []
    assert f"Answer: {answer.answer}, probability" in repr(answer) and "coref-rc" in answer._repr_html_()
    with pytest.raises(ConfigurationError, match="found candidates, expected none, as its answers are spans"):
        transformer(spans).answer(TEXT, QUESTION, ["Mary"])


def test_several_spans(transformer):
    answer = transformer(tags).answer(TEXT, QUESTION)
    assert answer.answer == ", ".join(TEXT[start:stop] for start, stop in answer.span_characters)
    assert answer.probability is None and repr(answer).splitlines()[0] == f"Answer: {answer.answer}"


def test_a_transformer_with_candidates(transformer):
    answer = transformer(candidates).answer(TEXT, "sleeper mary", ["Mary", "garden"])
    assert (
        set(answer.candidates) == {"Mary", "garden"}
        and answer.probability == answer.candidates[answer.answer]
    )


def test_clusters_of_an_annotated_passage_reach_readers_of_spans(transformer, qanet):
    passage = allennlp_coref_rc.annotate(TEXT, "sieve_coref")
    for reader in (transformer(spans), qanet):
        answer = reader.answer(passage, QUESTION)
        assert answer.cluster_texts == [["Mary", "She"]] and answer.text.text == TEXT
        assert answer.output["clusters"] == passage.clusters
    assert qanet.answer(AnnotatedText(passage.tokens), QUESTION).clusters == []
    explained = qanet.answer(passage, QUESTION, explain=True)
    assert {head["annotation_layer"] for head in explained.annotated_heads} == {"clusters"}
    assert qanet.answer(passage, QUESTION).annotated_heads is None
