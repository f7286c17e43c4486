from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Optional

from allennlp.common import Registrable

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.annotators.loads_later import LoadsLater
from allennlp_coref_rc.annotations.document import Document, keep_passage
from allennlp_coref_rc.annotations.layers import ANNOTATIONS, DiscourseRelation, Frame, Layers
from allennlp_coref_rc.common.errors import ConfigurationError


class Annotator(LoadsLater, Registrable):
    """
    Adds linguistic structure to a text. A document's passage and questions come as one text, so that a
    cluster may span them. Annotators override `annotate`, or `annotate_batch` if they are faster on many
    texts at once.
    """

    gives_confidences = False
    """Whether it says how sure it is of links, arguments or relations."""

    min_confidence: Optional[float] = None
    """The least confidence of what it leaves in a text, also of what was there before."""

    def annotate(self, text: AnnotatedText) -> AnnotatedText:
        """Returns the text with annotations added; the given text does not change."""
        if type(self).annotate_batch is Annotator.annotate_batch:
            raise NotImplementedError(f"{type(self).__name__} has neither annotate nor annotate_batch")
        (annotated,) = self.annotate_batch([text])
        return annotated

    def annotate_batch(self, texts: Sequence[AnnotatedText]) -> list[AnnotatedText]:
        return [self.annotate(text) for text in texts]


# An entry without names: AllenNLP looks for a name only where there is an entry, and annotators are imported
# by name.
Registrable._registry.setdefault(Annotator, {})


def annotate_texts(texts: Sequence[AnnotatedText], annotator: Annotator) -> list[AnnotatedText]:
    """The texts with the annotator's annotations, checked; what a text has already is not added again."""
    annotated = list(annotator.annotate_batch(texts))
    if [text.tokens for text in annotated] != [text.tokens for text in texts]:
        raise ConfigurationError(f"{type(annotator).__name__} gave back other texts than those it was given")
    return [without_repeats(given, text.checked()) for given, text in zip(texts, annotated)]


def without_repeats(given: AnnotatedText, annotated: AnnotatedText) -> AnnotatedText:
    """The annotated text, where annotations that were given are not added again."""
    layers: dict[str, Any] = {}
    for layer in ANNOTATIONS:
        before, after = getattr(given, layer), getattr(annotated, layer)
        if before and after[: len(before)] == before:
            added = after[len(before) :]
            known, repeats = set(map(_key, before)), {_key(item): item for item in added}
            kept = [repeats.get(_key(item), item) if _may_gain_confidence(item) else item for item in before]
            layers[layer] = kept + [item for item in added if _key(item) not in known]
    return replace(annotated, **layers) if layers else annotated


def _may_gain_confidence(item: Any) -> bool:
    """Whether a frame or relation has no confidence yet, which a repeat of it may have."""
    if isinstance(item, Frame):
        return not item.confidences
    return isinstance(item, DiscourseRelation) and item.confidence is None


def _key(item: Any) -> str:
    """The same for equal annotations, of any confidence; the mentions of a cluster may come in any order."""
    if isinstance(item, list):
        return repr(sorted(item))
    return repr([value for name, value in vars(item).items() if not name.startswith("confidence")])


def annotate_documents(
    documents: Sequence[Document], annotator: Annotator, together: bool = True
) -> list[Document]:
    """Adds annotations to documents; if not `together`, none crosses from a passage to a question."""
    if together:
        texts = annotate_texts([document.text for document in documents], annotator)
        return [replace(document, text=text) for document, text in zip(documents, texts)]
    apart = [document.apart() for document in documents]
    annotated = iter(annotate_texts([part for parts, _ in apart for part in parts], annotator))
    results = []
    for document, (parts, crossing) in zip(documents, apart):
        text = AnnotatedText.concatenate(*islice(annotated, len(parts)))
        layers = {layer: getattr(text, layer) + getattr(crossing, layer) for layer in ANNOTATIONS}
        joint = replace(document.text, sentences=text.sentences, **layers)
        if annotator.min_confidence is not None:
            joint = joint.confident(annotator.min_confidence, check=False)
        results.append(replace(document, text=joint))
    return results


def annotate_questions(document: Document, annotator: Annotator, together: bool = True) -> Document:
    """Adds annotations to the questions of a document whose passage keeps its own (see `keep_passage`)."""
    bare = replace(document.text, **vars(Layers()))
    if together:
        (annotated,) = annotate_texts([bare], annotator)
    else:
        passage, *questions = (bare.select(document.part(i)) for i in range(len(document.parts)))
        annotated = AnnotatedText.concatenate(passage, *annotate_texts(questions, annotator))
    return replace(document, text=keep_passage(document.text, annotated, document.parts[0]))
