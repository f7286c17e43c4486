from collections import Counter

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from allennlp_coref_rc.data.fields import CLASS_LABELS
from allennlp_coref_rc.modules.entity_substitution import ListedSubstitution

WORDS = "mary went to the kitchen with john sandra mice cat cats mouse wolf wolves garden".split()


def vocabulary(classes=()):
    vocab = Vocabulary()
    vocab.add_tokens_to_namespace(WORDS, "tokens")
    vocab.add_tokens_to_namespace(list(classes), CLASS_LABELS)
    return vocab


def text(vocab, *sentences):
    length = max(len(sentence.split()) for sentence in sentences)
    ids = [[vocab.get_token_index(word) for word in sentence.split()] for sentence in sentences]
    return {"tokens": {"tokens": torch.tensor([row + [0] * (length - len(row)) for row in ids])}}


def words(vocab, substituted):
    rows = substituted["tokens"]["tokens"].tolist()
    return [" ".join(vocab.get_token_from_index(i) for i in row if i) for row in rows]


def draws(vocab, substitution, sentences, answer=None, number=600):
    """Of one question drawn again and again: how often each of its texts, and of its answers."""
    torch.manual_seed(0)
    texts = [text(vocab, *[sentence] * number) for sentence in sentences]
    classes = vocab.get_token_to_index_vocabulary(CLASS_LABELS)
    labels = None if answer is None else torch.tensor([classes[answer]] * number)
    substituted, labels = substitution(texts, labels)
    found = [words(vocab, one) for one in substituted]
    if labels is not None:
        found.append([vocab.get_token_from_index(i, CLASS_LABELS) for i in labels.tolist()])
    return Counter(zip(*found))


def test_every_exchange_of_names_is_as_frequent_as_any_other_and_the_same_in_all_texts():
    vocab = vocabulary()
    substitution = ListedSubstitution(vocab, [["mary", "john", "sandra"]])
    found = draws(vocab, substitution, ["mary went to john", "the john"])
    people = ["mary", "john", "sandra"]
    expected = {(f"{a} went to {b}", f"the {b}") for a in people for b in people if a != b}
    assert found.keys() == expected
    # 600 draws of six, each with a standard deviation of 9.
    assert all(60 < count < 140 for count in found.values())


def test_questions_of_a_batch_are_substituted_separately_and_their_padding_stays():
    vocab = vocabulary()
    substitution = ListedSubstitution(vocab, [["mary", "john", "sandra"], ["kitchen", "garden"]])
    torch.manual_seed(0)
    (substituted,), answer = substitution([text(vocab, *["mary went to the kitchen", "the garden"] * 200)])
    assert answer is None
    found = Counter(words(vocab, substituted))
    assert len(found) == 6 + 2
    assert {sentence.split()[0] for sentence in found} == {"mary", "john", "sandra", "the"}
    assert (substituted["tokens"]["tokens"][1::2, 2:] == 0).all()


def test_forms_of_a_name_go_together():
    vocab = vocabulary()
    substitution = ListedSubstitution(vocab, [[["cat", "cats"], ["mouse", "mice"], ["wolf", "wolves"]]])
    pairs = {tuple(sentence.split()) for (sentence,) in draws(vocab, substitution, ["cat mice cats"])}
    forms = {"cat": "cats", "mouse": "mice", "wolf": "wolves"}
    assert pairs == {(a, forms[b], forms[a]) for a in forms for b in forms if a != b}


def test_names_that_are_classes_stay():
    vocab = vocabulary(["kitchen", "mary,john", "yes"])
    groups = [["mary", "john", "sandra", "cat"], ["kitchen", "garden"]]
    found = draws(vocab, ListedSubstitution(vocab, groups), ["mary john sandra kitchen"], "kitchen")
    assert found.keys() == {("mary john sandra kitchen", "kitchen"), ("mary john cat kitchen", "kitchen")}


def test_names_that_are_classes_are_exchanged_in_answers_too():
    vocab = vocabulary(["yes", "wolf", "mouse", "cat"])
    animals = [["cat", "cats"], ["mouse", "mice"], ["wolf", "wolves"]]
    substitution = ListedSubstitution(vocab, class_groups=[animals, ["mary", "john"]])
    forms = dict(animals)
    # No class is called Mary or John.
    expected = {(f"{a} {forms[b]} mary", a) for a in forms for b in forms if a != b}
    assert draws(vocab, substitution, ["wolf mice mary"], "wolf").keys() == expected
    found = draws(vocab, substitution, ["wolf"], "yes").keys()
    assert found == {("wolf", "yes"), ("cat", "yes"), ("mouse", "yes")}


def test_names_that_are_parts_of_classes_are_exchanged_if_there_is_such_a_class():
    vocab = vocabulary("none cat wolf mouse cat,wolf wolf,cat mouse,cat cat,wolf,mouse".split())
    substitution = ListedSubstitution(vocab, class_groups=[["cat", "wolf", "mouse"]])
    expected = {("cat wolf", "cat,wolf"), ("wolf cat", "wolf,cat"), ("mouse cat", "mouse,cat")}
    assert draws(vocab, substitution, ["cat wolf"], "cat,wolf").keys() == expected
    expected = {("cat wolf mouse", "cat,wolf,mouse")}
    assert draws(vocab, substitution, ["cat wolf mouse"], "cat,wolf,mouse").keys() == expected
    found = draws(vocab, substitution, ["cat wolf mouse"], "none")
    assert len(found) == 6 and all(60 < count < 140 for count in found.values())


def test_forms_that_are_in_answers_alone_are_exchanged_there():
    vocab = vocabulary(["m,k", "k,m", "g,g", "k"])
    substitution = ListedSubstitution(vocab, class_groups=[[["mary", "m"], ["kitchen", "k"]]])
    expected = {("mary went to the kitchen", "m,k"), ("kitchen went to the mary", "k,m")}
    assert draws(vocab, substitution, ["mary went to the kitchen"], "m,k").keys() == expected
    # "m" alone is not a class.
    assert draws(vocab, substitution, ["mary kitchen"], "k").keys() == {("mary kitchen", "k")}
    assert len(draws(vocab, substitution, ["mary kitchen"], "g,g")) == 2


def test_a_name_of_which_a_form_is_missing_stays():
    vocab = vocabulary(["cat", "mouse", "wolf", "lion"])
    vocab.add_tokens_to_namespace(["lion"], "tokens")
    animals = [["cat", "cats"], ["wolf", "wolves"], ["lion", "lions"]]
    found = draws(vocab, ListedSubstitution(vocab, class_groups=[animals]), ["cat wolves lion"], "cat")
    assert found.keys() == {("cat wolves lion", "cat"), ("wolf cats lion", "wolf")}


def test_an_unknown_answer_stays_unknown():
    vocab = vocabulary(["wolf", "cat"])
    substitution = ListedSubstitution(vocab, class_groups=[["wolf", "cat"]])
    assert substitution([text(vocab, "wolf", "cat")], torch.tensor([-1, -2]))[1].tolist() == [-1, -2]


def test_words_that_the_vocabulary_gets_later_stay():
    vocab = vocabulary()
    substitution = ListedSubstitution(vocab, [["mary", "john"]])
    vocab.add_tokens_to_namespace(["attic", "bert"], "tokens")
    found = draws(vocab, substitution, ["mary bert the attic"])
    assert found.keys() == {("mary bert the attic",), ("john bert the attic",)}


def test_names_that_the_vocabulary_gets_later_are_exchanged():
    vocab = vocabulary()
    substitution = ListedSubstitution(vocab, [["mary", "bert"]])
    vocab.add_tokens_to_namespace(["bert"], "tokens")
    assert draws(vocab, substitution, ["mary went"]).keys() == {("mary went",), ("bert went",)}


def test_it_is_no_part_of_what_is_saved(tmp_path):
    vocab = vocabulary()
    assert not ListedSubstitution(vocab, [["wolf", "cat"]], [["mouse", "mice"]]).state_dict()
    vocab.save_to_files(str(tmp_path))
    assert not (tmp_path / f"{CLASS_LABELS}.txt").exists()


def test_mistakes_are_named():
    vocab = vocabulary()
    with pytest.raises(ConfigurationError, match="entity_substitution: found 'cat' twice"):
        ListedSubstitution(vocab, [["cat", "wolf"]], [["cat", "mouse"]])
    with pytest.raises(ConfigurationError, match="found 'Mary', expected 'mary', as in the vocabulary"):
        ListedSubstitution(vocab, [["Mary", "john"]])
    with pytest.raises(ConfigurationError, match="expected the same number of forms of each name"):
        ListedSubstitution.from_params(Params({"groups": [["cat", ["wolf", "wolves"]]]}), vocab=vocab)
    with pytest.raises(ConfigurationError, match="entity_substitution: found 7 names"):
        ListedSubstitution(vocab, class_groups=[WORDS[:7]])
    with_characters = {**text(vocab, "wolf"), "characters": {"token_characters": torch.zeros(1, 1, 4).long()}}
    with pytest.raises(ConfigurationError, match="found the token_indexers characters, tokens"):
        ListedSubstitution(vocab, [["cat", "wolf"]])([with_characters])


def test_it_goes_to_another_device():
    vocab = vocabulary(classes=["cat", "mice,wolf"])
    substitution = ListedSubstitution(vocab, [["mary", "john"]], [["cat", "wolf"]])
    assert {buffer.device.type for buffer in substitution.to("meta").buffers()} == {"meta"}
    assert len(list(substitution.buffers())) == 4 and not substitution.state_dict()
    elsewhere = {"tokens": {"tokens": text(vocab, "mary went", "the cat")["tokens"]["tokens"].to("meta")}}
    (substituted,), answer = substitution([elsewhere], torch.tensor([0, -1], device="meta"))
    assert substituted["tokens"]["tokens"].device.type == answer.device.type == "meta"
