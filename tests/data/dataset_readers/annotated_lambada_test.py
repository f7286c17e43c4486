import json
import re

import pytest
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.annotations.annotators import Annotator, ExactMatchCoref
from allennlp_coref_rc.data.annotation_layers import CorefEdges
from allennlp_coref_rc.data.dataset_readers.annotated_lambada import AnnotatedLambadaReader
from allennlp_coref_rc.data.tokenizers import BlankSpacyTokenizer
from tests.data.dataset_readers.reader_assertions import left_out, metadata, tokens, write
from tests.shared import LAMBADA, PROJECT, needs_lambada

FIXTURE = PROJECT / "tests" / "fixtures" / "lambada" / "valid.txt"
PATH = str(FIXTURE)
TEXTS = FIXTURE.read_text().splitlines()

ABSENT = "the answer is not one of the candidates"
NO_CONTEXT = "the text has no sentence before the question"


def reader(**options):
    return AnnotatedLambadaReader(**{"annotation_layers": {"coref": CorefEdges()}, **options})


class TestAnnotatedLambadaReader:
    def test_passage_question_candidates_and_answer(self):
        instance = next(iter(reader(annotator=ExactMatchCoref()).read(PATH)))
        names = "passage question passage_annotations question_annotations candidates answer cloze metadata"
        assert set(instance.fields) == set(names.split())
        left, right = TEXTS[0].rsplit(" . ", 1)
        passage, question = f"{left} .".split(), ["@begin", *right.split()[:-1], "@placeholder", "@end"]
        assert tokens(instance["passage"]) == passage
        assert tokens(instance["question"]) == question
        assert question[instance["cloze"].sequence_index] == "@placeholder"
        data = instance["metadata"].metadata
        assert data["id"] == "valid.txt:1"
        assert data["answer"] == "ladder" and data["answer_in_context"] is True
        words = [word for word in passage if word not in (".", ",", "``", "''")]
        assert data["candidates"] == list(dict.fromkeys(words))
        assert data["candidates"][instance["answer"].label] == "ladder"
        ladder = passage.index("ladder")
        assert [instance["answer"].label, ladder] in instance["candidates"].human_readable_repr()
        # "holding" is in the question, "hold" in the passage; "ladder" is in the passage once.
        assert instance["passage_annotations"].layers["coref"]["antecedents"][ladder] == []

    def test_candidates_occur_at_all_their_tokens_and_no_others(self):
        for instance in reader().read(PATH):
            passage = tokens(instance["passage"])
            candidates = instance["metadata"].metadata["candidates"]
            pairs = instance["candidates"].human_readable_repr()
            found = {position for _, position in pairs}
            assert found == {i for i, token in enumerate(passage) if re.search("[a-z0-9]", token)}
            assert all(candidates[i] == passage[position] for i, position in pairs)

    def test_skipped_questions_are_counted_and_kept_if_asked_for(self, caplog):
        skipped = {ABSENT: 1, NO_CONTEXT: 1}
        made = reader()
        assert len(list(made.read(PATH))) == 5
        assert made.report.skipped == skipped
        for cause in skipped:
            assert f"{PATH}: 1 of 7 questions skipped: {cause}" in caplog.text
        made = reader(keep_skipped=True)
        instances = list(made.read(PATH))
        assert len(instances) == 7 and made.report.skipped == skipped
        in_context = [instance["metadata"].metadata["answer_in_context"] for instance in instances]
        assert [instance["answer"].label != -2 for instance in instances] == in_context
        assert in_context.count(True) == 5

    def test_a_text_without_context_is_its_own_passage(self):
        instance = list(reader(keep_skipped=True).read(PATH))[4]
        assert tokens(instance["passage"]) == TEXTS[4].split()[:-1]
        assert tokens(instance["question"]) == ["@begin", "@placeholder", "@end"]
        assert instance["answer"].label == -2

    @pytest.mark.parametrize("together", [True, False])
    def test_no_annotator_sees_the_answer(self, together):
        seen = []

        class Watching(Annotator):
            def annotate(self, text):
                seen.append(list(text.tokens))
                return text

        options = {"annotate_together": together, "keep_skipped": True}
        instances = list(reader(annotator=Watching(), **options).read(PATH))
        texts = seen if together else [one + other for one, other in zip(seen[::2], seen[1::2])]
        assert texts == [[*text.split()[:-1], "@placeholder"] for text in TEXTS]
        for instance, text in zip(instances, TEXTS):
            read = tokens(instance["passage"]) + tokens(instance["question"])[1:-1]
            assert read == [*text.split()[:-1], "@placeholder"]

    def test_case_does_not_count_and_is_kept(self, tmp_path):
        path = write(tmp_path / "a.txt", "Anna met anna and Bo . she left ANNA\n")
        (instance,) = reader().read(path)
        assert instance["metadata"].metadata["candidates"] == ["Anna", "met", "and", "Bo"]
        assert instance["answer"].label == 0
        assert instance["candidates"].human_readable_repr()[:2] == [[0, 0], [0, 2]]

    @pytest.mark.parametrize(
        "text, passage, question, answer",
        [
            ("a b . c", "a b .", "@placeholder", -2),
            ("a b . a", "a b .", "@placeholder", 0),
            (". b a b", ". b a", "@placeholder", -2),
            ("* . a .", "* .", "a @placeholder", -2),
            ("a * . b *", "a * .", "b @placeholder", -2),
            ("mr. b . b", "mr. b .", "@placeholder", 1),
            ("a\tb  .\u00a0c d b", "a b .", "c d @placeholder", 1),
        ],
    )
    def test_odd_texts(self, tmp_path, text, passage, question, answer):
        made = reader(keep_skipped=True, wrap_question=False)
        (instance,) = made.read(write(tmp_path / "a.txt", text + "\n"))
        assert tokens(instance["passage"]) == passage.split()
        assert tokens(instance["question"]) == question.split()
        assert instance["answer"].label == answer
        assert made.report.skipped.total() == (answer == -2)

    def test_what_is_cut_off(self):
        instances = list(reader(max_passage_length=8, max_question_length=3, keep_skipped=True).read(PATH))
        for instance, text in zip(instances, TEXTS):
            assert len(instance["passage"]) <= 8
            question = tokens(instance["question"])[1:-1]
            assert len(question) <= 3 and question[-1] == "@placeholder"
            skipped = instance["answer"].label == -2
            assert skipped == (text.split()[-1] not in text.split()[:8] or " . " not in text)
        answers = [data["answer"] for data in metadata(reader(max_passage_length=8).read(PATH))]
        assert answers == ["violin", "bees", "ferryman"]

    def test_unlabelled_input(self):
        made = reader(annotator=ExactMatchCoref())
        instance = made.text_to_instance("anna had a cat .", "the cat sat on @placeholder 's lap")
        assert "answer" not in instance.fields
        assert tokens(instance["question"])[5:7] == ["@placeholder", "'s"]
        assert instance["cloze"].sequence_index == 5
        data = instance["metadata"].metadata
        assert data["candidates"] == ["anna", "had", "a", "cat"] and data["clusters"] == [[(3, 4), (7, 8)]]
        cat = {"passage": "anna had a cat .", "question": "@placeholder purred"}
        assert made.text_to_instance(**cat, candidates=["cat", "anna"], answer="cat")["answer"].label == 0
        with pytest.raises(ConfigurationError, match=f"left out: {ABSENT}"):
            made.text_to_instance(**cat, answer="dog")

    def test_another_tokenizer(self, tmp_path):
        path = write(tmp_path / "a.txt", "Anna's cat slept. Bo looked for Anna\n")
        (instance,) = reader(tokenizer=BlankSpacyTokenizer()).read(path)
        assert tokens(instance["passage"]) == ["Anna", "'s", "cat", "slept", "."]
        assert instance["answer"].label == 0

    def test_a_malformed_line_costs_itself_alone(self, tmp_path, caplog):
        path = write(tmp_path / "a.txt", "a b . a\nword\n\nb . b b\n \t\n")
        message = left_out(reader(), path)
        assert message.startswith(f"{path}, line 2: found 'word'")
        assert message in caplog.text and "1 of 3 questions skipped: malformed" in caplog.text

    def test_objects_with_a_text(self, tmp_path):
        texts = ["a b . c d a", "b ' . x b"]
        plain = write(tmp_path / "a.txt", "\n".join(texts))
        objects = write(tmp_path / "b.txt", "\n".join(json.dumps({"text": text}) for text in [*texts, None]))
        expected = [(data.pop("id"), data)[1] for data in metadata(reader().read(plain))]
        expected[-1]["malformed"] = 1
        assert [(data.pop("id"), data)[1] for data in metadata(reader().read(objects))] == expected
        assert left_out(reader(), objects) == f"{objects}, line 3: found null at text, expected a string"

    def test_a_lone_carriage_return_ends_no_line(self, tmp_path):
        path = tmp_path / "a.txt"
        path.write_bytes(b"a b . c\r d a\r\nb . x b\r\n")
        assert len(list(reader().read(str(path)))) == 2


@needs_lambada
@pytest.mark.slow
class TestRealFile:
    def test_the_development_data_keep_3950_of_4869(self):
        made = reader(keep_skipped=True)
        kept = 0
        for instance, line in zip(made.read(str(LAMBADA)), LAMBADA.read_text().splitlines()):
            # The rule of Coref-GRU's code, written anew.
            left, period, right = line.rpartition(" . ")
            answer = line.rpartition(" ")[2]
            keeps = period and answer in left.split() and not re.fullmatch(r"[\W_]+", answer)
            assert (instance["answer"].label >= 0) == bool(keeps)
            if period:
                assert " ".join(tokens(instance["passage"])) == f"{left} ."
                assert tokens(instance["question"])[1:-2] == right.split()[:-1]
            kept += bool(keeps)
        assert kept == 3950
        assert made.report.skipped == {ABSENT: 912, NO_CONTEXT: 7}
        assert kept + made.report.skipped.total() == 4869
