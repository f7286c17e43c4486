from dataclasses import replace
from functools import cached_property
from typing import Any, cast

import numpy
import torch
from allennlp.common.util import JsonDict
from allennlp.data import Batch, DatasetReader, Field, Instance, Token
from allennlp.data.fields import IndexField, SequenceLabelField, TextField
from allennlp.models import Model
from allennlp.nn.util import move_to_device
from allennlp.predictors import Predictor

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.fields import CandidatesField, metadata_of
from allennlp_coref_rc.modules.word_vectors import SIDES, WordVectors, word_vectors

OF_THE_WORDS = ("passage_tokens", "question_tokens", "clusters", "text", "original_passage", "token_offsets")
"""The metadata of an instance that do not hold once a word has changed."""


class InterpretablePredictor(Predictor):
    """
    What AllenNLP's saliency interpreters and attackers ask of a predictor. `grad_input_1` is the passage,
    `grad_input_2` the question, in every model (see `word_vectors`).

    An attack changes or removes words of an instance. The structure of the text stays, without what is
    removed, and candidates are looked for in the new passage. Answers are told by their places in the passage
    as it was.
    """

    def __init__(self, model: Model, dataset_reader: DatasetReader, frozen: bool = True) -> None:
        super().__init__(model, dataset_reader, frozen)
        # A reader of another package may ignore this.
        dataset_reader.keep_text = True  # type: ignore[attr-defined]

    @cached_property
    def _word_vectors(self) -> WordVectors:
        return word_vectors(self._model)

    def get_interpretable_layer(self) -> torch.nn.Module:
        return self._word_vectors.layer

    get_interpretable_text_field_embedder = get_interpretable_layer

    def answer_fields(self, instance: Instance, output: JsonDict) -> dict[str, Field]:
        """The fields of the answer that the model has given."""
        raise NotImplementedError

    def predictions_to_labeled_instances(
        self, instance: Instance, outputs: dict[str, numpy.ndarray]
    ) -> list[Instance]:
        fields = {**instance.fields, **self.answer_fields(instance, outputs)}
        for side in SIDES:
            field = cast(TextField, instance[side])
            tokens = [Token(str(token), idx=place) for token, place in zip(field.tokens, _places(field))]
            fields[side] = TextField(tokens, field._token_indexers)
        if "cloze" in fields:
            # Without the question, which is not the same for AllenNLP once a word of it has changed.
            fields["cloze"] = IndexField(cast(IndexField, fields["cloze"]).sequence_index, TextField([]))
        return [Instance(fields)]

    def get_gradients(self, instances: list[Instance]) -> tuple[dict[str, Any], dict[str, Any]]:
        """
        The gradients of the loss by the word vectors of an instance: `grad_input_1` those of the passage,
        `grad_input_2` those of the question, each of shape (1, length, dim); and the model's output.
        """
        if len(instances) != 1:
            raise ConfigurationError(f"found {len(instances)} instances, expected one")
        instance = self._read_again(instances[0])
        self._dataset_reader.apply_token_indexers(instance)
        batch = Batch([instance])
        batch.index_instances(self._model.vocab)
        tensors = cast(dict[str, Any], move_to_device(batch.as_tensor_dict(), self.cuda_device))
        texts = {side: tensors[side] for side in SIDES}
        # cuDNN's recurrent networks have gradients only while training.
        with torch.backends.cudnn.flags(enabled=False):
            before = {side: vectors.detach() for side, vectors in self._word_vectors.of(texts).items()}
            # AllenNLP counts inputs from the last one.
            after = {
                side: self._word_vectors.layer(before[side]).requires_grad_() for side in reversed(SIDES)
            }
            with self._word_vectors.replaced(texts, before, after):
                output = self._model.make_output_human_readable(self._model(**tensors))
            gradients = torch.autograd.grad(output["loss"], [after[side] for side in SIDES])
        # HotFlip would take them for the answer of a coreference model.
        output.pop("clusters", None)
        return {
            f"grad_input_{i}": gradient.cpu().numpy() for i, gradient in enumerate(gradients, start=1)
        }, output

    def _read_again(self, instance: Instance) -> Instance:
        """An instance whose words an attack may have changed, with all else as it is for these words."""
        if not is_attacked(instance):
            return instance
        passage, question = (cast(TextField, instance[side]) for side in SIDES)
        words = [[str(token) for token in field.tokens] for field in (passage, question)]
        metadata = metadata_of(instance)
        boundary = len(metadata["passage_tokens"])
        in_passage = _places(passage)
        kept = in_passage + [boundary + place for place in _places(question)]
        text = metadata["text"].select(*((place, place + 1) for place in kept))
        known = {key: value for key, value in metadata.items() if key not in OF_THE_WORDS}
        changed = self._dataset_reader.make_instance(  # type: ignore[attr-defined]
            replace(text, tokens=words[0] + words[1]), len(passage), known
        )
        # Attackers look at the indices of these very fields.
        changed.fields.update({side: instance[side] for side in SIDES})
        if "candidates" in instance:
            changed.add_field(
                "candidates", cast(CandidatesField, instance["candidates"]).in_passage(words[0])
            )
        if "answer" in instance:
            changed.add_field("answer", instance["answer"])
        for name in ("span_start", "span_end"):
            if name in instance:
                place = cast(IndexField, instance[name]).sequence_index
                changed.add_field(
                    name, IndexField(in_passage.index(place) if place in in_passage else -1, passage)
                )
        if "answer_tags" in instance:
            tags = cast(list[int], cast(SequenceLabelField, instance["answer_tags"]).labels)
            changed.add_field(
                "answer_tags", SequenceLabelField([tags[place] for place in in_passage], passage)
            )
        return changed


def original_passage(instance: Instance) -> TextField:
    return TextField([Token(word) for word in metadata_of(instance)["passage_tokens"]])


def original_span(instance: Instance, first: int, last: int) -> tuple[int, int]:
    """The first and the last token of a span, in the passage as it was before any attack."""
    places = _places(cast(TextField, instance["passage"]))
    return places[first], places[last]


def is_attacked(instance: Instance) -> bool:
    """Whether a word of it is another one, or gone."""
    return any(
        [str(token) for token in cast(TextField, instance[side]).tokens]
        != metadata_of(instance)[f"{side}_tokens"]
        for side in SIDES
    )


def _places(field: TextField) -> list[int]:
    """Where tokens were before any attack. Attacks that put new tokens in the place of others remove none."""
    return [i if token.idx is None else token.idx for i, token in enumerate(field.tokens)]
