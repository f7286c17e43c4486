"""
Gets the word vectors that a model reads, and replaces them by others. Saliency is measured on these vectors.

AllenNLP takes gradients at its `TextFieldEmbedder` or at a transformer's embeddings. There, the order of
passage and question depends on the model, and a transformer has pieces of words, or both texts in one. Here,
both texts have one vector for each word, in every model.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from allennlp.data.fields.text_field import TextFieldTensors
from allennlp.modules import TextFieldEmbedder
from allennlp.modules.token_embedders import PretrainedTransformerMismatchedEmbedder

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.modules.token_embedders import TransformerPair
from allennlp_coref_rc.modules.token_embedders.transformer_pair import mean_of_pieces

SIDES = ("passage", "question")

Vectors = dict[str, torch.Tensor]
"""The vectors of each side. Shape: (1, length, dim)."""


class WordVectors:
    """
    The word vectors of a model with a `TextFieldEmbedder`: the outputs of this embedder.

    # Parameters

    embedder : `TextFieldEmbedder`
    """

    def __init__(self, embedder: TextFieldEmbedder) -> None:
        self._embedder = embedder
        self.layer: torch.nn.Module = Layer(embedder)
        """Every vector passes through it, for the hooks of AllenNLP's interpreters."""

    def of(self, texts: dict[str, TextFieldTensors]) -> Vectors:
        """The vectors of a passage and its question, batches of one."""
        return {side: self._embedder(texts[side]) for side in SIDES}

    @contextmanager
    def replaced(self, texts: dict[str, TextFieldTensors], before: Vectors, after: Vectors) -> Iterator[None]:
        """A context in which the model reads other vectors of these texts. `before` are its own vectors."""

        def replace(module: torch.nn.Module, inputs: Any, output: torch.Tensor) -> torch.Tensor:
            return next((after[side] for side in SIDES if inputs[0] is texts[side]), output)

        handle = self._embedder.register_forward_hook(replace)
        try:
            yield
        finally:
            handle.remove()


class PieceVectors(WordVectors):
    """
    The word vectors of a model with a pretrained transformer, before the first layer. The vector of a word is
    the mean of the vectors of its pieces. If it changes, all its pieces change by the same amount.

    # Parameters

    embedder : `PretrainedTransformerMismatchedEmbedder`
        It embeds each text by itself, in one window, or it is a `TransformerPair`.
    """

    def __init__(self, embedder: PretrainedTransformerMismatchedEmbedder) -> None:
        self._transformer = embedder
        self._table: Any = embedder._matched_embedder.transformer_model.get_input_embeddings()
        weights: Any = self._table.weight
        self.layer = TableLayer(weights)

    def of(self, texts: dict[str, TextFieldTensors]) -> Vectors:
        pieces = {side: _pieces(texts[side]) for side in SIDES}
        return {
            side: mean_of_pieces(self._table(of["token_ids"]), of["offsets"]) for side, of in pieces.items()
        }

    @contextmanager
    def replaced(self, texts: dict[str, TextFieldTensors], before: Vectors, after: Vectors) -> Iterator[None]:
        changes = {side: after[side] - before[side] for side in SIDES}
        pieces = {side: _change_of_pieces(_pieces(texts[side]), changes[side]) for side in SIDES}

        def replace(module: torch.nn.Module, inputs: Any, output: torch.Tensor) -> torch.Tensor:
            if isinstance(self._transformer, TransformerPair):
                return output + self._transformer.in_windows(pieces["question"][0], pieces["passage"][0])
            for side in SIDES:
                if torch.equal(inputs[0], _pieces(texts[side])["token_ids"]):
                    return output + pieces[side]
            raise ConfigurationError(
                f"found a text of {inputs[0].numel()} pieces in windows, expected one that the transformer reads at "
                "once: saliency is not measured across windows"
            )

        handle = self._table.register_forward_hook(replace)
        try:
            yield
        finally:
            handle.remove()


class Layer(torch.nn.Module):
    """Gives back a copy of vectors. If HotFlip gives it indices of words, it embeds them."""

    def __init__(self, embedder: TextFieldEmbedder) -> None:
        super().__init__()
        self._embedder = [embedder]

    def forward(self, vectors: Any) -> torch.Tensor:
        return self._embedder[0](vectors) if isinstance(vectors, dict) else vectors.detach().clone()


class TableLayer(torch.nn.Embedding):
    """Gives back a copy of vectors. It has the transformer's table of pieces, which HotFlip tries."""

    def __init__(self, weight: torch.Tensor) -> None:
        super().__init__(weight.size(0), weight.size(1), _weight=weight.detach())

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        return vectors.detach().clone()


def word_vectors(model: torch.nn.Module) -> WordVectors:
    """The word vectors of a model's transformer or, if it has none, of its `TextFieldEmbedder`."""
    for module in model.modules():
        if isinstance(module, PretrainedTransformerMismatchedEmbedder):
            return PieceVectors(module)
    for module in model.modules():
        if isinstance(module, TextFieldEmbedder):
            return WordVectors(module)
    raise ConfigurationError(f"found a {type(model).__name__}, expected a model with a text_field_embedder")


def _pieces(text: TextFieldTensors) -> dict[str, torch.Tensor]:
    return next(tensors for tensors in text.values() if "offsets" in tensors)


def _change_of_pieces(pieces: dict[str, torch.Tensor], changes: torch.Tensor) -> torch.Tensor:
    """The change of each piece: that of its word, and 0 for special pieces. Shape: (1, num_pieces, dim)."""
    words = torch.full_like(pieces["token_ids"][0], -1)
    for word, (first, last) in enumerate(pieces["offsets"][0].tolist()):
        if first >= 0:
            words[first : last + 1] = word
    return torch.cat([changes[0], torch.zeros_like(changes[0, :1])])[words].unsqueeze(0)
