import re

import pytest

from scripts.documentation import reading_gains
from tests.shared import PROJECT


def test_gains_are_those_of_the_tables(monkeypatch):
    figures = []
    monkeypatch.setattr(reading_gains, "save", lambda figure, path: figures.append(figure))
    reading_gains.main()
    gains = {line.get_label(): line.get_xydata() for axes in figures[0].axes for line in axes.get_lines()}
    page = (PROJECT / "docs" / "results" / "coreference_reading.md").read_text(encoding="utf-8")
    means = dict(re.findall(r"^\| (none|`\w+`) \|.* (\.\d+) ± [^|]+ \| \.\d+ \|", page, flags=re.M))
    (lambada,) = (points for label, points in gains.items() if "LAMBADA" in label)
    expected = 100 * (float(means["`coref`"]) - float(means["none"]))
    assert lambada[-1] == pytest.approx((reading_gains.QUALITY["`coref`"], expected))


def test_qualities_are_those_of_the_page():
    page = (PROJECT / "docs" / "results" / "annotators.md").read_text(encoding="utf-8")
    (sieve, coref) = re.search(r"OntoGUM, development part.* \| ([\d.]+) \| ([\d.]+) \| ", page).groups()
    assert (float(sieve), float(coref)) == tuple(list(reading_gains.QUALITY.values())[2:])
