"""Pictures of what tokens attend to."""

from pathlib import Path
from typing import Any, Dict, List, Sequence

import numpy

from allennlp_coref_rc.common.pictures import pyplot, save

MAX_LABELS = 120
"""With more tokens than this, the axis of a picture does not name them."""


def draw_bars(path: Path, tokens: Sequence[str], weights: Sequence[float]) -> None:
    """Draws the weight of each token of a question."""
    figure, axes = pyplot.subplots(figsize=(max(4, 0.45 * len(tokens)), 3))
    axes.bar(range(len(tokens)), weights, color="#dc2828")
    axes.set_xticks(range(len(tokens)), tokens, rotation=60, ha="right")
    axes.set_ylim(0, 1)
    axes.set_ylabel("self-belief")
    save(figure, path)


def draw_attention(path: Path, rows: Sequence[str], columns: Sequence[str], weights: List[List[float]]) -> None:
    """Draws an attention, with a row for each token that attends."""
    size = [min(30, max(4, 0.2 * len(tokens))) for tokens in (columns, rows)]
    figure, axes = pyplot.subplots(figsize=size)
    axes.imshow(weights, aspect="auto", cmap="Reds", vmin=0)
    if len(rows) <= MAX_LABELS:
        axes.set_yticks(range(len(rows)), rows, fontsize=7)
    if len(columns) <= MAX_LABELS:
        axes.set_xticks(range(len(columns)), columns, fontsize=7, rotation=90)
    save(figure, path)


def head_matrix(head: Dict[str, Any], start: int, stop: int) -> numpy.ndarray:
    """The attention weights between the tokens from `start` to `stop`; NaN where one is outside the other's scope."""
    matrix = numpy.full((stop - start, stop - start), numpy.nan)
    for scope, weights in zip(head["scopes"], head["weights"]):
        shown = [i for i, token in enumerate(scope) if start <= token < stop]
        at = [scope[i] - start for i in shown]
        matrix[numpy.ix_(at, at)] = [[weights[i][j] for j in shown] for i in shown]
    return matrix


def draw_head(
    path: Path, tokens: Sequence[str], maps: Sequence[Dict[str, Any]], titles: Sequence[str], start: int, stop: int
) -> None:
    """
    Draws a head's map for each application and block. The darkest cell has a map's largest weight; grey is out of
    scope.
    """
    size = min(9, max(3, 0.2 * (stop - start)))
    figure, panels = pyplot.subplots(1, len(maps), figsize=(size * len(maps), size), squeeze=False)
    colours = pyplot.get_cmap("Reds").with_extremes(bad="0.9")
    ticks = range(stop - start)
    for axes, head, title in zip(panels[0], maps, titles):
        axes.imshow(head_matrix(head, start, stop), cmap=colours, vmin=0)
        axes.set_title(title, fontsize=8)
        axes.set_xticks(ticks, tokens[start:stop], fontsize=6, rotation=90)
        axes.set_yticks([])
    labelled = [f"{token} [{label}]" if label else token for token, label in zip(tokens, maps[0]["labels"])]
    panels[0, 0].set_yticks(ticks, labelled[start:stop], fontsize=6)
    save(figure, path)
