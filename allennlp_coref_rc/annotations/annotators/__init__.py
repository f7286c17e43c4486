"""Annotators, which add structure to a text: rules, trained models, other packages, and annotations made before."""

from allennlp_coref_rc.annotations.annotators.allennlp_coref import AllenNlpCoref
from allennlp_coref_rc.annotations.annotators.allennlp_srl import AllenNlpSrl
from allennlp_coref_rc.annotations.annotators.annotator import Annotator, annotate_documents
from allennlp_coref_rc.annotations.annotators.compose import ComposedAnnotator
from allennlp_coref_rc.annotations.annotators.connective_discourse import ConnectiveDiscourse
from allennlp_coref_rc.annotations.annotators.coreferee import Coreferee
from allennlp_coref_rc.annotations.annotators.corrupted_coref import CorruptedCoref
from allennlp_coref_rc.annotations.annotators.entity_marker_coref import EntityMarkerCoref
from allennlp_coref_rc.annotations.annotators.exact_match_coref import ExactMatchCoref
from allennlp_coref_rc.annotations.annotators.fastcoref import FastCoref
from allennlp_coref_rc.annotations.annotators.precomputed import PrecomputedAnnotator
from allennlp_coref_rc.annotations.annotators.sieve.sieve_coref import SieveCoref
from allennlp_coref_rc.annotations.annotators.trained_discourse_senses import TrainedDiscourseSenses
from allennlp_coref_rc.annotations.annotators.trained_srl import TrainedSrl
