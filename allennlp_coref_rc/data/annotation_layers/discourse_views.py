from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, DiscourseRelation
from allennlp_coref_rc.common.checks import check_choice, check_number
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.annotation_layers.annotation_layer import AnnotationLayer
from allennlp_coref_rc.data.annotation_layers.view_layer import (
    NO_LABEL,
    NO_SCOPE,
    View,
    ViewLayer,
    sentence_numbers,
)

KINDS = {"explicit": "Explicit", "non_explicit": "NonExplicit"}


@AnnotationLayer.register("discourse_views")
class DiscourseViews(ViewLayer):
    """
    The discourse views of DASSA (Mihaylov & Frank, EMNLP 2019). Labels name a relation's type, its sense and the part
    of the relation: "Explicit.Comparison.Contrast.Arg1", "….Arg2" and "….Conn", or "NonExplicit.…". A relation belongs
    to the sentence in which its first argument begins.

    * `explicit`: view n has the n-th explicit relation of each sentence, in the order of annotation; further relations
      are left out. Each sentence is a scope. Tokens of a relation that lie outside its sentence join its scope.
    * `non_explicit`: there are two views. A relation between the sentences i and i + 1, counted from 1, is in the first
      view if i is even, else in the second. The two sentences are one scope, with the number i. A sentence without a
      relation in the view is in no scope.

    Labels of later relations replace labels of earlier ones, and labels of connectives replace labels of arguments.
    Implicit, EntRel and AltLex relations all count as non-explicit, as in the paper. (The authors' code takes only the
    type Implicit, with EntRel as one of its senses.)

    Registered as an `AnnotationLayer` with name "discourse_views".

    # Parameters

    kind : `str`
        `"explicit"` or `"non_explicit"`.
    max_views : `int`, optional (default = `2`)
        The number of views of explicit relations. The non-explicit ones have two.
    senses : `bool`, optional (default = `True`)
        Whether labels have senses. Without, they are such as "Explicit.Arg1" (the paper's "NoSense").
    """

    def __init__(self, kind: str, max_views: int = 2, senses: bool = True) -> None:
        check_choice("discourse_views", "kind", kind, KINDS)
        check_number("discourse_views", "max_views", max_views)
        if kind == "non_explicit" and max_views != 2:
            raise ConfigurationError(f"discourse_views: max_views is {max_views}, expected 2 for kind 'non_explicit'")
        self._kind = kind
        self._max_views = max_views
        self._senses = senses

    def views(self, text: AnnotatedText) -> list[View]:
        numbers = sentence_numbers(text)
        explicit = self._kind == "explicit"
        scopes = numbers if explicit else [NO_SCOPE] * len(text)
        views = [View([NO_LABEL] * len(text), list(scopes)) for _ in range(self._max_views)]
        so_far = [0] * len(text.sentences)
        for relation in text.relations:
            if (relation.type == "Explicit") != explicit or not relation.arg1:
                continue
            sentence = numbers[min(relation.arg1)[0]]
            index = sentence % 2
            if explicit:
                index = so_far[sentence - 1]
                so_far[sentence - 1] += 1
            if index < self._max_views:
                if not explicit:
                    views[index].put(text.sentences[sentence - 1 : sentence + 1], sentence)
                self._show(relation, sentence, views[index])
        return views

    def _show(self, relation: DiscourseRelation, sentence: int, view: View) -> None:
        sense = [relation.sense] if self._senses else []
        for part, spans in (("Arg1", relation.arg1), ("Arg2", relation.arg2), ("Conn", relation.connective)):
            view.mark(spans, ".".join([KINDS[self._kind], *sense, part]))
            view.put(spans, sentence)
