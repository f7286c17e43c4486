import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Optional

import torch
from allennlp.common.util import is_distributed
from allennlp.data import Vocabulary
from allennlp.models.heads import Head
from torch import Tensor, distributed, nn

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.models.structure.scores import Pairs, Scores


def mlp(inputs: int, hidden: int, outputs: int, dropout: float) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(inputs, hidden), nn.ReLU(), nn.Dropout(dropout), nn.Linear(hidden, outputs)
    )


class TextHead(Head):
    """
    The base of heads that add a layer of annotations to texts. Subclasses have `loss` and `annotate`.

    # Parameters

    vocab : `Vocabulary`
        It may be empty.
    layer : `str`
        One of `LAYERS`.
    scores : `Sequence[Callable[[Pairs], Iterable[tuple[str, Scores]]]]`
        What `evaluate_annotator.py` measures of this layer.
    dropout : `float`
        Of the words' vectors.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        layer: str,
        scores: Sequence[Callable[[Pairs], Iterable[tuple[str, Scores]]]],
        dropout: float,
    ) -> None:
        super().__init__(vocab)
        self._layer = layer
        self._scores = scores
        self._pairs: list[tuple[AnnotatedText, AnnotatedText]] = []
        self._dropout = nn.Dropout(dropout)

    def forward(
        self,
        encoded_text: Tensor,
        encoded_text_mask: Tensor,
        text: list[AnnotatedText],
        gold: Optional[list[AnnotatedText]] = None,
    ) -> dict[str, Any]:
        """
        # Parameters

        encoded_text : `Tensor`
            Shape: (texts, words, input_dim)
        encoded_text_mask : `Tensor`
            Shape: (texts, words)
        text : `list[AnnotatedText]`
            Its sentences count.
        gold : `list[AnnotatedText]`, optional (default = `None`)
            The same texts with their annotations.

        # Returns

        If there is `gold`, the `loss` for each word. When not training, also the layer, under its name, a list
        of annotations for each text.
        """
        output: dict[str, Any] = {}
        vectors, mask = self._dropout(encoded_text), encoded_text_mask
        if gold is not None:
            output["loss"] = self.loss(vectors, mask, gold) / mask.sum()
        if not self.training:
            with torch.inference_mode():
                output[self._layer] = self.annotate(vectors, mask, text)
            if gold is not None:
                layers = ({self._layer: of_text} for of_text in output[self._layer])
                self._pairs += ((replace(one, **layer), own) for one, layer, own in zip(text, layers, gold))
        return output

    def loss(self, vectors: Tensor, mask: Tensor, gold: Sequence[AnnotatedText]) -> Tensor:
        """Summed over all words."""
        raise NotImplementedError

    def annotate(self, vectors: Tensor, mask: Tensor, texts: Sequence[AnnotatedText]) -> list[list[Any]]:
        """The annotations that are found in each text, with confidences."""
        raise NotImplementedError

    def get_metrics(self, reset: bool = False) -> dict[str, float]:
        """
        As `evaluate_annotator.py` scores the layer, for example `arguments_precision` and `arguments_f1`. There
        are none of training, which annotates nothing.
        """
        pairs = self._pairs
        if is_distributed():
            parts: list[Any] = [None] * distributed.get_world_size()
            distributed.all_gather_object(parts, pairs)
            pairs = [pair for part in parts for pair in part]
        if not pairs:
            # No text was annotated, as in training.
            return {}
        values: dict[str, float] = {}
        for name, scores in (item for score in self._scores for item in score(pairs)):
            name = re.sub(r"\W+", "_", re.sub(r"of \d+ ", "of ", name))
            kinds = ("precision", "recall", "f1") if len(scores) == 3 else ("accuracy",)
            values |= {f"{name}_{kind}": value for kind, value in zip(kinds, scores)}
        if reset:
            self._pairs = []
        return values
