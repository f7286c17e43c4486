from typing import Optional

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.clusters import largest_clusters, positions
from allennlp_coref_rc.common.checks import check_number
from allennlp_coref_rc.data.annotation_layers.annotation_layer import AnnotationLayer, Layer


@AnnotationLayer.register("coref_clusters")
class CorefClusters(AnnotationLayer):
    """
    The numbers of the clusters that each token belongs to. Clusters are numbered from 0, by their first mention in the
    passage and the question together. The one-hot coreference baseline of Coref-GRU's Table 1 (Dhingra et al., NAACL
    2018) uses them.

    Registered as an `AnnotationLayer` with name "coref_clusters".

    # Parameters

    max_clusters : `int`, optional (default = `None`)
        Keeps only the `max_clusters` largest. By default all.
    """

    def __init__(self, max_clusters: Optional[int] = None) -> None:
        check_number("coref_clusters", "max_clusters", max_clusters, least=0)
        self._max_clusters = max_clusters

    def make(self, text: AnnotatedText, boundary: int) -> tuple[Layer, Layer]:
        tokens: list[list[int]] = [[] for _ in range(len(text))]
        clusters = [cluster for cluster in largest_clusters(text.clusters, self._max_clusters) if cluster]
        for i, cluster in enumerate(sorted(clusters, key=min)):
            for position in positions(cluster):
                tokens[position].append(i)
        return {"clusters": tokens[:boundary]}, {"clusters": tokens[boundary:]}
