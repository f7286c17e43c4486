"""How much code one question goes through, and how often its text is made anew."""

import sys
from pathlib import Path

import allennlp_coref_rc
from allennlp_coref_rc.annotations import AnnotatedText

PACKAGE = Path(allennlp_coref_rc.__file__).parent

STORY = "Bill took the milk there. Bill went to the park. Fred moved to the office."


def test_one_question_goes_through_few_files_and_makes_few_texts(reader):
    def ask():
        return reader.answer(allennlp_coref_rc.annotate(STORY, "exact_match_coref"), "Where is the milk?")

    files, texts, checks = [], [], []

    def record(frame, event, _):
        path = Path(frame.f_code.co_filename)
        if event == "call" and PACKAGE in path.parents:
            files.append(path)
            if frame.f_code is AnnotatedText.__post_init__.__code__:
                texts.append(frame.f_locals["self"])
            checks.extend([path] * (frame.f_code is AnnotatedText.checked.__code__))

    expected = ask()
    sys.setprofile(record)
    try:
        answer = ask()
    finally:
        sys.setprofile(None)
    rooms = [path.relative_to(PACKAGE).parts[0] for path in files]
    assert answer == expected
    assert len(set(files)) <= 35
    assert sum(one != other for one, other in zip(rooms, rooms[1:])) <= 45
    # Copies with other annotations have the same list of tokens.
    assert len({id(text.tokens) for text in texts}) <= 3 and len(texts) <= 7
    # That of the user, and what the two annotators have returned.
    assert len(checks) <= 3
