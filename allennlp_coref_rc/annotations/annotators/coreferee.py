from spacy.language import Language
from spacy.tokens import Doc

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.annotators.optional_package import import_optional
from allennlp_coref_rc.annotations.annotators.spacy_pipeline import SpacyAnnotator
from allennlp_coref_rc.common.errors import ConfigurationError


@Annotator.register("coreferee")
class Coreferee(SpacyAnnotator):
    """
    Coreference by Coreferee (Hudson, 2021), which has rules and a small network over spaCy's parses. The
    package is optional (`pip install allennlp_coref_rc[coreferee]`), and so are its model (`python -m
    coreferee install en`) and spaCy's. Each process loads them when it annotates its first text.

    A mention is a single token, the head of a phrase. Heads that are joined by "and" or "or" are one mention,
    from the first to the last. Sentences are taken from the text.

    Registered as an `Annotator` with name "coreferee".

    # Parameters

    spacy_model : `str`, optional (default = `"en_core_web_lg"`)
        Name or folder of a spaCy model that Coreferee knows.

    # Example

    ```jsonnet
    {"type": "coreferee", "spacy_model": "en_core_web_trf"}
    ```
    """

    name = "coreferee"
    needs = "python -m coreferee install en"

    def __init__(self, spacy_model: str = "en_core_web_lg") -> None:
        super().__init__(spacy_model)

    def load(self) -> Language:
        import_optional("coreferee", "1.5")
        pipeline = super().load()
        pipeline.add_pipe("coreferee")
        return pipeline

    def with_structure(self, text: AnnotatedText, doc: Doc) -> AnnotatedText:
        if doc._.coref_chains is None:
            # Coreferee prints its errors and continues.
            raise ConfigurationError(f"coreferee: failed on the text {text.id!r}: see what it has printed")
        clusters = [
            sorted((min(mention.token_indexes), max(mention.token_indexes) + 1) for mention in chain)
            for chain in doc._.coref_chains
        ]
        return text.with_more(clusters=clusters)
