from typing import Optional

from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.annotators.structure_model import StructureModel


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
    too. The confidence of a relation is the probability of its connective, or that two sentences have an
    implicit relation, and with `paper_like` that of its sense.

    Registered as an `Annotator` with name "discourse".

    # Parameters

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
        implicit: bool = False,
        paper_like: bool = False,
        archive: Optional[str] = None,
        cuda_device: int = -1,
    ) -> None:
        options = {"discourse.implicit": implicit, "discourse.paper_like": paper_like}
        super().__init__(archive, ["discourse"], options=options, cuda_device=cuda_device)
