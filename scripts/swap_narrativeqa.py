"""
Divides NarrativeQA's annotated test and validation summaries for an experiment without the official training summaries:
of the test summaries 35 are for validation and the others for training, and the validation summaries are for the test.

    for split in test valid; do
        coref-rc annotate data/narrativeqa/$split $split.jsonl --reader annotated_narrativeqa --annotator structure
    done
    python scripts/swap_narrativeqa.py test.jsonl valid.jsonl data/narrativeqa_swapped

The folder gets train.jsonl, valid.jsonl and test.jsonl. It also gets a control in other_document: the same files, but
each passage has the clusters, frames and relations of the next longer passage, as far as they lie within it.
"""

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from allennlp_coref_rc.annotations import Document, read_documents, write_documents
from allennlp_coref_rc.common.script import ScriptParser, run

VALIDATION, SEED = 35, 1


def with_annotations_of(document: Document, other: Document) -> Document:
    """A document whose passage has the annotations of another passage. Its questions keep their own."""
    (passage, *questions), _ = document.apart()
    (source, *_), _ = other.apart()
    common = source.select((0, min(len(source), len(passage))))
    passage = replace(passage, clusters=common.clusters, frames=common.frames, relations=common.relations)
    return Document.of(passage, *questions, id=document.text.id, data=document.data)


def with_exchanged_annotations(documents: Sequence[Document]) -> list[Document]:
    """Each document with the annotations of the next longer one; the longest has those of the second longest."""
    order = sorted(range(len(documents)), key=lambda number: documents[number].parts[0])
    source = dict(zip(order, [*order[1:], order[-2]]))
    return [with_annotations_of(document, documents[source[number]]) for number, document in enumerate(documents)]


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("official_test", type=Path)
    parser.add_argument("official_validation", type=Path)
    parser.add_argument("output", type=Path)
    arguments = parser.parse_args()
    shuffled, test = (
        [document for _, document in read_documents(str(path))]
        for path in (arguments.official_test, arguments.official_validation)
    )
    random.Random(SEED).shuffle(shuffled)
    for name, documents in (("train", shuffled[VALIDATION:]), ("valid", shuffled[:VALIDATION]), ("test", test)):
        for folder, content in (("", documents), ("other_document", with_exchanged_annotations(documents))):
            path = arguments.output / folder / f"{name}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            write_documents(str(path), content, {"reader": "annotated_narrativeqa"})
            print(f"{path}: {len(content)} summaries, {sum(len(one.questions) for one in content)} questions")


if __name__ == "__main__":
    run(main)
