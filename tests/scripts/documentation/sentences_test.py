"""The page of sentences says what `structure` finds today."""

from scripts.documentation.sentences import PAGE, with_structure


def test_the_page_has_what_is_found_in_its_texts():
    text = PAGE.read_text(encoding="utf-8")
    assert with_structure(text) == text, "run python -m scripts.documentation.sentences"
