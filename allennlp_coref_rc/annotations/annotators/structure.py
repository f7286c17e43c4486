from collections.abc import Sequence
from typing import Optional

from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.annotators.compose import ComposedAnnotator
from allennlp_coref_rc.annotations.annotators.coref.english.coref import EnglishCoref
from allennlp_coref_rc.annotations.annotators.spacy_dependencies import SpacyDependencies
from allennlp_coref_rc.annotations.annotators.structure_model import StructureModel
from allennlp_coref_rc.annotations.layers import LAYERS
from allennlp_coref_rc.common.checks import check_choice


@Annotator.register("structure")
class Structure(ComposedAnnotator):
    """
    The structure of English text: coreference by `coref`, and in one pass of a transformer semantic roles as by
    `roles` and discourse relations as by `discourse`.

    Registered as an `Annotator` with name "structure".

    # Parameters

    layers : `list[str]`, optional (default = `["clusters", "frames", "relations"]`)
        What to add; "edges" are dependencies.
    guideline : `str`, optional (default = `"ontonotes"`)
        What the clusters are like, see `coref`.
    implicit : `bool`, optional (default = `False`)
        Add implicit discourse relations.
    spacy_model : `str`, optional (default = `None`)
        The name or folder of a pipeline of spaCy that parses for `coref`, with Universal Dependencies. By
        default the English pipeline of this package.
    cuda_device : `int`, optional (default = `-1`)
        As for `roles`.

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
        cuda_device: int = -1,
    ) -> None:
        for layer in layers:
            check_choice("structure", "layers", layer, LAYERS)
        annotators: list[Annotator] = []
        if "clusters" in layers:
            annotators.append(EnglishCoref(guideline, spacy_model=spacy_model))
        if heads := [
            head for layer, head in (("frames", "roles"), ("relations", "discourse")) if layer in layers
        ]:
            annotators.append(
                StructureModel(heads=heads, options={"discourse.implicit": implicit}, cuda_device=cuda_device)
            )
        if "edges" in layers:
            annotators.append(SpacyDependencies(spacy_model))
        super().__init__(annotators)
