"""The parts of an annotated text that encoders read: edges between tokens, clusters, and views for attention heads."""

from allennlp_coref_rc.data.annotation_layers.annotation_layer import AnnotationLayer, Layer, label_namespace
from allennlp_coref_rc.data.annotation_layers.coref_clusters import CorefClusters
from allennlp_coref_rc.data.annotation_layers.coref_edges import CorefEdges
from allennlp_coref_rc.data.annotation_layers.coref_views import CorefViews
from allennlp_coref_rc.data.annotation_layers.discourse_edges import DiscourseEdges
from allennlp_coref_rc.data.annotation_layers.discourse_views import DiscourseViews
from allennlp_coref_rc.data.annotation_layers.sentence_views import SentenceViews
from allennlp_coref_rc.data.annotation_layers.srl_edges import SrlEdges
from allennlp_coref_rc.data.annotation_layers.srl_views import SrlViews
from allennlp_coref_rc.data.annotation_layers.typed_edges import TypedEdges
