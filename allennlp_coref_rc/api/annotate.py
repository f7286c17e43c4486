from collections.abc import Iterable
from copy import deepcopy
from inspect import signature
from typing import TYPE_CHECKING, Any, Union, overload

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.document import Document
from allennlp_coref_rc.annotations.sentences import sentence_spans
from allennlp_coref_rc.annotations.words import split_words
from allennlp_coref_rc.api.passage import Passage
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.json_objects import excerpt

if TYPE_CHECKING:
    from allennlp_coref_rc.annotations.annotators import Annotator

Text = Union[str, AnnotatedText, Passage]

BATCH_SIZE = 8
"""Texts that an annotator gets at once."""


@overload
def annotate(  # type: ignore[overload-overlap]  # a string is an iterable of strings, and counts as one text
    texts: Text, annotator: Union[str, dict[str, Any], "Annotator"], trust: bool = False
) -> Passage: ...


@overload
def annotate(
    texts: Iterable[Text], annotator: Union[str, dict[str, Any], "Annotator"], trust: bool = False
) -> list[Passage]: ...


def annotate(
    texts: Union[Text, Iterable[Text]], annotator: Union[str, dict[str, Any], "Annotator"], trust: bool = False
) -> Union[Passage, list[Passage]]:
    """
    Annotates a text, or several.

    # Parameters

    texts : `str`, `AnnotatedText`, `Passage`, or an iterable of these
        An `AnnotatedText` or a `Passage` keeps its tokens and its annotations, to which new ones are added. Plain text
        is split by spaCy's rules for English.
    annotator : `str`, `dict[str, Any]` or `Annotator`
        The name of an annotator ("sieve_coref"), its config (`{"type": "sieve_coref", "all_nouns": True}`), a file with
        its config, or the annotator itself.
    trust : `bool`, optional (default = `False`)
        Whether the archives of models that the annotator uses are trusted (see docs/security.md).

    # Returns

    `Passage`, or `list[Passage]` for several texts
    """
    if isinstance(texts, (str, AnnotatedText, Passage)):
        return annotate([texts], annotator, trust)[0]
    if not isinstance(texts, Iterable):
        raise ConfigurationError(f"found {excerpt(texts)}, expected a text or several texts")
    return _annotated([as_passage(text) for text in texts], annotator, trust)


def as_passage(text: Text) -> Passage:
    """A text as tokens and sentences."""
    if isinstance(text, Passage):
        return text
    if isinstance(text, AnnotatedText):
        return Passage.of_tokens(text)
    if not isinstance(text, str):
        raise ConfigurationError(f"found the text {excerpt(text)}, expected a string, an AnnotatedText or a Passage")
    return _split(text)


def _split(text: str) -> Passage:
    words = split_words(text)
    tokens = [word for word, _ in words]
    offsets = [(start, start + len(word)) for word, start in words]
    return Passage(text, AnnotatedText(tokens, sentence_spans(tokens)), offsets)


def _annotated(
    passages: list[Passage], annotator: Union[str, dict[str, Any], "Annotator"], trust: bool
) -> list[Passage]:
    from allennlp_coref_rc.annotations.annotators import annotate_documents
    from allennlp_coref_rc.safe_archives.archives import trusting

    with trusting(trust):
        built = _build(annotator)
        annotated = []
        for start in range(0, len(passages), BATCH_SIZE):
            batch = passages[start : start + BATCH_SIZE]
            documents = annotate_documents([Document(passage.annotated) for passage in batch], built)
            annotated += [passage.with_annotations(doc.text) for passage, doc in zip(batch, documents)]
    return annotated


def _build(annotator: Union[str, dict[str, Any], "Annotator"]) -> "Annotator":
    from allennlp_coref_rc.annotations.annotators import Annotator

    if isinstance(annotator, Annotator):
        return annotator
    if isinstance(annotator, str) and annotator in Annotator.list_available():
        cls, constructor = Annotator.resolve_class_name(annotator)
        needed = [option for option in signature(cls).parameters.values() if option.default is option.empty]
        if constructor is None and not needed:
            # AllenNLP imports its models to look at a config, which takes seconds.
            return cls()
    return _from_config(annotator)


def _from_config(annotator: Union[str, dict[str, Any]]) -> "Annotator":
    from allennlp.common import Params

    from allennlp_coref_rc.annotation_runs.config_option import build_annotator, checked_config
    from allennlp_coref_rc.annotations.annotators import Annotator

    if isinstance(annotator, str):
        return build_annotator("annotator", annotator)
    if not isinstance(annotator, dict):
        raise ConfigurationError(
            f"found the annotator {excerpt(annotator)}, expected a name, a config, or an Annotator"
        )
    config = checked_config("annotator", annotator, Annotator)
    # AllenNLP takes values out of the config as it reads them.
    return Annotator.from_params(Params(deepcopy(config), "annotator."))
