import pytest
from allennlp_models.rc.tools import squad
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.translate.bleu_score import corpus_bleu

from allennlp_coref_rc.metrics.overlap import bleu, bleu_counts, rouge_l, squad_f1, squad_tokens
from tests.metrics.lcs_test import by_the_book

texts = st.lists(st.sampled_from("abcde"), min_size=1, max_size=9)
# NLTK counts one n-gram in a text that has none.
longer_texts = st.lists(st.sampled_from("abcde"), min_size=4, max_size=9)
items = st.tuples(texts, st.lists(texts, min_size=1, max_size=3))


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.lists(st.tuples(longer_texts, st.lists(texts, min_size=1, max_size=3)), min_size=1, max_size=4))
def test_corpus_bleu_is_that_of_nltk(corpus):
    sums = [sum(column) for column in zip(*(bleu_counts(*item) for item in corpus))]
    for order, score in enumerate(bleu(sums), start=1):
        if all(sums[2 * n + 1] for n in range(1, order + 1)):
            weights = [1 / order] * order
            expected = corpus_bleu([refs for _, refs in corpus], [text for text, _ in corpus], weights)
            assert score == pytest.approx(expected, abs=1e-6)
        else:
            assert score < 0.05


def test_texts_without_tokens():
    assert bleu_counts([], [["a"], []]) == [0] * 10
    assert rouge_l([], [[]]) == 1
    assert rouge_l([], [["a"]]) == rouge_l(["a"], [[]]) == 0
    assert max(bleu([0] * 10)) < 1e-5


@settings(derandomize=True, deadline=None, max_examples=200)
@given(item=items)
def test_rouge_l_by_the_book(item):
    prediction, references = item
    pairs = [
        (by_the_book(prediction, ref) / len(prediction), by_the_book(prediction, ref) / len(ref))
        for ref in references
    ]

    def f(precision, recall):
        if precision == 0:
            return 0
        return 2.44 * precision * recall / (recall + 1.44 * precision)

    separate = rouge_l(prediction, references)
    assert separate == pytest.approx(f(max(p for p, _ in pairs), max(r for _, r in pairs)))


answers = st.lists(
    st.sampled_from(["The", "an", "a", "U.S.", "cat", "Cat's", "é", "-", "the-cat", "\u00a0", "x", "\n", ""]),
    max_size=6,
).map(" ".join)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(answers | st.text(max_size=12), answers | st.text(max_size=12))
def test_exact_match_and_f1_are_those_of_allennlps_copy_of_squads_script(prediction, reference):
    words, others = squad_tokens(prediction), squad_tokens(reference)
    assert words == squad.get_tokens(prediction)
    assert (words == others) == bool(squad.compute_exact(prediction, reference))
    assert squad_f1(words, others) == squad.compute_f1(prediction, reference)
