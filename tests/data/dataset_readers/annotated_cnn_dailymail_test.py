import json
import re
import tarfile

import pytest
from allennlp.common import file_utils
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.__main__ import main
from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.annotators import Annotator
from allennlp_coref_rc.data.annotation_layers import CorefEdges
from allennlp_coref_rc.data.corpora.cnn_dailymail import question_from_json
from allennlp_coref_rc.data.dataset_readers.annotated_cnn_dailymail import AnnotatedCnnDailyMailReader
from tests.data.dataset_readers.reader_assertions import left_out, metadata, refusal, tokens, write
from tests.shared import PROJECT

FIXTURES = PROJECT / "tests" / "fixtures" / "cnn_dailymail" / "questions"
TRAINING = str(FIXTURES / "training")
FILES = sorted((FIXTURES / "training").iterdir())

GOOD = (
    "http://a.b/c\n\n@entity1 said it . @entity2 left\n\n@placeholder left\n\n@entity2\n\n"
    "@entity1:CNN\n@entity2:A: b"
)


class MarkersCoref(Annotator):
    """The same marker is the same entity."""

    def annotate(self, text):
        places = {}
        for i, token in enumerate(text.tokens):
            if token.startswith("@entity"):
                places.setdefault(token, []).append((i, i + 1))
        return AnnotatedText(text.tokens, text.sentences, text.clusters + list(places.values()), id=text.id)


def reader(**options):
    return AnnotatedCnnDailyMailReader(**{"annotation_layers": {"coref": CorefEdges()}, **options})


MALFORMED = [
    ("", 1, "0 blocks"),
    ("u\n\np\n\nq\n\na", 7, "4 blocks"),
    (GOOD.replace(" . ", " .\n"), 4, "2 lines of the passage"),
    (GOOD.replace("\n@entity2\n", "\n@entity3\n"), 7, "the answer '@entity3'"),
    (GOOD + "\n@entity1:b", 11, "'@entity1:b'"),
    (GOOD + "\n\nleft", 12, "'left'"),
    (GOOD + "\n\nleft:9", 12, "'left:9'"),
    (GOOD + "\n\nsaid:6", 12, "'said:6' where the token is 'left'"),
    (GOOD + "\n\nsaid:2|left:6", 12, "'said:2|left:6'"),
]
"""Files, the malformed line and what is found in it."""


class TestMalformedFiles:
    @pytest.mark.parametrize("content, line, found", MALFORMED, ids=[found for _, _, found in MALFORMED])
    def test_content(self, tmp_path, content, line, found):
        path = write(tmp_path / "a.question", content)
        for place in (path, str(tmp_path)):
            message = refusal(lambda place=place: list(reader().read(place)))
            assert message.startswith(f"{path}, line {line}: found {found}"), message

    def test_a_question_is_cut_around_its_placeholder(self, tmp_path):
        question = "yesterday it was @placeholder who left"
        path = write(tmp_path / "a.question", GOOD.replace("@placeholder left", question))
        cut = {1: "@placeholder", 2: "was @placeholder", 5: "yesterday it was @placeholder who"}
        for length, expected in cut.items():
            (instance,) = reader(max_question_length=length).read(path)
            assert tokens(instance["question"]) == ["@begin", *expected.split(), "@end"]

    def test_missing_and_empty_folders(self, tmp_path):
        message = refusal(lambda: list(reader().read(str(tmp_path / "a"))))
        assert message == f"{tmp_path}/a: no such file or folder"
        (tmp_path / "a.txt").write_text(GOOD)
        message = refusal(lambda: list(reader().read(str(tmp_path))))
        assert message.startswith(f"{tmp_path}: found no .question files")

    @pytest.mark.parametrize(
        "line, found",
        [
            (
                '{"passage": "a", "question": "b", "entities": {"@entity1": 1}}',
                "found 1 at entities.@entity1",
            ),
            ('{"passage": "a", "question": "b", "entities": {"c": ""}, "answer": "d"}', "answer: found 'd'"),
            ('{"passage": "\\ud800", "question": "b"}', "found half of a surrogate pair"),
        ],
    )
    def test_json_lines_of_wrong_types(self, tmp_path, line, found):
        good = json.dumps({"passage": "a", "question": "@placeholder"})
        path = write(tmp_path / "a.jsonl", f"{good}\n{line}\n")
        items = list(reader().read_items(path, path))
        message = refusal(lambda: question_from_json(items[1][1]))
        assert message.startswith(found) and "expected" in message
        assert items[1][0] == f"{path}, line 2"


class TestAnnotatedCnnDailyMailReader:
    def test_tokens_annotations_and_metadata(self, tmp_path):
        write(tmp_path / "ab12.question", GOOD)
        instance = next(iter(reader(annotator=MarkersCoref()).read(str(tmp_path))))
        assert tokens(instance["passage"]) == "@entity1 said it . @entity2 left".split()
        assert tokens(instance["question"]) == "@begin @placeholder left @end".split()
        assert instance["candidates"].human_readable_repr() == [[0, 0], [1, 4]]
        assert instance["answer"].label == 1
        assert instance["metadata"].metadata == {
            "id": "ab12",
            "passage_tokens": tokens(instance["passage"]),
            "question_tokens": tokens(instance["question"]),
            "clusters": [[(0, 1)], [(4, 5)]],
            "answer": "@entity2",
            "candidates": ["@entity1", "@entity2"],
            "url": "http://a.b/c",
            "entities": {"@entity1": "CNN", "@entity2": "A: b"},
        }

    def test_questions_come_in_the_order_of_their_files(self):
        assert [data["id"] for data in metadata(reader().read(TRAINING))] == [file.stem for file in FILES]
        assert len(list(reader(max_instances=5).read(TRAINING))) == 5

    def test_a_malformed_question_costs_itself_alone(self, tmp_path):
        write(tmp_path / "a.question", GOOD)
        write(tmp_path / "b.question", "nothing")
        write(tmp_path / "._a.question", "of macOS")
        assert left_out(reader(), str(tmp_path)).startswith(
            f"{tmp_path / 'b.question'}, line 1: found 1 blocks"
        )
        good = json.dumps({"passage": "a @entity1", "question": "@placeholder"})
        lines = write(tmp_path / "a.jsonl", good + "\n{}\n\n" + good + "\n\n")
        assert left_out(reader(), lines).startswith(f"{lines}, line 2: found ")

    def test_a_broken_placeholder_is_mended(self, tmp_path):
        broken = [file for file in FILES if "@ placeholder" in file.read_text()]
        assert len(broken) == 1
        instance = next(iter(reader().read(str(broken[0]))))
        assert tokens(instance["question"])[1:4] == ["@placeholder", "falls", "at"]
        write(tmp_path / "a.question", GOOD.replace("@placeholder left", "it is @ placeholder's car"))
        assert tokens(next(iter(reader().read(str(tmp_path))))["question"])[3:5] == ["@placeholder", "'s"]

    def test_candidates_are_those_of_the_list_or_of_the_passage(self, tmp_path):
        write(tmp_path / "a.question", GOOD + "\n@entity10:X")
        all_of_them = next(iter(reader().read(str(tmp_path))))
        assert all_of_them["metadata"].metadata["candidates"] == ["@entity1", "@entity2", "@entity10"]
        assert len(all_of_them["candidates"]) == 3

    def test_answers_that_are_not_in_the_passage(self, tmp_path, caplog):
        write(tmp_path / "a.question", GOOD)
        write(tmp_path / "b.question", GOOD.replace("\n@entity2\n", "\n@entity3\n") + "\n@entity3:C")
        made = reader()
        assert [data["id"] for data in metadata(made.read(str(tmp_path)))] == ["a"]
        assert made.report.skipped == {"the answer is not in the passage": 1}
        assert f"{tmp_path}: 1 of 2 questions skipped: the answer is not in the passage" in caplog.text
        made = reader(keep_skipped=True)
        assert [instance["answer"].label for instance in made.read(str(tmp_path))] == [1, -2]
        assert made.report.skipped == {"the answer is not in the passage": 1}
        # What is cut off is not in the passage either.
        made = reader(max_passage_length=4)
        with pytest.raises(ConfigurationError, match="2 of 2 questions are skipped"):
            list(made.read(str(tmp_path)))

    def test_unlabelled_input(self):
        made = reader(annotator=MarkersCoref(), permute_entities=True)
        instance = made.text_to_instance("@entity7 met @entity3 . @entity7 left .", "@placeholder left")
        assert "answer" not in instance.fields
        assert instance["metadata"].metadata["candidates"] == ["@entity7", "@entity3"]
        assert instance["candidates"].human_readable_repr() == [[0, 0], [0, 4], [1, 2]]
        assert instance["passage_annotations"].layers["coref"]["antecedents"][4] == [0]
        with pytest.raises(ConfigurationError, match="found no candidate in the passage"):
            made.text_to_instance("nobody left", "@placeholder left")
        with pytest.raises(ConfigurationError, match="expected one with @placeholder"):
            made.text_to_instance("@entity7 left", "who left")
        with pytest.raises(ConfigurationError, match="left out: the answer is not in the passage"):
            made.text_to_instance("@entity7 left", "@placeholder left", answer="@entity1")

    def test_the_command_writes_json_lines(self, tmp_path, capsys):
        def run(*arguments):
            main(["data", "to-jsonl", *map(str, arguments)])

        run(TRAINING, tmp_path / "a.jsonl")
        assert metadata(reader().read(str(tmp_path / "a.jsonl"))) == metadata(reader().read(TRAINING))
        (tmp_path / "bad").mkdir()
        write(tmp_path / "bad" / "a.question", "nothing")
        with pytest.raises(SystemExit) as error:
            run(tmp_path / "bad", tmp_path / "b.jsonl")
        assert error.value.code == 2
        assert f"{tmp_path}/bad/a.question, line 1: found 1 blocks" in capsys.readouterr().err
        assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "bad"]

    def test_a_folder_in_an_archive(self, tmp_path, monkeypatch):
        monkeypatch.setattr(file_utils, "CACHE_DIRECTORY", str(tmp_path / "cache"))
        archive = tmp_path / "cnn.tgz"
        with tarfile.open(archive, "w:gz") as file:
            file.add(FIXTURES, "cnn/questions")
        found = metadata(reader().read(f"{archive}!cnn/questions/training"))
        assert found == metadata(reader().read(TRAINING))
        message = refusal(lambda: list(reader().read(f"{archive}!cnn/questions/dev")))
        assert message == f"{archive}!cnn/questions/dev: no such file or folder"
        archive.write_bytes(archive.read_bytes()[:2000])
        message = refusal(lambda: list(reader().read(f"{archive}!cnn/questions/training")))
        assert message.startswith(f"{archive}: found a damaged archive")


class TestPermutedEntities:
    def test_only_the_markers_change_and_consistently(self):
        changed = 0
        for one, other in zip(reader().read(TRAINING), reader(permute_entities=True).read(TRAINING)):
            before, after = one["metadata"].metadata, other["metadata"].metadata
            words = [
                [*data["passage_tokens"], *data["question_tokens"], *data["candidates"], data["answer"]]
                for data in (before, after)
            ]
            new = {old: new for old, new in zip(*words) if old.startswith("@entity")}
            assert [new.get(word, word) for word in words[0]] == words[1]
            assert sorted(new) == sorted(new.values()) == sorted(before["candidates"])
            assert after["entities"] == {new[marker]: form for marker, form in before["entities"].items()}
            assert one["answer"].label == other["answer"].label
            assert one["candidates"].human_readable_repr() == other["candidates"].human_readable_repr()
            changed += new != {marker: marker for marker in new}
        assert changed >= 10

    def test_markers_within_tokens_and_of_more_digits(self):
        made = reader(permute_entities=True)
        document = made.to_document(
            '{"id": "a", "passage": "@entity1-based @entity10 x@entity2.", "question": "@placeholder @entity1"}'
        )
        seen = set()
        for read in range(50):
            tokens = made._permuted(document, read).text.tokens
            match = re.fullmatch(
                r"(@entity\d+)-based (@entity\d+) x(@entity\d+)\. @placeholder \1", " ".join(tokens)
            )
            assert {*match.groups()} == {"@entity1", "@entity2", "@entity10"}
            seen.add(match.groups())
        assert len(seen) == 6

    def test_is_the_same_for_the_same_seed_and_new_with_every_read(self):
        def passages(made):
            return [data["passage_tokens"] for data in metadata(made.read(TRAINING))]

        one, other = reader(permute_entities=True), reader(permute_entities=True)
        first, second = passages(one), passages(one)
        assert first != second
        assert (first, second) == (passages(other), passages(other))
        assert passages(reader(permute_entities=True, seed=1)) != first

    def test_is_another_for_every_question(self, tmp_path):
        for name in "abcdefgh":
            write(tmp_path / f"{name}.question", FILES[0].read_text())
        passages = [
            data["passage_tokens"] for data in metadata(reader(permute_entities=True).read(str(tmp_path)))
        ]
        assert len({tuple(passage) for passage in passages}) == 8

    def test_does_not_depend_on_what_is_read_before(self, tmp_path):
        write(tmp_path / FILES[3].name, FILES[3].read_text())
        alone = metadata(reader(permute_entities=True).read(str(tmp_path)))
        assert alone == metadata(reader(permute_entities=True).read(TRAINING))[3:4]
