from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import accumulate, chain, pairwise
from math import inf
from typing import TYPE_CHECKING, Any, Optional, Union

from allennlp_coref_rc.annotations.layers import (
    ANNOTATIONS,
    Cluster,
    DiscourseRelation,
    Edge,
    Frame,
    Layers,
    Link,
    Strict,
)
from allennlp_coref_rc.annotations.tokenization import (
    Span,
    sentence_spans,
    spans_of,
    split_words,
    token_offsets,
)
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.messages import excerpt
from allennlp_coref_rc.common.schema import validated

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

Piece = Union[Span, Sequence[str]]
"""A piece of a new text: a span of an existing text (a tuple), or new tokens (a list)."""

OPTIONAL = ("edges", "id", "text", "offsets", "links", "confidences", "confidence")
"""The fields of texts, frames and relations that files leave out if they are empty."""

RELATION_TYPES = ("Explicit", "Implicit", "EntRel", "AltLex")


def shift_by(offset: int) -> Callable[[Span], Span]:
    """The function that moves spans by so many tokens."""
    return lambda span: (span[0] + offset, span[1] + offset)


@dataclass(repr=False)
class AnnotatedText(Strict):
    """
    A tokenised text and its linguistic structure. Annotators add to it, readers read it, and files store it.
    A notebook shows it with coloured clusters. Values are not checked; `checked` does that for a text that
    comes from outside.
    """

    tokens: list[str]
    sentences: list[Span] = None  # type: ignore[assignment]  # made by __post_init__ where it is not given
    """Consecutive spans that cover all tokens. By default the whole text is one sentence."""
    clusters: list[Cluster] = field(default_factory=list)
    """Coreference clusters: lists of mentions, each a span."""
    frames: list[Frame] = field(default_factory=list)
    relations: list[DiscourseRelation] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    """Any other relations between two spans."""
    id: Optional[str] = None
    """The data set's name for the text."""
    text: Optional[str] = None
    """The source text, if it is known."""
    offsets: Optional[list[Span]] = None
    """
    The [start, end) characters of each token in `text`, if they are known; empty for a token that is not in
    it.
    """
    links: list[Link] = field(default_factory=list)
    """How sure an annotator is of the links that make clusters; none of those that it does not tell."""

    def __post_init__(self) -> None:
        if self.sentences is None:
            self.sentences = [(0, len(self.tokens))] if self.tokens else []

    def checked(self) -> "AnnotatedText":
        """
        The text itself, unless a span is outside of it or a sentence does not begin where the last one ends.
        """
        end = 0
        for start, stop in self.sentences:
            if start != end or stop <= start:
                raise ConfigurationError(
                    f"sentence [{start}, {stop}): expected a sentence that begins at token {end}"
                )
            end = stop
        if end != len(self.tokens):
            raise ConfigurationError(f"sentences end at token {end}, but there are {len(self.tokens)} tokens")
        for i, relation in enumerate(self.relations):
            if relation.type not in RELATION_TYPES:
                types = ", ".join(RELATION_TYPES)
                raise ConfigurationError(
                    f"relation {i} has the type {relation.type!r}, expected one of {types}"
                )
        for what, spans in self._spans():
            for start, stop in spans:
                if not 0 <= start < stop <= len(self.tokens):
                    raise ConfigurationError(
                        f"{what} [{start}, {stop}): expected 0 <= start < end <= {len(self.tokens)} "
                        "(the number of tokens)"
                    )
        for i, frame in enumerate(self.frames):
            if len(frame.confidences) not in (0, len(frame.arguments)):
                raise ConfigurationError(
                    f"frame {i} has {len(frame.confidences)} confidences, expected one for each of its "
                    f"{len(frame.arguments)} arguments"
                )
        if self.offsets is not None:
            length = -1 if self.text is None else len(self.text)
            if len(self.offsets) != len(self.tokens) or not all(
                0 <= a <= b <= length for a, b in self.offsets
            ):
                raise ConfigurationError(
                    f"offsets: found {excerpt(self.offsets)}, expected a [start, end] in the text for each of the "
                    f"{len(self.tokens)} tokens"
                )
        return self

    @property
    def cluster_texts(self) -> list[list[str]]:
        """
        The clusters, each mention a text: a piece of the source text or, where that is not known, its tokens.
        """

        def words(mention: Span) -> str:
            place = self.characters(mention)
            if place is None or self.text is None:
                return " ".join(self.tokens[slice(*mention)])
            return self.text[slice(*place)]

        return [list(map(words, cluster)) for cluster in self.clusters]

    @property
    def cluster_characters(self) -> Optional[list[list[Optional[Span]]]]:
        """
        As `cluster_texts`, but the [start, end) characters, or `None` for mentions outside of the source
        text.
        """
        if self.offsets is None:
            return None
        return [list(map(self.characters, cluster)) for cluster in self.clusters]

    def characters(self, span: Span) -> Optional[Span]:
        """The [start, end) characters of a span of tokens; `None` if they are not known."""
        if self.offsets is None:
            return None
        start, end = self.offsets[span[0]][0], self.offsets[span[1] - 1][1]
        return (start, end) if start < end else None

    @property
    def spaced(self) -> list[bool]:
        """Whether white space stands before each token; true where that is not known, and of the first token."""
        if self.offsets is None:
            return [True] * len(self)
        # Tokens without characters are not in the source.
        gaps = (end < start or start == stop for (_, end), (start, stop) in pairwise(self.offsets))
        return [True, *gaps][: len(self)]

    @property
    def layers(self) -> Layers:
        return Layers(**{layer: getattr(self, layer) for layer in ANNOTATIONS})

    def __repr__(self) -> str:
        words = self.tokens if self.text is None else self.text.split()
        lines = [f"AnnotatedText of {len(self)} tokens: {' '.join(words)}"]
        return "\n".join(lines + [f"  {cluster_line(texts)}" for texts in self.cluster_texts])

    def _spans(self) -> Iterator[tuple[str, Iterable[Span]]]:
        for i, cluster in enumerate(self.clusters):
            yield f"mention of cluster {i}", cluster
        for i, frame in enumerate(self.frames):
            yield f"predicate of frame {i}", [frame.predicate]
            yield f"argument of frame {i}", [span for _, span in frame.arguments]
        for i, relation in enumerate(self.relations):
            yield (
                f"argument or connective of relation {i}",
                relation.arg1 + relation.arg2 + relation.connective,
            )
        for i, edge in enumerate(self.edges):
            yield f"end of edge {i}", [edge.source, edge.target]
        for i, link in enumerate(self.links):
            yield f"end of link {i}", [link.mention, link.antecedent]

    def __len__(self) -> int:
        return len(self.tokens)

    @classmethod
    def concatenate(cls, *texts: "AnnotatedText") -> "AnnotatedText":
        """The texts as a single one, with the source text of the first. Clusters are not joined."""
        joint: dict[str, Any] = {name: [] for name in ("tokens", "sentences", *ANNOTATIONS)}
        for text in texts:
            shifted = text.moved(shift_by(len(joint["tokens"])))
            for name, values in joint.items():
                values.extend(getattr(shifted, name))
        offsets = texts[0]._offsets_with(len(joint["tokens"])) if texts else None
        return cls(**joint, text=texts[0].text if texts else None, offsets=offsets)

    @classmethod
    def of_text(cls, text: str) -> "AnnotatedText":
        """The words and the sentences of a text (see `split_words` and `sentence_spans`)."""
        words = split_words(text)
        tokens = [word for word, _ in words]
        offsets = [(start, start + len(word)) for word, start in words]
        return cls(tokens, sentence_spans(tokens, text, offsets), text=text, offsets=offsets)

    def split_sentences(self) -> "AnnotatedText":
        """The text with the sentences of `sentence_spans` instead of its own."""
        return replace(self, sentences=sentence_spans(self.tokens, self.text or "", self.offsets or ()))

    def located(self, source: str, length: Optional[int] = None) -> "AnnotatedText":
        """
        The text with its source, and the offsets of its tokens if they are pieces of it (see
        `token_offsets`). After `length` tokens, if it is given, offsets are empty.
        """
        try:
            offsets = token_offsets(source, self.tokens[:length])
        except ConfigurationError:
            return replace(self, text=source, offsets=None)
        return replace(self, text=source, offsets=offsets + [(len(source),) * 2] * (len(self) - len(offsets)))

    @classmethod
    def of_sentences(cls, sentences: Sequence[Sequence[str]]) -> "AnnotatedText":
        """A text of sentences, each a list of one or more tokens."""
        tokens = [token for sentence in sentences for token in sentence]
        return cls(tokens, list(pairwise(accumulate(map(len, sentences), initial=0))))

    def followed_by(self, sentences: Sequence[Sequence[str]]) -> "AnnotatedText":
        """
        The text with more sentences after it, each a list of one or more tokens. They are not in the source
        text.
        """
        tokens = self.tokens + [token for sentence in sentences for token in sentence]
        spans = pairwise(accumulate(map(len, sentences), initial=len(self)))
        offsets = self._offsets_with(len(tokens))
        return replace(self, tokens=tokens, sentences=[*self.sentences, *spans], offsets=offsets)

    def select(self, *pieces: "Piece") -> "AnnotatedText":
        """
        Makes a text of pieces of this one, in increasing order, and of new tokens: `text.select((0, 9),
        ["@begin"], (9, 12))` has the first nine tokens, a new one, and the next three.

        The pieces keep their annotations. Mentions, predicates and connectives stay only if they are whole;
        arguments are cut to the tokens that are left. A cluster that loses mentions stays if it has at least
        two left, a frame if its predicate stays, a relation if both arguments stay, an edge if both ends are
        whole. New tokens belong to the sentence of the token after them, or, at the end, to the last
        sentence.
        """
        tokens: list[str] = []
        positions: list[Optional[int]] = []
        for piece in pieces:
            if isinstance(piece, tuple):
                positions.extend(range(*piece))
                tokens.extend(self.tokens[slice(*piece)])
            else:
                positions.extend([None] * len(piece))
                tokens.extend(piece)
        place = {old: new for new, old in enumerate(positions) if old is not None}

        def cut(span: Span) -> list[Span]:
            uncut = whole(span)
            if uncut:
                return [uncut]
            return spans_of(place[old] for old in range(*span) if old in place)

        def whole(span: Span) -> Optional[Span]:
            start, length = place.get(span[0]), span[1] - span[0]
            if start is None or any(place.get(span[0] + i) != start + i for i in range(1, length)):
                return None
            return start, start + length

        sentences, offsets = self._sentences_of(pieces), self._offsets_of(pieces)
        # An empty argument or cluster is in no piece.
        clusters = [cluster for cluster in self.clusters if cluster]
        relations = [relation for relation in self.relations if relation.arg1 and relation.arg2]
        kept = replace(self.layers, clusters=clusters, relations=relations).kept(whole, cut)
        return replace(self, tokens=tokens, sentences=sentences, offsets=offsets, **vars(kept))

    def sentence_numbers(self) -> list[int]:
        """For each token, the number of its sentence, from 1."""
        return [i for i, span in enumerate(self.sentences, start=1) for _ in range(*span)]

    def _sentences_of(self, pieces: Sequence["Piece"]) -> list[Span]:
        sentence = self.sentence_numbers()
        known = [sentence[slice(*piece)] if isinstance(piece, tuple) else [] for piece in pieces]
        following = next((numbers[-1] for numbers in reversed(known) if numbers), 0)
        for i in reversed(range(len(pieces))):
            known[i] = known[i] or [following] * (0 if isinstance(pieces[i], tuple) else len(pieces[i]))
            following = known[i][0] if known[i] else following
        numbers = list(chain.from_iterable(known))
        starts = [i for i, pair in enumerate(zip([None, *numbers], numbers)) if pair[0] != pair[1]]
        return list(zip(starts, starts[1:] + [len(numbers)]))

    def _offsets_of(self, pieces: Iterable["Piece"]) -> Optional[list[Span]]:
        if self.offsets is None:
            return None
        offsets: list[Span] = []
        for piece in pieces:
            end = offsets[-1][1] if offsets else 0
            is_own = isinstance(piece, tuple)
            offsets += self.offsets[slice(*piece)] if is_own else [(end, end)] * len(piece)
        return offsets

    def _offsets_with(self, length: int) -> Optional[list[Span]]:
        """The offsets of a text of this length that follows this one."""
        return self._offsets_of([(0, len(self)), [""] * (length - len(self))])

    def with_more(self, **layers: list) -> "AnnotatedText":
        """The text with more annotations after its own: `text.with_more(clusters=[[(0, 1), (8, 9)]])`."""
        return replace(self, **{name: getattr(self, name) + found for name, found in layers.items()})

    def confident(self, min_confidence: float, check: bool = True) -> "AnnotatedText":
        """
        The text without links, arguments of frames and relations that the annotator is less sure of. Clusters
        fall into the parts that are still linked, and mentions that are then alone go. What has no confidence
        stays. If `check`, a text with clusters or arguments in which nothing has one raises a
        `ConfigurationError`. (Rules may add relations to any text.)
        """
        could = any(len(cluster) > 1 for cluster in self.clusters) or any(f.arguments for f in self.frames)
        if check and could and self.layers.confident(inf) == self.layers:
            raise ConfigurationError(
                "found annotations without confidences, expected those of coref, roles, discourse or structure"
            )
        return replace(self, **vars(self.layers.confident(min_confidence)))

    def moved(self, move: Callable[[Span], Span]) -> "AnnotatedText":
        """A copy of the text with all spans moved. They may belong to a larger text."""
        return replace(self, sentences=list(map(move, self.sentences)), **vars(self.layers.moved(move)))

    def to_json(self) -> dict[str, Any]:
        """
        A JSON object with the constructor's names, without what is `OPTIONAL` and empty.
        """

        def filled(items: list[tuple[str, Any]]) -> dict[str, Any]:
            return {key: value for key, value in items if key not in OPTIONAL or value not in (None, [])}

        return asdict(self, dict_factory=filled)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "AnnotatedText":
        """
        The inverse of `to_json`. Missing annotations are empty; malformed ones raise a `ConfigurationError`.
        """
        if isinstance(values, dict):
            values = {key: value for key, value in values.items() if (key, value) != ("sentences", None)}
        return validated(cls, values).checked()

    def to_spacy(self, nlp: "Language") -> "Doc":
        """
        A spaCy doc with the tokens, sentences and structure of this text: a span group for each cluster
        (`coref_clusters_1` and so on), `doc._.srl_frames`, `doc._.discourse_relations`, `doc._.typed_edges`,
        `doc._.text_id` (docs/spacy.md).
        """
        from allennlp_coref_rc.annotations import spacy_docs

        return spacy_docs.to_doc(self, nlp.vocab)

    @classmethod
    def from_spacy(cls, doc: "Doc") -> "AnnotatedText":
        """
        The inverse of `to_spacy`, with the doc's text as the source. Rules split a doc that has no sentences.
        """
        from allennlp_coref_rc.annotations import spacy_docs

        return cls(**spacy_docs.from_doc(doc)).checked()


def cluster_line(texts: Sequence[str]) -> str:
    """The mentions of a cluster in a line: "cluster: Mary (2), She"."""
    return "cluster: " + ", ".join(f"{text} ({n})" if n > 1 else text for text, n in Counter(texts).items())


def question_id(document_id: str, number: int) -> str:
    """
    The id of a document's question that has none of its own, as in DASSA's files. Questions count from 0.
    """
    return f"{document_id}##{number:03d}"


def clusters_from_json(values: Any) -> list[Cluster]:
    """
    Coreference clusters from lists of lists of [start, end) spans; anything else raises a
    `ConfigurationError`.
    """
    return validated(dict[str, list[Cluster]], {"clusters": values})["clusters"]
