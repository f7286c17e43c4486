"""Texts that once took hours: their right annotations."""

import pytest

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.annotators import ConnectiveDiscourse, SieveCoref
from allennlp_coref_rc.annotations.english import LONGEST_SENTENCE, parse
from allennlp_coref_rc.annotations.formats import read_brat

LENGTH = 30_000


def every(step, *starts):
    """The spans of one token at each of these starts and, step by step, after it."""
    return [[(i, i + 1) for i in range(start, LENGTH, step)] for start in starts]


@pytest.mark.parametrize(
    "words, expected",
    [
        ("he him", every(2, 0, 1)),
        ("he she it", every(3, 0, 1)),
        ("Mary saw him .", every(4, 0, 2)),
    ],
)
def test_mentions_of_long_texts(words, expected):
    words = words.split()
    text = AnnotatedText(words * (LENGTH // len(words)))
    assert SieveCoref().annotate(text).clusters == expected


def test_many_names_with_one_surname():
    names = [f"Zy{i}".translate(str.maketrans("0123456789", "abcdefghij")) for i in range(LENGTH // 5)]
    text = AnnotatedText([word for name in names for word in ("Mary", "saw", name, "Smith", ".")])
    assert SieveCoref().annotate(text).clusters == every(5, 0)


def test_connectives_of_one_long_sentence():
    text = AnnotatedText(["milk", "and"] * (LENGTH // 2))
    relations = ConnectiveDiscourse(exclude=[]).annotate(text).relations
    assert [relation.connective for relation in relations] == [[span] for span in every(2, 1)[0][:-1]]
    assert (relations[0].arg1, relations[0].arg2) == ([(0, 1)], [(2, LENGTH)])
    assert (relations[-1].arg1, relations[-1].arg2) == ([(0, LENGTH - 3)], [(LENGTH - 2, LENGTH)])


def test_a_sentence_without_an_end_is_parsed_in_pieces():
    text = AnnotatedText(["Mary", "slept", "."] + ["milk", "and"] * 500, [(0, 3), (3, 1003)])
    (doc,) = parse([text])
    assert [len(sentence) for sentence in doc.sents] == [3, LONGEST_SENTENCE, LONGEST_SENTENCE, 200]


@pytest.mark.parametrize("of_pairs", [True, False])
def test_a_long_chain_of_brat(tmp_path, of_pairs):
    number = 20_000
    lines = [f"T{i}\tPerson {2 * i} {2 * i + 1}\ta\n" for i in range(number)]
    # From the end, so that each link meets the chain at its beginning.
    links = [f"R{i}\tCoref Arg1:T{i} Arg2:T{i + 1}\n" for i in reversed(range(number - 1))]
    equivalence = f"*\tEquiv {' '.join(f'T{i}' for i in range(number))}\n"
    (tmp_path / "a.txt").write_text("a " * number)
    (tmp_path / "a.ann").write_text("".join([*lines, *(links if of_pairs else [equivalence])]))
    (text,) = read_brat(str(tmp_path / "a.ann"))
    assert text.clusters == [[(i, i + 1) for i in range(number)]]
