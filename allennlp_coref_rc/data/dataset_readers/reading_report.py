import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Optional, cast

from allennlp.data import Instance
from allennlp.data.fields import IndexField

from allennlp_coref_rc.annotations import AnnotatedText, Document
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.json_value import JsonValue
from allennlp_coref_rc.common.malformed import Malformed
from allennlp_coref_rc.common.messages import counted
from allennlp_coref_rc.common.schema import String
from allennlp_coref_rc.data.annotation_layers import AnnotationLayer
from allennlp_coref_rc.data.fields import MALFORMED, SKIPPED_ANSWER, AnnotationField, AnswerField

logger = logging.getLogger(__name__)

SHOWN_MALFORMED = 5
"""The most malformed parts of a file that are shown."""

MOST_MALFORMED = 100
"""A file with so many malformed items before the first good one is refused."""

ANSWER_FIELDS = ("answer", "span_start", "answer_tags")
"""An instance whose answer is known has one of these fields."""


class ReadingReport:
    """What a reader has found in a file, or in a part of it."""

    def __init__(self) -> None:
        self.kept = 0
        self.skipped: Counter = Counter()
        """By cause, how many questions were left out."""
        self.noted: Counter = Counter()
        """By remark, how many questions it is about."""
        self.malformed: list[Malformed] = []
        """The errors of malformed items and questions, and of what a file has between them."""
        self.unanswered = 0
        self.first_unanswered = ""
        """The place of the first question without an answer."""
        self.found: set[str] = set()
        """The layers that say something about a question."""
        self.missing: dict[str, set[str]] = {}
        """By layer, those of its types that no text has."""

    def search_types(self, text: AnnotatedText, layers: Mapping[str, AnnotationLayer]) -> None:
        for name, layer in layers.items():
            # Once all types were found, no text is searched for them.
            if self.missing.get(name) != set():
                lacking = layer.missing(text)
                self.missing[name] = self.missing.get(name, lacking) & lacking

    def add(self, instance: Instance, place: str, layers: Mapping[str, AnnotationLayer]) -> None:
        self.kept += not _is_skipped(instance)
        for name in layers.keys() - self.found:
            fields = (
                cast(AnnotationField, instance[f"{side}_annotations"]) for side in ("passage", "question")
            )
            if not all(layers[name].is_empty(field.layers[name]) for field in fields):
                self.found.add(name)
        if not any(name in instance for name in ANSWER_FIELDS):
            self.unanswered += 1
            self.first_unanswered = self.first_unanswered or place

    def leave_out(self, error: Malformed, any_good: bool) -> None:
        """Counts a malformed item. Raises its error if there have been many, and none that is good."""
        self.malformed.append(error)
        if not any_good and len(self.malformed) >= MOST_MALFORMED:
            raise self.malformed[0]

    def update(self, other: "ReadingReport") -> None:
        """Adds the report of the next part of the file."""
        self.kept += other.kept
        self.skipped.update(other.skipped)
        self.noted.update(other.noted)
        self.malformed += other.malformed
        self.unanswered += other.unanswered
        self.first_unanswered = self.first_unanswered or other.first_unanswered
        self.found |= other.found
        for name, missing in other.missing.items():
            self.missing[name] = self.missing.get(name, missing) & missing

    def finish(
        self, file_path: str, layers: Mapping[str, AnnotationLayer], size: Optional[int] = None
    ) -> None:
        """Writes the log. If a whole file is read, `size` is its number of instances; without any, raises."""
        if size == 0:
            if self.malformed and not self.skipped:
                raise self.malformed[0]
            found = f"found no question that can be used, expected one or more; {self.losses('are')}"
            raise ConfigurationError("\n  ".join([f"{file_path}: {found}", *self.first_malformed()]))
        if self.num_malformed:
            self.skipped[MALFORMED] = self.num_malformed
        for message in self.first_malformed():
            logger.warning(message)
        logger.info("%s: %d questions", file_path, self.kept)
        for warning in self._warnings(layers):
            logger.warning("%s: %s", file_path, warning)

    @property
    def num_malformed(self) -> int:
        """How many questions are malformed, or in what is."""
        return sum(len(error.lost) for error in self.malformed)

    def for_metrics(self) -> dict[str, int]:
        """
        What the metadata of a file's last question say of the malformed ones, which `accuracy_official` counts as
        wrong. Of several workers that share a file, those whose share has no good question do not say it.
        """
        return {MALFORMED: self.num_malformed} if self.num_malformed else {}

    @property
    def left_out(self) -> int:
        """How many questions are skipped or malformed, before the report is finished."""
        return self.skipped.total() + self.num_malformed

    def first_malformed(self) -> Iterator[str]:
        """Messages about the first malformed parts."""
        for error in self.malformed[:SHOWN_MALFORMED]:
            lost = len(error.lost)
            yield f"{error}; {f'its {lost} questions are' if lost > 1 else 'it is'} left out"
        if len(self.malformed) > SHOWN_MALFORMED:
            yield f"and {counted(len(self.malformed) - SHOWN_MALFORMED, 'more malformed part')}"

    def losses(self, verb: str) -> str:
        """How many questions are left out, and why, before the report is finished."""
        causes = [f"{cause} ({count})" for cause, count in sorted(self.skipped.items())]
        if self.num_malformed:
            causes.append(f"{MALFORMED} ({self.num_malformed})")
        return f"{self.left_out} of {self.kept + self.left_out} questions {verb} skipped: {'; '.join(causes)}"

    def _warnings(self, layers: Mapping[str, AnnotationLayer]) -> list[str]:
        number = self.kept + self.skipped.total()
        warnings = [
            f"{count} of {number} questions skipped: {cause}" for cause, count in sorted(self.skipped.items())
        ]
        warnings += [
            f"{count} of {number} questions: {remark}" for remark, count in sorted(self.noted.items())
        ]
        if self.kept and self.unanswered == self.kept:
            warnings.append("no question has an answer; there is nothing to train on, and scores are 0")
        elif self.unanswered:
            found = f"{self.unanswered} of {self.kept} questions have no answer, the first in {self.first_unanswered}"
            warnings.append(f"{found}; a batch needs those of all or of none")
        empty = layers.keys() - self.found
        if self.kept and empty:
            warnings.append(
                f"found nothing for dataset_reader.annotation_layers ({', '.join(sorted(empty))}) in "
                f"{counted(self.kept, 'question')}; annotations come with the file or from dataset_reader.annotator"
            )
        for name in sorted(self.missing.keys() & self.found):
            if self.missing[name]:
                types = ", ".join(sorted(self.missing[name]))
                warnings.append(
                    f"found none of the types {types}, which dataset_reader.annotation_layers.{name} names"
                )
        return warnings

    def to_json(self) -> dict[str, Any]:
        malformed = [(str(error), error.lost) for error in self.malformed]
        values = {**vars(self), "malformed": malformed, "found": sorted(self.found)}
        return {**values, "missing": {name: sorted(missing) for name, missing in self.missing.items()}}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "ReadingReport":
        """The inverse of `to_json`."""
        report = cls()
        vars(report).update(values)
        report.skipped, report.noted = Counter(values["skipped"]), Counter(values["noted"])
        report.found = set(values["found"])
        report.malformed = [Malformed(*given) for given in values["malformed"]]
        report.missing = {name: set(missing) for name, missing in values["missing"].items()}
        return report


def _is_skipped(instance: Instance) -> bool:
    answer, start = instance.get("answer"), instance.get("span_start")
    if isinstance(start, IndexField):
        return start.sequence_index < 0
    return isinstance(answer, AnswerField) and answer.label == SKIPPED_ANSWER


def keep_malformed(document: Document, errors: Iterable[Malformed]) -> None:
    """Puts the malformed questions, which a document lacks, into its data."""
    lost = [{"error": str(error), **lost} for error in errors for lost in error.lost]
    if lost:
        document.data[MALFORMED] = lost


def malformed_of(document: Document) -> list[Malformed]:
    """The inverse of `keep_malformed`."""
    errors = []
    for given in JsonValue(document.data, path="data").listed(MALFORMED):
        message = given["error"].to(String)
        errors.append(Malformed(message, [{key: v for key, v in given.value.items() if key != "error"}]))
    return errors


def placed(error: ConfigurationError, place: str) -> ConfigurationError:
    """The error with the place before its message, unless the message begins with it."""
    return error if str(error).startswith(place) else ConfigurationError(f"{place}: {error}")
