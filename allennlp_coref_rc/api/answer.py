from dataclasses import dataclass, field
from typing import Any, Optional

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Cluster, Span, cluster_line

SHOWN = 5
"""The most candidates in the `repr` of an answer."""


@dataclass(frozen=True, repr=False)
class Answer:
    """
    The answer to a question, what it is worth, and what the reader has seen. A notebook shows it with the
    passage and its clusters.
    """

    answer: Optional[str]
    """`None` if there is no answer; a warning then says so."""
    probability: Optional[float]
    """
    The product of the probabilities of its two ends if the answer is a span, and `None` if it is several
    spans.
    """
    candidates: dict[str, float]
    """The probability of each candidate, the most probable first. Empty if the answer is a span."""
    text: AnnotatedText
    """
    The passage and then the question, as the reader has read them, with source and offsets of the passage.
    """
    boundary: int
    """The number of tokens of the passage."""
    spans: list[Span]
    """
    The [start, end) tokens of an answer that is a span of the passage, or several; empty for a candidate.
    """
    warnings: list[str]
    """Why the answer may be worth less than its probability says."""
    output: dict[str, Any] = field(compare=False)
    """All that `coref-rc predict` would write."""

    @property
    def passage_tokens(self) -> list[str]:
        return self.text.tokens[: self.boundary]

    @property
    def question_tokens(self) -> list[str]:
        return self.text.tokens[self.boundary :]

    @property
    def clusters(self) -> list[Cluster]:
        """
        The coreference clusters that the reader was given. A cluster is a list of mentions, and a mention is
        the [start, end) of its tokens. Tokens are counted through the passage and then the question. You can
        change clusters and give them to `Reader.answer`.
        """
        return self.text.clusters

    @property
    def cluster_texts(self) -> list[list[str]]:
        """The clusters, each mention a text."""
        return self.text.cluster_texts

    @property
    def cluster_characters(self) -> Optional[list[list[Optional[Span]]]]:
        """
        The clusters, each mention the [start, end) of its characters in the passage, or `None` if it is in
        the question; `None` as a whole if the characters are not known.
        """
        return self.text.cluster_characters

    @property
    def span_characters(self) -> Optional[list[Optional[Span]]]:
        """The spans, each the [start, end) of its characters in the passage; `None` if they are not known."""
        return None if self.text.offsets is None else list(map(self.text.characters, self.spans))

    @property
    def attention(self) -> Optional[list[tuple[str, float]]]:
        """Each token of the passage with what it counted for the answer; `None` for readers of spans."""
        weights = self.output.get("attention")
        return None if weights is None else list(zip(self.passage_tokens, weights))

    @property
    def explanations(self) -> Optional[list[dict[str, Any]]]:
        """
        The attention in each layer of a `ga_reader` (see `ClozeReaderPredictor`), if asked to `explain`.
        """
        return self.output.get("explanations")

    @property
    def annotated_heads(self) -> Optional[list[dict[str, Any]]]:
        """What the heads of `dassa` encoders attended to, if the question was asked with `explain`."""
        return self.output.get("annotated_heads")

    def __repr__(self) -> str:
        sure = "" if self.probability is None else f", probability {self.probability:.4f}"
        lines = [f"Answer: {self.answer}{sure}"]
        shown = [f"{name} {value:.4f}" for name, value in list(self.candidates.items())[:SHOWN]]
        if shown:
            more = len(self.candidates) - len(shown)
            lines.append(f"  candidates: {', '.join(shown)}{f' and {more} more' if more else ''}")
        lines += [f"  {cluster_line(texts)}" for texts in self.cluster_texts]
        lines += [f"  warning: {warning}" for warning in self.warnings]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from allennlp_coref_rc.pages.annotated_text import answer_fragment
        from allennlp_coref_rc.pages.marked_text import joined
        from allennlp_coref_rc.pages.predictions import asked_tokens

        sentences = [(start, stop) for start, stop in self.text.sentences if stop <= self.boundary]
        clusters = [[span for span in cluster if span[1] <= self.boundary] for cluster in self.clusters]
        passage = AnnotatedText(self.passage_tokens, sentences, list(filter(None, clusters)))
        asked = asked_tokens(self.question_tokens)
        (question,) = joined(asked, (0, len(asked)))
        weights = self.output.get("attention")
        return answer_fragment(
            passage,
            question,
            self.answer,
            self.probability,
            self.candidates,
            self.warnings,
            self.spans,
            weights,
        )
