"""Linguistic structure as a value: annotated texts, the annotators that make them, and what encoders read of them."""

from allennlp_coref_rc.annotations.annotated_text import (
    AnnotatedText,
    DiscourseRelation,
    Frame,
    clusters_from_json,
    read_annotated_texts,
    write_annotated_texts,
)
from allennlp_coref_rc.annotations.annotation_layer import AnnotationLayer, CorefClusters, CorefEdges
from allennlp_coref_rc.annotations.annotator import Annotator
from allennlp_coref_rc.annotations.document import Document, read_documents, read_header, write_documents
from allennlp_coref_rc.annotations.entity_marker_coref import EntityMarkerCoref
from allennlp_coref_rc.annotations.exact_match_coref import ExactMatchCoref
from allennlp_coref_rc.annotations.sentences import sentence_spans
from allennlp_coref_rc.annotations.sieve_coref import SieveCoref
