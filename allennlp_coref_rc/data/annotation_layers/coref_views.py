from collections.abc import Sequence
from typing import Union

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.common.checks import check_number
from allennlp_coref_rc.data.annotation_layers.annotation_layer import AnnotationLayer, Layer
from allennlp_coref_rc.data.annotation_layers.coref_clusters import CorefClusters
from allennlp_coref_rc.data.annotation_layers.view_layer import NO_LABEL, View, ViewLayer, as_layer

WHOLE_TEXT = 1


@AnnotationLayer.register("coref_views")
class CorefViews(ViewLayer):
    """
    The coreference views of DASSA (Mihaylov & Frank, EMNLP 2019). The label of a token is the number of its cluster.
    Clusters are numbered by their first mention in the passage and the question together. If mentions overlap, the
    later cluster wins. The scope is the whole passage or the whole question.

    We keep the `max_clusters` largest clusters. The authors' code keeps the smallest, probably by mistake.

    Registered as an `AnnotationLayer` with name "coref_views".

    # Parameters

    max_clusters : `int`, optional (default = `50`)
        How many clusters are kept.
    copies : `int`, optional (default = `1`)
        The number of views, all of them the same (the paper's "Coref" has three).
    """

    def __init__(self, max_clusters: int = 50, copies: int = 1) -> None:
        check_number("coref_views", "max_clusters", max_clusters, least=0)
        check_number("coref_views", "copies", copies)
        self._clusters = CorefClusters(max_clusters)
        self._copies = copies

    def make(self, text: AnnotatedText, boundary: int) -> tuple[Layer, Layer]:
        passage, question = (self._layer(part["clusters"]) for part in self._clusters.make(text, boundary))
        return passage, question

    def _layer(self, clusters: Sequence[Sequence[Union[int, str]]]) -> Layer:
        labels = [str(numbers[-1]) if numbers else NO_LABEL for numbers in clusters]
        return as_layer([View(labels, [WHOLE_TEXT] * len(labels))] * self._copies, len(labels))
