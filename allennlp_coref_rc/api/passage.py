from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Cluster, DiscourseRelation, Edge, Frame, Span
from allennlp_coref_rc.annotations.token_offsets import token_offsets


@dataclass(frozen=True, repr=False)
class Passage:
    """
    A text and its structure, as `annotate` gives it. A notebook shows it with coloured clusters.

    # Parameters

    text : `str`
        The text itself; of one that came as tokens, these joined by blanks.
    annotated : `AnnotatedText`
        Its tokens, sentences, clusters, frames, relations and edges.
    offsets : `list[Span]`
        The [start, end) characters of each token.
    """

    text: str
    annotated: AnnotatedText
    offsets: list[Span]

    @classmethod
    def of_tokens(cls, annotated: AnnotatedText) -> "Passage":
        """A passage whose text is its tokens, joined by blanks."""
        text = " ".join(annotated.tokens)
        return cls(text, annotated, token_offsets(text, annotated.tokens))

    def with_annotations(self, annotated: AnnotatedText) -> "Passage":
        """The same text with other annotations of the same tokens."""
        return replace(self, annotated=annotated)

    @property
    def tokens(self) -> list[str]:
        return self.annotated.tokens

    @property
    def sentences(self) -> list[Span]:
        """The [start, end) tokens of each sentence."""
        return self.annotated.sentences

    @property
    def clusters(self) -> list[Cluster]:
        """The coreference clusters: lists of mentions, each the [start, end) of its tokens."""
        return self.annotated.clusters

    @property
    def cluster_texts(self) -> list[list[str]]:
        """The same clusters, each mention a text."""
        return [[self.text[slice(*span)] for span in cluster] for cluster in self.cluster_characters]

    @property
    def cluster_characters(self) -> list[Cluster]:
        """The same clusters, each mention the [start, end) of its characters."""
        return [[characters(self.offsets, span) for span in cluster] for cluster in self.clusters]

    @property
    def frames(self) -> list[Frame]:
        """The predicates with their arguments."""
        return self.annotated.frames

    @property
    def relations(self) -> list[DiscourseRelation]:
        """The discourse relations."""
        return self.annotated.relations

    @property
    def edges(self) -> list[Edge]:
        """The typed edges between spans."""
        return self.annotated.edges

    def __repr__(self) -> str:
        lines = [f"Passage of {len(self.tokens)} tokens: {' '.join(self.text.split())}"]
        lines += [f"  {cluster_line(texts)}" for texts in self.cluster_texts]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from allennlp_coref_rc.pages.annotated_text import html_fragment

        return html_fragment(self.annotated)


def characters(offsets: Sequence[Span], span: Span) -> Span:
    """The [start, end) characters of a span of tokens."""
    return offsets[span[0]][0], offsets[span[1] - 1][1]


def cluster_line(texts: Sequence[str]) -> str:
    """The mentions of a cluster in a line: "cluster: Mary (2), She"."""
    return "cluster: " + ", ".join(f"{text} ({n})" if n > 1 else text for text, n in Counter(texts).items())
