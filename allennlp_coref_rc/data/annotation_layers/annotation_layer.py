from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Optional, Union

from allennlp.common import Registrable
from allennlp.data import Vocabulary

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.clusters import largest_clusters, positions
from allennlp_coref_rc.common.checks import check_number
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.messages import excerpt

Layer = Mapping[str, Sequence[Sequence[Union[int, str]]]]
"""By name, a list of numbers or of labels for each token."""


class TokenLists(Sequence[list[Any]]):
    """
    A list of numbers or labels for each token of a text. Most are empty, and are not stored.

    # Parameters

    length : `int`
        The number of tokens.
    lists : `dict[int, list[Any]]`
        By token, those that are not empty.
    """

    def __init__(self, length: int, lists: dict[int, list[Any]]) -> None:
        self._length = length
        self._lists = lists

    @classmethod
    def of(cls, lists: Sequence[Sequence[Any]]) -> "TokenLists":
        if isinstance(lists, cls):
            return lists
        return cls(len(lists), {token: list(numbers) for token, numbers in enumerate(lists) if numbers})

    def items(self) -> list[tuple[int, list[Any]]]:
        """The tokens whose lists are not empty, in their order, each with its list."""
        return sorted(self._lists.items())

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, token: Any) -> Any:
        if isinstance(token, slice):
            return [self[i] for i in range(*token.indices(self._length))]
        if not -self._length <= token < self._length:
            raise IndexError(token)
        return self._lists.get(token % self._length, [])

    def __iter__(self) -> Iterator[list[Any]]:
        return (self._lists.get(token, []) for token in range(self._length))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(other) == self._length and list(self) == list(other)

    def __repr__(self) -> str:
        return repr(list(self))


class AnnotationLayer(Registrable):
    """
    Turns a text into numbers for encoders and models, which ask for layers by their names in a reader's
    config.
    """

    label_names: tuple[str, ...] = ()
    """Names of the lists that hold labels instead of numbers. The label "" means none, and becomes 0."""

    def make(self, text: AnnotatedText, boundary: Optional[int] = None) -> tuple[Layer, Layer]:
        """
        Returns the layer of the passage, the first `boundary` tokens of `text` (by default all), and that of
        the question.
        """
        if not isinstance(text, AnnotatedText):
            raise ConfigurationError(
                f"{type(self).__name__}: found {excerpt(text)}, expected an AnnotatedText, as annotate returns"
            )
        if boundary is None:
            boundary = len(text)
        if not isinstance(boundary, int) or not 0 <= boundary <= len(text):
            raise ConfigurationError(
                f"{type(self).__name__}: found the boundary {excerpt(boundary)}, expected a number from 0 to "
                f"{len(text)}, the text's number of tokens"
            )
        return self.layers(text, boundary)

    def layers(self, text: AnnotatedText, boundary: int) -> tuple[Layer, Layer]:
        """What `make` returns, of arguments that have been checked."""
        raise NotImplementedError

    def is_empty(self, layer: Layer) -> bool:
        """Whether the layer of a passage or a question says nothing: here, whether no token has a number."""
        return not any(any(tokens) for tokens in layer.values())

    def missing(self, text: AnnotatedText) -> set[str]:
        """
        Which of the types that the config names a text does not have; a type that no text has may be
        misspelt.
        """
        return set()


def label_namespace(layer: str) -> str:
    """The vocabulary namespace of a layer's labels. Its end gives it padding and an unknown label."""
    return f"{layer}_annotations"


def label_vocabulary(labels: Mapping[str, Union[int, Sequence[str]]]) -> Vocabulary:
    """The vocabulary of the labels of layers, of which there are the names or, for "0", "1", …, the number."""
    names = {
        layer: range(of_layer) if isinstance(of_layer, int) else of_layer
        for layer, of_layer in labels.items()
    }
    return Vocabulary(tokens_to_add={label_namespace(layer): list(map(str, names[layer])) for layer in names})


@AnnotationLayer.register("coref_clusters")
class CorefClusters(AnnotationLayer):
    """
    The numbers of the clusters that each token belongs to. Clusters are numbered from 0, by their first
    mention in the passage and the question together. The one-hot coreference baseline of Coref-GRU's Table 1
    (Dhingra et al., NAACL 2018) uses them.

    Registered as an `AnnotationLayer` with name "coref_clusters".

    # Parameters

    max_clusters : `int`, optional (default = `None`)
        Keeps only the `max_clusters` largest. By default all.
    """

    def __init__(self, max_clusters: Optional[int] = None) -> None:
        check_number("coref_clusters", "max_clusters", max_clusters, least=0)
        self._max_clusters = max_clusters

    def layers(self, text: AnnotatedText, boundary: int) -> tuple[Layer, Layer]:
        tokens: dict[int, list[int]] = defaultdict(list)
        clusters = filter(None, largest_clusters(text.clusters, self._max_clusters))
        for i, cluster in enumerate(sorted(clusters, key=min)):
            for position in positions(cluster):
                tokens[position].append(i)
        passage = {token: numbers for token, numbers in tokens.items() if token < boundary}
        question = {token - boundary: numbers for token, numbers in tokens.items() if token >= boundary}
        return {"clusters": TokenLists(boundary, passage)}, {
            "clusters": TokenLists(len(text.tokens) - boundary, question)
        }
