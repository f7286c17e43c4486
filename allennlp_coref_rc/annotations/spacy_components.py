"""
Annotators as components of spaCy's pipelines: `spacy.blank("en").add_pipe("sieve_coref", config={"all_nouns":
True})`.

The package calls `register` if spaCy is imported. And spaCy imports the package, through the entry point in
setup.cfg, whenever a program makes a pipeline. So nothing heavy is imported before a component is added.
"""

from collections.abc import Iterable, Iterator, Sequence
from inspect import Parameter, Signature, signature
from itertools import groupby
from typing import TYPE_CHECKING, Any

from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc
from spacy.util import minibatch

from allennlp_coref_rc.annotations import spacy_docs
from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span
from allennlp_coref_rc.annotations.annotator_modules import ANNOTATORS
from allennlp_coref_rc.annotations.document import Document
from allennlp_coref_rc.annotations.layers import ANNOTATIONS
from allennlp_coref_rc.common.error_message import user_message
from allennlp_coref_rc.common.errors import ConfigurationError

if TYPE_CHECKING:
    from allennlp_coref_rc.annotations.annotators import Annotator

# Coreferee and fastcoref have components of their own, with these names.
COMPONENTS = {
    f"{name}_annotator" if name in ("coreferee", "fastcoref") else name: name for name in ANNOTATORS
}
"""The registered names of the components' annotators."""


class AnnotatorComponent(Pipe):
    """
    Adds an annotator's annotations to docs, whose tokens and sentences do not change. The annotator gets the
    tokens without white space, and the doc's sentences or those of `sentence_spans`.
    """

    def __init__(self, name: str, annotator: "Annotator") -> None:
        self.name = name
        self.annotator = annotator

    def __call__(self, doc: Doc) -> Doc:
        self._annotate([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """
        Annotates docs in batches, and those of a failed batch one by one, so that only bad docs are errors.
        """
        for docs in minibatch(stream, batch_size):
            try:
                self._annotate(docs)
            except Exception:
                yield from super().pipe(docs)
            else:
                yield from docs

    def _annotate(self, docs: Sequence[Doc]) -> None:
        from allennlp_coref_rc.annotations.annotators import annotate_documents

        texts = [_VisibleText(AnnotatedText.from_spacy(doc)) for doc in docs]
        filled = [(doc, text) for doc, text in zip(docs, texts) if text.visible.tokens]
        annotated = annotate_documents([Document(text.visible) for _, text in filled], self.annotator)
        for (doc, text), document in zip(filled, annotated):
            spacy_docs.set_structure(doc, **text.changes(document.text))


class _VisibleText:
    """A text without tokens of white space, which an annotator would take for words."""

    def __init__(self, text: AnnotatedText) -> None:
        self._text = text
        self._places = [i for i, token in enumerate(text.tokens) if not token.isspace()]
        self.visible = text
        if len(self._places) < len(text):
            runs = groupby(range(len(text)), key=lambda i: text.tokens[i].isspace())
            pieces = [list(positions) for is_space, positions in runs if not is_space]
            self.visible = text.select(*((positions[0], positions[-1] + 1) for positions in pieces))

    def changes(self, annotated: AnnotatedText) -> dict[str, Any]:
        """The layers of the whole text that the annotator has changed."""
        moved = annotated.moved(self._in_whole_text)
        changed = {}
        for layer in ANNOTATIONS:
            before, after = getattr(self.visible, layer), getattr(annotated, layer)
            if after[: len(before)] != before:
                changed[layer] = getattr(moved, layer)
            elif len(after) > len(before):
                changed[layer] = getattr(self._text, layer) + getattr(moved, layer)[len(before) :]
        return changed

    def _in_whole_text(self, span: Span) -> Span:
        return self._places[span[0]], self._places[span[1] - 1] + 1


class AnnotatorFactory:
    """
    Makes components of the annotator with this name. spaCy takes the names and defaults of options from the
    signature. That of a component that is not registered yet has none, so that the annotator need not be
    imported before.
    """

    def __init__(self, annotator: str) -> None:
        self.__name__ = annotator
        self._is_registered = False

    def register(self, component: str) -> None:
        """Makes the component known to spaCy."""
        Language.factory(component, func=self)
        self._is_registered = True

    def __call__(self, nlp: Language, name: str, **options: Any) -> AnnotatorComponent:
        defaults = {parameter.name: parameter.default for parameter in self._options()}
        chosen = {option: value for option, value in options.items() if value != defaults[option]}
        if not chosen:
            # AllenNLP imports its models to look at options, which takes seconds.
            return AnnotatorComponent(name, self._annotator()())

        from allennlp.common import Params

        try:
            return AnnotatorComponent(name, self._annotator().from_params(Params(dict(chosen))))
        except Exception as error:
            message = user_message(error)
            if message is None:
                raise
            raise ConfigurationError(f"{name}, {', '.join(chosen)}: {message}") from error

    @property
    def __signature__(self) -> Signature:
        given = [Parameter(name, Parameter.KEYWORD_ONLY) for name in ("nlp", "name")]
        return Signature([*given, *(self._options() if self._is_registered else [])])

    def _options(self) -> list[Parameter]:
        return [
            # A default that is a tuple has to be a list, as in JSON. The types are AllenNLP's to check.
            Parameter(
                name, Parameter.KEYWORD_ONLY, default=list(default) if isinstance(default, tuple) else default
            )
            for name, default in (
                (option.name, option.default) for option in signature(self._annotator()).parameters.values()
            )
        ]

    def _annotator(self) -> type["Annotator"]:
        from allennlp_coref_rc.annotations.annotators import Annotator

        return Annotator.resolve_class_name(self.__name__)[0]


def register(spacy: Any) -> None:
    """Makes all components known to spaCy, which is given."""
    for component, annotator in COMPONENTS.items():
        AnnotatorFactory(annotator).register(component)
