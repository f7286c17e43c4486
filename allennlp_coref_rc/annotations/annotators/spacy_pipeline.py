from dataclasses import replace

from spacy.tokens import Doc

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.annotators.spacy_annotator import SpacyAnnotator
from allennlp_coref_rc.annotations.spacy_docs import CLUSTERS, clusters


@Annotator.register("spacy_pipeline")
class SpacyPipeline(SpacyAnnotator):
    """
    Coreference by any pipeline of spaCy whose components write clusters as span groups, `coref_clusters_1` and so on:
    the components of spacy-experimental, and this package's own. Each process loads the pipeline when it annotates its
    first text.

    The pipeline gets the text's tokens and sentences, without white space between tokens.

    Registered as an `Annotator` with name "spacy_pipeline".

    # Parameters

    spacy_model : `str`
        Name or folder of the pipeline.
    spans : `str`, optional (default = `"coref_clusters"`)
        The names of the span groups begin with this, before an underscore and a number.

    # Example

    ```jsonnet
    {"type": "spacy_pipeline", "spacy_model": "en_coreference_web_trf"}
    ```
    """

    name = "spacy_pipeline"

    def __init__(self, spacy_model: str, spans: str = CLUSTERS) -> None:
        super().__init__(spacy_model)
        self._spans = spans

    def with_structure(self, text: AnnotatedText, doc: Doc) -> AnnotatedText:
        found = [sorted(set(cluster)) for cluster in clusters(doc, self._spans)]
        return replace(text, clusters=text.clusters + [cluster for cluster in found if cluster])
