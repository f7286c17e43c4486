import torch
from allennlp.data import Instance, Vocabulary
from allennlp.data.fields import ListField

from allennlp_coref_rc.data.fields import CANDIDATE_LABELS, CandidatesField
from tests import batches

PASSAGE = "Mary went to New York . York is old and new .".split()


def tensors_of(field):
    return {name: tensor.tolist() for name, tensor in field.as_tensor(field.get_padding_lengths()).items()}


def pairs(tensors):
    return [pair for pair in zip(tensors["candidates"], tensors["positions"]) if pair[0] >= 0]


def vocabulary(*labels):
    vocab = Vocabulary()
    for label in labels:
        vocab.add_token_to_namespace(label, CANDIDATE_LABELS)
    return vocab


def test_each_occurrence_of_each_word_of_a_candidate_counts():
    field = CandidatesField(PASSAGE, [["mary"], ["NEW", "york"], ["York"], ["Bill"], ["old", "Old"]])
    tensors = tensors_of(field)
    assert pairs(tensors) == [(0, 0), (1, 3), (1, 10), (1, 4), (1, 6), (2, 4), (2, 6), (4, 8)]
    assert tensors["mask"] == [True] * 5
    assert len(field) == 5


def test_candidates_of_the_vocabulary_stand_in_its_order():
    vocab = vocabulary("york", "milk", "mary")
    field = CandidatesField(PASSAGE)
    assert len(field) == 0
    field.index(vocab)
    tensors = tensors_of(field)
    assert pairs(tensors) == [(0, 4), (0, 6), (2, 0)]
    assert tensors["mask"] == [True] * 3
    # Indexed again, as when a model is fine-tuned on other answers, the field forgets the first vocabulary.
    field.index(vocabulary("old"))
    assert pairs(tensors_of(field)) == [(0, 8)]


def test_given_candidates_do_not_depend_on_the_vocabulary():
    field = CandidatesField(PASSAGE, [["old"]])
    field.index(vocabulary("york", "milk"))
    assert pairs(tensors_of(field)) == [(0, 8)]


def test_an_empty_vocabulary_gives_no_candidates():
    field = CandidatesField(PASSAGE)
    field.index(Vocabulary())
    assert tensors_of(field) == {"candidates": [], "positions": [], "mask": []}


def test_a_batch_is_padded():
    fields = [
        CandidatesField(["a", "b", "a"], [["a"]]),
        CandidatesField(["c"], [["x"], ["c"], ["y"]]),
        CandidatesField(["c"], [["x"]]),
    ]
    instances = [Instance({"candidates": field}) for field in fields]
    tensors = batches.tensors(instances, Vocabulary())["candidates"]
    assert tensors["candidates"].tolist() == [[0, 0], [1, -1], [-1, -1]]
    assert tensors["positions"].tolist() == [[0, 2], [0, -1], [-1, -1]]
    assert tensors["mask"].tolist() == [[True, False, False], [True] * 3, [True, False, False]]
    assert tensors["candidates"].dtype == tensors["positions"].dtype == torch.long
    assert tensors["mask"].dtype == torch.bool


def test_the_empty_field_pads_lists_of_fields():
    field = CandidatesField(PASSAGE, [["mary"]])
    assert len(field.empty_field()) == 0
    list_field = ListField([field])
    lengths = {**list_field.get_padding_lengths(), "num_fields": 2}
    tensors = list_field.as_tensor(lengths)
    assert tensors["candidates"].tolist() == [[0], [-1]]
    assert tensors["mask"].tolist() == [[True], [False]]
