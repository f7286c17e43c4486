from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Frame, Span
from allennlp_coref_rc.common.checks import check_number
from allennlp_coref_rc.data.annotation_layers.annotation_layer import AnnotationLayer
from allennlp_coref_rc.data.annotation_layers.view_layer import (
    NO_LABEL,
    View,
    ViewLayer,
    sentence_numbers,
)


@AnnotationLayer.register("srl_views")
class SrlViews(ViewLayer):
    """
    The semantic role views of DASSA (Mihaylov & Frank, EMNLP 2019). View v has the v-th frame of each sentence, in the
    order of their predicates, as labels "B-ARG0", "I-ARG0", …, "B-V". Each sentence is a scope. The parts of an
    argument outside its predicate's sentence are left out. So are frames for which there is no view left.

    Registered as an `AnnotationLayer` with name "srl_views".

    # Parameters

    max_views : `int`, optional (default = `3`)
        The most views that a text has.
    pad_views : `bool`, optional (default = `True`)
        Whether every text has `max_views` views, the last of which have no labels if no sentence has that many frames.
        If false, a text has only as many views as the sentence with the most frames has frames. The other views are
        padding, and their heads attend to the whole text (as in the authors' configs with semantic roles alone).
    """

    def __init__(self, max_views: int = 3, pad_views: bool = True) -> None:
        check_number("srl_views", "max_views", max_views)
        self._max_views = max_views
        self._pad_views = pad_views

    def views(self, text: AnnotatedText) -> list[View]:
        numbers = sentence_numbers(text)
        frames: list[list[Frame]] = [[] for _ in text.sentences]
        for frame in sorted(text.frames, key=lambda frame: frame.predicate):
            frames[numbers[frame.predicate[0]] - 1].append(frame)
        num_views = self._max_views if self._pad_views else min(self._max_views, max(map(len, frames), default=0))
        views = [View([NO_LABEL] * len(text), list(numbers)) for _ in range(num_views)]
        for sentence, in_sentence in zip(text.sentences, frames):
            for view, frame in zip(views, in_sentence):
                for role, span in [*frame.arguments, ("V", frame.predicate)]:
                    _mark_phrase(view, role, span, sentence)
        return views


def _mark_phrase(view: View, role: str, span: Span, sentence: Span) -> None:
    start, stop = max(span[0], sentence[0]), min(span[1], sentence[1])
    if start < stop:
        view.mark([(start, start + 1)], f"B-{role}")
        view.mark([(start + 1, stop)], f"I-{role}")
