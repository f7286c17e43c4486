from typing import List

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Frame, Span
from allennlp_coref_rc.data.annotation_layers.annotation_layer import AnnotationLayer
from allennlp_coref_rc.data.annotation_layers.view_layer import (
    NO_LABEL,
    View,
    ViewLayer,
    check_number,
    sentence_numbers,
)


@AnnotationLayer.register("srl_views")
class SrlViews(ViewLayer):
    """
    The semantic roles of DASSA (Mihaylov & Frank, EMNLP 2019): in view v the v-th frame of each sentence, by the place
    of its predicate, as labels "B-ARG0", "I-ARG0", …, "B-V". Each sentence is a scope. What an argument has in other
    sentences than its predicate is left out, and so are frames beyond the last view.

    Registered as an `AnnotationLayer` with name "srl_views".

    # Parameters

    max_views : `int`, optional (default = `3`)
    pad_views : `bool`, optional (default = `True`)
        Make that many views of every text, the last ones without labels where no sentence has so many frames. If false
        a text has as many views as its richest sentence has frames, and for the others no numbers but padding: heads
        then attend to the whole text (the authors' configs with nothing but semantic roles).
    """

    def __init__(self, max_views: int = 3, pad_views: bool = True) -> None:
        check_number("srl_views", "max_views", max_views)
        self._max_views = max_views
        self._pad_views = pad_views

    def views(self, text: AnnotatedText) -> List[View]:
        numbers = sentence_numbers(text)
        frames: List[List[Frame]] = [[] for _ in text.sentences]
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
