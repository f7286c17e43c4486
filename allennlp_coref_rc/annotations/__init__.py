"""Linguistic structure as a value: annotated texts, the annotators that make them, and what encoders read of them."""

from allennlp_coref_rc.annotations.allennlp_coref import AllenNlpCoref
from allennlp_coref_rc.annotations.allennlp_srl import AllenNlpSrl
from allennlp_coref_rc.annotations.annotated_text import (
    AnnotatedText,
    DiscourseRelation,
    Frame,
    clusters_from_json,
    read_annotated_texts,
    write_annotated_texts,
)
from allennlp_coref_rc.annotations.annotator import Annotator
from allennlp_coref_rc.annotations.checks import check_file
from allennlp_coref_rc.annotations.compose import ComposedAnnotator
from allennlp_coref_rc.annotations.connective_discourse import ConnectiveDiscourse
from allennlp_coref_rc.annotations.coreferee import Coreferee
from allennlp_coref_rc.annotations.corrupted_coref import CorruptedCoref
from allennlp_coref_rc.annotations.document import (
    Document,
    annotate_documents,
    read_documents,
    read_header,
    write_documents,
)
from allennlp_coref_rc.annotations.entity_marker_coref import EntityMarkerCoref
from allennlp_coref_rc.annotations.exact_match_coref import ExactMatchCoref
from allennlp_coref_rc.annotations.fastcoref import FastCoref
from allennlp_coref_rc.annotations.layers import (
    AnnotationLayer,
    CorefClusters,
    CorefEdges,
    CorefViews,
    DiscourseEdges,
    DiscourseViews,
    SentenceViews,
    SrlEdges,
    SrlViews,
)
from allennlp_coref_rc.annotations.precomputed import PrecomputedAnnotator
from allennlp_coref_rc.annotations.sentences import sentence_spans
from allennlp_coref_rc.annotations.sieve_coref import SieveCoref
from allennlp_coref_rc.annotations.trained_discourse_senses import TrainedDiscourseSenses
from allennlp_coref_rc.annotations.trained_srl import TrainedSrl
from allennlp_coref_rc.annotations.word_finder import WordFinder
