"""The tables and examples of docs/configs.md, and combinations of variants, for tests of the configs."""

import re
from typing import NamedTuple

from tests.shared import PROJECT

PAGE = (PROJECT / "docs" / "configs.md").read_text(encoding="utf-8")

CLOZE = "daily_mail wdw_relaxed wdw_strict wikihop"
MIX = "(import 'babi_mix/ga_mage_gru.jsonnet')"
QANET = "(import 'narrativeqa/baseline_qanet.jsonnet')"
DEVELOPMENT = "(import 'lib/narrativeqa_development.libsonnet')"

COMBINATIONS = (
    ("bi_gru", CLOZE, "variants.single_layer"),
    ("bi_gru_one_hot", CLOZE, "variants.one_hot + variants.single_layer"),
    ("bi_coref_gru", f"cnn lambada {CLOZE}", "variants.coref_gru + variants.single_layer"),
    ("ga_gru", "babi_mix", f"{MIX} + variants.gru"),
    ("ga_gru_one_hot", CLOZE, "variants.one_hot"),
    ("ga_coref_gru", "babi_mix", f"{MIX} + variants.coref_gru"),
    ("ga_coref_gru", "cnn daily_mail wdw_relaxed wdw_strict", "variants.coref_gru"),
    ("ga_random_coref_gru", f"cnn lambada {CLOZE}", "variants.coref_gru + variants.random_clusters"),
    ("ga_mage_gru_16", "lambada wikihop", "variants.mage_gru(16)"),
    ("ga_mage_gru_32", CLOZE, "variants.mage_gru(32)"),
    ("ga_dassa", f"babi cnn lambada {CLOZE}", "variants.dassa"),
    ("stanford", f"babi cnn lambada {CLOZE}", "variants.single_layer + variants.bilinear"),
    ("cg", "babi lambada wikihop", "variants.cg"),
    ("cg_by_filtered_question", f"babi lambada {CLOZE}", "variants.cg_by_filtered_question"),
    *(
        (f"cg_by_{kind}_unfiltered", f"babi lambada {CLOZE}", f"variants.cg_by_{kind}_unfiltered")
        for kind in ("filtered_question", "question")
    ),
    ("sba_question", "babi lambada wikihop", "variants.sba_question"),
    ("sba_question_tanh", f"babi lambada {CLOZE}", "variants.sba_question_tanh"),
    ("sba_passage", f"babi lambada {CLOZE}", "variants.sba_passage"),
    ("sba_both", f"babi lambada {CLOZE}", "variants.sba_question + variants.sba_passage"),
    ("cg_sba", "babi lambada lambada_development wikihop", "variants.cg + variants.sba_question"),
    ("qanet_gru", "narrativeqa", f"{QANET} + variants.gru"),
    ("qanet_coref_gru", "narrativeqa", f"{QANET} + variants.coref_gru"),
    ("qanet_mage_gru_16", "narrativeqa", f"{QANET} + variants.mage_gru(16)"),
    ("development_qanet", "narrativeqa", DEVELOPMENT),
    ("development_explicit", "narrativeqa", f"{DEVELOPMENT} + variants.explicit()"),
    ("development_coref", "narrativeqa", f"{DEVELOPMENT} + variants.coref()"),
    ("development_explicit_coref", "narrativeqa", f"{DEVELOPMENT} + variants.explicit() + variants.coref()"),
)
"""Names, data sets and Jsonnet. Without an import, they are variants over `ga_gru` of each data set."""


class Line(NamedTuple):
    """A config that is a line over another one: a name, its folder, and its text."""

    name: str
    folder: str
    text: str


def folders() -> set[str]:
    """The folders of configs that the first table lists."""
    return {folder for cell, *_ in tables(PAGE)[0] for folder in code(cell)}


def section(title: str) -> str:
    return PAGE.split(f"## {title}\n")[1].split("\n## ")[0]


def tables(text: str) -> list[list[list[str]]]:
    """The tables of a text, as rows of cells, without their heads."""
    found = [[]]
    for line in text.splitlines():
        if line.startswith("|"):
            found[-1].append([cell.strip() for cell in line.strip("|").split("|")])
        elif found[-1]:
            found.append([])
    return [rows[2:] for rows in found if rows]


def code(cell: str) -> list[str]:
    return re.findall("`(.*?)`", cell)


def fields_of_variants(title: str) -> dict[str, str]:
    """By the variants of a section's first table, such as `mage_gru(16)`, their fields."""
    return {code(variant)[0]: code(field)[0] for variant, field, _ in tables(section(title))[0]}


def examples() -> list[str]:
    return re.findall(r"```jsonnet\n(.*?)```", PAGE, re.DOTALL)


def lines() -> list[list[Line]]:
    """The combinations: for each, one line for each of its folders."""
    made = []
    for name, folders, text in COMBINATIONS:
        made.append([])
        for folder in folders.split():
            library = "narrativeqa_variants" if folder == "narrativeqa" else "variants"
            over = "" if "import" in text else f"(import '{folder}/ga_gru.jsonnet') + "
            made[-1].append(
                Line(name, folder, f"local variants = import 'lib/{library}.libsonnet'; {over}{text}")
            )
    return made
