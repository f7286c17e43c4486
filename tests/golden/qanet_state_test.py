"""The authors' attention, written from reference and paper, in other sizes than the golden files'."""

import math

import pytest
import torch

from allennlp_coref_rc.modules.annotated_self_attention import HeadViews
from allennlp_coref_rc.modules.scopes import Scopes
from tests.golden import qanet as golden_qanet

DIM, LABEL_DIM, LENGTH = 8, 3, 7


def authors_parameters(blocks, annotated, heads, head_dim, num_labels):
    """Random parameters of their encoder, under their names."""
    shapes = {}
    for block in range(blocks):
        prefix, attention = f"encoder_block_{block}.", f"encoder_block_{block}.attention_layer."
        norms = [
            f"{prefix}_conv_norm_layers.0",
            f"{prefix}attention_norm_layer",
            f"{prefix}feedforward_norm_layer",
        ]
        shapes.update({f"{norm}.{part}": (DIM,) for norm in norms for part in ("weight", "bias")})
        linear = {
            f"{prefix}_conv_layers.0.1": (DIM, 1, 3),
            f"{prefix}_conv_layers.0.2": (DIM, DIM, 1),
            f"{prefix}feedforward._linear_layers.0": (5, DIM),
            f"{prefix}feedforward._linear_layers.1": (DIM, 5),
            f"{attention}_output_projection": (DIM, heads * head_dim),
            f"{attention}_combined_projection": (3 * heads * head_dim, DIM),
        }
        if block in annotated:
            linear[f"{attention}_values_projection"] = (heads * head_dim, DIM)
            for kind in ("queries", "keys"):
                shapes[f"{attention}_{kind}_projection"] = (heads, DIM + LABEL_DIM, head_dim)
                for part, size in (("w", LABEL_DIM), ("b", head_dim)):
                    shapes[f"{attention}_semantic_label_embedding_{kind[0]}_{part}.weight"] = (
                        num_labels,
                        size,
                    )
        for name, shape in linear.items():
            shapes.update({f"{name}.weight": shape, f"{name}.bias": shape[:1]})
    return {name: torch.randn(shape) for name, shape in shapes.items()}


def authors_attention(parameters, inputs, views, scopes):
    """One sequence, head by head. What has no label has the head's own, and so has what is in no scope."""
    embeddings = {
        kind + part: parameters[f"_semantic_label_embedding_{kind}_{part}.weight"]
        for kind in "qk"
        for part in "wb"
    }
    heads, _, head_dim = parameters["_queries_projection"].shape
    values = inputs @ parameters["_values_projection.weight"].T + parameters["_values_projection.bias"]
    outputs = []
    for head in range(heads):
        own = len(embeddings["qw"]) - heads + head
        nothing = torch.zeros(LENGTH, dtype=torch.long)
        labels, groups = (
            torch.where(part[head] > 0, part[head], own) if head < len(part) else nothing + own
            for part in (views, scopes)
        )
        queries, keys = (
            torch.cat([inputs, embeddings[kind + "w"][labels]], dim=1)
            @ parameters[f"_{name}_projection"][head]
            + embeddings[kind + "b"][labels]
            for kind, name in (("q", "queries"), ("k", "keys"))
        )
        scores = queries @ keys.T / math.sqrt(head_dim)
        weights = scores.masked_fill(groups[:, None] != groups, -torch.inf).softmax(dim=1)
        outputs.append(weights @ values[:, head * head_dim : (head + 1) * head_dim])
    return (
        torch.cat(outputs, dim=1) @ parameters["_output_projection.weight"].T
        + parameters["_output_projection.bias"]
    )


@pytest.mark.parametrize(
    "blocks, annotated, heads, head_dim, num_views",
    [(3, [1], 4, 2, 2), (2, [0, 1], 2, 4, 2), (4, [1, 3], 8, 1, 6), (1, [0], 3, 2, 3), (2, [1], 3, 5, 1)],
)
def test_attention_of_any_size_is_the_authors(blocks, annotated, heads, head_dim, num_views):
    torch.manual_seed(0)
    num_labels = 10 + heads
    parameters = authors_parameters(blocks, annotated, heads, head_dim, num_labels)
    state = golden_qanet.qanet_state(parameters, num_views)
    # What their annotated heads own and do not use is left out.
    state = {name: value for name, value in state.items() if "_combined" not in name}
    encoder = golden_qanet.encoder_of(state, heads)
    encoder.load_state_dict(state)
    inputs = torch.randn(1, LENGTH, DIM)
    views, scopes = torch.randint(0, 10, (num_views, LENGTH)), torch.randint(0, 3, (num_views, LENGTH))
    mask = torch.ones(1, LENGTH, dtype=torch.bool)
    seen = HeadViews(views.T.unsqueeze(0), Scopes(scopes.T.unsqueeze(0), mask, join_unannotated=True))
    for block in annotated:
        prefix = f"encoder_block_{block}.attention_layer."
        theirs = {name[len(prefix) :]: value for name, value in parameters.items() if name.startswith(prefix)}
        expected = authors_attention(theirs, inputs[0], views, scopes)
        output = encoder.blocks[block].attention(inputs, None, seen)
        torch.testing.assert_close(output[0], expected, atol=1e-4, rtol=1e-4)
