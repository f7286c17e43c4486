import copy

import pytest
import torch
from allennlp.data import Instance, Vocabulary
from allennlp.data.fields import ListField

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.annotation_layers.edges import PADDING
from allennlp_coref_rc.data.fields import AnnotationField
from tests.batches import tensors as tensors_of

SHORT = {
    "coref": {"antecedents": [[-1], []], "descendants": [[-4, 1], []]},
    "one_hot": {"clusters": [[0, 2], []]},
}
LONG = {
    "coref": {"antecedents": [[-1], [], [0, 1, 0]], "descendants": [[], [], []]},
    "one_hot": {"clusters": [[], [], []]},
}
X = PADDING


def batch(*fields):
    instances = [Instance({"annotations": field}) for field in fields]
    return tensors_of(instances)["annotations"]


def test_a_batch_is_padded_to_its_longest_text_and_widest_token():
    tensors = batch(AnnotationField(SHORT, 2), AnnotationField(LONG, 3))
    expected = {"coref": {"antecedents", "descendants"}, "one_hot": {"clusters"}}
    assert {layer: set(numbers) for layer, numbers in tensors.items()} == expected
    expected = [[[-1, X, X], [X, X, X], [X, X, X]], [[-1, X, X], [X, X, X], [0, 1, 0]]]
    assert tensors["coref"]["antecedents"].tolist() == expected
    assert tensors["coref"]["descendants"].tolist() == [[[-4, 1], [X, X], [X, X]], [[X, X]] * 3]
    assert tensors["one_hot"]["clusters"].tolist() == [[[0, 2], [X, X], [X, X]], [[X, X]] * 3]
    assert all(numbers.dtype == torch.long for layer in tensors.values() for numbers in layer.values())


def test_layers_without_numbers_have_a_shape_all_the_same():
    empty = {"coref": {"antecedents": [[], [], []]}}
    found = batch(AnnotationField(empty, 3), AnnotationField(empty, 3))["coref"]["antecedents"].shape
    assert found == (2, 3, 0)
    assert batch(AnnotationField({}, 3)) == {}
    assert batch(AnnotationField({"coref": {}}, 3)) == {"coref": {}}


def test_any_padding_of_the_same_field():
    field = AnnotationField({"coref": {"antecedents": [[4], [], [5, 6]]}}, 3)

    def padded(num_tokens, width):
        return field.as_tensor({"num_tokens": num_tokens, "coref.antecedents": width})["coref"]["antecedents"]

    for num_tokens in (5, 3):
        for width in (4, 2, 1, 0):
            lists = [[4, X, X, X], [X] * 4, [5, 6, X, X], *([[X] * 4] * 2)][:num_tokens]
            assert padded(num_tokens, width).tolist() == [numbers[:width] for numbers in lists]
    padded(3, 2).zero_()
    assert padded(3, 2).tolist() == [[4, X], [X, X], [5, 6]]


def test_labels_are_numbers_once_there_is_a_vocabulary():
    vocab = Vocabulary()
    known = vocab.add_token_to_namespace("cause", "senses")
    field = AnnotationField(
        {"views": {"senses": [["cause"], ["", "other"]]}}, 2, {"views": {"senses": "senses"}}
    )
    field.index(vocab)
    numbers = field.as_tensor(field.get_padding_lengths())["views"]["senses"]
    assert numbers.tolist() == [[known, X], [0, 1]]


def test_as_many_lists_as_tokens():
    with pytest.raises(ConfigurationError, match="coref.antecedents: found numbers of 2 tokens, .* text.s 3"):
        AnnotationField({"coref": {"antecedents": [[], []]}}, 3)


def test_numbers_with_fractions_are_refused():
    field = AnnotationField({"own": {"weights": [[1.5], []]}}, 2)
    with pytest.raises(ConfigurationError, match="own.weights: found numbers with fractions"):
        field.get_padding_lengths()


def test_equality_and_duplicate():
    field = AnnotationField(SHORT, 2)
    same = AnnotationField(copy.deepcopy(SHORT), 2)
    assert field == same == field.duplicate()
    assert field != AnnotationField({"coref": SHORT["coref"]}, 2)
    duplicate = field.duplicate()
    duplicate.layers["coref"]["antecedents"][0].append(5)
    assert field == same != duplicate


def test_the_empty_field_pads_lists_of_fields():
    field = AnnotationField(SHORT, 2)
    empty = field.empty_field()
    assert len(empty) == 0
    numbers = empty.as_tensor(field.get_padding_lengths())["coref"]["descendants"]
    assert numbers.tolist() == [[X, X], [X, X]]
    list_field = ListField([field])
    lengths = {**list_field.get_padding_lengths(), "num_fields": 2}
    stacked = list_field.as_tensor(lengths)["coref"]["antecedents"]
    assert stacked.tolist() == [[[-1], [X]], [[X], [X]]]
