"""
Draws what annotators' clusters add to readers against how good the clusters are, from a table of RESULTS.md:

    python -m scripts.documentation.reading_gains
"""

from allennlp_coref_rc.common.pictures import pyplot, save
from scripts.documentation.page_tables import MARKED
from scripts.documentation.places import PROJECT

PICTURE = PROJECT / "docs" / "figures" / "reading_gains.png"

QUALITY = {"random": 2.1, "equal words": 5.5, "`sieve_coref`": 46.4, "`coref`": 57.0}
"""CoNLL F1 (%) on OntoGUM's development part, by scripts/evaluate_annotator.py."""

PANELS = {
    "bAbI's task 2": (0, 100),
    "part of LAMBADA": (1, 100),
    "Quoref": (1, 1),
    "the same, MiniLM": (1, 1),
}
"""By the beginning of a row of the table, its panel and the factor that makes percentage points of its scores."""


def main() -> None:
    page = (PROJECT / "RESULTS.md").read_text(encoding="utf-8")
    table = next(found[0] for found in MARKED.finditer(page) if found[2] == "results_coreference")
    header, _, *lines = (
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in table.splitlines()
        if line.startswith("|")
    )
    figure, panels = pyplot.subplots(1, 2, figsize=(9, 4.5), layout="constrained")
    for number, (name, *cells) in enumerate(lines):
        scores = dict(zip(header[1:], cells))
        panel, factor = next(value for start, value in PANELS.items() if name.startswith(start))
        shown = [annotator for annotator in QUALITY if scores[annotator]]
        gains = [factor * (float(scores[annotator]) - float(scores["none"])) for annotator in shown]
        panels[panel].plot(
            [QUALITY[annotator] for annotator in shown], gains, marker="o", color=f"C{number}", label=name
        )
    for panel in panels:
        panel.axhline(0, color="gray", linewidth=0.8)
        panel.set_xlabel("CoNLL F1 of the clusters, OntoGUM (%)")
        panel.set_ylabel("gain over no clusters, percentage points")
        panel.set_xticks(
            list(QUALITY.values()), [name.strip("`") for name in QUALITY], rotation=45, ha="right"
        )
    figure.legend(loc="outside upper center", ncols=2, fontsize="small")
    save(figure, PICTURE)


if __name__ == "__main__":
    main()
