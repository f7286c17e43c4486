import pytest

from allennlp_coref_rc.annotations.annotators.connectives import AMBIGUOUS, CONNECTIVES, SUBORDINATING
from allennlp_coref_rc.annotations.annotators.senses import SENSES, conll_sense


@pytest.mark.parametrize(
    "label, sense",
    [
        ("Comparison.Contrast.Juxtaposition", "Comparison.Contrast"),
        ("contingency.cause.reason", "Contingency.Cause.Reason"),
        ("Contingency.Cause+Belief.Result+Belief", "Contingency.Cause.Result"),
        ("contingency.condition.arg2-as-cond", "Contingency.Condition"),
        ("contingency.negative-condition.arg2-as-negcond", "Expansion.Alternative"),
        ("expansion.level-of-detail.arg2-as-detail", "Expansion.Restatement"),
        ("Expansion.Equivalence", "Expansion.Restatement"),
        ("expansion.disjunction", "Expansion.Alternative"),
        ("expansion.substitution.arg1-as-subst", "Expansion.Alternative.Chosen alternative"),
        ("Temporal.Synchronous", "Temporal.Synchrony"),
        (" temporal.asynchronous.succession ", "Temporal.Asynchronous.Succession"),
        ("EntRel", "EntRel"),
    ],
)
def test_labels_of_other_corpora_have_a_sense_of_the_fifteen(label, sense):
    assert conll_sense(label) == sense


@pytest.mark.parametrize(
    "label",
    [
        "contingency.purpose.arg2-as-goal",
        "expansion.manner",
        "comparison.similarity",
        "hypophora",
        "Comparison",
        "Contingency.Cause",
        "Temporal.Asynchronous",
        "",
        ".",
    ],
)
def test_labels_without_an_equal_or_too_coarse_have_none(label):
    assert conll_sense(label) is None


def test_the_fifteen_are_themselves():
    assert len(set(SENSES)) == 15
    assert [conll_sense(sense) for sense in SENSES] == list(SENSES)


def test_the_lists_of_connectives_fit_together():
    assert set(CONNECTIVES.values()) <= set(SENSES) - {"EntRel"}
    assert set(CONNECTIVES) >= SUBORDINATING | AMBIGUOUS
    assert all(connective == connective.lower() for connective in CONNECTIVES)
