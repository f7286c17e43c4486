from collections.abc import Sequence

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.annotators.annotator import Annotator


@Annotator.register("compose")
class ComposedAnnotator(Annotator):
    """
    Several annotators, one after the other. Each sees what the ones before it added.

    Registered as an `Annotator` with name "compose".

    # Parameters

    annotators : `list[Annotator]`

    # Example

    ```jsonnet
    {"type": "compose", "annotators": [{"type": "exact_match_coref"}, {"type": "exact_match_coref", "entities": ["I"]}]}
    ```
    """

    def __init__(self, annotators: list[Annotator]) -> None:
        self._annotators = annotators

    def annotate_batch(self, texts: Sequence[AnnotatedText]) -> list[AnnotatedText]:
        annotated = list(texts)
        for annotator in self._annotators:
            annotated = annotator.annotate_batch(annotated)
        return annotated
