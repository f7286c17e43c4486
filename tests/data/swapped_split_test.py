import pytest

from allennlp_coref_rc.annotations import (
    AnnotatedText,
    DiscourseRelation,
    Document,
    Frame,
    read_documents,
    write_documents,
)
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.swapped_split import write_swapped_split

NAMES = ("train", "valid", "test")


def document(id, length, questions=3):
    """A passage of sentences of five tokens. Annotations are at places that its length says."""
    passage = AnnotatedText(
        [f"{id}{i}" for i in range(length)],
        [(start, min(start + 5, length)) for start in range(0, length, 5)],
        [[(length % 7, length % 7 + 1), (length - 2, length)]],
        [Frame((1, 2), [("ARG0", (0, 1)), ("ARG1", (2, length))])],
        [DiscourseRelation("Implicit", f"sense {length}", [(0, 5)], [(5, 10)])],
    )
    asked = [AnnotatedText(["who", id, str(i)], clusters=[[(0, 1), (1, 2)]]) for i in range(questions)]
    data = {"questions": [{"answers": [f"{id} {i}"]} for i in range(questions)]}
    return Document.of(passage, *asked, id=id, data=data)


@pytest.fixture
def files(tmp_path):
    """The documents of the official splits by id, in another order than the files; the new folder."""
    # The lengths in the order of ids differ from each other and from those of the neighbours.
    test = {id: document(id, 20 + 37 * i % 41) for i, id in enumerate("hgfedcba")}
    valid = {id: document(id, 30 - 3 * i) for i, id in enumerate("xyz")}
    for name, documents in (("official_test", test), ("official_valid", valid)):
        write_documents(str(tmp_path / name), documents.values(), {"reader": "annotated_narrativeqa"})
    paths = str(tmp_path / "official_test"), str(tmp_path / "official_valid")
    written = list(write_swapped_split(*paths, str(tmp_path / "new"), validation=3))
    return {**test, **valid}, tmp_path / "new", written


def read(path):
    return [found for _, found in read_documents(str(path))]


def test_each_document_is_in_one_file_by_its_id(files):
    documents, folder, written = files
    expected = [["d", "e", "f", "g", "h"], ["a", "b", "c"], ["x", "y", "z"]]
    assert [[found.text.id for found in read(folder / f"{name}.jsonl")] for name in NAMES] == expected
    assert [tuple(rest) for _, *rest in written] == [(5, 15)] * 2 + [(3, 9)] * 4
    for name in NAMES:
        for found in read(folder / f"{name}.jsonl"):
            assert found == documents[found.text.id]


def layers(text, stop):
    """All annotations of the first tokens of a text, cut there as `select` does."""
    values = text.select((0, stop)).to_json()
    return {key: values[key] for key in ("sentences", "clusters", "frames", "relations")}


def test_the_control_has_the_annotations_of_the_next_longer_passage(files):
    _, folder, _ = files
    for name in NAMES:
        plain, control = read(folder / f"{name}.jsonl"), read(folder / "other_document" / f"{name}.jsonl")
        by_length = sorted(plain, key=lambda found: found.parts[0])
        for one, other in zip(plain, control):
            expected = (other.text.id, other.text.tokens, other.parts, other.data)
            assert (one.text.id, one.text.tokens, one.parts, one.data) == expected
            seen = [part.clusters for part in one.apart()[0][1:]]
            assert seen == [part.clusters for part in other.apart()[0][1:]]
            place = by_length.index(one)
            longest = place == len(plain) - 1
            source = by_length[place - 1 if longest else place + 1]
            shared = min(one.parts[0], source.parts[0])
            assert layers(other.text, shared) == layers(source.text, shared)
            passage = other.apart()[0][0]
            if longest:
                assert passage.sentences[-1] == (shared, one.parts[0])
                assert all(stop <= shared for frame in passage.frames for _, (_, stop) in frame.arguments)
            other.text.checked()


def test_too_few_documents_are_refused(tmp_path):
    path = str(tmp_path / "documents")
    write_documents(path, [document("a", 20), document("b", 21)], {"reader": "annotated_narrativeqa"})
    with pytest.raises(ConfigurationError, match="found 2 and 2 documents, expected two or more for each"):
        list(write_swapped_split(path, path, str(tmp_path / "new"), validation=1))
    assert not (tmp_path / "new").exists()
