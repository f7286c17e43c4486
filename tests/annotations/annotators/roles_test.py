"""The annotator `roles` with the model of the package."""

import pytest

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.annotators import Roles
from tests.annotations.texts import text_of


@pytest.fixture(scope="module")
def roles():
    return Roles()


def frames(annotator, *sentences):
    """The predicates of a text with their arguments, in words."""
    text = AnnotatedText.of_sentences([sentence.split() for sentence in sentences])
    return {
        " ".join(text.tokens[slice(*frame.predicate)]): {
            role: " ".join(text.tokens[slice(*span)]) for role, span in frame.arguments
        }
        for frame in annotator.annotate(text).frames
        if frame.arguments
    }


def test_who_did_what_to_whom(roles):
    assert frames(roles, "The company did not sell the house last year .") == {
        "sell": {
            "ARG0": "The company",
            "ARGM-NEG": "not",
            "ARG1": "the house",
            "ARGM-TMP": "last year",
        }
    }
    assert frames(roles, "She gave him a book .") == {
        "gave": {"ARG0": "She", "ARG2": "him", "ARG1": "a book"}
    }


def test_the_subject_of_a_passive_is_what_it_is_done_to(roles):
    (killed,) = frames(roles, "Three soldiers were killed by the police .").values()
    assert killed == {"ARG1": "Three soldiers", "ARG0": "by the police"}


def test_relative_clauses_and_infinitives(roles):
    found = frames(roles, "I know the man who wrote the letter .", "They want to leave the city .")
    assert found["wrote"] == {"ARG0": "the man", "R-ARG0": "who", "ARG1": "the letter"}
    assert found["want"]["ARG0"] == found["leave"]["ARG0"] == "They"
    assert found["leave"]["ARG1"] == "the city"


def test_positions_are_those_of_the_text_and_earlier_frames_stay(roles):
    text = text_of("Hello there . Anna bought a car .")
    (frame,) = roles.annotate(text).frames
    assert frame.predicate == (4, 5) and frame.arguments == [("ARG0", (3, 4)), ("ARG1", (5, 7))]
    assert roles.annotate(roles.annotate(text)).frames == [frame, frame]
