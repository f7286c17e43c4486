import pytest
import spacy
from hypothesis import example, given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.annotations import AnnotatedText, sentence_spans
from allennlp_coref_rc.annotations.annotators.lexicon import TITLES
from allennlp_coref_rc.annotations.tokenization import ABBREVIATED_TITLES, split_words

NLP = spacy.blank("en")


def sentences(text):
    """The sentences of a text, as they stand in it."""
    return [text.text[slice(*text.characters(span))] for span in text.sentences]


def check(parts):
    """Checks that a text, written with "|" between its sentences, is split there alone."""
    text = parts.replace("|", "")
    expected = [part.strip() for part in parts.split("|")]
    assert sentences(AnnotatedText.of_text(text)) == expected
    # Docs have tokens of white space, and spaCy's own tokenizer divides titles from their stops.
    from_doc = sentences(AnnotatedText.from_spacy(NLP(text)))
    assert [sentence.strip() for sentence in from_doc] == expected


@pytest.mark.parametrize(
    "parts",
    [
        'He left. |"Come here," she said. |"Now!" |He came.',
        "He left. |'Come here,' she said. |'Now!' |He came.",
        '"Go." |"No."',
        '"Go." |("No," he said.) |("Yes." |Or not.)',
        'She sang "Yes." |Then "No".',
        "\"He said, 'Go.'\" |\"'Now?'\"",
        'He is 6\'2". |"Tall," she said.|\n"Very."',
        # Quotations of several paragraphs close once.
        '"She left.|\n\n"He came."|\n\n"Good."',
        # Neither side tells.
        'She said, " Go . " |He went . |" Now . " |Then',
    ],
)
def test_straight_marks_open_a_quotation_or_close_it(parts):
    check(parts)


def test_tokens_alone_open_every_second_quotation():
    tokens = 'He left . " Come here , " she said . " Now ! " He came .'.split()
    assert sentence_spans(tokens) == [(0, 3), (3, 11), (11, 15), (15, 18)]
    # A single mark may be an apostrophe.
    assert sentence_spans("The boys ' toys . ' He left .".split()) == [(0, 6), (6, 9)]


@pytest.mark.parametrize(
    "parts",
    [
        "London Marathon|\n\nAnna Smith won the race. |She smiled.",
        "London Marathon|\r\n \r\nAnna Smith won.",
        "\n\nA hard\nwrapped line. |It\nis one.\n\n",
        "They came:|\n* Anna Smith\nof Rome|\n  - Bob|\n• Carl|\n\nAll * others - spoke\n-5 times.",
        '"She left|\n\n" Go . "',
    ],
)
def test_blank_lines_and_bullets_begin_a_sentence(parts):
    check(parts)


@pytest.mark.parametrize("title", ABBREVIATED_TITLES)
def test_a_title_keeps_its_stop_and_its_sentence(title):
    check(f"The {title} left. |I saw ({title} Smith, {title}) and {title} Ann. |{title} Smith\nslept.")
    assert [word for word, _ in split_words(f"({title} Smith")] == ["(", title, "Smith"]
    assert title.lower() in TITLES


def test_other_languages_have_no_english_titles():
    assert [word for word, _ in split_words("Col. Smith", "xx")] == ["Col", ".", "Smith"]


@pytest.mark.parametrize(
    "parts",
    [
        "Smith et al. (2010) say so. |See, cf. Jones, pp. 3 to 5, vol. 2, approx. half.",
        "Al. |I saw Al. |He left.",
        "It is in Fig. 3, No. 5, Eq. (2), Sec. 4 and Ch. 1. |Is it? |No. |He left.",
        "1. Mix the flour. |2. Add 3. |4. Bake.|\n\n5. Eat!",
        '"5." |He left. |5? |No. |"No." |5 left.',
    ],
)
def test_stops_of_abbreviations_and_numbers_end_no_sentence(parts):
    check(parts)


PIECES = ["He", "left", ".", "?", '"', "'", "(", ")", " ", "\n", "\n\n", "- ", "No", "5", "Capt.", "al", "”"]


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES)).map("".join))
@example("\n\n\n")
def test_paragraphs_have_the_sentences_that_they_have_alone(source):
    text = AnnotatedText.of_text(source).checked()
    assert [source[start:end] for start, end in text.offsets] == text.tokens
    assert "".join(text.tokens) == "".join(source.split())
    alone = [sentences(AnnotatedText.of_text(paragraph)) for paragraph in source.split("\n\n")]
    assert sentences(text) == [sentence for paragraph in alone for sentence in paragraph]
    AnnotatedText(text.tokens).split_sentences().checked()
    AnnotatedText.from_spacy(NLP(source))
