"""Typed, directed edges between phrases, and what each token reads by them, as the definition says it."""

from allennlp_coref_rc.annotations import AnnotatedText, Edge
from allennlp_coref_rc.data.annotation_layers import TypedEdges
from allennlp_coref_rc.data.fields import AnnotationField

LENGTH = 8

EDGES = [
    Edge("is", (0, 1), (4, 6)),
    Edge("is", (5, 7), (2, 4)),
    Edge("is", (1, 3), (4, 6)),
    Edge("has", (4, 5), (6, 8)),
]

TEXT = AnnotatedText(["word"] * LENGTH, edges=EDGES)

RELATIONS = {"is": ("is", "along"), "is_inverse": ("is", "against"), "has": ("has", "along")}
"""By name of the layer, its type and direction."""


def field():
    """The edges as a reader makes them, a layer for each relation."""
    layers = {name: TypedEdges([type], direction=direction) for name, (type, direction) in RELATIONS.items()}
    return AnnotationField({name: layer.make(TEXT, LENGTH)[0] for name, layer in layers.items()}, LENGTH)


def reads(relation, t, reverse):
    """
    The tokens that token `t` reads: forward the first token of a phrase reads the last one before it of the
    other, backward the last token of a phrase the first one after it. Every edge is looked at.
    """
    type, direction = RELATIONS[relation]
    found = set()
    for edge in EDGES:
        reader, source = (edge.target, edge.source) if direction == "along" else (edge.source, edge.target)
        if edge.type != type:
            continue
        before = [i for i in range(*source) if i < t]
        after = [i for i in range(*source) if i > t]
        if not reverse and t == reader[0] and before:
            found.add(max(before))
        if reverse and t == reader[1] - 1 and after:
            found.add(min(after))
    return sorted(found)
