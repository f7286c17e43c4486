"""Where real data and golden values are, if they are there: a folder `shared` beside the clone."""

from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]
SHARED = PROJECT.parent / "shared"
GOLDEN = SHARED / "reference" / "golden"
BABI = SHARED / "data" / "babi" / "en-valid"
LAMBADA = SHARED / "data" / "lambada" / "lambada_development_plain_text.txt"
LITBANK = SHARED / "data" / "annotators" / "litbank"
NARRATIVEQA = SHARED / "data" / "narrativeqa"
QUOREF = SHARED / "data" / "quoref" / "quoref-dev-v0.1.json"
WIKIHOP = SHARED / "data" / "wikihop"

needs_golden = pytest.mark.skipif(not GOLDEN.exists(), reason="golden values are missing")
needs_babi = pytest.mark.skipif(not BABI.exists(), reason="the real bAbI files are missing")
needs_lambada = pytest.mark.skipif(not LAMBADA.exists(), reason="the real LAMBADA file is missing")
needs_litbank = pytest.mark.skipif(not LITBANK.exists(), reason="LitBank is missing")
needs_narrativeqa = pytest.mark.skipif(not NARRATIVEQA.exists(), reason="the real NarrativeQA is missing")
needs_quoref = pytest.mark.skipif(not QUOREF.exists(), reason="the real Quoref file is missing")
needs_wikihop = pytest.mark.skipif(not WIKIHOP.exists(), reason="the real WikiHop files are missing")
