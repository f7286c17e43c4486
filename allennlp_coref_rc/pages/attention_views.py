"""Names and orders the attention of a reader for pages and pictures."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy

from allennlp_coref_rc.pages.packed_attention import AttentionMap, Block, pack, pack_numbers

SCORES = {
    "attention": ("Answer", "How much each word counts for the answer."),
    "span_start_probs": (
        "Answer's first word",
        "The probability of each word to be the first of the answer.",
    ),
    "span_end_probs": ("Answer's last word", "The probability of each word to be the last of the answer."),
}
"""By their names in predictions, the values that can colour a passage: their titles, and what they mean."""

LAYERS = {
    "coref": "Coreference",
    "srl": "Semantic roles",
    "sentence_spans": "Sentences",
    "explicit": "Explicit discourse relations",
    "non_explicit": "Non-explicit discourse relations",
}
"""How pages call the annotation layers of this package's configs. Others have their names in the config."""

SPECIAL = {
    "@begin": "[start]",
    "@end": "[end]",
    "@placeholder": "_____",
    "@implicit": "[implicit]",
    "``": "“",
    "''": "”",
}
"""How pages write the tokens that readers and tokenizers put into texts."""


DEFAULT_OOV = "@@UNKNOWN@@"
"""AllenNLP's label for what training has not seen."""


class NamedMap(NamedTuple):
    """
    A map of attention from the tokens of `side` to those of `to`, each of which is "passage" or "question".
    """

    title: str
    """It is the same for all layers or applications, among which a slider chooses."""
    step: str
    """The name of the layer or application, for the slider; empty if there is only one."""
    side: str
    to: str
    attention: AttentionMap
    labels: list[str]
    """The label of each token that the head sees, or ""; an empty list if it sees no labels."""
    scopes: list[int]
    """
    A number for each token. Tokens with equal numbers see each other. The list is empty if all tokens do.
    """


def shown_token(token: str) -> str:
    return SPECIAL.get(token, token)


def named_maps(prediction: dict[str, Any]) -> list[NamedMap]:
    """All attention in a prediction. Maps with the same title stand together."""
    lengths = {side: len(prediction[f"{side}_tokens"]) for side in ("passage", "question")}
    maps = [_of_layer(attention, lengths) for attention in prediction.get("explanations", [])]
    heads = prediction.get("annotated_heads", [])
    several = len({head["encoder"] for head in heads}) > 1
    maps += [_of_head(head, heads, lengths[head["side"]], several) for head in heads]
    titles = list(dict.fromkeys(attention.title for attention in maps))
    return sorted(maps, key=lambda attention: titles.index(attention.title))


def packed_views(prediction: dict[str, Any]) -> tuple[dict[str, Any], float]:
    """
    The data that a page's script needs to colour words, and the share of the attention that they hold. Users
    choose one of the `views`, and by a slider one of its `steps`, which names one of the `scores` or `maps`.
    """
    scores = [name for name in SCORES if name in prediction]
    views: list[dict[str, Any]] = [
        {"title": SCORES[name][0], "about": SCORES[name][1], "steps": [{"name": "", "score": i}]}
        for i, name in enumerate(scores)
    ]
    maps = named_maps(prediction)
    packed, kept = pack([attention.attention for attention in maps])
    shared: dict[str, list] = {"labels": [], "scopes": []}
    # The text already shows the numbers of clusters.
    clusters_shown = bool(prediction.get("clusters"))
    for i, (attention, values) in enumerate(zip(maps, packed)):
        values.update(side=attention.side, to=attention.to)
        for key, known in shared.items():
            value = getattr(attention, key)
            if value and not (
                key == "labels" and clusters_shown and all(not x or x.isdigit() for x in value)
            ):
                if value not in known:
                    known.append(value)
                values[key] = known.index(value)
        if not i or attention.title != maps[i - 1].title:
            views.append({"title": attention.title, "steps": []})
        views[-1]["steps"].append({"name": attention.step, "map": i})
    numbers = [pack_numbers(prediction[name]) for name in scores]
    return {"views": views, "scores": numbers, "maps": packed, **shared}, kept


def _of_layer(attention: dict[str, Any], lengths: dict[str, int]) -> NamedMap:
    side, to = attention["side"], attention["to"]
    weights = numpy.asarray(attention["weights"], dtype="f4")
    self_belief = attention["kind"] == "self_belief"
    title = f"Self-belief of the {side}" if self_belief else f"{side} reads {to}".capitalize()
    step = f"layer {attention['layer']}" if "layer" in attention else ""
    block = Block(range(len(weights)), range(weights.shape[1]), weights)
    return NamedMap(title, step, side, to, AttentionMap(lengths[side], lengths[to], [block]), [], [])


def _of_head(head: dict[str, Any], heads: Sequence[dict[str, Any]], length: int, several: bool) -> NamedMap:
    side = head["side"]
    title = LAYERS.get(head["annotation_layer"], head["annotation_layer"].replace("_", " "))
    if any(other["view"] > 1 for other in heads if other["annotation_layer"] == head["annotation_layer"]):
        title += f" {head['view']}"
    if any(other["side"] != "passage" for other in heads):
        title += f", {side}"
    if several:
        title += f", {head['encoder'].replace('_', ' ')}"
    step = f"pass {head['application']}"
    if any(other["block"] for other in heads):
        step += f", block {head['block'] + 1}"
    blocks = [
        Block(scope, scope, numpy.asarray(w, dtype="f4")) for scope, w in zip(head["scopes"], head["weights"])
    ]
    labels = ["" if label == DEFAULT_OOV else label for label in head["labels"]]
    scopes = [0] * length
    for number, scope in enumerate(head["scopes"], start=1):
        for token in scope:
            scopes[token] = number
    return NamedMap(
        title,
        step,
        side,
        side,
        AttentionMap(length, length, blocks),
        labels if any(labels) else [],
        scopes if len(blocks) > 1 or 0 in scopes else [],
    )
