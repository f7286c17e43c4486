"""Draws pictures of what tokens attend to, in a size for papers."""

import re
from collections.abc import Sequence
from itertools import groupby
from math import ceil
from pathlib import Path
from typing import Any

import numpy

from allennlp_coref_rc.common.pictures import pyplot, save
from allennlp_coref_rc.pages.attention_views import NamedMap, named_maps, shown_token
from allennlp_coref_rc.pages.packed_attention import AttentionMap
from allennlp_coref_rc.pages.predictions import predicted_spans

WINDOW = 40
"""The most tokens of a passage in a picture."""

WIDTH = 7.0
"""The width of a picture in inches. It is the width of the text on a page with two columns."""

COLOURS = pyplot.get_cmap("Oranges").with_extremes(bad="0.92")
"""The colours of weights. Tokens outside of a head's scope are grey."""

DPI = 200


def draw_pictures(prediction: dict[str, Any], folder: Path, name: str) -> list[Path]:
    """
    Draws the attention in a prediction around the answer: a picture for each title, whose name begins with
    `name`, with a panel for each layer or application. Returns the paths.
    """
    drawn = []
    for title, group in groupby(named_maps(prediction), key=lambda attention: attention.title):
        slug = re.sub("[^a-z0-9]+", "_", title.lower()).strip("_")
        path = folder / f"{name}_{slug}.png"
        draw(path, list(group), prediction)
        drawn.append(path)
    return drawn


def draw(path: Path, maps: Sequence[NamedMap], prediction: dict[str, Any]) -> None:
    """Draws the maps of one title, which share sides, tokens and the scale of colours."""
    first = maps[0]
    rows, columns = first.side, first.to
    matrices = [part(attention, prediction) for attention in maps]
    if rows == "passage" != columns:
        # The passage is longer than the question, so it is put on the x axis.
        rows, columns, matrices = columns, rows, [matrix.T for matrix in matrices]
    labels = {side: labelled(first, side, prediction) for side in (rows, columns)}
    if len(matrices[0]) == 1:
        labels[rows if rows != columns else "all"] = ["all words"]
    across = 1 if len(maps) == 1 or rows != columns else 2
    down = ceil(len(maps) / across)
    cell = WIDTH * 0.85 / across / max(matrices[0].shape[1], 12)
    height = max(0.9, cell * len(matrices[0])) + 0.9
    figure, panels = pyplot.subplots(
        down,
        across,
        figsize=(WIDTH, height * down),
        squeeze=False,
        layout="constrained",
        sharex=True,
        sharey=True,
    )
    most = max(numpy.nanmax(matrix, initial=0.0) for matrix in matrices) or 1.0
    for axes, attention, matrix in zip(panels.flat, maps, matrices):
        image = axes.imshow(matrix, aspect="auto", cmap=COLOURS, vmin=0, vmax=most)
        axes.set_title(f"{first.title}, {attention.step}".rstrip(", "), fontsize=9)
    for axes in list(panels.flat)[len(maps) :]:
        axes.set_visible(False)
    size = 7 if across == 1 else 5
    row_labels = labels["all"] if "all" in labels else labels[rows]
    for axes in panels[-1]:
        axes.set_xlabel(
            f"{columns}: attended to" if first.to == columns else f"{columns}: attends", fontsize=8
        )
        axes.set_xticks(range(matrices[0].shape[1]), labels[columns], fontsize=size, rotation=90)
    for axes in panels[:, 0]:
        axes.set_ylabel(f"{rows}: attends" if first.side == rows else f"{rows}: attended to", fontsize=8)
        axes.set_yticks(range(len(matrices[0])), row_labels, fontsize=size)
    bar = figure.colorbar(image, ax=panels, shrink=0.8, aspect=30, pad=0.01)
    bar.set_label("weight", fontsize=8)
    bar.ax.tick_params(labelsize=7)
    save(figure, path, DPI)


def part(attention: NamedMap, prediction: dict[str, Any]) -> numpy.ndarray:
    """
    The weights between the tokens that a picture shows. They are NaN if a token is outside of the other's
    scope.
    """
    rows = shown(attention.side, prediction)
    matrix = head_matrix(attention.attention)
    matrix = matrix[slice(*rows)] if attention.attention.has_rows() else matrix[:1]
    return matrix[:, slice(*shown(attention.to, prediction))]


def head_matrix(attention: AttentionMap) -> numpy.ndarray:
    """All weights of a map, and NaN for pairs of tokens without a weight."""
    matrix = numpy.full((attention.height, attention.width), numpy.nan)
    for rows, columns, weights in attention.blocks:
        matrix[numpy.ix_(rows, columns)] = weights
    return matrix


def labelled(attention: NamedMap, side: str, prediction: dict[str, Any]) -> list[str]:
    """The tokens of a side that a picture shows, with the labels that a head sees."""
    tokens = [shown_token(token) for token in prediction[f"{side}_tokens"]]
    if side == attention.side and attention.labels:
        tokens = [f"{token} [{label}]" if label else token for token, label in zip(tokens, attention.labels)]
    return tokens[slice(*shown(side, prediction))]


def shown(side: str, prediction: dict[str, Any]) -> tuple[int, int]:
    """The [start, stop) tokens of a side that pictures show: the question, or a part around the answer."""
    length = len(prediction[f"{side}_tokens"])
    if side == "question":
        return 0, length
    scores = prediction.get("attention", [0.0])
    middle = scores.index(max(scores))
    for start, stop in predicted_spans(prediction)[:1]:
        middle = (start + stop - 1) // 2
    start = max(0, min(middle - WINDOW // 2, length - WINDOW))
    return start, min(length, start + WINDOW)
