import os
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Optional

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, shift_by
from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.annotators.roles.features import sentences
from allennlp_coref_rc.annotations.annotators.roles.network import RoleNetwork
from allennlp_coref_rc.annotations.english import parse
from allennlp_coref_rc.common.checks import check_number

MODEL = os.fspath(Path(__file__).parent / "model")
"""The folder of this package's own model."""


@Annotator.register("roles")
class Roles(Annotator):
    """
    PropBank's frames: predicates (verbs, and nouns and adjectives that name events), and their arguments
    (`ARG0`, `ARGM-TMP`, `R-ARG1`, …). Senses of predicates are not told apart. The English pipeline parses
    the text, and a `RoleNetwork`, trained with `training_config/annotators/roles.jsonnet`, reads the parse.
    Arguments of a frame do not overlap. A sentence of more than 200 tokens is labelled in pieces.

    Registered as an `Annotator` with name "roles".

    # Parameters

    archive : `str`, optional (default = `None`)
        A model of your own, a file `model.tar.gz` or the folder of its training. By default the model of this
        package.
    spacy_model : `str`, optional (default = `None`)
        Name or folder of another pipeline of spaCy, which the model was trained on. By default this package's
        own.
    empty_frames : `bool`, optional (default = `True`)
        Keeps frames without arguments. Most of these are auxiliaries, which PropBank marks as predicates.
    verbs : `bool`, optional (default = `False`)
        Keeps only frames of verbs, by the tags of the pipeline, and no auxiliaries (as DASSA, Mihaylov &
        Frank, EMNLP 2019).
    batch_tokens : `int`, optional (default = `2000`)
        The most tokens in a batch, padding included.
    """

    def __init__(
        self,
        archive: Optional[str] = None,
        spacy_model: Optional[str] = None,
        empty_frames: bool = True,
        verbs: bool = False,
        batch_tokens: int = 2000,
    ) -> None:
        check_number("roles", "batch_tokens", batch_tokens)
        self._archive = MODEL if archive is None else archive
        self._spacy_model = spacy_model
        self._empty_frames = empty_frames
        self._verbs = verbs
        self._batch_tokens = batch_tokens

    def annotate_batch(self, texts: Sequence[AnnotatedText]) -> list[AnnotatedText]:
        docs = list(parse(texts, self._spacy_model))
        placed = [
            (i, sentence)
            for i, (text, doc) in enumerate(zip(texts, docs))
            for sentence in sentences(text, doc)
        ]
        found = [list(text.frames) for text in texts]
        frames = self._network.label_sentences([sentence for _, sentence in placed], self._batch_tokens)
        for (i, sentence), frames_of_sentence in zip(placed, frames):
            moved = (frame.moved(shift_by(sentence.start)) for frame in frames_of_sentence)
            found[i] += [
                frame
                for frame in moved
                if (frame.arguments or self._empty_frames)
                and (not self._verbs or docs[i][frame.predicate[0]].pos_ == "VERB")
            ]
        return [replace(text, frames=frames_of_text) for text, frames_of_text in zip(texts, found)]

    @cached_property
    def _network(self) -> RoleNetwork:
        return RoleNetwork.from_archive(self._archive)
