"""
Texts with linguistic structure: annotated texts, documents of several texts, and functions that align them.
"""

from allennlp_coref_rc.annotations.annotated_text import (
    AnnotatedText,
    DiscourseRelation,
    Edge,
    Frame,
    clusters_from_json,
)
from allennlp_coref_rc.annotations.document import Document, read_documents, read_header, write_documents
from allennlp_coref_rc.annotations.tokenization import sentence_spans
