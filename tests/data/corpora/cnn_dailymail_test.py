from pathlib import Path

from allennlp.data.tokenizers import CharacterTokenizer

from allennlp_coref_rc.data.corpora.cnn_dailymail import EntityQuestion, read_question
from allennlp_coref_rc.data.dataset_readers.annotated_cnn_dailymail import AnnotatedCnnDailyMailReader
from tests.data.dataset_readers.annotated_cnn_dailymail_test import GOOD
from tests.data.dataset_readers.reader_assertions import refusal, write


class TestReadQuestion:
    def test_blocks_of_a_file(self, tmp_path):
        assert read_question(write(tmp_path / "ab12.question", GOOD)) == EntityQuestion(
            "ab12",
            "@entity1 said it . @entity2 left",
            "@placeholder left",
            "@entity2",
            {"@entity1": "CNN", "@entity2": "A: b"},
            "http://a.b/c",
            [],
        )

    def test_line_ends_of_windows_and_further_blank_lines(self, tmp_path):
        path = tmp_path / "ab12.question"
        expected = read_question(write(path, GOOD))
        path.write_bytes(GOOD.replace("\n\n", "\n \n\n").replace("\n", "\r\n").encode() + b"\r\n\r\n")
        assert read_question(str(path)) == expected

    def test_clusters_of_conversions(self, tmp_path):
        # Who left ? is at 11 to 13 when passage and question are counted on from 1.
        content = (
            "u\n\nthe cat met Bob : he : left at once\n\nwho left @placeholder ?\n\nBob\n\nthe cat\nBob\n\n"
            "the:1|cat:2 he:6\nBob:4 @placeholder:13\n::5 ::7\n"
        )
        question = read_question(write(tmp_path / "a.question", content))
        assert question.entities == {"the cat": "", "Bob": ""}
        assert question.clusters == [[(0, 2), (5, 6)], [(3, 4), (12, 13)], [(4, 5), (6, 7)]]
        document = AnnotatedCnnDailyMailReader().to_document(Path(tmp_path / "a.question"))
        assert document.text.clusters == question.clusters
        instance = next(iter(AnnotatedCnnDailyMailReader().read(str(tmp_path / "a.question"))))
        # One further on in the question, behind @begin.
        assert instance["metadata"].metadata["clusters"][1] == [(3, 4), (13, 14)]
        assert instance["question"].tokens[3].text == "@placeholder"
        reader = AnnotatedCnnDailyMailReader(tokenizer=CharacterTokenizer())
        message = refusal(lambda: list(reader.read(str(tmp_path / "a.question"))))
        assert message.startswith(
            f"{tmp_path}/a.question: found clusters over 14 tokens and a dataset_reader.tokenizer"
        )
