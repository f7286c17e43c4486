"""Parameters of AllenNLP's QANet encoder, and of the authors' DASSA encoder, in our names and shapes."""

import re
from typing import Any, Dict, Mapping

import torch

State = Dict[str, torch.Tensor]

NAMES = (
    (r"^_input_projection_layer", "input_projection"),
    (r"^_?encoder_blocks?[._](\d+)", r"blocks.\1"),
    (r"_conv_norm_layers\.", "norms."),
    (r"_conv_layers\.(\d+)\.1", r"convolutions.\1.depthwise"),
    (r"_conv_layers\.(\d+)\.2", r"convolutions.\1.pointwise"),
    (r"attention_layer\.", "attention."),
    (r"\._combined_projection", ".projection"),
    (r"\._output_projection", ".output_projection"),
    (r"feedforward\._linear_layers", "feedforward"),
)


def qanet_state(parameters: Mapping[str, Any], num_views: int = 0) -> State:
    """
    The state dict of a `Dassa`, from the parameters of the other encoder. Where that has heads that see views, all of
    them are those of one annotation layer here, with the labels that theirs has.
    """
    found = {name: torch.as_tensor(value) for name, value in parameters.items()}
    num_convs = 1 + max(int(number) for number in re.findall(r"_conv_norm_layers\.(\d+)", " ".join(found)))
    names = NAMES + (
        (r"attention_norm_layer", f"norms.{num_convs}"),
        (r"feedforward_norm_layer", f"norms.{num_convs + 1}"),
    )
    state: State = {}
    for name, value in found.items():
        for pattern, replacement in names:
            name = re.sub(pattern, replacement, name)
        state[name] = value.squeeze(-1) if name.endswith("pointwise.weight") else value
    for prefix in [name[: -len("_queries_projection")] for name in state if name.endswith("_queries_projection")]:
        theirs = {name[len(prefix) :]: state.pop(name) for name in list(state) if name.startswith(prefix)}
        state.update({prefix + name: value for name, value in _attention_state(theirs, num_views).items()})
    return state


def _attention_state(theirs: State, num_views: int) -> State:
    """
    Their heads project token and label together, ours apart; they have a label for what has none, a different one for
    each head, and these are the last rows of the tables; ours have a bias.
    """
    ours: State = {name: value for name, value in theirs.items() if name.startswith("output_projection")}
    weights, biases, label_weights, tables = [], [], [], []
    dim = theirs["output_projection.weight"].size(0)
    for kind in ("queries", "keys"):
        # Shape: (heads, dim + label_dim, head_dim)
        projection = theirs[f"_{kind}_projection"]
        embeddings, vectors = (theirs[f"_semantic_label_embedding_{kind[0]}_{part}.weight"] for part in "wb")
        num_heads = projection.size(0)
        weights.append(projection[:, :dim].transpose(1, 2).flatten(0, 1))
        no_label = embeddings[-num_heads:].unsqueeze(1) @ projection[:, dim:]
        biases.append((no_label.squeeze(1) + vectors[-num_heads:]).flatten())
        label_weights.append(projection[:num_views, dim:])
        tables += [embeddings, vectors]
    ours["labels.0.table.weight"] = torch.cat(tables, dim=1)
    ours["labels.0.weight"] = torch.stack(label_weights)
    ours["projection.weight"] = torch.cat([*weights, theirs["_values_projection.weight"]])
    ours["projection.bias"] = torch.cat([*biases, theirs["_values_projection.bias"]])
    return ours
