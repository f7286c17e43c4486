"""AllenNLP's saliency and attackers on our readers. Oracles put vectors into a model by other means."""

from contextlib import contextmanager
from unittest.mock import patch

import numpy
import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Batch
from allennlp.interpret.attackers import Hotflip, InputReduction
from allennlp.interpret.saliency_interpreters import IntegratedGradient, SimpleGradient, SmoothGradient
from allennlp.modules import TextFieldEmbedder
from allennlp.predictors import Predictor
from transformers import AutoTokenizer

from tests import tiny_transformers
from tests.models import span_models, structured_transformers
from tests.models.ga_reader_test import build
from tests.models.structured_transformers import classes, cloze, spans, tags
from tests.models.wrapped_span_reader_test import bidaf

STORY = "Bill took the milk there. Bill went to the park. Fred moved to the office."
INPUTS = {"passage": STORY, "question": "Where is the milk?"}
WRAPPED = ["@begin", "@end"]
SIDES = {"passage": "grad_input_1", "question": "grad_input_2"}


def cloze_reader(config="ga_coref_gru", **options):
    """Its random weights are large, so that its answers differ clearly."""
    model, _, reader = build(config, **options)
    torch.manual_seed(1)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return Predictor.by_name("cloze_reader")(model.double().eval(), reader)


@pytest.fixture(scope="module")
def coref_reader():
    return cloze_reader()


@pytest.fixture(scope="module")
def plain_reader():
    return cloze_reader("bi_gru")


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return tiny_transformers.make("bert", tmp_path_factory.mktemp("transformers") / "bert")


def normalized(values):
    values = numpy.abs(numpy.asarray(values))
    return values / values.sum()


class Fixed(TextFieldEmbedder):
    """Gives vectors of passage and question, in the order in which they are embedded."""

    def __init__(self, vectors, dim):
        super().__init__()
        self.vectors, self.dim = iter(vectors), dim

    def get_output_dim(self):
        return self.dim

    def forward(self, text):
        return next(self.vectors)


def loss_of(predictor):
    """The vectors of passage and question, and the loss of the model's own answer as a function of them."""
    (instance,) = predictor.json_to_labeled_instances(INPUTS)
    predictor._dataset_reader.apply_token_indexers(instance)
    model = predictor._model
    batch = Batch([instance])
    batch.index_instances(model.vocab)
    tensors = batch.as_tensor_dict()
    embedder = model._text_field_embedder
    vectors = [embedder(tensors[side]).detach() for side in ("passage", "question")]

    def loss(passage, question):
        with patch.object(model, "_text_field_embedder", Fixed([passage, question], passage.size(-1))):
            return model(**tensors)["loss"]

    return vectors, loss


def scaled(vectors, side, position, factor):
    changed = [each.clone() for each in vectors]
    changed[side][0, position] *= factor
    return changed


@pytest.mark.slow
def test_simple_gradients_are_the_derivatives_by_the_size_of_each_word(coref_reader):
    """By finite differences."""
    vectors, loss = loss_of(coref_reader)
    found = SimpleGradient(coref_reader).saliency_interpret_from_json(INPUTS)["instance_1"]
    for side, values in enumerate(found.values()):
        larger, smaller = (
            [float(loss(*scaled(vectors, side, i, size))) for i in range(len(values))]
            for size in (1 + 1e-5, 1 - 1e-5)
        )
        expected = [one - other for one, other in zip(larger, smaller)]
        assert values == pytest.approx(normalized(expected), rel=1e-4)


def test_integrated_gradients_are_those_of_ten_sizes(coref_reader):
    vectors, loss = loss_of(coref_reader)
    found = IntegratedGradient(coref_reader).saliency_interpret_from_json(INPUTS)["instance_1"]
    sums = [torch.zeros_like(each) for each in vectors]
    for alpha in numpy.arange(10) / 10:
        leaves = [(alpha * each).requires_grad_() for each in vectors]
        for total, gradient in zip(sums, torch.autograd.grad(loss(*leaves), leaves)):
            total += gradient
    for values, gradient, of_words in zip(found.values(), sums, vectors):
        assert values == pytest.approx(normalized((gradient * of_words)[0].sum(-1)), rel=1e-6)


def test_smooth_gradients_without_noise_are_simple_ones(coref_reader):
    interpreter = SmoothGradient(coref_reader)
    interpreter.num_samples = 2
    noisy = interpreter.saliency_interpret_from_json(INPUTS)["instance_1"]
    interpreter.stdev = 0.0
    smooth = interpreter.saliency_interpret_from_json(INPUTS)["instance_1"]
    simple = SimpleGradient(coref_reader).saliency_interpret_from_json(INPUTS)["instance_1"]
    for name, values in simple.items():
        assert smooth[name] == pytest.approx(values)
        assert noisy[name] != pytest.approx(values)


def of_spans(model):
    model, reader, _ = span_models.build(model)
    return Predictor.by_name("span_reader")(model.eval(), reader), {}


def of_transformer(bert, questions, **inputs):
    model, _ = structured_transformers.build(bert, questions, "coref_gru")
    return Predictor.by_name("reader")(model.eval(), structured_transformers.read(bert, questions)[0]), inputs


def of_words_of_transformer(bert):
    keys = {"model_name": bert, "max_length": 40}
    encoders = [{"type": "gru", "input_size": 8, "hidden_size": 4, "bidirectional": True}]
    more = {
        "dataset_reader.token_indexers": {"words": {"type": "pretrained_transformer_mismatched", **keys}},
        "model.text_field_embedder": {"token_embedders": {"words": {"type": "transformer_words", **keys}}},
        "model.passage_encoders": encoders,
        "model.question_encoders": encoders,
        "model.initializer": {},
    }
    return cloze_reader("bi_gru", more=more), {}


READERS = {
    "ga_reader of classes": lambda bert: (cloze_reader(task=15), {}),
    "annotated_qanet": lambda bert: of_spans(span_models.qanet()),
    "bidaf": lambda bert: of_spans(bidaf()),
    "ga_reader above a transformer": of_words_of_transformer,
    "spans": lambda bert: of_transformer(bert, spans),
    "tags": lambda bert: of_transformer(bert, tags),
    "classes": lambda bert: of_transformer(bert, classes),
    "cloze": lambda bert: of_transformer(bert, cloze, question="Bill went to the @placeholder ."),
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_every_reader_has_saliency_of_words(bert, reader):
    predictor, changed = reader(bert)
    inputs = {**INPUTS, **changed}
    answer = predictor.predict_json(inputs)
    smooth = SmoothGradient(predictor)
    smooth.num_samples = 1
    interpreters = [SimpleGradient(predictor), smooth]
    if reader in (READERS["bidaf"], READERS["spans"]):
        interpreters.append(IntegratedGradient(predictor))
    for interpreter in interpreters:
        found = interpreter.saliency_interpret_from_json(inputs)["instance_1"]
        assert list(found) == list(SIDES.values())
        for side, name in SIDES.items():
            assert len(found[name]) == len(answer[f"{side}_tokens"])
            assert sum(found[name]) == pytest.approx(1.0)
            assert min(found[name]) > 0
    assert predictor.predict_json(inputs) == answer


def test_a_text_that_a_transformer_reads_in_windows_is_an_error(bert):
    predictor, _ = of_words_of_transformer(bert)
    with pytest.raises(ConfigurationError, match=r"found a text of \d+ pieces in windows"):
        SimpleGradient(predictor).saliency_interpret_from_json({**INPUTS, "passage": STORY * 3})


@contextmanager
def shifted(table, rows, change):
    """Adds a change to some rows of what a table of pieces gives."""
    mask = torch.zeros(1, len(rows), 1, dtype=change.dtype)
    mask[0, rows] = 1
    handle = table.register_forward_hook(lambda module, inputs, output: output + mask * change)
    try:
        yield
    finally:
        handle.remove()


def test_a_word_of_a_transformer_moves_with_all_its_pieces(bert, monkeypatch):
    """By finite differences, which need more than single precision."""
    monkeypatch.setattr(torch.Tensor, "float", torch.Tensor.double)
    predictor, _ = of_transformer(bert, spans)
    predictor._model.double()
    question = "Is the journalist there ?".split()
    passage = "Mary unbelievably slept in the hallway .".split()
    inputs = {"passage": passage, "question": question}
    found = SimpleGradient(predictor).saliency_interpret_from_json(inputs)["instance_1"]
    (instance,) = predictor.json_to_labeled_instances(inputs)
    predictor._dataset_reader.apply_token_indexers(instance)
    batch = Batch([instance])
    batch.index_instances(predictor._model.vocab)
    tensors = batch.as_tensor_dict()
    tokenizer = AutoTokenizer.from_pretrained(bert)

    def pieces_of(words):
        return [tokenizer.convert_tokens_to_ids(tokenizer.tokenize(word)) for word in words]

    pieces = [pieces_of(question), pieces_of(passage)]
    lengths = [1, *map(len, pieces[0]), 1, *map(len, pieces[1]), 1]
    ends = numpy.cumsum(lengths)
    assert max(lengths) > 2
    table = predictor._model._transformer._matched_embedder.transformer_model.embeddings.word_embeddings
    for words, first, name in zip(pieces, (1, len(question) + 2), ("grad_input_2", "grad_input_1")):
        expected = []
        for i, ids in enumerate(words, start=first):
            rows = torch.zeros(ends[-1], dtype=torch.bool)
            rows[ends[i] - lengths[i] : ends[i]] = True
            mean = table.weight[ids].mean(dim=0).detach()
            losses = []
            for size in (1e-5, -1e-5):
                with shifted(table, rows, size * mean):
                    losses.append(float(predictor._model(**tensors)["loss"]))
            expected.append(losses[0] - losses[1])
        assert found[name] == pytest.approx(normalized(expected), rel=1e-3)


@pytest.mark.parametrize("side", SIDES)
def test_hotflip_changes_the_answer(plain_reader, side):
    result = Hotflip(plain_reader).attack_from_json(INPUTS, side, SIDES[side], ignore_tokens=[*WRAPPED, "."])
    before = plain_reader.predict_json(INPUTS)
    tokens = result["final"][0]
    changed = [i for i, (old, new) in enumerate(zip(before[f"{side}_tokens"], tokens)) if old != new]
    assert changed and len(tokens) == len(before[f"{side}_tokens"])
    assert all(before[f"{side}_tokens"][i] not in [*WRAPPED, "."] for i in changed)
    words = " ".join(token for token in tokens if token not in WRAPPED)
    assert plain_reader.predict_json({**INPUTS, side: words})["answer"] != before["answer"]
    assert result["outputs"][0]["answer"] != before["answer"]


def test_hotflip_tells_that_nothing_changes(coref_reader):
    question = coref_reader.predict_json(INPUTS)["question_tokens"]
    result = Hotflip(coref_reader).attack_from_json(
        INPUTS, "question", "grad_input_2", ignore_tokens=question
    )
    assert result["final"] == [result["original"]] == [question]


def test_hotflip_tries_the_pieces_of_a_transformer(bert):
    predictor, _ = of_transformer(bert, spans)
    attack = Hotflip(predictor, vocab_namespace="tags").attack_from_json
    result = attack(INPUTS, "question", "grad_input_2")
    assert result["final"] != [result["original"]]
    assert all(token.isalnum() or token in result["original"] for token in result["final"][0])


@pytest.mark.parametrize("side", SIDES)
def test_input_reduction_leaves_the_answer_as_it_is(plain_reader, side):
    inputs = {**INPUTS, "question": "Where is Fred?"}
    result = InputReduction(plain_reader).attack_from_json(
        inputs, side, SIDES[side], ignore_tokens=[*WRAPPED, "Fred"]
    )
    before = plain_reader.predict_json(inputs)
    (tokens,) = result["final"]
    assert len(tokens) < len(before[f"{side}_tokens"])
    assert [word for word in tokens if word == "Fred"] == ["Fred"]
    words = " ".join(word for word in tokens if word not in WRAPPED)
    assert plain_reader.predict_json({**inputs, side: words})["answer"] == before["answer"]


def test_an_attack_keeps_what_holds_of_the_words_that_are_left(coref_reader):
    """As if the shorter story had been asked about."""
    (instance,) = coref_reader.json_to_labeled_instances(INPUTS)
    reader = coref_reader._dataset_reader
    del instance["passage"].tokens[4]
    again = coref_reader._read_again(instance)
    expected = reader.text_to_instance(STORY.replace(" there", ""), INPUTS["question"])
    assert again["metadata"].metadata["clusters"] == expected["metadata"].metadata["clusters"] != []
    for each in (again, expected):
        reader.apply_token_indexers(each)
        each.index_fields(coref_reader._model.vocab)
    for name in ("passage_annotations", "question_annotations", "candidates"):
        assert again[name] == expected[name]


def test_spans_are_told_by_their_places_in_the_passage_as_it_was(bert):
    predictor, _ = of_transformer(bert, spans)
    (instance,) = predictor.json_to_labeled_instances(INPUTS)
    place = instance["span_start"].sequence_index
    assert place > 0
    del instance["passage"].tokens[0]
    again = predictor._read_again(instance)
    assert again["span_start"].sequence_index == place - 1
    (labelled,) = predictor.predictions_to_labeled_instances(instance, {"best_span": [place - 1, place - 1]})
    assert labelled["span_start"] == instance["span_start"]


def test_what_has_no_answer_cannot_be_interpreted(coref_reader):
    inputs = {**INPUTS, "candidates": ["moon"]}
    with pytest.raises(ConfigurationError, match="no answer to interpret: none of the candidates occurs"):
        SimpleGradient(coref_reader).saliency_interpret_from_json(inputs)
