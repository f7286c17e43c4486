from allennlp.data import DatasetReader

from allennlp_coref_rc.annotations import Document
from allennlp_coref_rc.common.json_value import JsonValue
from allennlp_coref_rc.common.schema import Name
from allennlp_coref_rc.data.dataset_readers.cloze_dataset_reader import ClozeDatasetReader

KEYS = ("candidates", "answer", "clusters")


@DatasetReader.register("annotated_cloze")
class AnnotatedClozeReader(ClozeDatasetReader):
    """
    Reads cloze questions with candidates, for data of your own. A file has an object a line, or is a list of
    objects: `{"passage": "Ann met Bo. She left.", "question": "@placeholder left.", "candidates": ["Ann",
    "Bo"], "answer": "Ann", "id": "1"}`. Texts are strings or lists of tokens. `answer` and `id` may be
    missing, and `clusters` may be there, as in `text_to_instance`. Other keys are ignored. `coref-rc predict`
    takes the same objects.

    Registered as a `DatasetReader` with name "annotated_cloze". It takes the parameters of
    `ClozeDatasetReader` and `ReadingComprehensionReader`.
    """

    columns = ("passage", "question", "candidates")
    optional_columns = ("id", "answer")

    def to_document(self, item: tuple[str, JsonValue]) -> Document:
        default_id, values = item
        data = {key: value.value for key in KEYS if (value := values.get(key)) is not None}
        passage, question = values["passage"].text(), values["question"].text()
        id = values["id"].to(Name) if values.get("id") else default_id
        return self.document(passage, [question], [data], id)
