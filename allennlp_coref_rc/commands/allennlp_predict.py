"""AllenNLP's `predict`, changed so that a line that cannot be answered does not stop the others."""

import argparse
import json
import os
import re
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, nullcontext, suppress
from typing import IO, Any, NamedTuple, Optional

from allennlp.commands import predict as allennlp_predict
from allennlp.common import logging as common_logging
from allennlp.common.util import lazy_groups_of
from allennlp.data import Instance
from allennlp.data.fields import TextField

from allennlp_coref_rc.common.error_message import user_message
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import byte_lines, decoded, is_in_place, local_path, partial_path
from allennlp_coref_rc.common.json_objects import refuse_constant
from allennlp_coref_rc.common.progress import progress_bar
from allennlp_coref_rc.data.dataset_readers import ReadingComprehensionReader

STANDARD_INPUT = "-"

TOGETHER = 10
"""How many batches are put in the order of their lengths."""


class Predicted(NamedTuple):
    """The numbers of questions that were answered and of lines that were set aside."""

    answered: int
    failed: int


class Question(NamedTuple):
    """A line and its object, or an instance of the dataset reader."""

    number: int
    text: str
    values: Any

    @property
    def length(self) -> int:
        if not isinstance(self.values, Instance):
            return len(self.text)
        return max(
            (len(field) for field in self.values.fields.values() if isinstance(field, TextField)), default=0
        )


def predict(args: argparse.Namespace) -> Predicted:
    """
    AllenNLP's function of this name, except that lines that cannot be answered are set aside in
    OUTPUT.failed.jsonl, with the `file`, the `line`, the `error` and the unchanged `input`, or named on the
    screen if OUTPUT is no regular file. Malformed questions of a data set go there too, with the `id`, the
    `line` and the `input` if they are known. Answers have the `id` of their line. Unfinished files end in
    .part.
    """
    common_logging.FILE_FRIENDLY_LOGGING = args.file_friendly_logging
    if args.silent and not args.output_file:
        raise ConfigurationError(
            "--silent: found no --output-file, expected one, as answers would go nowhere"
        )
    try:
        predictor = allennlp_predict._get_predictor(args)
    except TypeError as error:
        if "unexpected keyword argument" not in str(error):
            raise
        raise ConfigurationError(f"--predictor-args {args.predictor_args}: {error}") from error
    output, failed_path = args.output_file or None, None
    with ExitStack() as stack:
        part = output and stack.enter_context(partial_path(output, kept=True))
        if part and not is_in_place(part):
            failed_path = f"{output}.failed.jsonl"
        failed_file = None
        if failed_path:
            failed_part = stack.enter_context(partial_path(failed_path, kept=True))
            failed_file = stack.enter_context(open(failed_part, "w", encoding="utf-8"))
        options = args.batch_size, not args.silent, args.use_dataset_reader, args.multitask_head
        manager = Manager(failed_file, predictor, args.input_file, part, *options)
        manager.run()
    if failed_path and not manager.failed:
        os.unlink(failed_path)
    if manager.warned:
        found = f"{manager.warned:,} of {manager.answered:,} answers"
        print(f'WARNING: {found} came with a warning, which their key "warnings" gives', file=sys.stderr)
    if manager.repeated:
        found = f"{manager.repeated:,} of {manager.answered:,} answers"
        print(f"WARNING: {found} have the id of an earlier one", file=sys.stderr)
    if manager.failed:
        given = "questions" if args.use_dataset_reader else "lines"
        failed = f"{manager.failed:,} of {manager.answered + manager.failed:,} {given}"
        where = f"; they and their errors are in {failed_path}" if failed_path else ""
        print(f"WARNING: {failed} could not be answered{where}", file=sys.stderr)
    return Predicted(manager.answered, manager.failed)


class Manager(allennlp_predict._PredictManager):
    """
    AllenNLP's class, except that a batch that cannot be answered is split until only the bad lines fail.
    """

    def __init__(self, failed_file: Optional[IO[str]], *args: Any) -> None:
        super().__init__(*args)
        self.answered = self.failed = self.warned = self.repeated = 0
        self._ids: set[str] = set()
        self._set_aside_now: list[dict[str, Any]] = []
        self._failed_file = failed_file

    def run(self) -> None:
        waiting: dict[int, tuple[Question, Optional[str]]] = {}
        written = 0
        with self._output_file or nullcontext():
            batches = lazy_groups_of(self._by_length(), self._batch_size)
            if not self._print_to_console:
                batches = progress_bar(batches, desc="predicting", unit=" batches")
            for batch in batches:
                questions = dict(batch)
                answers = self._answer(list(questions.values()))
                waiting.update(zip(questions, zip(questions.values(), answers)))
                while written in waiting:
                    question, answer = waiting.pop(written)
                    written += 1
                    if answer is not None:
                        self._maybe_print_to_console_and_file(self.answered, answer, self._shown(question))
                # No earlier line is still to be answered, so what is written keeps the order of lines.
                if not waiting:
                    self._write_set_aside()
            self._write_set_aside()
            self._report_malformed()

    def _by_length(self) -> Iterator[tuple[int, Question]]:
        """
        The questions and their places. Those of some batches go from short to long, since padding costs time.
        """
        questions = self._lines()
        if self._dataset_reader is not None:
            questions = (Question(i, "", instance) for i, instance in enumerate(self._get_instance_data()))
        # Who writes lines may wait for their answers, and a question alone has no padding.
        together = self._batch_size * (
            1 if self._input_file == STANDARD_INPUT or self._batch_size == 1 else TOGETHER
        )
        for group in lazy_groups_of(enumerate(questions), together):
            yield from sorted(group, key=lambda pair: pair[1].length)

    def _predict(self, batch: Sequence[Question]) -> list[str]:
        predictor, values = self._predictor, [question.values for question in batch]
        kind = "json" if self._dataset_reader is None else "instance"
        if len(values) == 1:
            outputs = [getattr(predictor, f"predict_{kind}")(values[0])]
        else:
            outputs = getattr(predictor, f"predict_batch_{kind}")(values)
        outputs = [{**({"id": v["id"]} if "id" in v else {}), **output} for v, output in zip(values, outputs)]
        lines = [predictor.dump_line(output) for output in outputs]
        for line in lines:
            if "NaN" in line or "Infinity" in line:
                # Predictors may also write something else than JSON.
                with suppress(json.JSONDecodeError):
                    json.loads(line, parse_constant=refuse_constant)
        self.warned += sum(bool(output.get("warnings")) for output in outputs)
        for id in (json.dumps(output["id"]) for output in outputs if "id" in output):
            self.repeated += id in self._ids
            self._ids.add(id)
        return lines

    def _maybe_print_to_console_and_file(self, index: int, prediction: str, model_input: Any = None) -> None:
        super()._maybe_print_to_console_and_file(index, prediction, model_input)
        self.answered += 1

    def _shown(self, question: Question) -> Optional[str]:
        """What the screen shows beside an answer. The text of an instance takes long to make."""
        if isinstance(question.values, Instance):
            return str(question.values) if self._print_to_console else None
        return json.dumps(question.values)

    def _lines(self) -> Iterator[Question]:
        """The lines that hold an object. Blank ones are skipped."""
        is_stream = self._input_file == STANDARD_INPUT
        lines = sys.stdin.buffer if is_stream else byte_lines(local_path(self._input_file))
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                text = decoded(line)
                yield Question(number, text, self._predictor.load_line(text))
            except Exception as error:
                self._set_aside(number, line.decode(errors="backslashreplace"), error)

    def _answer(self, batch: Sequence[Question]) -> list[Optional[str]]:
        """The answers; `None` for lines that are set aside."""
        if self._dataset_reader is not None:
            return [*self._predict(batch)]
        try:
            return [*self._predict(batch)]
        except Exception as error:
            if len(batch) == 1:
                self._set_aside(batch[0].number, batch[0].text, error)
                return [None]
        half = len(batch) // 2
        return self._answer(batch[:half]) + self._answer(batch[half:])

    def _set_aside(self, number: int, text: str, error: Exception) -> None:
        name = "standard input" if self._input_file == STANDARD_INPUT else self._input_file
        message = user_message(error)
        values = {"file": name, "line": number, "error": message, "input": text.rstrip("\r\n")}
        if message is None:
            # Not an error in the line, but in the model or the program.
            values["error"] = "".join(traceback.format_exception_only(error)).strip()
            values["traceback"] = "".join(traceback.format_exception(error, limit=-5)).splitlines()
        self._set_aside_now.append(values)

    def _write_set_aside(self) -> None:
        """Writes the lines that were set aside since the last call, in their order."""
        for values in sorted(self._set_aside_now, key=lambda values: values["line"]):
            if self._failed_file is None:
                print(f"{values['file']}, line {values['line']}: {values['error']}", file=sys.stderr)
            else:
                self._failed_file.write(json.dumps(values) + "\n")
        self.failed += len(self._set_aside_now)
        self._set_aside_now.clear()

    def _report_malformed(self) -> None:
        """Sets aside the questions that a dataset reader left out. It has named them on the screen."""
        if not isinstance(self._dataset_reader, ReadingComprehensionReader):
            return
        for error in self._dataset_reader.report.malformed:
            line = re.search(r"^[^:]*, line (\d+)", str(error).removeprefix(self._input_file))
            place = {"file": self._input_file, **({"line": int(line[1])} if line else {})}
            for lost in error.lost:
                self.failed += 1
                if self._failed_file is not None:
                    self._failed_file.write(json.dumps({**place, "error": str(error), **lost}) + "\n")
