from collections import Counter
from collections.abc import Callable
from typing import Any

import torch
from allennlp.models import Model

from allennlp_coref_rc.data.annotation_layers import label_namespace
from allennlp_coref_rc.modules.annotated_self_attention import AnnotatedSelfAttention
from allennlp_coref_rc.modules.seq2seq_encoders import DASSA

DIGITS = 4
"""The number of decimal places of weights."""


class AttentionRecorder:
    """
    A context that records what the annotated heads of a model's `dassa` encoders attend to. For this the
    weights are computed a second time. Outside the context, the model runs as if there were no recorder.

    # Parameters

    model : `Model`
        Any model that hands `passage_annotations` and `question_annotations` on to its encoders.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._encoders = {
            name: module
            for name, module in model.named_modules()
            if isinstance(module, DASSA) and module.heads
        }
        self._hooks: list[torch.utils.hooks.RemovableHandle] = []
        self._question_annotations = None
        self._applications: Counter = Counter()
        self._recorded: list[tuple[int, dict[str, Any]]] = []

    def __bool__(self) -> bool:
        """Whether there is an encoder to record."""
        return bool(self._encoders)

    def __enter__(self) -> "AttentionRecorder":
        self._applications.clear()
        self._recorded.clear()
        self._hooks.append(self._model.register_forward_pre_hook(self._before_model, with_kwargs=True))
        for name, encoder in self._encoders.items():
            place = {"encoder": name.lstrip("_")}
            self._hooks.append(
                encoder.register_forward_pre_hook(self._before_encoder(place), with_kwargs=True)
            )
            for i, block in enumerate(encoder.blocks):
                before = self._before_attention(place, i, encoder)
                self._hooks.append(block.get_submodule("attention").register_forward_pre_hook(before))
        return self

    def __exit__(self, *error: Any) -> None:
        while self._hooks:
            self._hooks.pop().remove()

    def of(self, text: int) -> list[dict[str, Any]]:
        """
        The recordings for one text of the batch. Each run of an annotated head gives an object with these
        keys: the `encoder`, by its name in the model; the `side`, "passage" or "question"; `application`,
        which counts from 1 how often the encoder has read this side; the `block`, from 0; the head's
        `annotation_layer` and `view`, from 1; the tokens' `labels`, "" for none; the `scopes`, lists of
        tokens' positions; and the `weights`, which have for each scope a list of numbers for each of its
        tokens, rounded.
        """
        return [record for number, record in self._recorded if number == text]

    def _before_model(self, model: Model, arguments: tuple, named: dict[str, Any]) -> None:
        self._question_annotations = named.get("question_annotations")

    def _before_encoder(self, place: dict[str, Any]) -> Callable:
        def before(encoder: DASSA, arguments: tuple, named: dict[str, Any]) -> None:
            annotations = named.get("annotations", (*arguments, None, None, None)[2])
            place["side"] = "question" if annotations is self._question_annotations else "passage"
            self._applications[place["encoder"], place["side"]] += 1
            place["application"] = self._applications[place["encoder"], place["side"]]

        return before

    def _before_attention(self, place: dict[str, Any], block: int, encoder: DASSA) -> Callable:
        heads = [(layer, view) for layer, number in encoder.heads.items() for view in range(1, number + 1)]
        names = {
            layer: self._model.vocab.get_index_to_token_vocabulary(label_namespace(layer))
            for layer, _ in heads
        }

        def before(attention: AnnotatedSelfAttention, arguments: tuple) -> None:
            inputs, _, views = arguments
            if views is None:
                return
            by_head: dict[tuple[int, int], list] = {}
            with torch.no_grad():
                for text, head, tokens, weights in attention.annotated_weights(inputs, views):
                    rounded = [[round(weight, DIGITS) for weight in row] for row in weights.tolist()]
                    by_head.setdefault((text, head), []).append((tokens, rounded))
            for (text, head), scopes in sorted(by_head.items()):
                layer, view = heads[head]
                scopes.sort()
                numbers = views.labels[text, : sum(len(tokens) for tokens, _ in scopes), head].tolist()
                record = {
                    **place,
                    "block": block,
                    "annotation_layer": layer,
                    "view": view,
                    "labels": [names[layer][number] if number else "" for number in numbers],
                    "scopes": [tokens for tokens, _ in scopes],
                    "weights": [weights for _, weights in scopes],
                }
                self._recorded.append((text, record))

        return before
