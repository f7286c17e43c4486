"""
Golden values of QANet and DASSA: parameters of the authors' model, and of AllenNLP's QANet encoder, in the
names and shapes of this package, and how far apart the outputs are.
"""

import re
from collections.abc import Mapping
from typing import Any

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import TextFieldTensors, Vocabulary
from allennlp.modules.matrix_attention import LinearMatrixAttention
from allennlp.modules.seq2vec_encoders import CnnEncoder
from allennlp.modules.text_field_embedders import BasicTextFieldEmbedder
from allennlp.modules.token_embedders import Embedding, TokenCharactersEncoder
from torch.func import functional_call
from torch.nn.functional import pad

from allennlp_coref_rc.data.annotation_layers import label_namespace
from allennlp_coref_rc.models import AnnotatedQanet
from allennlp_coref_rc.modules.seq2seq_encoders import DASSA
from tests.golden.derivatives import difference, leaves

State = dict[str, torch.Tensor]

VIEWS = "views"
"""The annotation layer of a golden file's views, all of which have one table of labels."""

EMBEDDER, ENCODERS = "_text_field_embedder.token_embedder_", ("_phrase_layer", "_modeling_layer")

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
    The state dict of a `DASSA`, from the parameters of the other encoder. Where that has heads that see
    views, all of them are those of one annotation layer here, with the labels that theirs has.
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
    for prefix in [
        name[: -len("_queries_projection")] for name in state if name.endswith("_queries_projection")
    ]:
        theirs = {name[len(prefix) :]: state.pop(name) for name in list(state) if name.startswith(prefix)}
        state.update({prefix + name: value for name, value in _attention_state(theirs, num_views).items()})
    return state


def _attention_state(theirs: State, num_views: int) -> State:
    """
    Their heads project token and label together, ours apart; they have a label for what has none, a different
    one for each head, and these are the last rows of the tables; ours have a bias.
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


def model_of(golden: Mapping[str, Any], num_heads: int = 8) -> AnnotatedQanet:
    """
    The authors' model with their parameters, all sizes as these have them: but for the number of attention
    heads, which shows in annotated heads alone.
    """
    parameters = {name[2:]: torch.as_tensor(value) for name, value in golden.items() if name.startswith("p:")}
    num_views = golden["in:passage_sem_views_q"].shape[1] if "in:passage_sem_views_q" in golden else 0
    state = {name: value for name, value in parameters.items() if not name.startswith(ENCODERS)}
    encoders = {}
    for layer in ENCODERS:
        theirs = {
            name[len(layer) + 1 :]: value
            for name, value in parameters.items()
            if name.startswith(f"{layer}.")
        }
        num_heads = next(
            (value.size(0) for name, value in theirs.items() if "_queries_proj" in name), num_heads
        )
        ours = qanet_state(theirs, num_views)
        encoders[layer] = encoder_of(ours, num_heads)
        state.update({f"{layer}.{name}": value for name, value in ours.items()})
    embedder = _embedder_of(state)
    dim = encoders["_phrase_layer"].get_output_dim()
    model = AnnotatedQanet(
        Vocabulary(),
        embedder,
        *(encoders["_phrase_layer"], LinearMatrixAttention(dim, dim, "x,y,x*y"), encoders["_modeling_layer"]),
        num_highway_layers=sum(
            bool(re.fullmatch(r"_highway_layer\._layers\.\d+\.weight", name)) for name in state
        ),
    )
    model.load_state_dict(state)
    return model.eval()


def encoder_of(state: State, num_heads: int) -> DASSA:
    """An encoder for a state dict of ours; the first of the heads in annotated blocks see views."""
    sizes = {name: tuple(value.shape) for name, value in state.items()}
    hidden_dim, _, kernel_size = sizes["blocks.0.convolutions.0.depthwise.weight"]
    annotated = sorted(int(name.split(".")[1]) for name in sizes if name.endswith("labels.0.table.weight"))
    options = {}
    if annotated:
        prefix = f"blocks.{annotated[0]}.attention.labels.0."
        _, num_views, label_dim, _ = sizes[f"{prefix}weight"]
        labels = {str(i): 1 for i in range(sizes[f"{prefix}table.weight"][0] - 2)}
        vocab = Vocabulary(counter={label_namespace(VIEWS): labels})
        options = dict(heads={VIEWS: num_views}, annotated_blocks=annotated, label_dim=label_dim, vocab=vocab)
    return DASSA(
        sizes.get("input_projection.weight", (hidden_dim, hidden_dim))[1],
        hidden_dim,
        num_blocks=_number(sizes, r"blocks\.(\d+)\."),
        num_convs_per_block=_number(sizes, r"blocks\.0\.convolutions\.(\d+)\."),
        conv_kernel_size=kernel_size,
        num_attention_heads=num_heads,
        attention_projection_dim=sizes["blocks.0.attention.output_projection.weight"][1],
        feedforward_hidden_dim=sizes["blocks.0.feedforward.0.weight"][0],
        join_unannotated=True,
        **options,
    )


def _number(names: Mapping[str, Any], pattern: str) -> int:
    return 1 + max(int(match[1]) for match in map(re.compile(pattern).match, names) if match)


def _embedder_of(state: State) -> BasicTextFieldEmbedder:
    """
    In AllenNLP 0.8.3 the windows of a character CNN may lie in padding, which is zeros. Today's leaves those
    out: unless padding is a character like others, whose vector is zero, and which is added to `state`.
    """
    embedders = {}
    for key in sorted({name[len(EMBEDDER) :].split(".")[0] for name in state if name.startswith(EMBEDDER)}):
        prefix = f"{EMBEDDER}{key}."
        if f"{prefix}weight" in state:
            number, dim = state[f"{prefix}weight"].shape
            embedders[key] = Embedding(dim, num_embeddings=number)
            continue
        name = f"{prefix}_embedding._module.weight"
        state[name] = pad(state[name], (0, 0, 0, 1))
        number, dim = state[name].shape
        convolutions = {n: value for n, value in state.items() if n.startswith(prefix) and value.dim() == 3}
        filters = {value.size(0) for value in convolutions.values()}
        if len(filters) != 1:
            raise ConfigurationError(f"found {len(filters)} sizes of convolutions in {prefix}*, expected 1")
        cnn = CnnEncoder(dim, *filters, ngram_filter_sizes=[value.size(2) for value in convolutions.values()])
        embedders[key] = TokenCharactersEncoder(Embedding(dim, num_embeddings=number), cnn)
    return BasicTextFieldEmbedder(embedders)


def inputs_of(golden: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the model, without annotations of the question, which theirs does not look at."""
    padding = next(
        value.shape[0] for name, value in golden.items() if name.endswith("_embedding._module.weight")
    )

    def text(part: str) -> TextFieldTensors:
        prefix = f"in:{part}:"
        ids = {
            name[len(prefix) :]: torch.as_tensor(golden[name]) for name in golden if name.startswith(prefix)
        }
        return {
            key: {key: value.masked_fill(value == 0, padding) if value.dim() == 3 else value}
            for key, value in ids.items()
        }

    inputs = {"passage": text("passage"), "question": text("question")}
    inputs.update({name: torch.as_tensor(golden[f"in:{name}"]) for name in ("span_start", "span_end")})
    if "in:passage_sem_views_q" in golden:
        views = {"labels": golden["in:passage_sem_views_q"], "scopes": golden["in:passage_sem_views_k"]}
        inputs["passage_annotations"] = {
            VIEWS: {name: torch.as_tensor(value).long().transpose(1, 2) for name, value in views.items()}
        }
    return inputs


def differences(golden: Mapping[str, Any], num_heads: int = 8, block: int = 1) -> dict[str, float]:
    """
    By output the largest difference between ours and theirs, padding left out. The attention is that of a
    block of the modelling layer, given the inputs that it had in its last application.
    """
    model, inputs = model_of(golden, num_heads), inputs_of(golden)
    mask = torch.as_tensor(golden["in:passage:tokens"]) != 0
    found: dict[str, torch.Tensor] = {}
    with torch.no_grad():
        if "last:att_in" in golden:
            encoder = model._modeling_layer
            views = encoder._views(inputs["passage_annotations"], mask)
            attention = encoder.blocks[block].attention
            attended = mask[:, None, None, :]
            found["last:att_out"] = attention(torch.as_tensor(golden["last:att_in"]), attended, views)
        output = model(**inputs)
    found.update({f"out:{name}": output[name] for name in ("span_start_logits", "span_end_logits")})
    result = {
        name: (value - torch.as_tensor(golden[name]))[mask].abs().max().item()
        for name, value in found.items()
    }
    if "out:loss" in golden:
        result["out:loss"] = abs(output["loss"].item() - float(golden["out:loss"]))
    return result


class GivenPositions(torch.nn.Module):
    def __init__(self, positions: torch.Tensor) -> None:
        super().__init__()
        self._positions = positions

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return self._positions


def encoder_differences(golden: Mapping[str, Any]) -> dict[str, float]:
    """
    By output the largest difference of an encoder alone, and of the attention of its last block. Positions
    are AllenNLP's, in float32: they are compared by themselves, and the encoder has those of the file.
    """
    parameters = {name: value for name, value in golden.items() if name.startswith("p:")}
    labels, scopes = (torch.as_tensor(golden[f"in:views_{kind}"]) for kind in "qk")
    by = leaves(golden, ["in:inputs", *parameters])
    state = qanet_state({name[2:]: by[name] for name in parameters}, labels.size(-1))
    encoder = encoder_of(state, int(golden["in:heads"])).to(by["in:inputs"].dtype).eval()
    encoder.load_state_dict(state)
    mask = torch.as_tensor(golden["in:mask"]) > 0
    annotations = {VIEWS: {"labels": labels, "scopes": scopes}}
    with torch.no_grad():
        positions = encoder.positions(by["in:inputs"])
        attention = encoder.blocks[-1].attention
        attended = attention(by["in:inputs"], mask[:, None, None, :], encoder._views(annotations, mask))
    encoder.positions = GivenPositions(torch.as_tensor(golden["out:positions"]))
    output = functional_call(encoder, state, (by["in:inputs"], mask, annotations))
    found = {"positions": positions[0], "attention": attended * mask.unsqueeze(-1), "encoder": output}
    result = {
        f"out:{name}": (value - torch.as_tensor(golden[f"out:{name}"])).abs().max().item()
        for name, value in found.items()
    }
    return {**result, "grad": difference(golden, by, (output * torch.as_tensor(golden["upstream"])).sum())}
