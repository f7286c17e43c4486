"""The charts of the page."""

from typing import Dict, List, Sequence

import altair as alt

MAX_BARS = 10

COLOUR = "#1da4bf"


def probability_chart(probabilities: Dict[str, float]) -> alt.Chart:
    """Bars of the most probable candidates."""
    best = sorted(probabilities, key=lambda name: -probabilities[name])[:MAX_BARS]
    rows = [{"candidate": name, "probability": probabilities[name], "p": f"{probabilities[name]:.3f}"} for name in best]
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y("candidate:N", sort=best, title=None, axis=alt.Axis(labelLimit=160, ticks=False, domain=False)),
        x=alt.X("probability:Q", scale=alt.Scale(domain=[0, 1.2]), title=None, axis=alt.Axis(values=[0, 0.5, 1])),
        tooltip=["candidate:N", alt.Tooltip("probability:Q", format=".4f")],
    )
    bars = base.mark_bar(color=COLOUR, height=14, cornerRadiusEnd=2)
    return (bars + base.mark_text(align="left", dx=4).encode(text="p:N")).properties(height=24 * len(best) + 24)


def belief_chart(sentences: Sequence[str], beliefs: Sequence[Dict[str, float]], candidates: Sequence[str]) -> alt.Chart:
    """A heat map: what is believed after each sentence."""
    numbered = [f"{i}  {sentence}" for i, sentence in enumerate(sentences, start=1)]
    rows: List[Dict[str, object]] = [
        {"sentence": sentence, "candidate": name, "probability": believed.get(name, 0.0)}
        for sentence, believed in zip(numbered, beliefs)
        for name in candidates
    ]
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X(
            "candidate:N",
            sort=list(candidates),
            title=None,
            axis=alt.Axis(
                orient="top",
                labelAngle=-40,
                ticks=False,
                domain=False,
                labelOverlap=False,
            ),
        ),
        y=alt.Y("sentence:N", sort=numbered, title=None, axis=alt.Axis(labelLimit=320, ticks=False, domain=False)),
        tooltip=["sentence:N", "candidate:N", alt.Tooltip("probability:Q", format=".4f")],
    )
    scale = alt.Scale(domain=[0, 1], range=[0.03, 1])
    boxes = base.mark_rect(color=COLOUR, stroke="rgba(128, 128, 128, .3)", strokeWidth=0.5).encode(
        opacity=alt.Opacity("probability:Q", scale=scale, legend=None)
    )
    return boxes.properties(height=alt.Step(26))
