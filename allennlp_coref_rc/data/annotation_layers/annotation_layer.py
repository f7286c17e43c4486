from collections.abc import Mapping, Sequence
from typing import Optional, Union

from allennlp.common import Registrable

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.clusters import largest_clusters, positions
from allennlp_coref_rc.common.checks import check_number

Layer = Mapping[str, Sequence[Sequence[Union[int, str]]]]
"""By name, a list of numbers or of labels for each token."""


class AnnotationLayer(Registrable):
    """Turns a text into numbers for encoders and models, which ask for layers by their names in a reader's config."""

    label_names: tuple[str, ...] = ()
    """Names of the lists that hold labels instead of numbers. The label "" means none, and becomes 0."""

    def make(self, text: AnnotatedText, boundary: int) -> tuple[Layer, Layer]:
        """Returns the layer of the passage, the first `boundary` tokens of `text`, and that of the question."""
        raise NotImplementedError

    def is_empty(self, layer: Layer) -> bool:
        """Whether the layer of a passage or a question says nothing: here, whether no token has a number."""
        return not any(any(tokens) for tokens in layer.values())

    def missing(self, text: AnnotatedText) -> set[str]:
        """Which of the types that the config names a text does not have; a type that no text has may be misspelt."""
        return set()


def label_namespace(layer: str) -> str:
    """The vocabulary namespace of a layer's labels. Its end gives it padding and an unknown label."""
    return f"{layer}_annotations"


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
