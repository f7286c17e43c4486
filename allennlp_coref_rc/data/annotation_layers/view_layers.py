"""Layers of views, for attention heads."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple, Union

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, DiscourseRelation, Frame, Span
from allennlp_coref_rc.common.checks import check_choice, check_number
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.annotation_layers.annotation_layer import AnnotationLayer, CorefClusters, Layer

NO_LABEL, NO_SCOPE = "", 0


class View(NamedTuple):
    """An attention head's view of a text. For each token it has a label and the number of its scope."""

    labels: list[str]
    scopes: list[int]

    def mark(self, spans: list[Span], label: str) -> None:
        """Gives a label to the tokens of the spans."""
        for start, stop in spans:
            self.labels[start:stop] = [label] * (stop - start)

    def put(self, spans: list[Span], scope: int) -> None:
        """Puts the tokens of the spans into a scope."""
        for start, stop in spans:
            self.scopes[start:stop] = [scope] * (stop - start)


class ViewLayer(AnnotationLayer):
    """
    Views, one for each attention head that uses them. In each view a token has a label and a scope (`labels`,
    `scopes`). A head attends from a token to the tokens in the same scope. A token with scope 0 is in no
    scope. The passage and the question have views of their own, and their sentences are numbered separately.
    """

    label_names = ("labels",)

    def views(self, text: AnnotatedText, sentence_of: list[int]) -> list[View]:
        """
        The views of a passage or a question, of which `sentence_of` has the number of each token's sentence.
        """
        raise NotImplementedError

    def layers(self, text: AnnotatedText, boundary: int) -> tuple[Layer, Layer]:
        passage, question = text.select((0, boundary)), text.select((boundary, len(text.tokens)))
        in_passage, in_question = passage.sentence_numbers(), question.sentence_numbers()
        return (
            as_layer(self.views(passage, in_passage), len(in_passage)),
            as_layer(self.views(question, in_question), len(in_question)),
        )

    def is_empty(self, layer: Layer) -> bool:
        """Whether no token has a label."""
        return not any(map(any, layer["labels"]))


def as_layer(views: list[View], length: int) -> Layer:
    """Views as a layer: for each token, the lists of its labels and scopes in all views."""
    if not views:
        return {name: [[] for _ in range(length)] for name in View._fields}
    return {name: list(map(list, zip(*of_views))) for name, of_views in zip(View._fields, zip(*views))}


WHOLE_TEXT = 1


@AnnotationLayer.register("coref_views")
class CorefViews(ViewLayer):
    """
    The coreference views of DASSA (Mihaylov & Frank, EMNLP 2019). The label of a token is the number of its
    cluster. Clusters are numbered by their first mention in the passage and the question together. If
    mentions overlap, the later cluster wins. The scope is the whole passage or the whole question.

    We keep the `max_clusters` largest clusters. The authors' code keeps the smallest, probably by mistake.

    Registered as an `AnnotationLayer` with name "coref_views".

    # Parameters

    max_clusters : `int`, optional (default = `50`)
        How many clusters are kept.
    copies : `int`, optional (default = `1`)
        The number of views, all of them the same (the paper's "Coref" has three).
    """

    def __init__(self, max_clusters: int = 50, copies: int = 1) -> None:
        check_number("coref_views", "max_clusters", max_clusters, least=0)
        check_number("coref_views", "copies", copies)
        self._clusters = CorefClusters(max_clusters)
        self._copies = copies

    def layers(self, text: AnnotatedText, boundary: int) -> tuple[Layer, Layer]:
        passage, question = (self._layer(part["clusters"]) for part in self._clusters.make(text, boundary))
        return passage, question

    def _layer(self, clusters: Sequence[Sequence[Union[int, str]]]) -> Layer:
        labels = [str(numbers[-1]) if numbers else NO_LABEL for numbers in clusters]
        return as_layer([View(labels, [WHOLE_TEXT] * len(labels))] * self._copies, len(labels))


KINDS = {"explicit": "Explicit", "non_explicit": "NonExplicit"}


@AnnotationLayer.register("discourse_views")
class DiscourseViews(ViewLayer):
    """
    The discourse views of DASSA (Mihaylov & Frank, EMNLP 2019). Labels name a relation's type, its sense and
    the part of the relation: "Explicit.Comparison.Contrast.Arg1", "….Arg2" and "….Conn", or "NonExplicit.…".
    A relation belongs to the sentence in which its first argument begins.

    * `explicit`: view n has the n-th explicit relation of each sentence, in the order of annotation; further
      relations are left out. Each sentence is a scope. Tokens of a relation that lie outside its sentence
      join its scope.
    * `non_explicit`: there are two views. A relation between the sentences i and i + 1, counted from 1, is in
      the first view if i is even, else in the second. The two sentences are one scope, with the number i. A
      sentence without a relation in the view is in no scope.

    Labels of later relations replace labels of earlier ones, and labels of connectives replace labels of
    arguments. Implicit, EntRel and AltLex relations all count as non-explicit, as in the paper. (The authors'
    code takes only the type Implicit, with EntRel as one of its senses.)

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
            raise ConfigurationError(
                f"discourse_views: max_views is {max_views}, expected 2 for kind 'non_explicit'"
            )
        self._kind = kind
        self._max_views = max_views
        self._senses = senses

    def views(self, text: AnnotatedText, sentence_of: list[int]) -> list[View]:
        explicit = self._kind == "explicit"
        scopes = sentence_of if explicit else [NO_SCOPE] * len(sentence_of)
        views = [View([NO_LABEL] * len(sentence_of), list(scopes)) for _ in range(self._max_views)]
        so_far = [0] * len(text.sentences)
        for relation in text.relations:
            if (relation.type == "Explicit") != explicit or not relation.arg1:
                continue
            sentence = sentence_of[min(relation.arg1)[0]]
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


@AnnotationLayer.register("sentence_views")
class SentenceViews(ViewLayer):
    """
    The sentence views of DASSA (Mihaylov & Frank, EMNLP 2019), which need sentences but no other annotation.
    A scope has `n = num_views` consecutive sentences, and begins one sentence earlier in each further view.
    The label of a token is the place of its sentence in the scope, "1" to "n".

    Registered as an `AnnotationLayer` with name "sentence_views".

    # Parameters

    num_views : `int`, optional (default = `3`)
        The number of views, and of sentences in a scope.
    """

    def __init__(self, num_views: int = 3) -> None:
        check_number("sentence_views", "num_views", num_views)
        self._num_views = num_views

    def views(self, text: AnnotatedText, sentence_of: list[int]) -> list[View]:
        views = []
        for shift in range(self._num_views):
            places = [divmod(number - 1 + shift, self._num_views) for number in sentence_of]
            views.append(View([str(place + 1) for _, place in places], [scope + 1 for scope, _ in places]))
        return views


@AnnotationLayer.register("window_views")
class WindowViews(AnnotationLayer):
    """
    Views without annotations, a control for heads that see some: windows as dense as the scopes of another
    layer. Each view of that layer becomes a view whose scopes are consecutive windows of equal length (the
    last may be shorter). The length is the one whose mean number of tokens that a token sees is nearest to
    that of the view in the same text. Tokens have no labels. Not in a paper.

    Registered as an `AnnotationLayer` with name "window_views".

    # Parameters

    like : `AnnotationLayer`
        A layer of views, such as `srl_views`.

    # Example

    ```jsonnet
    {"type": "window_views", "like": {"type": "srl_views", "max_views": 3}}
    ```
    """

    label_names = ("labels",)

    def __init__(self, like: AnnotationLayer) -> None:
        if like.label_names != self.label_names:
            raise ConfigurationError(
                f"window_views: like is {type(like).__name__}, expected a layer of views"
            )
        self._like = like

    def layers(self, text: AnnotatedText, boundary: int) -> tuple[Layer, Layer]:
        passage, question = self._like.make(text, boundary)
        return _windows(passage["scopes"]), _windows(question["scopes"])

    def is_empty(self, layer: Layer) -> bool:
        """Never, as windows need no annotations."""
        return False


def _windows(scopes: Sequence[Sequence[Union[int, str]]]) -> Layer:
    """The layer of windows for the scopes that each token has in all views."""
    length, views = len(scopes), []
    for view in zip(*scopes):
        # Tokens that are in no scope see the stretch of such tokens around them.
        sizes = Counter(view)
        seen = sum(size * size for scope, size in sizes.items() if scope != NO_SCOPE)
        seen += sum(len(list(run)) ** 2 for scope, run in groupby(view) if scope == NO_SCOPE)
        window = _window(length, seen)
        views.append(View([NO_LABEL] * length, [token // window + 1 for token in range(length)]))
    return as_layer(views, length)


@lru_cache(maxsize=10000)
def _window(length: int, seen: int) -> int:
    """The length of windows in which the tokens of a text see so many in sum, as nearly as can be."""

    def difference(window: int) -> int:
        full, rest = divmod(length, window)
        return abs(full * window * window + rest * rest - seen)

    return min(range(1, length + 1), key=difference)


@AnnotationLayer.register("srl_views")
class SrlViews(ViewLayer):
    """
    The semantic role views of DASSA (Mihaylov & Frank, EMNLP 2019). View v has the v-th frame of each
    sentence, in the order of their predicates, as labels "B-ARG0", "I-ARG0", …, "B-V". Each sentence is a
    scope. The parts of an argument outside its predicate's sentence are left out. So are frames for which
    there is no view left.

    Registered as an `AnnotationLayer` with name "srl_views".

    # Parameters

    max_views : `int`, optional (default = `3`)
        The most views that a text has.
    pad_views : `bool`, optional (default = `True`)
        Whether every text has `max_views` views, the last of which have no labels if no sentence has that
        many frames. If false, a text has only as many views as the sentence with the most frames has frames.
        The other views are padding, and their heads attend to the whole text (as in the authors' configs with
        semantic roles alone).
    """

    def __init__(self, max_views: int = 3, pad_views: bool = True) -> None:
        check_number("srl_views", "max_views", max_views)
        self._max_views = max_views
        self._pad_views = pad_views

    def views(self, text: AnnotatedText, sentence_of: list[int]) -> list[View]:
        frames: list[list[Frame]] = [[] for _ in text.sentences]
        for frame in sorted(text.frames, key=lambda frame: frame.predicate):
            frames[sentence_of[frame.predicate[0]] - 1].append(frame)
        num_views = (
            self._max_views if self._pad_views else min(self._max_views, max(map(len, frames), default=0))
        )
        views = [View([NO_LABEL] * len(sentence_of), list(sentence_of)) for _ in range(num_views)]
        for (first, last), in_sentence in zip(text.sentences, frames):
            for view, frame in zip(views, in_sentence):
                for role, span in [*frame.arguments, ("V", frame.predicate)]:
                    start, stop = max(span[0], first), min(span[1], last)
                    if start < stop:
                        view.mark([(start, stop)], f"I-{role}")
                        view.mark([(start, start + 1)], f"B-{role}")
        return views
