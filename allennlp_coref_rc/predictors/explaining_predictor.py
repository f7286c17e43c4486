import copy
from collections.abc import Sequence
from contextlib import nullcontext
from functools import cached_property
from threading import Lock
from typing import Any, Optional, Protocol, cast, runtime_checkable

from allennlp.common.util import JsonDict, sanitize
from allennlp.data import DatasetReader, Instance
from allennlp.models import Model
from allennlp.predictors import Predictor

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.annotators import Annotator
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.json_objects import half_of_pair, parse_json
from allennlp_coref_rc.common.json_value import JsonValue
from allennlp_coref_rc.common.messages import excerpt, most_similar
from allennlp_coref_rc.data.dataset_readers.reading_comprehension_reader import ReadingComprehensionReader
from allennlp_coref_rc.data.fields import metadata_of
from allennlp_coref_rc.modules.attention_recorder import AttentionRecorder
from allennlp_coref_rc.predictors.interpretable_predictor import InterpretablePredictor
from allennlp_coref_rc.predictors.unknown_words import WordKnowledge

KEYS = ("passage", "question", "candidates", "clusters")
"""The keys of an input."""

PLAIN = frozenset({bool, float, int, str})

# Whether a model explains is its state, and threads may share it.
_one_at_a_time = Lock()


@runtime_checkable
class Explaining(Protocol):
    """A model that can say what it has attended to."""

    explain: bool


@Predictor.register("reader", constructor="for_model")
class ExplainingPredictor(InterpretablePredictor):
    """
    A predictor that also tells, if asked to `explain`, what the model has attended to: whatever the model
    says of that itself, and, where it has `dassa` encoders, `annotated_heads`, the weights of their annotated
    heads (see `AttentionRecorder.of`).

    Registered as a `Predictor` with name "reader", which makes a `cloze_reader` or a `span_reader`, as the
    model needs.
    """

    optional_inputs: Sequence[str] = ("clusters",)
    """The keys that an input may have beside "passage" and "question"."""
    answers_are_spans = False
    """Whether answers are spans of the passage; otherwise they are candidates or classes."""

    def __init__(
        self, model: Model, dataset_reader: DatasetReader, frozen: bool = True, explain: bool = False
    ) -> None:
        super().__init__(model, dataset_reader, frozen)
        if type(explain) is not bool:
            raise ConfigurationError(f"explain is {explain!r}, expected true or false")
        _check_answers(model, type(self))
        self.set_explain(explain)

    @classmethod
    def for_model(cls, model: Model, *args: Any, **kwargs: Any) -> Predictor:
        """The predictor of the model, or of its head."""
        return Predictor.by_name(cast(str, model.default_predictor))(model, *args, **kwargs)

    def set_explain(self, explain: bool) -> None:
        """Whether the next predictions tell what the model has attended to."""
        model = self._model
        self._recorder = AttentionRecorder(model) if explain else None
        if isinstance(model, Explaining):
            model.explain = explain
        elif explain and not self._recorder:
            self._recorder = None
            raise ConfigurationError(
                f"explain is true: found the model {type(model).__name__} without annotated heads, expected one with a "
                "dassa encoder that has heads, or a ga_reader"
            )

    def _json_to_instance(self, json_dict: JsonDict) -> Instance:
        return self._dataset_reader.text_to_instance(**checked_inputs(json_dict, self.optional_inputs))

    @property
    def annotator(self) -> Optional[Annotator]:
        """The annotator of passages and questions, if there is one."""
        return cast(ReadingComprehensionReader, self._dataset_reader).annotator

    def with_annotator(self, annotator: Annotator) -> "ExplainingPredictor":
        predictor = copy.copy(self)
        predictor._dataset_reader = cast(ReadingComprehensionReader, self._dataset_reader).with_annotator(
            annotator
        )
        return predictor

    def answer(self, inputs: JsonDict, explain: bool = False) -> tuple[JsonDict, AnnotatedText, int]:
        """
        Returns the output of `predict_json`, the passage and the question as one text, and the passage's
        length.
        """
        instance = self._json_to_instance(inputs)
        metadata = metadata_of(instance)
        with _one_at_a_time:
            before = self._recorder is not None
            self.set_explain(explain)
            try:
                output = self.predict_instance(instance)
            finally:
                self.set_explain(before)
        text, boundary = metadata["text"], len(metadata["passage_tokens"])
        if text.text is None and isinstance(inputs["passage"], str):
            text = text.located(inputs["passage"], boundary)
        return output, text, boundary

    @cached_property
    def knowledge(self) -> WordKnowledge:
        return WordKnowledge(self._dataset_reader, self._model.vocab)

    def warnings(self, output: JsonDict) -> list[str]:
        """
        Warnings about a passage or a question of words that the reader does not know, or as long as it can read.
        """
        reader = cast(ReadingComprehensionReader, self._dataset_reader)
        tokens = {side: output[f"{side}_tokens"] for side in ("question", "passage")}
        found = [self.knowledge.warning(side, tokens[side]) for side in tokens]
        for side in reader.reached_limits(len(tokens["passage"]), len(tokens["question"])):
            found.append(f"the reader reads the {side} no further than the {len(tokens[side])} tokens here")
        return [warning for warning in found if warning is not None]

    def load_line(self, line: str) -> JsonDict:
        return parse_json(line)

    def predict_instance(self, instance: Instance) -> JsonDict:
        return self.predict_batch_instance([instance])[0]

    def predict_batch_instance(self, instances: list[Instance]) -> list[JsonDict]:
        for instance in instances:
            self._dataset_reader.apply_token_indexers(instance)
        with self._recorder or nullcontext():
            outputs = [plain(output) for output in self._model.forward_on_instances(instances)]
        if self._recorder:
            for i, output in enumerate(outputs):
                output["annotated_heads"] = self._recorder.of(i)
        return outputs


def checked_inputs(inputs: JsonDict, optional: Sequence[str]) -> dict[str, Any]:
    """
    Takes the arguments of a reader's `text_to_instance` from an input: "passage", "question", and the
    `optional` keys. Other keys are ignored, unless they look like misspelt optional ones. The reader checks
    the optional values.
    """
    if not isinstance(inputs, dict):
        raise JsonValue(inputs).error("an object")
    other = set(inputs).difference(KEYS)
    for key in set(optional).difference(inputs) if other else ():
        if similar := most_similar(key, other):
            raise ConfigurationError(f"found the key {excerpt(similar[0], 40)}; did you mean {key}?")
    arguments = {
        key: inputs[key] for key in ("passage", "question", *optional) if inputs.get(key) is not None
    }
    for key in ("passage", "question"):
        if key not in arguments:
            raise ConfigurationError(f"found the keys {excerpt(sorted(inputs))}, expected the key {key!r}")
        _check_text(key, arguments[key])
    return arguments


def _check_text(key: str, text: Any) -> None:
    """A text, or a list of texts or lists of tokens; from Python also an `AnnotatedText`."""
    if isinstance(text, AnnotatedText):
        text.checked()
    elif isinstance(text, (list, tuple)):
        for part in JsonValue(text, path=key).list():
            part.text()
    elif not isinstance(text, str) or half_of_pair.search(text):
        raise JsonValue(text, path=key).error(
            "a string" if isinstance(text, str) else "a text or a list of texts"
        )


def _check_answers(model: Model, predictor: type[ExplainingPredictor]) -> None:
    name = model.default_predictor
    own = Predictor.by_name(name) if name is not None else predictor
    if getattr(own, "answers_are_spans", predictor.answers_are_spans) != predictor.answers_are_spans:
        raise ConfigurationError(
            f"found the predictor {predictor.__name__} for the model {type(model).__name__}, expected {name}"
        )


def plain(value: Any) -> Any:
    """What AllenNLP's `sanitize` makes of a value, which asks of each number in a list what it is."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return list(value) if PLAIN.issuperset(map(type, value)) else list(map(plain, value))
    return sanitize(value)


def add_warnings(output: JsonDict, warnings: list[str]) -> None:
    """An output without warnings has no such key."""
    if warnings:
        output["warnings"] = warnings
