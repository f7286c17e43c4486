"""
Golden values of Coref-GRU, the authors' and our own: parameters and one-hot cluster arrays in the shapes of
this package, and how far apart the outputs are. All is computed in the type of the file's numbers.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy
import torch
from allennlp.common import Lazy
from allennlp.data import TextFieldTensors, Vocabulary
from allennlp.modules.seq2seq_encoders import GruSeq2SeqEncoder
from allennlp.modules.text_field_embedders import BasicTextFieldEmbedder
from allennlp.modules.token_embedders import Embedding, TokenCharactersEncoder
from torch.func import functional_call
from torch.nn.functional import pad

from allennlp_coref_rc.data.annotation_layers.edges import FIRST_MENTION, OTHER_SEQUENCE, PADDING
from allennlp_coref_rc.models import GAReader
from allennlp_coref_rc.modules.answer_layers import AttentionSum
from allennlp_coref_rc.modules.pair import TokenVectors
from allennlp_coref_rc.modules.seq2seq_encoders import CorefGRU
from tests.golden.derivatives import difference, leaves

State = dict[str, torch.Tensor]

PARAMETERS = [f"{direction}_{name}" for direction in ("fwd", "bwd") for name in "WUb"]
"""What the names of a layer's parameters begin with."""

EPSILON = 1e-7
"""What the authors' code adds to probabilities; our own values, which are the paper's, say zero."""

EMBEDDER = "_text_field_embedder.token_embedder_"
CHARACTERS = f"{EMBEDDER}word_characters."
FILTERS = f"{CHARACTERS}_encoder._module.convolution.weight"


class CharacterFilters(torch.nn.Module):
    """
    The authors' convolution without a bias; its windows lie within the characters, of which all words have as
    many.
    """

    def __init__(self, embedding_dim: int, num_filters: int, width: int) -> None:
        super().__init__()
        self.convolution = torch.nn.Conv1d(embedding_dim, num_filters, width, bias=False)

    def get_output_dim(self) -> int:
        return self.convolution.out_channels

    def forward(self, tokens: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return self.convolution(tokens.transpose(1, 2)).relu().amax(dim=2)


def gru_state(gates: Mapping[str, Any], keys: Optional[Any] = None, suffix: str = "") -> State:
    """
    A state dict of `CorefGRU` (or, without keys, of `torch.nn.GRU`) from the authors' `W?`, `U?`, `b?` with ?
    of r, z and h. Their update gate lets the candidate in, ours keeps the old state: its weights change sign.
    """

    def stack(name: str) -> torch.Tensor:
        values = {gate: torch.as_tensor(gates[name + gate]).movedim(0, -1) for gate in "rzh"}
        return torch.cat([values["r"], -values["z"], values["h"]])

    state = {"weight_ih_l0": stack("W"), "weight_hh_l0": stack("U"), "bias_ih_l0": stack("b")}
    state["bias_hh_l0"] = torch.zeros_like(state["bias_ih_l0"])
    if keys is not None:
        state["keys"] = torch.as_tensor(keys)
    return {name + suffix: value for name, value in state.items()}


def unpacked(golden: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """The gates of arrays that have all three as their first dimension."""
    return {name + gate: golden[f"{prefix}{name}"][i] for name in "WUb" for i, gate in enumerate("rzh")}


def sources(reads: numpy.ndarray, writes: numpy.ndarray, reverse: bool = False) -> torch.LongTensor:
    """
    The sources of coreference edges from 0/1 arrays of shape (batch_size, sequence_length, slots), slot 0
    being the sequence: what a token reads in a slot is what was last written there. Where nothing was,
    `FIRST_MENTION`.
    """
    batch_size, length, slots = reads.shape
    result = numpy.full((batch_size, length, slots - 1), PADDING)
    for b in range(batch_size):
        for slot in range(1, slots):
            latest = FIRST_MENTION
            for t in reversed(range(length)) if reverse else range(length):
                if reads[b, t, slot]:
                    result[b, t, slot - 1] = latest
                if writes[b, t, slot]:
                    latest = t
    return torch.tensor(result)


class Variables:
    """The authors' variables in the order of their creation."""

    def __init__(self, golden: Mapping[str, Any], prefix: str) -> None:
        self._values = (torch.as_tensor(golden[f"{prefix}{i:02d}"]) for i in range(len(golden["var_names"])))

    def next(self) -> torch.Tensor:
        return next(self._values)

    def finished(self) -> None:
        """Raises a `ValueError` if there are more, so that the layout is another one."""
        left = len(list(self._values))
        if left:
            raise ValueError(f"{left} variables are left over")

    def gru(self, with_keys: bool, suffix: str) -> State:
        # Reset, update and candidate, each with W, U and b.
        gates = {name + gate: self.next() for gate in "rzh" for name in "WUb"}
        return gru_state(gates, self.next() if with_keys else None, suffix)


def embeddings_of(golden: Mapping[str, Any]) -> list[str]:
    """
    The variables that come before the layers: words, and by their shapes the feature of the question and the
    characters, which not every model has.
    """
    shapes = [golden[f"v{i:02d}"].shape for i in range(len(golden["var_names"]))]
    names = ["words"] + ["qe_comm"] * ((2, 2) in shapes[1:2])
    following = shapes[len(names) + 1 : len(names) + 2]
    return names + ["char_emb_mat", "filter"] * (list(map(len, following)) == [4])


def reads_feature(golden: Mapping[str, Any], layers: int) -> bool:
    """Whether an encoder of the last layer has two inputs more, for the feature of the question."""
    names, number = embeddings_of(golden), len(golden["var_names"])
    of_layer = (number - len(names)) // layers
    arrays = [golden[f"v{i:02d}"] for i in range(number)]
    sizes = [array.shape for array in arrays[number - of_layer :] if array.ndim == 2]
    text = arrays[0].shape[1] + (arrays[len(names) - 1].shape[-1] if "filter" in names else 0)
    return any(rows == (text if layers == 1 else 2 * size) + 2 for rows, size in sizes)


def embedding_state(variables: Variables, names: Sequence[str], with_feature: bool) -> State:
    """The embeddings as a state dict; ids count from 1 here, since 0 is padding in AllenNLP."""
    state: State = {}
    for name in names:
        value = variables.next()
        if name == "words":
            state[f"{EMBEDDER}word.weight"] = pad(value, (0, 0, 1, 0))
        elif name == "qe_comm" and with_feature:
            state["_qe_comm.weight"] = value
        elif name == "char_emb_mat":
            state[f"{CHARACTERS}_embedding._module.weight"] = pad(value, (0, 0, 1, 0))
        elif name == "filter":
            # TensorFlow's (1, width, channels, filters) as torch's (filters, channels, width).
            state[FILTERS] = value[0].permute(2, 1, 0)
    return state


def embedder_of(state: State) -> tuple[Vocabulary, BasicTextFieldEmbedder]:
    words = state[f"{EMBEDDER}word.weight"]
    vocab = Vocabulary(non_padded_namespaces=["*"])
    for i in range(len(words)):
        vocab.add_token_to_namespace(str(i), "tokens")
    # Concatenated in the order of their names.
    embedders: dict[str, Any] = {"word": Embedding(words.size(1), num_embeddings=len(words))}
    if FILTERS in state:
        characters = state[f"{CHARACTERS}_embedding._module.weight"]
        num_filters, _, width = state[FILTERS].shape
        embedders["word_characters"] = TokenCharactersEncoder(
            Embedding(characters.size(1), num_embeddings=len(characters)),
            CharacterFilters(characters.size(1), num_filters, width),
        )
    return vocab, BasicTextFieldEmbedder(embedders)


def text_of(golden: Mapping[str, Any], side: str) -> TextFieldTensors:
    """The words and, if there are any, the characters of the passages ("d") or questions ("q")."""
    mask = golden[f"m{side}"] > 0
    # The authors give padding the id of a real word and never look at it; AllenNLP masks the id 0.
    text: TextFieldTensors = {"word": {"tokens": torch.tensor((golden[f"{side}w"] + 1) * mask).long()}}
    if f"{side}c" in golden:
        text["word_characters"] = {"token_characters": torch.tensor(golden[f"{side}c"] + 1).long()}
    return text


def model_of(golden: Mapping[str, Any]) -> GAReader:
    """A reader of the sizes of the authors', with their parameters."""
    state = model_state(golden)
    vocab, embedder = embedder_of(state)
    passage_encoders, question_encoders = [], []
    for name, value in state.items():
        if name.endswith(".weight_ih_l0"):
            size, encoder = value.size(0) // 3, name.split(".")[0]
            if encoder == "_passage_encoders":
                passage_encoders.append(CorefGRU(value.size(1), size))
            else:
                question_encoders.append(GruSeq2SeqEncoder(value.size(1), size, bidirectional=True))
    pointer = Lazy(AttentionSum, constructor_extras={"epsilon": float(golden.get("epsilon", EPSILON))})
    has_feature = "_qe_comm.weight" in state
    model = GAReader(
        vocab, embedder, passage_encoders, question_encoders, qe_comm=has_feature, pointer=pointer
    )
    model.to(state[f"{EMBEDDER}word.weight"].dtype).load_state_dict(state)
    return model


def model_state(golden: Mapping[str, Any], prefix: str = "v") -> State:
    """The authors' variables as a state dict."""
    variables, names = Variables(golden, prefix), embeddings_of(golden)
    # A layer of the passage has two directions of ten variables, one of the question two of nine.
    layers = (len(golden["var_names"]) - len(names)) // 38
    state = embedding_state(variables, names, reads_feature(golden, layers))
    for i in range(layers):
        for suffix in ("", "_reverse"):
            state.update({f"_passage_encoders.{i}.{k}": v for k, v in variables.gru(True, suffix).items()})
        for suffix in ("", "_reverse"):
            state.update(
                {f"_question_encoders.{i}._module.{k}": v for k, v in variables.gru(False, suffix).items()}
            )
    variables.finished()
    return state


def occurrences(belongs: numpy.ndarray) -> dict[str, torch.Tensor]:
    """Candidates, of an array that is not zero where a token (second dimension) belongs to one (third)."""
    found = [numpy.argwhere(text) for text in belongs]
    padded = torch.full((len(found), max(map(len, found)), 2), -1)
    for row, pairs in zip(padded, found):
        row[: len(pairs)] = torch.tensor(pairs)
    mask = torch.ones(len(found), belongs.shape[2], dtype=torch.bool)
    return {"positions": padded[..., 0], "candidates": padded[..., 1], "mask": mask}


def candidates_of(golden: Mapping[str, Any]) -> dict[str, torch.Tensor]:
    """With the mask of the tokens that belong to candidates, where a file has it."""
    return occurrences(golden["cand"] * golden["cm"][..., None] if "cm" in golden else golden["cand"])


def model_inputs(golden: Mapping[str, Any]) -> dict[str, Any]:
    edges = {
        "antecedents": sources(golden["dei"], golden["deo"]),
        "descendants": sources(golden["deo"], golden["dei"], reverse=True),
    }
    return {
        "passage": text_of(golden, "d"),
        "question": text_of(golden, "q"),
        "candidates": candidates_of(golden),
        "answer": torch.tensor(golden["ans"]).long(),
        "passage_annotations": {"coref": edges},
    }


def output_differences(
    golden: Mapping[str, Any], model: GAReader, output: dict[str, torch.Tensor]
) -> dict[str, float]:
    """By output the largest difference. A file need not have the accuracy."""
    result = {
        "probc": numpy.abs(output["probabilities"].numpy() - golden["probc"]).max().item(),
        "loss": abs(output["loss"].item() - golden["loss"].item()),
    }
    if "acc" in golden:
        result["acc"] = abs(model.get_metrics()["accuracy"] - golden["acc"].item())
    return result


def model_differences(golden: Mapping[str, Any]) -> dict[str, float]:
    """By output the largest difference of the whole reader."""
    model, inputs = model_of(golden), model_inputs(golden)
    with torch.no_grad():
        output = model(**inputs)
    result = output_differences(golden, model, output)
    if "grad" in golden:
        by = leaves(golden, [f"v{i:02d}" for i in range(len(golden["var_names"]))])
        loss = functional_call(model, model_state({**golden, **by}), kwargs=inputs)["loss"]
        result["grad"] = difference(golden, by, loss)
    return result


def layer_differences(golden: Mapping[str, Any], backend: str = "auto") -> dict[str, float]:
    """By output the largest difference of a layer, both directions, with and without a memory."""
    result = {}
    state = _layer_state(golden)
    encoder = CorefGRU(golden["X"].shape[2], golden["fwd_out"].shape[2], backend=backend)
    plain = CorefGRU(golden["X"].shape[2], golden["gru_out"].shape[2], backend=backend)
    for module in (encoder, plain):
        module.to(torch.as_tensor(golden["X"]).dtype)
    encoder.load_state_dict(state)
    for prefix, suffix in (("gru", ""), ("grub", "_reverse")):
        plain.load_state_dict(gru_state(_gates(golden, prefix), suffix=suffix), strict=False)
    inputs, mask = torch.as_tensor(golden["X"]), torch.as_tensor(golden["M"]) > 0
    for reverse, prefix, gru in ((False, "fwd", "gru"), (True, "bwd", "grub")):
        outputs = {f"{gru}_out": plain._read(TokenVectors(inputs, mask), reverse)}
        for name in (f"{prefix}_out", f"{prefix}_out_meminit"):
            start = golden[f"{prefix}_mem_init"] if name.endswith("_meminit") else None
            outputs[name] = _read_layer(encoder, golden, TokenVectors(inputs, mask), reverse, start)
        for name, output in outputs.items():
            expected = torch.as_tensor(golden[name]) * mask.unsqueeze(-1)
            result[name] = (output - expected).abs().max().item()
    if "grad" in golden:
        by = leaves(golden, ["X", *(name for name in golden if name[:5] in PARAMETERS)])
        edges = {
            "antecedents": sources(golden["Ei"], golden["Eo"]),
            "descendants": sources(golden["Eo"], golden["Ei"], reverse=True),
        }
        output = functional_call(encoder, _layer_state({**golden, **by}), (by["X"], mask, {"coref": edges}))
        result["grad"] = difference(golden, by, (output * torch.as_tensor(golden["upstream"])).sum())
    return result


def _layer_state(golden: Mapping[str, Any]) -> State:
    state: State = {}
    for prefix, suffix in (("fwd", ""), ("bwd", "_reverse")):
        state.update(gru_state(_gates(golden, prefix), golden[f"{prefix}_Watt"], suffix))
    return state


def _read_layer(
    encoder: CorefGRU,
    golden: Mapping[str, Any],
    sequence: TokenVectors,
    reverse: bool,
    start: Optional[numpy.ndarray],
) -> torch.Tensor:
    reads, writes = (golden["Eo"], golden["Ei"]) if reverse else (golden["Ei"], golden["Eo"])
    edges, memory, memory_mask = sources(reads, writes, reverse), None, None
    if start is not None:
        # The authors' memory has slots of half states: slot 0 of the sequential half, the others of the
        # coreferent one.
        slots, size = torch.as_tensor(start), encoder.get_output_dim() // 2
        memory = slots.new_zeros(*slots.shape[:2], size)
        memory[:, 0, : size // 2] = slots[:, 0]
        memory[:, 1:, size // 2 :] = slots[:, 1:]
        memory_mask = torch.zeros(slots.shape[:2], dtype=torch.bool)
        memory_mask[:, 0] = True  # the state that the sequence starts from
        slot = torch.arange(1, reads.shape[2]).expand_as(edges)
        edges = torch.where(edges == FIRST_MENTION, OTHER_SEQUENCE - slot, edges)
    name = "descendants" if reverse else "antecedents"
    return encoder._read(
        sequence._replace(annotations={"coref": {name: edges}}), reverse, memory, memory_mask
    )


def _gates(golden: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    return {name + gate: golden[f"{prefix}_{name}{gate}"] for name in "WUb" for gate in "rzh"}
