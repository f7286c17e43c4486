"""The senses of discourse relations, as the CoNLL-2016 shared task counts them, and what other corpora call them."""

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
"""What classifiers call a connective, as of "bread and butter", that makes no discourse relation."""

PDTB3_SENSES = {
    "temporal.synchronous": "Temporal.Synchrony",
    "contingency.negative-condition": "Expansion.Alternative",
    "expansion.level-of-detail": "Expansion.Restatement",
    "expansion.equivalence": "Expansion.Restatement",
    "expansion.disjunction": "Expansion.Alternative",
    "expansion.substitution": "Expansion.Alternative.Chosen alternative",
}
"""
Senses that PDTB 3 has other names for. Its purpose, manner and similarity, and DISRPT's hypophora, have no equal among
the fifteen. Negative condition is what PDTB 2 had annotated as an alternative, "unless" above all.
"""

_BY_NAME = {**{sense.lower(): sense for sense in SENSES}, **PDTB3_SENSES}


def conll_sense(label: str) -> Optional[str]:
    """
    The one of the fifteen senses that a label of PDTB 2, PDTB 3 or DISRPT stands for, however fine it is: levels below
    (`arg2-as-detail`) and marks of belief or speech act (`cause+belief`) are left out, and case does not count. `None`
    if there is none, as for a label that is too coarse ("Contingency.Cause").
    """
    levels = [level.split("+")[0] for level in label.strip().lower().split(".")]
    for length in range(len(levels), 0, -1):
        sense = _BY_NAME.get(".".join(levels[:length]))
        if sense is not None:
            return sense
    return None
