from collections.abc import Sequence
from typing import Optional

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.annotators.annotator import Annotator, without_repeats
from allennlp_coref_rc.common.checks import is_within
from allennlp_coref_rc.common.errors import ConfigurationError


@Annotator.register("compose")
class ComposedAnnotator(Annotator):
    """
    Several annotators, one after the other. Each sees what the ones before it added.

    Registered as an `Annotator` with name "compose".

    # Parameters

    annotators : `list[Annotator]`
    min_confidence : `float`, optional (default = `None`)
        Leave out links, arguments of frames and relations that are less sure, 0 to 1, also those that the text had
        before (see `AnnotatedText.confident`). An annotator has to give confidences, if there are any.

    # Example

    ```jsonnet
    {"type": "compose", "annotators": [{"type": "exact_match_coref"}, {"type": "exact_match_coref", "entities": ["I"]}]}
    ```
    """

    def __init__(self, annotators: list[Annotator], min_confidence: Optional[float] = None) -> None:
        self.gives_confidences = any(annotator.gives_confidences for annotator in annotators)
        if min_confidence is not None:
            if not is_within(min_confidence, 0, 1):
                raise ConfigurationError(f"compose: min_confidence is {min_confidence}, expected 0 to 1")
            if annotators and not self.gives_confidences:
                names = ", ".join(type(annotator).__name__ for annotator in annotators)
                raise ConfigurationError(
                    f"min_confidence: found annotators without confidences ({names}), expected coref, roles, "
                    "discourse, structure or structure_model among them"
                )
        self._annotators = annotators
        self.min_confidence = min_confidence

    def annotate_batch(self, texts: Sequence[AnnotatedText]) -> list[AnnotatedText]:
        annotated = list(texts)
        for annotator in self._annotators:
            annotated = list(annotator.annotate_batch(annotated))
        if self.min_confidence is None:
            return annotated
        # Given clusters may lose mentions, and repeats of them would then no longer be recognised.
        added = (without_repeats(given, text) for given, text in zip(texts, annotated))
        return [text.confident(self.min_confidence, check=not self._annotators) for text in added]
