from collections.abc import Iterable, Mapping
from copy import deepcopy
from functools import lru_cache
from inspect import signature
from typing import TYPE_CHECKING, Any, Optional, Union, overload

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.json_objects import half_of_pair
from allennlp_coref_rc.common.messages import excerpt

if TYPE_CHECKING:
    from allennlp_coref_rc.annotations.annotators import Annotator

Text = Union[str, AnnotatedText]

BATCH_SIZE = 8
"""Texts that an annotator gets at once."""


@overload
def annotate(  # type: ignore[overload-overlap]  # a string is an iterable of strings, and counts as one text
    texts: Text, annotator: Union[str, dict[str, Any], "Annotator"], trust: bool = False
) -> AnnotatedText: ...


@overload
def annotate(
    texts: Iterable[Text], annotator: Union[str, dict[str, Any], "Annotator"], trust: bool = False
) -> list[AnnotatedText]: ...


def annotate(
    texts: Union[Text, Iterable[Text]],
    annotator: Union[str, dict[str, Any], "Annotator"],
    trust: bool = False,
) -> Union[AnnotatedText, list[AnnotatedText]]:
    """
    Annotates a text, or several.

    # Parameters

    texts : `str`, `AnnotatedText`, or an iterable of these
        An `AnnotatedText` keeps its tokens and its annotations, to which new ones are added. Plain text is
        split by spaCy's rules for English.
    annotator : `str`, `dict[str, Any]` or `Annotator`
        The name of an annotator ("sieve_coref"), its config (`{"type": "sieve_coref", "all_nouns": True}`), a
        file with its config, or the annotator itself. An annotator that needs no options is kept for the next
        texts, with the models that it has loaded.
    trust : `bool`, optional (default = `False`)
        Whether the archives of models that the annotator uses are trusted (see docs/security.md).

    # Returns

    `AnnotatedText`, or `list[AnnotatedText]` for several texts
        Texts with `text` and `offsets`, which are `None` if the tokens are no pieces of the text. The `text` of one
        that came as tokens alone are its tokens, joined by blanks.
    """
    if isinstance(texts, (str, AnnotatedText)):
        return annotate([texts], annotator, trust)[0]
    # A table gives the names of its columns, as a mapping its keys.
    if not isinstance(texts, Iterable) or isinstance(texts, Mapping) or hasattr(texts, "columns"):
        raise ConfigurationError(f"found {excerpt(texts)}, expected a text or several texts")
    from allennlp_coref_rc.annotations.annotators import annotate_texts
    from allennlp_coref_rc.safe_archives.archives import trusting

    given = list(map(_as_text, texts))
    annotated: list[AnnotatedText] = []
    with trusting(trust):
        built = (isinstance(annotator, str) and _named(annotator, trust)) or _build(annotator)
        for start in range(0, len(given), BATCH_SIZE):
            annotated += annotate_texts(given[start : start + BATCH_SIZE], built)
    return annotated


def _as_text(text: Text) -> AnnotatedText:
    """A text of its own: no annotation that is added later, in place, changes the one that was given."""
    if isinstance(text, AnnotatedText):
        text = deepcopy(text).checked()
        return text if text.offsets else text.located(text.text or " ".join(text.tokens))
    if not isinstance(text, str) or half_of_pair.search(text):
        raise ConfigurationError(f"found the text {excerpt(text)}, expected a string or an AnnotatedText")
    # Not of a subclass, such as NumPy's strings.
    return AnnotatedText.of_text(str(text))


@lru_cache(maxsize=4)
def _named(name: str, trust: bool) -> Optional["Annotator"]:
    """
    The annotator of a registered name, if it needs no options. Those that were trusted are apart from others.
    """
    from allennlp_coref_rc.allennlp_runtime.lazy_registry import is_registered
    from allennlp_coref_rc.annotations.annotators import Annotator

    if not is_registered(Annotator, name):
        return None
    cls, constructor = Annotator.resolve_class_name(name)
    needed = [option for option in signature(cls).parameters.values() if option.default is option.empty]
    # AllenNLP imports its models to look at a config, which takes seconds.
    return cls() if constructor is None and not needed else None


def _build(annotator: Union[str, dict[str, Any], "Annotator"]) -> "Annotator":
    from allennlp_coref_rc.annotations.annotators import Annotator

    if isinstance(annotator, Annotator):
        return annotator
    if not isinstance(annotator, (str, dict)):
        raise ConfigurationError(
            f"found the annotator {excerpt(annotator)}, expected a name, a config or an Annotator"
        )
    from allennlp_coref_rc.annotation_runs.config_option import build_annotator

    return build_annotator("annotator", annotator)
