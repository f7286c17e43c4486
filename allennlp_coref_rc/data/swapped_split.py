"""
Divides NarrativeQA's annotated test and validation summaries for experiments without official training
summaries.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace

from allennlp_coref_rc.annotations import Document, read_documents, read_header, write_documents
from allennlp_coref_rc.annotations.document import warn_if_incomplete
from allennlp_coref_rc.common.errors import ConfigurationError

OTHER_DOCUMENT = "other_document"
"""The folder of the files whose passages have the annotations of other passages."""


def write_swapped_split(
    official_test: str, official_validation: str, folder: str, validation: int = 35
) -> Iterator[tuple[str, int, int]]:
    """
    Writes train.jsonl, valid.jsonl and test.jsonl into a folder, and yields each with its numbers of
    documents and questions. In the order of their ids, the first `validation` documents of the official test
    split are for validation, and the others for training. The documents of the official validation split are
    for the test. `OTHER_DOCUMENT` in the folder gets the same files with a control: see `exchanged`.
    `coref-rc annotate` has written the two given files.
    """
    for path in (official_test, official_validation):
        warn_if_incomplete(path, read_header(path) or {})
    ordered, test = (
        sorted(
            (document for _, document in read_documents(path)), key=lambda document: document.text.id or ""
        )
        for path in (official_test, official_validation)
    )
    if min(len(ordered) - validation, validation, len(test)) < 2:
        raise ConfigurationError(
            f"found {len(ordered)} and {len(test)} documents, expected two or more for each file"
        )
    for name, documents in (("train", ordered[validation:]), ("valid", ordered[:validation]), ("test", test)):
        for output, content in (
            (folder, documents),
            (os.path.join(folder, OTHER_DOCUMENT), exchanged(documents)),
        ):
            os.makedirs(output, exist_ok=True)
            path = os.path.join(output, f"{name}.jsonl")
            write_documents(path, content, {"reader": "annotated_narrativeqa"})
            yield path, len(content), sum(len(document.questions) for document in content)


def exchanged(documents: Sequence[Document]) -> list[Document]:
    """
    The documents (two or more) in order, each with the sentences and annotations of the next longer passage.
    The longest passage has those of the second longest.
    """
    order = sorted(range(len(documents)), key=lambda number: documents[number].parts[0])
    source_of = dict(zip(order, [*order[1:], order[-2]]))
    return [with_annotations_of(document, documents[source_of[i]]) for i, document in enumerate(documents)]


def with_annotations_of(document: Document, other: Document) -> Document:
    """
    A document whose passage has the sentences and annotations of another passage, as far as they lie within
    it. The tokens after the end of a shorter one are one more sentence. The questions keep their own
    annotations.
    """
    (passage, *questions), _ = document.apart()
    (source, *_), _ = other.apart()
    source = source.select((0, min(len(source), len(passage))))
    rest = [(len(source), len(passage))] if len(source) < len(passage) else []
    passage = replace(passage, sentences=source.sentences + rest, **vars(source.layers))
    return Document.of(passage, *questions, id=document.text.id, data=document.data)
