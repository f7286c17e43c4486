from allennlp.common import Registrable

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText


class Annotator(Registrable):
    """
    Adds linguistic structure to a text. A reader hands over passage and question as one text, so that a cluster may
    have mentions in both.
    """

    def annotate(self, text: AnnotatedText) -> AnnotatedText:
        """The text with annotations added; the text that was given is left as it was."""
        raise NotImplementedError
