"""The charts of the page, as Vega-Lite specifications."""

from collections.abc import Sequence
from typing import Any

Chart = dict[str, Any]

MAX_BARS = 10

COLOUR = "#1da4bf"

GREY = "#808080"
"""A colour that can be read on light and dark backgrounds."""


def probability_chart(probabilities: dict[str, float]) -> Chart:
    best = sorted(probabilities, key=lambda name: -probabilities[name])[:MAX_BARS]
    rows = [{"candidate": name, "probability": probabilities[name]} for name in best]
    number = {"field": "probability", "type": "quantitative"}
    return {
        "data": {"values": rows},
        "height": 24 * len(best) + 24,
        "encoding": {
            # The numbers need room to the right of 1.
            "x": {**number, "title": None, "scale": {"domain": [0, 1.35]}, "axis": {"values": [0, 0.5, 1]}},
            "y": {
                "field": "candidate",
                "type": "nominal",
                "sort": best,
                "title": None,
                "axis": {"labelLimit": 160, "labelOverlap": False, "ticks": False, "domain": False},
            },
            "tooltip": [{"field": "candidate"}, {**number, "format": ".4f"}],
        },
        "layer": [
            {"mark": {"type": "bar", "color": COLOUR, "height": 14, "cornerRadiusEnd": 2}},
            {
                "mark": {"type": "text", "align": "left", "dx": 4, "color": GREY},
                "encoding": {"text": {**number, "format": ".3f"}},
            },
        ],
    }


def note_on_sum(probabilities: dict[str, float], note: str = "") -> str:
    """Why the probabilities of the bars do not add up to 1; empty if they do. `note` is on all candidates."""
    hidden = sorted(probabilities.values(), reverse=True)[MAX_BARS:]
    if sum(hidden) > 0.0005:
        note += f" The {len(hidden)} other candidates have {sum(hidden):.3f} together."
    return note.strip()


def belief_chart(
    sentences: Sequence[str], beliefs: Sequence[dict[str, float]], candidates: Sequence[str]
) -> Chart:
    """A heat map of the candidates' probabilities after each sentence."""
    numbered = [f"{i}  {sentence}" for i, sentence in enumerate(sentences, start=1)]
    rows: list[dict[str, Any]] = [
        {"sentence": sentence, "candidate": name, "probability": believed.get(name, 0.0)}
        for sentence, believed in zip(numbered, beliefs)
        for name in candidates
    ]
    number = {"field": "probability", "type": "quantitative"}
    plain = {"ticks": False, "domain": False}
    return {
        "data": {"values": rows},
        "height": {"step": 26},
        "mark": {"type": "rect", "color": COLOUR, "stroke": "rgba(128, 128, 128, .3)", "strokeWidth": 0.5},
        "encoding": {
            "x": {
                "field": "candidate",
                "type": "nominal",
                "sort": list(candidates),
                "title": None,
                "axis": {**plain, "orient": "top", "labelAngle": -40, "labelOverlap": False},
            },
            "y": {
                "field": "sentence",
                "type": "nominal",
                "sort": numbered,
                "title": None,
                "axis": {**plain, "labelLimit": 320},
            },
            "opacity": {**number, "scale": {"domain": [0, 1], "range": [0.03, 1]}, "legend": None},
            "tooltip": [{"field": "sentence"}, {"field": "candidate"}, {**number, "format": ".4f"}],
        },
    }
