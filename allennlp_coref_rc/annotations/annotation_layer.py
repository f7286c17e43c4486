from typing import Dict, List, Tuple, Union

from allennlp.common import Registrable
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.clusters import check_max_clusters, largest_clusters, positions
from allennlp_coref_rc.annotations.edges import coref_sources, question_first_name, split_sources, swapped_clusters

Layer = Dict[str, List[List[Union[int, str]]]]
"""Named lists of numbers or of labels, one list a token."""


class AnnotationLayer(Registrable):
    """
    One kind of numbers made from an `AnnotatedText` for encoders and models: what a reader's `annotation_layers` hold,
    by the name under which encoders ask for them.
    """

    namespaces: Dict[str, str] = {}
    """By name, the vocabulary namespace of what are labels and not numbers; "" is no label, and becomes 0."""

    def make(self, text: AnnotatedText, boundary: int) -> Tuple[Layer, Layer]:
        """
        The layer of the passage, which is the first `boundary` tokens of `text`, and that of the question, the rest.
        """
        raise NotImplementedError


@AnnotationLayer.register("coref_edges")
class CorefEdges(AnnotationLayer):
    """
    Coreference edges, within and across passage and question: `antecedents` and `descendants`, see `coref_sources`.

    Registered as an `AnnotationLayer` with name "coref_edges".

    # Parameters

    read : `str`, optional (default = `"all"`)
        Which tokens of a mention read: `"all"` or `"first"`.
    write : `str`, optional (default = `"all"`)
        Which tokens of a mention write: `"all"` or `"last"`.
    question_first : `bool`, optional (default = `False`)
        Also make `question_first_antecedents` and `question_first_descendants`, the edges where the question is read
        before the passage: for a `mage_gru` that is `joint`.
    """

    def __init__(self, read: str = "all", write: str = "all", question_first: bool = False) -> None:
        for key, value, choices in (("read", read, ("all", "first")), ("write", write, ("all", "last"))):
            if value not in choices:
                raise ConfigurationError(f"coref_edges: {key} is {value!r}, expected one of {choices}")
        self._read = read
        self._write = write
        self._question_first = question_first

    def make(self, text: AnnotatedText, boundary: int) -> Tuple[Layer, Layer]:
        passage: Layer = {}
        question: Layer = {}
        for name, sources in coref_sources(text.clusters, len(text), self._read, self._write).items():
            passage[name], question[name] = split_sources(sources, boundary)
        if self._question_first:
            clusters = swapped_clusters(text.clusters, len(text), boundary)
            for name, sources in coref_sources(clusters, len(text), self._read, self._write).items():
                name = question_first_name(name)
                question[name], passage[name] = split_sources(sources, len(text) - boundary)
        return passage, question


@AnnotationLayer.register("coref_clusters")
class CorefClusters(AnnotationLayer):
    """
    The numbers of the clusters that each token belongs to, counted by first mention in passage and question together:
    what the one-hot coreference baseline of Coref-GRU's Table 1 is made of.

    Registered as an `AnnotationLayer` with name "coref_clusters".

    # Parameters

    max_clusters : `int`, optional (default = `None`)
        Keep the largest only. By default all.
    """

    def __init__(self, max_clusters: int = None) -> None:
        check_max_clusters("coref_clusters", max_clusters)
        self._max_clusters = max_clusters

    def make(self, text: AnnotatedText, boundary: int) -> Tuple[Layer, Layer]:
        tokens: List[List[int]] = [[] for _ in range(len(text))]
        clusters = [cluster for cluster in largest_clusters(text.clusters, self._max_clusters) if cluster]
        for i, cluster in enumerate(sorted(clusters, key=min)):
            for position in positions(cluster):
                tokens[position].append(i)
        return {"clusters": tokens[:boundary]}, {"clusters": tokens[boundary:]}
