from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.annotations.tokenization import WordFinder

words = st.lists(st.text("abA.", min_size=1, max_size=3), max_size=8)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(tokens=words, wanted=words)
def test_every_span_whose_letters_are_those_wanted_is_found(tokens, wanted):
    def letters(tokens):
        return "".join(tokens).lower()

    spans = [(i, j) for i in range(len(tokens)) for j in range(i + 1, len(tokens) + 1)]
    expected = [(i, j) for i, j in spans if letters(tokens[i:j]) == letters(wanted)]
    assert WordFinder(tokens).find(wanted) == expected


def test_names_are_found_however_they_are_cut_into_tokens():
    finder = WordFinder("He left St. Petersburg for the U.S . Virgin Islands , and St . Petersburg .".split())
    assert finder.find(["st", ".", "petersburg"]) == [(2, 4), (12, 15)]
    assert finder.find(["st.", "petersburg"]) == [(2, 4), (12, 15)]
    assert finder.find(["u.s.", "virgin", "islands"]) == [(6, 10)]
    assert finder.find(["virgin"]) == [(8, 9)]
    assert finder.find(["peters"]) == finder.find(["irgin"]) == finder.find([]) == []
