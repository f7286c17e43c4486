"""The tables and examples of docs/configs.md, and combinations of variants, for tests of the configs."""

import re
from typing import NamedTuple

from tests.shared import PROJECT

PAGE = (PROJECT / "docs" / "configs.md").read_text(encoding="utf-8")

COMBINATIONS = (
    ("bi_gru", "daily_mail wdw_relaxed wdw_strict wikihop", "variants.single_layer"),
    (
        "bi_gru_one_hot",
        "daily_mail wdw_relaxed wdw_strict wikihop",
        "variants.one_hot + variants.single_layer",
    ),
    (
        "bi_coref_gru",
        "cnn daily_mail lambada wdw_relaxed wdw_strict wikihop",
        "variants.coref_gru + variants.single_layer",
    ),
    ("ga_gru", "babi_mix", "(import 'babi_mix/ga_mage_gru.jsonnet') + variants.gru"),
    ("ga_gru_one_hot", "daily_mail wdw_relaxed wdw_strict wikihop", "variants.one_hot"),
    ("ga_coref_gru", "babi_mix", "(import 'babi_mix/ga_mage_gru.jsonnet') + variants.coref_gru"),
    ("ga_coref_gru", "cnn daily_mail wdw_relaxed wdw_strict", "variants.coref_gru"),
    (
        "ga_random_coref_gru",
        "cnn daily_mail lambada wdw_relaxed wdw_strict wikihop",
        "variants.coref_gru + variants.random_clusters",
    ),
    ("ga_mage_gru_16", "lambada wikihop", "variants.mage_gru(16)"),
    ("ga_mage_gru_32", "daily_mail wdw_relaxed wdw_strict wikihop", "variants.mage_gru(32)"),
    ("ga_dassa", "babi cnn daily_mail lambada wdw_relaxed wdw_strict wikihop", "variants.dassa"),
    (
        "stanford",
        "babi cnn daily_mail lambada wdw_relaxed wdw_strict wikihop",
        "variants.single_layer + variants.bilinear",
    ),
    ("cg", "babi lambada wikihop", "variants.cg"),
    (
        "cg_by_filtered_question",
        "babi daily_mail lambada wdw_relaxed wdw_strict wikihop",
        "variants.cg_by_filtered_question",
    ),
    (
        "cg_by_filtered_question_unfiltered",
        "babi daily_mail lambada wdw_relaxed wdw_strict wikihop",
        "variants.cg_by_filtered_question_unfiltered",
    ),
    (
        "cg_by_question_unfiltered",
        "babi daily_mail lambada wdw_relaxed wdw_strict wikihop",
        "variants.cg_by_question_unfiltered",
    ),
    ("sba_question", "babi lambada wikihop", "variants.sba_question"),
    (
        "sba_question_tanh",
        "babi daily_mail lambada wdw_relaxed wdw_strict wikihop",
        "variants.sba_question_tanh",
    ),
    ("sba_passage", "babi daily_mail lambada wdw_relaxed wdw_strict wikihop", "variants.sba_passage"),
    (
        "sba_both",
        "babi daily_mail lambada wdw_relaxed wdw_strict wikihop",
        "variants.sba_question + variants.sba_passage",
    ),
    ("cg_sba", "babi lambada lambada_development wikihop", "variants.cg + variants.sba_question"),
    ("qanet_gru", "narrativeqa", "(import 'narrativeqa/baseline_qanet.jsonnet') + variants.gru"),
    ("qanet_coref_gru", "narrativeqa", "(import 'narrativeqa/baseline_qanet.jsonnet') + variants.coref_gru"),
    (
        "qanet_mage_gru_16",
        "narrativeqa",
        "(import 'narrativeqa/baseline_qanet.jsonnet') + variants.mage_gru(16)",
    ),
    ("development_qanet", "narrativeqa", "import 'lib/narrativeqa_development.libsonnet'"),
    (
        "development_explicit",
        "narrativeqa",
        "(import 'lib/narrativeqa_development.libsonnet') + variants.explicit()",
    ),
    (
        "development_coref",
        "narrativeqa",
        "(import 'lib/narrativeqa_development.libsonnet') + variants.coref()",
    ),
    (
        "development_explicit_coref",
        "narrativeqa",
        "(import 'lib/narrativeqa_development.libsonnet') + variants.explicit() + variants.coref()",
    ),
)
"""
Names, data sets and Jsonnet. Those that do not import a config are variants over `ga_gru` of each data set.
"""


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
