"""Python in three lines: annotates texts, loads readers and asks them, and gives the results as values."""

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.api.answer import Answer
from allennlp_coref_rc.api.load import Reader


def _repr_html_(text: AnnotatedText) -> str:
    from allennlp_coref_rc.pages.annotated_text import html_fragment

    return html_fragment(text)


# The picture of a text in a notebook belongs here, because `annotations` is below `pages`.
AnnotatedText._repr_html_ = _repr_html_  # type: ignore[attr-defined]
