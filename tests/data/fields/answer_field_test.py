from collections import defaultdict

import pytest
from allennlp.data import Instance, Vocabulary

from allennlp_coref_rc.data.fields import CANDIDATE_LABELS, CLASS_LABELS, UNKNOWN_ANSWER, AnswerField


def instance(label, **options):
    return Instance({"answer": AnswerField(label, CLASS_LABELS, **options)})


def index_of(field, vocab):
    field.index(vocab)
    return field.as_tensor(field.get_padding_lengths()).item()


def test_known_and_unseen_labels():
    vocab = Vocabulary.from_instances(
        [instance("yes"), instance("no"), instance("no"), instance("milk,apple")]
    )
    assert vocab.get_index_to_token_vocabulary(CLASS_LABELS) == {0: "no", 1: "yes", 2: "milk,apple"}
    indices = [
        index_of(AnswerField(label, CLASS_LABELS), vocab) for label in ("yes", "no", "milk,apple", "maybe")
    ]
    assert indices == [1, 0, 2, UNKNOWN_ANSWER] == [1, 0, 2, -1]


def test_a_label_of_another_namespace_is_unseen():
    vocab = Vocabulary.from_instances([instance("yes")])
    assert index_of(AnswerField("yes", CANDIDATE_LABELS), vocab) == UNKNOWN_ANSWER


@pytest.mark.parametrize("index", [0, 7, UNKNOWN_ANSWER])
def test_an_index_stays_as_it_is_and_enters_no_vocabulary(index):
    field = AnswerField(index, CANDIDATE_LABELS, skip_indexing=True)
    counter = defaultdict(lambda: defaultdict(int))
    field.count_vocab_items(counter)
    assert not counter
    assert index_of(field, Vocabulary()) == index
