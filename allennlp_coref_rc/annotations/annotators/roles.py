from collections.abc import Sequence
from dataclasses import replace
from typing import Optional

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.annotators.structure_model import StructureModel
from allennlp_coref_rc.annotations.english import parse


@Annotator.register("roles")
class Roles(StructureModel):
    """
    PropBank's frames: predicates (verbs, and nouns and adjectives that name events), and their arguments
    (`ARG0`, `ARGM-TMP`, `R-ARG1`, …), by the head `roles` of a model of structure. Senses of predicates are not
    told apart. Arguments of a frame do not overlap. Most frames without arguments are of auxiliaries, which
    PropBank marks as predicates.

    Registered as an `Annotator` with name "roles".

    # Parameters

    archive : `str`, optional (default = `None`)
        As for `StructureModel`.
    verbs : `bool`, optional (default = `False`)
        Keeps only frames of verbs, by the tags of the English pipeline, and no auxiliaries (as DASSA, Mihaylov &
        Frank, EMNLP 2019).
    cuda_device : `int`, optional (default = `-1`)
        The index of a GPU. By default the CPU, since readers of a training annotate too, in processes of their own.
    """

    def __init__(self, archive: Optional[str] = None, verbs: bool = False, cuda_device: int = -1) -> None:
        super().__init__(archive, ["roles"], cuda_device=cuda_device)
        self._verbs = verbs

    def annotate_batch(self, texts: Sequence[AnnotatedText]) -> list[AnnotatedText]:
        found = super().annotate_batch([replace(text, frames=[]) for text in texts])
        docs = parse(texts) if self._verbs else [None] * len(texts)
        return [
            text.with_more(
                frames=[
                    frame
                    for frame in annotated.frames
                    if doc is None or doc[frame.predicate[0]].pos_ == "VERB"
                ]
            )
            for text, annotated, doc in zip(texts, found, docs)
        ]
