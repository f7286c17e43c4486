from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Optional, Union

import spacy
from allennlp.data import Instance, Token
from spacy.language import Language
from spacy.tokens import Doc

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span, shift_by
from allennlp_coref_rc.annotations.annotators import lexicon
from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.annotators.archived_model import ArchivedModel
from allennlp_coref_rc.annotations.bio import frame_of
from allennlp_coref_rc.common.checks import check_choice
from allennlp_coref_rc.common.errors import ConfigurationError

PREDICATES = ("spacy", "words", "frames")


@Annotator.register("allennlp_srl")
class AllenNlpSrl(Annotator):
    """
    PropBank roles by a trained AllenNLP model (`srl` of allennlp-models: He et al., ACL 2017; or `srl_bert`),
    such as
    `https://storage.googleapis.com/allennlp-public-models/structured-prediction-srl-bert.2020.12.15.tar.gz`.
    Each predicate of each sentence gets a frame.

    The model does not find predicates. AllenNLP's predictor takes the words that a spaCy model tags as verbs
    or, in English, as auxiliaries; `"spacy"` does the same. DASSA's authors took only verbs.

    Registered as an `Annotator` with name "allennlp_srl". It also takes `cuda_device` and `overrides` of
    `ArchivedModel`.

    # Parameters

    archive : `str`
        The model's file, or its URL.
    predicates : `str`, optional (default = `"spacy"`)
        Where predicates come from: `"spacy"`, the verbs and auxiliaries that a spaCy model tags; `"words"`,
        the forms of some common verbs; `"frames"`, the predicates of the text's own frames; these frames are
        then replaced.
    spacy_model : `str`, optional (default = `"en_core_web_sm"`)
        Name or folder of a spaCy model with a tagger.
    batch_size : `int`, optional (default = `32`)
        Predicates in a batch.

    # Example

    ```jsonnet
    {"type": "allennlp_srl", "archive": "srl/model.tar.gz", "predicates": "words"}
    ```
    """

    def __init__(
        self,
        archive: str,
        predicates: str = "spacy",
        spacy_model: str = "en_core_web_sm",
        batch_size: int = 32,
        cuda_device: Optional[int] = None,
        overrides: Union[str, dict[str, Any]] = "",
    ) -> None:
        check_choice("allennlp_srl", "predicates", predicates, PREDICATES)
        self._model = ArchivedModel(archive, batch_size, cuda_device, overrides, "semantic_role_labeling")
        self._predicates = predicates
        self._spacy_model = spacy_model

    def prepare(self) -> None:
        if self._predicates == "spacy":
            super().prepare()
        else:
            self._model.prepare()

    def annotate_batch(self, texts: Sequence[AnnotatedText]) -> list[AnnotatedText]:
        frames = [[] if self._predicates == "frames" else list(text.frames) for text in texts]
        predicates = [
            (i, sentence, position)
            for i, text in enumerate(texts)
            for sentence, positions in zip(text.sentences, self._find(text))
            for position in positions
        ]
        instances = [self._instance(texts[i], sentence, position) for i, sentence, position in predicates]
        tags = self._model.predict(instances, "tags") if instances else []
        for (i, (start, _), position), tags_of_predicate in zip(predicates, tags):
            frames[i].append(frame_of(tags_of_predicate, position).moved(shift_by(start)))
        return [replace(text, frames=frames[i]) for i, text in enumerate(texts)]

    def _instance(self, text: AnnotatedText, sentence: Span, position: int) -> Instance:
        tokens = [Token(token) for token in text.tokens[slice(*sentence)]]
        return self._model.reader.text_to_instance(tokens, [int(i == position) for i in range(len(tokens))])

    def _find(self, text: AnnotatedText) -> list[list[int]]:
        sentences = [text.tokens[start:stop] for start, stop in text.sentences]
        if self._predicates == "words":
            return [
                [i for i, token in enumerate(tokens) if token.lower() in lexicon.COMMON_VERBS]
                for tokens in sentences
            ]
        if self._predicates == "frames":
            known = {frame.predicate[0] for frame in text.frames}
            return [[i - start for i in range(start, stop) if i in known] for start, stop in text.sentences]
        docs = self._pipeline.pipe(Doc(self._pipeline.vocab, words=tokens) for tokens in sentences)
        return [[token.i for token in doc if token.pos_ in ("VERB", "AUX")] for doc in docs]

    @cached_property
    def _pipeline(self) -> Language:
        try:
            return spacy.load(self._spacy_model, exclude=["parser", "ner", "lemmatizer"])
        except OSError as error:
            raise ConfigurationError(
                f"allennlp_srl: spacy_model is {self._spacy_model!r}, which is not installed (python -m spacy "
                f'download {self._spacy_model}); or set predicates to "words" or "frames", which need none'
            ) from error
