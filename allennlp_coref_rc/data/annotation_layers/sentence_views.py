from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.common.checks import check_number
from allennlp_coref_rc.data.annotation_layers.annotation_layer import AnnotationLayer
from allennlp_coref_rc.data.annotation_layers.view_layer import View, ViewLayer, sentence_numbers


@AnnotationLayer.register("sentence_views")
class SentenceViews(ViewLayer):
    """
    The sentence views of DASSA (Mihaylov & Frank, EMNLP 2019), which need sentences but no other annotation. A scope
    has `n = num_views` consecutive sentences, and begins one sentence earlier in each further view. The label of a
    token is the place of its sentence in the scope, "1" to "n".

    Registered as an `AnnotationLayer` with name "sentence_views".

    # Parameters

    num_views : `int`, optional (default = `3`)
        The number of views, and of sentences in a scope.
    """

    def __init__(self, num_views: int = 3) -> None:
        check_number("sentence_views", "num_views", num_views)
        self._num_views = num_views

    def views(self, text: AnnotatedText) -> list[View]:
        views = []
        for shift in range(self._num_views):
            places = [divmod(number - 1 + shift, self._num_views) for number in sentence_numbers(text)]
            views.append(View([str(place + 1) for _, place in places], [scope + 1 for scope, _ in places]))
        return views
