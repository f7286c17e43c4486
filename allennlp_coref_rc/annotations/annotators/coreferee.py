from dataclasses import replace
from typing import Any, Dict, List, Optional, Sequence

import spacy
from spacy.language import Language
from spacy.tokens import Doc

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.annotators.optional_package import import_optional
from allennlp_coref_rc.annotations.spacy_docs import to_doc
from allennlp_coref_rc.common.errors import ConfigurationError


@Annotator.register("coreferee")
class Coreferee(Annotator):
    """
    Coreference by Coreferee (Hudson, 2021), rules and a small network over spaCy's parses. The package is optional
    (`pip install allennlp_coref_rc[coreferee]`), and so are its model (`python -m coreferee install en`) and spaCy's.
    Each process loads them when it annotates its first text.

    A mention is the head of a phrase, one token; heads joined by "and" or "or" are one mention, from the first to the
    last. Sentences are taken from the text.

    Registered as an `Annotator` with name "coreferee".

    # Parameters

    spacy_model : `str`, optional (default = `"en_core_web_lg"`)
        Name or folder of a spaCy model that Coreferee knows.

    # Example

    ```jsonnet
    {"type": "coreferee", "spacy_model": "en_core_web_trf"}
    ```
    """

    def __init__(self, spacy_model: str = "en_core_web_lg") -> None:
        self._spacy_model = spacy_model
        self._pipeline: Optional[Language] = None

    def annotate(self, text: AnnotatedText) -> AnnotatedText:
        return self.annotate_batch([text])[0]

    def annotate_batch(self, texts: Sequence[AnnotatedText]) -> List[AnnotatedText]:
        pipeline = self._load()
        docs = pipeline.pipe(
            to_doc({"tokens": text.tokens, "sentences": text.sentences}, pipeline.vocab) for text in texts
        )
        return [_annotated(text, doc) for text, doc in zip(texts, docs)]

    def _load(self) -> Language:
        if self._pipeline is None:
            import_optional("coreferee", "1.5")
            try:
                pipeline = spacy.load(self._spacy_model)
                pipeline.add_pipe("coreferee")
            # Coreferee raises errors of its own if something is missing or does not fit.
            except Exception as error:
                raise ConfigurationError(
                    f"coreferee: spacy_model is {self._spacy_model!r}, which can't be used: {error!r} (install with "
                    f"python -m spacy download {self._spacy_model}, and python -m coreferee install en)"
                ) from error
            self._pipeline = pipeline
        return self._pipeline

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_pipeline": None}


def _annotated(text: AnnotatedText, doc: Doc) -> AnnotatedText:
    if doc._.coref_chains is None:
        # Coreferee prints its errors and goes on.
        raise ConfigurationError(f"coreferee: failed on the text {text.id!r}: see what it has printed")
    clusters = [
        sorted((min(mention.token_indexes), max(mention.token_indexes) + 1) for mention in chain)
        for chain in doc._.coref_chains
    ]
    return replace(text, clusters=text.clusters + clusters)
