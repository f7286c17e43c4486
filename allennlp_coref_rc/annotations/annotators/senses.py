"""The senses of discourse relations in the CoNLL-2016 shared task, and their names in other corpora."""

import re
from typing import Optional

from allennlp_coref_rc.annotations.annotators.lexicon import read_lines

_NAMES = [re.split(": |, ", line) for line in read_lines("senses")]
SENSES = tuple(names[0] for names in _NAMES)
_BY_NAME = {name.lower(): names[0] for names in _NAMES for name in names}

FURTHER_SENSES = ("Contingency.Purpose", "Expansion.Manner", "Comparison.Similarity")
"""Senses of PDTB 3 that have no counterpart in CoNLL-2016."""


def conll_sense(label: str) -> Optional[str]:
    """
    Which of the fifteen senses a label of PDTB 2, PDTB 3 or DISRPT stands for. Finer levels
    (`arg2-as-detail`), marks of belief or speech act (`cause+belief`) and case are ignored. `None` if there
    is no such sense, for instance if the label is too coarse ("Contingency.Cause").
    """
    levels = [level.split("+")[0] for level in label.strip().lower().split(".")]
    for length in range(len(levels), 0, -1):
        if sense := _BY_NAME.get(".".join(levels[:length])):
            return sense
    return None


def sense_of(label: str) -> str:
    """The sense of CoNLL-2016 or the further one that a label stands for, or ""."""
    further = (sense for sense in FURTHER_SENSES if label.lower().startswith(sense.lower()))
    return conll_sense(label) or next(further, "")
