"""
The parts of an annotated text that encoders read: edges between tokens, clusters, and views for attention
heads.
"""

from allennlp_coref_rc.data.annotation_layers.annotation_layer import (
    AnnotationLayer,
    CorefClusters,
    Layer,
    label_namespace,
    label_vocabulary,
)
from allennlp_coref_rc.data.annotation_layers.edge_layers import (
    CorefEdges,
    DiscourseEdges,
    SrlEdges,
    TypedEdges,
)
from allennlp_coref_rc.data.annotation_layers.view_layers import (
    CorefViews,
    DiscourseViews,
    SentenceViews,
    SrlViews,
    WindowViews,
)
