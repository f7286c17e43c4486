from collections.abc import Callable

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span
from allennlp_coref_rc.common.checks import check_choice
from allennlp_coref_rc.data.annotation_layers.annotation_layer import AnnotationLayer
from allennlp_coref_rc.data.annotation_layers.edge_layer import EdgeLayer
from allennlp_coref_rc.data.annotation_layers.edges import Sources, coref_sources


@AnnotationLayer.register("coref_edges")
class CorefEdges(EdgeLayer):
    """
    Coreference edges, which link the mentions of a cluster: see `coref_sources`.

    Registered as an `AnnotationLayer` with name "coref_edges".

    # Parameters

    read : `str`, optional (default = `"all"`)
        Which tokens of a mention read: `"all"` or `"first"`.
    write : `str`, optional (default = `"all"`)
        Which tokens of a mention write: `"all"` or `"last"`.
    question_first : `bool`, optional (default = `False`)
        Also makes the edges for reading the question before the passage, which a `joint` `mage_gru` needs.
    """

    def __init__(self, read: str = "all", write: str = "all", question_first: bool = False) -> None:
        check_choice("coref_edges", "read", read, ("all", "first"))
        check_choice("coref_edges", "write", write, ("all", "last"))
        super().__init__(question_first)
        self._read = read
        self._write = write

    def sources(self, text: AnnotatedText, place: Callable[[list[Span]], list[Span]]) -> dict[str, Sources]:
        return coref_sources([place(cluster) for cluster in text.clusters], len(text.tokens), self._read, self._write)
