"""
Fills the tables of the pages of results, and the figures in sentences of README.md and RESULTS.md, from
docs/results/runs.csv, as docs/results/tables.yaml and figures.yaml describe them:

    python -m scripts.documentation.results
"""

from pathlib import Path
from typing import Any

import yaml

from allennlp_coref_rc.common.files import write_text
from allennlp_coref_rc.reproduction.condition_files import CONDITIONS, read_conditions
from allennlp_coref_rc.reproduction.results_file import read_lines
from scripts.documentation.page_tables import MARKED, PageTables
from scripts.documentation.places import PROJECT

RESULTS = PROJECT / "docs" / "results"


def pages() -> list[Path]:
    """The pages that have marks."""
    paths = [PROJECT / "RESULTS.md", *sorted((PROJECT / "docs").rglob("*.md"))]
    return [path for path in paths if MARKED.search(path.read_text(encoding="utf-8"))]


def page_tables() -> PageTables:
    conditions = [RESULTS / "why_we_differ.yaml", RESULTS / "coreference_reading.yaml", CONDITIONS]
    tables = [table for path in conditions for table in read_conditions(str(path))]
    described = yaml.safe_load((RESULTS / "tables.yaml").read_text(encoding="utf-8"))
    return PageTables(described, read_lines(str(RESULTS / "runs.csv")), tables)


def figures() -> dict[str, Any]:
    return yaml.safe_load((RESULTS / "figures.yaml").read_text(encoding="utf-8"))


def filled(path: Path, text: str, tables: PageTables) -> str:
    """A page with its tables and the figures of its sentences."""
    described = figures()
    for sentence in described.get(path.name, {}).get("sentences", ()):
        text = tables.sentence(text, sentence, described["figures"])
    return tables.filled(text)


def main() -> None:
    tables = page_tables()
    for path in {*pages(), PROJECT / "README.md"}:
        text = path.read_text(encoding="utf-8")
        if filled(path, text, tables) != text:
            write_text(path, filled(path, text, tables))
            print(f"{path.relative_to(PROJECT)}: updated")


if __name__ == "__main__":
    main()
