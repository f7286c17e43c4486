from collections.abc import Iterator

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, read_annotated_texts
from allennlp_coref_rc.annotations.document import read_documents, read_header


def read_annotated(path: str) -> Iterator[AnnotatedText]:
    """The texts of a file written by `write_annotated_texts` or `coref-rc annotate`."""
    if read_header(path) is None:
        yield from read_annotated_texts(path)
    else:
        for _, document in read_documents(path):
            yield document.text
