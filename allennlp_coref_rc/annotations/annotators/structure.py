from collections.abc import Sequence
from typing import Optional

from allennlp_coref_rc.annotations.annotated_text import LAYERS
from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.annotators.compose import ComposedAnnotator
from allennlp_coref_rc.annotations.annotators.coref.english.coref import EnglishCoref
from allennlp_coref_rc.annotations.annotators.discourse.discourse import Discourse
from allennlp_coref_rc.annotations.annotators.roles.roles import Roles
from allennlp_coref_rc.annotations.annotators.spacy_dependencies import SpacyDependencies
from allennlp_coref_rc.common.checks import check_choice


@Annotator.register("structure")
class Structure(ComposedAnnotator):
    """
    The structure of English text: coreference by `coref`, semantic roles by `roles` and discourse relations
    by `discourse`, all over one parse of each text.

    Registered as an `Annotator` with name "structure".

    # Parameters

    layers : `list[str]`, optional (default = `["clusters", "frames", "relations"]`)
        What to add; "edges" are dependencies.
    guideline : `str`, optional (default = `"ontonotes"`)
        What the clusters are like, see `coref`.
    implicit : `bool`, optional (default = `False`)
        Add implicit discourse relations.
    spacy_model : `str`, optional (default = `None`)
        The name or folder of a pipeline of spaCy that parses, with Universal Dependencies. By default the
        English pipeline of this package.

    # Example

    ```jsonnet
    {"type": "structure", "layers": ["clusters", "frames"]}
    ```
    """

    def __init__(
        self,
        layers: Sequence[str] = LAYERS[:3],
        guideline: str = "ontonotes",
        implicit: bool = False,
        spacy_model: Optional[str] = None,
    ) -> None:
        for layer in layers:
            check_choice("structure", "layers", layer, LAYERS)
        annotators = (
            EnglishCoref(guideline, spacy_model=spacy_model),
            Roles(spacy_model=spacy_model),
            Discourse(implicit=implicit, spacy_model=spacy_model),
            SpacyDependencies(spacy_model),
        )
        super().__init__([annotator for layer, annotator in zip(LAYERS, annotators) if layer in layers])
