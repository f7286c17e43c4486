"""The senses of discourse relations in the CoNLL-2016 shared task, and their names in other corpora."""

from typing import Optional

SENSES = (
    "Temporal.Asynchronous.Precedence",
    "Temporal.Asynchronous.Succession",
    "Temporal.Synchrony",
    "Contingency.Cause.Reason",
    "Contingency.Cause.Result",
    "Contingency.Condition",
    "Comparison.Contrast",
    "Comparison.Concession",
    "Expansion.Conjunction",
    "Expansion.Instantiation",
    "Expansion.Restatement",
    "Expansion.Alternative",
    "Expansion.Alternative.Chosen alternative",
    "Expansion.Exception",
    "EntRel",
)
"""The fifteen of the shared task (Xue et al. 2016): fourteen of PDTB 2, some of them merged, and EntRel."""

NO_RELATION = "NoRelation"
"""The label of a connective that makes no discourse relation, such as "and" in "bread and butter"."""

PDTB3_SENSES = {
    "temporal.synchronous": "Temporal.Synchrony",
    "contingency.negative-condition": "Expansion.Alternative",
    "expansion.level-of-detail": "Expansion.Restatement",
    "expansion.equivalence": "Expansion.Restatement",
    "expansion.disjunction": "Expansion.Alternative",
    "expansion.substitution": "Expansion.Alternative.Chosen alternative",
}
"""
Senses that have other names in PDTB 3. PDTB 3's purpose, manner and similarity, and DISRPT's hypophora, have no
counterpart among the fifteen. PDTB 2 annotated a negative condition, mostly "unless", as an alternative.
"""

_BY_NAME = {**{sense.lower(): sense for sense in SENSES}, **PDTB3_SENSES}


def conll_sense(label: str) -> Optional[str]:
    """
    Which of the fifteen senses a label of PDTB 2, PDTB 3 or DISRPT stands for. Finer levels (`arg2-as-detail`), marks
    of belief or speech act (`cause+belief`) and case are ignored. `None` if there is no such sense, for instance if the
    label is too coarse ("Contingency.Cause").
    """
    levels = [level.split("+")[0] for level in label.strip().lower().split(".")]
    for length in range(len(levels), 0, -1):
        sense = _BY_NAME.get(".".join(levels[:length]))
        if sense is not None:
            return sense
    return None
