import os
from collections.abc import Iterable, Iterator
from typing import Any

from allennlp.data import DatasetReader

from allennlp_coref_rc.annotations import Document
from allennlp_coref_rc.annotations.formats.json_value import JsonValue, read_json
from allennlp_coref_rc.data.dataset_readers.cloze_dataset_reader import ClozeDatasetReader

KEYS = ("candidates", "answer", "clusters")


@DatasetReader.register("annotated_cloze")
class AnnotatedClozeReader(ClozeDatasetReader):
    """
    Reads cloze questions with candidates, for data of your own. A file has an object a line, or is a list of objects:
    `{"passage": "Ann met Bo. She left.", "question": "@placeholder left.", "candidates": ["Ann", "Bo"], "answer":
    "Ann", "id": "1"}`. Texts are strings or lists of tokens. `answer` and `id` may be missing, and `clusters` may be
    there, as in `text_to_instance`. Other keys are ignored. `coref-rc predict` takes the same objects.

    Registered as a `DatasetReader` with name "annotated_cloze". It takes the parameters of `ClozeDatasetReader` and
    `ReadingComprehensionReader`.
    """

    columns = ("passage", "question", "candidates")
    optional_columns = ("id", "answer")

    def read_items(self, path: str, name: str) -> Iterator[tuple[str, Any]]:
        return self.row_items(read_json(path), name)

    def row_items(self, rows: Iterable[JsonValue], name: str) -> Iterator[tuple[str, Any]]:
        for number, row in enumerate(rows, start=1):
            yield row.place, (f"{os.path.basename(name)}:{number}", row)

    def to_document(self, item: tuple[str, JsonValue]) -> Document:
        default_id, values = item
        id = values.get("id")
        data = {key: value.value for key in KEYS if (value := values.get(key)) is not None}
        passage, question = values["passage"].text(), values["question"].text()
        name = default_id if id is None else str(id.value) if type(id.value) is int else id.string()
        return self.document(self.split(passage), [question], [data], name)
