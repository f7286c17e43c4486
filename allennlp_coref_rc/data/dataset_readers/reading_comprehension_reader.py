import dataclasses
import logging
from typing import Any, Dict, List, Optional, Sequence, Union

from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Field, Instance, Token, TokenIndexer, Tokenizer
from allennlp.data.fields import MetadataField, TextField
from allennlp.data.token_indexers import SingleIdTokenIndexer
from allennlp.data.tokenizers import LettersDigitsTokenizer

from allennlp_coref_rc.annotations import AnnotatedText, AnnotationLayer, Annotator, clusters_from_json
from allennlp_coref_rc.data.fields import (
    CANDIDATE_LABELS,
    CLASS_LABELS,
    UNKNOWN_ANSWER,
    AnnotationField,
    AnswerField,
    CandidatesField,
)

logger = logging.getLogger(__name__)

QUESTION_START, QUESTION_END = "@begin", "@end"

Text = Union[str, Sequence[str]]


class ReadingComprehensionReader(DatasetReader):
    """
    What all readers here have in common: the fields, and how passage and question get their annotations.

    Instances have the fields `passage` and `question` (`TextField`), `passage_annotations` and `question_annotations`
    (`AnnotationField`, where `annotation_layers` asks for any), `candidates` (`CandidatesField`, unless answers are
    classes), `answer` (`AnswerField`, where it is known) and `metadata`.

    # Parameters

    tokenizer : `Tokenizer`, optional (default = `LettersDigitsTokenizer()`)
        Of passages, questions and candidates.
    token_indexers : `Dict[str, TokenIndexer]`, optional (default = `None`)
        By default one `single_id` indexer, "tokens", of words in lower case.
    annotator : `Annotator`, optional (default = `None`)
        Annotates passage and question, as one text, unless they come with annotations.
    annotation_layers : `Dict[str, AnnotationLayer]`, optional (default = `{}`)
        What the annotation fields hold, by the names that encoders ask for.
    wrap_question : `bool`, optional (default = `True`)
        Put `@begin` before and `@end` after each question, as the authors' code does.
    """

    def __init__(
        self,
        tokenizer: Optional[Tokenizer] = None,
        token_indexers: Optional[Dict[str, TokenIndexer]] = None,
        annotator: Optional[Annotator] = None,
        annotation_layers: Optional[Dict[str, AnnotationLayer]] = None,
        wrap_question: bool = True,
        **kwargs,
    ) -> None:
        super().__init__(manual_distributed_sharding=True, manual_multiprocess_sharding=True, **kwargs)
        self._tokenizer = tokenizer or LettersDigitsTokenizer()
        self._token_indexers = token_indexers or {"tokens": SingleIdTokenIndexer(lowercase_tokens=True)}
        self._annotator = annotator
        self._annotation_layers = annotation_layers or {}
        self._wrap_question = wrap_question
        if self._annotation_layers and annotator is None:
            logger.warning(
                "dataset_reader.annotation_layers asks for %s, but there is no dataset_reader.annotator: texts that "
                "come without annotations will have none",
                sorted(self._annotation_layers),
            )

    def tokenize(self, text: Text) -> List[str]:
        """The tokens of a text; a list of tokens is taken as it is."""
        return [token.text for token in self._tokenizer.tokenize(text)] if isinstance(text, str) else list(text)

    def _make_instance(
        self,
        passage: AnnotatedText,
        question: Sequence[str],
        clusters: Optional[Sequence] = None,
        candidates: Optional[Sequence[Text]] = None,
        answer: Optional[str] = None,
        answers_are_classes: bool = False,
        metadata: Optional[Dict[str, Any]] = None,
    ) -> Instance:
        """
        # Parameters

        passage : `AnnotatedText`
        question : `Sequence[str]`
            Its tokens, without the wrapping.
        clusters : `Sequence`, optional (default = `None`)
            Known coreference clusters, as spans of the tokens of passage and (wrapped) question in a row: given these,
            the annotator is not asked.
        candidates : `Sequence[Text]`, optional (default = `None`)
            By default the answers seen in training.
        answer : `str`, optional (default = `None`)
        answers_are_classes : `bool`, optional (default = `False`)
            The answer is one of the classes of the vocabulary, not a word of the passage.
        metadata : `Dict[str, Any]`, optional (default = `None`)
            Goes into the instance's metadata beside what is always there.
        """
        if candidates is not None and (isinstance(candidates, str) or not candidates):
            raise ConfigurationError(f"candidates: found {candidates!r}, expected a list of one or more")
        if not len(passage) or not question:
            empty = "question" if len(passage) else "passage"
            raise ConfigurationError(f"found an empty {empty}, expected a passage and a question")
        question = [QUESTION_START, *question, QUESTION_END] if self._wrap_question else list(question)
        text = AnnotatedText.concatenate(passage, AnnotatedText(question))
        if clusters is not None:
            text = dataclasses.replace(text, clusters=clusters_from_json(clusters))
        elif self._annotator is not None:
            text = self._annotator.annotate(text)

        fields: Dict[str, Field] = {
            "passage": TextField([Token(token) for token in passage.tokens]),
            "question": TextField([Token(token) for token in question]),
        }
        if self._annotation_layers:
            layers = {name: layer.make(text, len(passage)) for name, layer in self._annotation_layers.items()}
            fields["passage_annotations"] = AnnotationField({k: v[0] for k, v in layers.items()}, len(passage))
            fields["question_annotations"] = AnnotationField({k: v[1] for k, v in layers.items()}, len(question))
        if answers_are_classes:
            if answer is not None:
                fields["answer"] = AnswerField(answer.lower(), CLASS_LABELS)
        elif candidates is None:
            fields["candidates"] = CandidatesField(passage.tokens, label_namespace=CANDIDATE_LABELS)
            if answer is not None:
                fields["answer"] = AnswerField(answer.lower(), CANDIDATE_LABELS)
        else:
            words = [[word.lower() for word in self.tokenize(candidate)] for candidate in candidates]
            fields["candidates"] = CandidatesField(passage.tokens, words)
            if answer is not None:
                target = [word.lower() for word in self.tokenize(answer)]
                index = words.index(target) if target in words else UNKNOWN_ANSWER
                fields["answer"] = AnswerField(index, CANDIDATE_LABELS, skip_indexing=True)
        fields["metadata"] = MetadataField(
            {
                "passage_tokens": passage.tokens,
                "question_tokens": question,
                "clusters": text.clusters,
                "answer": answer,
                "candidates": candidates and [c if isinstance(c, str) else " ".join(c) for c in candidates],
                **(metadata or {}),
            }
        )
        return Instance(fields)

    def apply_token_indexers(self, instance: Instance) -> None:
        instance["passage"].token_indexers = self._token_indexers
        instance["question"].token_indexers = self._token_indexers
