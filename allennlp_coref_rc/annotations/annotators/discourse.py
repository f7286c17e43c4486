from typing import Optional

from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.annotators.structure_model import StructureModel
from allennlp_coref_rc.common.errors import ConfigurationError


@Annotator.register("discourse")
class Discourse(StructureModel):
    """
    Discourse relations as in PDTB, by the head `discourse` of a model of structure, which was trained on GDTB
    (Liu et al., EMNLP 2024).

    The senses of explicit relations are fourteen of the fifteen of CoNLL-2016 (there is no EntRel), and
    "Contingency.Purpose", "Expansion.Manner" and "Comparison.Similarity" of PDTB 3, which have no counterpart
    there. Implicit relations link neighbouring sentences.

    `paper_like` finds relations as DASSA does (Mihaylov & Frank, EMNLP 2019, section 2), by the rule of
    `connective_discourse`: every connective expresses one, its arguments are all that is before and after it
    in the sentence, and implicit relations link all neighbouring sentences. Their senses are predicted here
    too.

    Registered as an `Annotator` with name "discourse".

    # Parameters

    threshold : `float`, optional (default = `None`)
        The least probability of a connective. By default as the archive's config says. Not with `paper_like`.
    implicit : `bool`, optional (default = `False`)
        Add implicit relations.
    paper_like : `bool`, optional (default = `False`)
        Find relations by the paper's rule.
    archive : `str`, optional (default = `None`)
        As for `StructureModel`.
    cuda_device : `int`, optional (default = `-1`)
        The index of a GPU. By default the CPU, since readers of a training annotate too, in processes of their own.

    # Example

    ```jsonnet
    {"type": "discourse", "implicit": true}
    ```
    """

    def __init__(
        self,
        threshold: Optional[float] = None,
        implicit: bool = False,
        paper_like: bool = False,
        archive: Optional[str] = None,
        cuda_device: int = -1,
    ) -> None:
        options: dict[str, bool | float] = {
            "discourse.implicit": implicit,
            "discourse.paper_like": paper_like,
        }
        if threshold is not None:
            if not 0.0 <= threshold <= 1.0:
                raise ConfigurationError(f"discourse: threshold is {threshold}, expected 0 to 1")
            if paper_like:
                raise ConfigurationError("discourse: found threshold and paper_like, expected one of them")
            options["discourse.least"] = threshold
        super().__init__(archive, ["discourse"], options=options, cuda_device=cuda_device)
