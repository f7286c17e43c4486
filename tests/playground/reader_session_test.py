import json
from dataclasses import replace

import pytest

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.annotators import Annotator, ExactMatchCoref
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.babi.babi_files import BabiQuestion
from allennlp_coref_rc.playground.reader_session import (
    CachedAnnotator,
    NoAnnotator,
    Question,
    ReaderSession,
    Reading,
    annotated,
    split_candidates,
    transferred,
)
from allennlp_coref_rc.reproduction.figures.stories import Story, by_prefixes, load_reader

STATEMENTS = ["Zelda got the milk.", "Quentin went to the garden.", "Zelda went to the office."]

QUESTION = Question(" ".join(STATEMENTS), "Where is the milk?")

ZELDA, MILK, QUENTIN = [(0, 1), (11, 12)], [(3, 4), (21, 22)], [(5, 6)]


def read(passage, question, clusters=()):
    """A passage, with | between its sentences, and a question."""
    sentences = [sentence.split() for sentence in [*passage.split("|"), question]]
    text = replace(AnnotatedText.of_sentences(sentences), clusters=list(clusters))
    return Reading(text, len(text) - len(sentences[-1]))


@pytest.fixture(scope="module")
def reader(archive):
    return ReaderSession(archive)


@pytest.fixture(scope="module")
def predictor(archive):
    return load_reader(archive)


def test_a_question_is_read_as_the_reader_sees_it(reader):
    reading = reader.read(QUESTION)
    passage = "Zelda got the milk . Quentin went to the garden . Zelda went to the office .".split()
    assert (
        reading.text.tokens == passage + "@begin Where is the milk ? @end".split() and reading.boundary == 17
    )
    assert reading.sentences == [(0, 5), (5, 11), (11, 17)]
    assert reading.clusters == [ZELDA, MILK]
    assert [QUESTION.passage[start:end] for start, end in reading.text.offsets[:17]] == passage


def test_another_annotator_gives_the_clusters_and_leaves_the_reader_as_it_is(reader):
    assert reader.read(QUESTION, NoAnnotator()).clusters == []
    assert reader.read(QUESTION, ExactMatchCoref(max_clusters=1)).clusters == [ZELDA]
    assert reader.read(QUESTION).clusters == [ZELDA, MILK]


def test_the_request_gives_the_same_answer_to_coref_rc_predict(reader, predictor):
    clusters = [[(0, 1), *QUENTIN], MILK]
    question = replace(QUESTION, candidates=("office", "garden"))
    request = json.loads(json.dumps(reader.request(question, clusters)))
    assert request == {
        "passage": QUESTION.passage,
        "question": QUESTION.question,
        "candidates": ["office", "garden"],
        "clusters": [[[0, 1], [5, 6]], [[3, 4], [21, 22]]],
    }
    output = predictor.predict_json(request)
    answer = reader.answer(question, clusters)
    assert output["answer"] == answer.answer == "garden"
    assert output["candidate_probabilities"] == pytest.approx(answer.candidates, abs=1e-6)


def test_a_reader_of_spans_is_given_no_candidates(reader, monkeypatch):
    monkeypatch.setattr(reader, "answers_are_spans", True)
    request = reader.request(replace(QUESTION, candidates=("office",)))
    assert request == {"passage": QUESTION.passage, "question": QUESTION.question}


def test_beliefs_are_those_of_draw_story(reader, predictor):
    story = Story(BabiQuestion(STATEMENTS, QUESTION.question, "office", [0, 2], 4, 1), 2)
    expected = by_prefixes(predictor, story)
    beliefs = [answer.candidates for answer in reader.beliefs(QUESTION, reader.read(QUESTION))]
    assert len(beliefs) == 3
    for believed, other in zip(beliefs, expected):
        assert believed == pytest.approx(other, abs=1e-6)
    assert max(beliefs[1], key=beliefs[1].get) == "garden" and max(beliefs[2], key=beliefs[2].get) == "office"


def test_a_beginning_keeps_mentions_that_have_been_read_and_those_of_the_question():
    reading = read("a b . | a c .", "@begin a ? @end", [[(0, 1), (3, 4), (7, 8)], [(1, 2), (4, 5)]])
    assert reading.beginnings() == [(3, [[(0, 1), (4, 5)]]), (6, reading.clusters)]


def test_passage_and_question_are_shown_apart_and_clusters_keep_their_positions():
    reading = read("a b . | a c .", "@begin a ? @end", [[(1, 2), (4, 5)], [(0, 1), (3, 4), (7, 8)]])
    passage, question = reading.shown()
    clusters = [[(1, 2), (4, 5)], [(0, 1), (3, 4)]]
    assert passage == AnnotatedText("a b . a c .".split(), [(0, 3), (3, 6)], clusters)
    assert question == AnnotatedText(["a", "?"], clusters=[[], [(0, 1)]])


def test_clusters_are_transferred_to_other_tokens():
    source = read("Mary 's dog ran .", "@begin Who ran ? @end")
    target = read("mary ' s dog ran .", "who ran ?")
    clusters = [[(0, 3), (6, 7)], [(0, 2)], [(5, 6)]]
    # A mention of the mark alone is nowhere else.
    assert transferred(source.with_clusters(clusters), target) == [[(0, 4), (6, 7)], [(0, 3)]]
    other = read("Mary 's cat ran .", "Who")
    with pytest.raises(ConfigurationError, match="the annotation and the text part ways"):
        transferred(source.with_clusters(clusters), other)


def test_each_text_is_annotated_once():
    class Counting(Annotator):
        seen = 0

        def annotate(self, text):
            self.seen += 1
            return replace(text, clusters=[[(0, 1)]])

    counting = Counting()
    remembering = CachedAnnotator(counting)
    for _ in range(2):
        assert annotated("Mary left.", remembering).clusters == [[(0, 1)]]
        assert annotated("Paul left.", remembering).text.tokens == ["Paul", "left", "."]
    assert counting.seen == 2


@pytest.mark.parametrize(
    "text, candidates",
    [
        ("garden, the Kitchen", ("garden", "the Kitchen")),
        ("Paris, Texas; Rome;", ("Paris, Texas", "Rome")),
        ("Paris, Texas;", ("Paris, Texas",)),
        (" , ", ()),
    ],
)
def test_candidates_are_between_semicolons_or_else_commas(text, candidates):
    assert split_candidates(text) == candidates
