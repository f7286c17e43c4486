from typing import List, Sequence

from allennlp.common import Registrable

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText


class Annotator(Registrable):
    """
    Adds linguistic structure to a text. A document's passage and questions come as one text, so that a cluster may have
    mentions in all of them.
    """

    def annotate(self, text: AnnotatedText) -> AnnotatedText:
        """The text with annotations added; the text that was given is left as it was."""
        raise NotImplementedError

    def annotate_batch(self, texts: Sequence[AnnotatedText]) -> List[AnnotatedText]:
        """The same of several texts; annotators that are faster on many at a time override this one too."""
        return [self.annotate(text) for text in texts]
