import re
from collections.abc import Sequence
from typing import Any, Optional

from allennlp.data import Instance

from allennlp_coref_rc.annotations import Document
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.dataset_readers.answers import add_candidates, mark_skipped
from allennlp_coref_rc.data.dataset_readers.document_reader import Text, candidate_names
from allennlp_coref_rc.data.dataset_readers.reading_comprehension_reader import (
    PLACEHOLDER,
    ReadingComprehensionReader,
)

ABSENT_ANSWER = "the answer is not in the passage"


class ClozeDatasetReader(ReadingComprehensionReader):
    """
    Base class of readers of cloze questions with candidates. A question has `@placeholder` where its answer
    belongs, and the answer is one of the candidates that come with the question. A question whose answer is
    not in the passage, at which no model here could point, is skipped; see `keep_skipped`.

    It also takes the parameters of `ReadingComprehensionReader`.

    # Parameters

    bag_of_tokens : `bool`, optional (default = `False`)
        A candidate occurs wherever one of its tokens does, as in the GA Reader's code. By default, all its
        tokens have to follow one another in order. Upper and lower case are the same.
    """

    whole_tokens = re.compile(r"(@ ?placeholder\b)")  # In some questions of CNN it has a blank.
    metadata_keys: Sequence[str] = ()
    """The keys of a question's data that are copied into the metadata of its instance."""

    def __init__(self, bag_of_tokens: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._bag_of_tokens = bag_of_tokens

    def to_instance(self, document: Document, question: int = 0) -> Optional[Instance]:
        (data,) = document.questions
        text, boundary = self.select(document)
        passage, asked = text.tokens[:boundary], text.tokens[boundary:]
        if PLACEHOLDER not in asked:
            raise ConfigurationError(
                f"found the question {' '.join(asked)[:80]!r}, expected one with {PLACEHOLDER}"
            )
        candidates, answer = data.get("candidates"), data.get("answer")
        if candidates is None:
            candidates = self.find_candidates(passage)
            if not candidates:
                raise ConfigurationError("found no candidate in the passage, expected one or more")
        cause = self.cause_to_skip(data, candidates, [token.lower() for token in passage])
        if cause and self.skip(cause):
            return None
        known = {key: data.get(key) for key in self.metadata_keys}
        instance = self.make_instance(text, boundary, {"answer": answer, **known})
        tokens = [self.tokenize(candidate) for candidate in candidates]
        target = None if answer is None else self.answer_tokens(answer, candidates)
        add_candidates(
            instance, candidate_names(candidates), tokens, target, contiguous=not self._bag_of_tokens
        )
        if cause:
            mark_skipped(instance)
        return instance

    def find_candidates(self, passage: Sequence[str]) -> Sequence[Text]:
        """Finds candidates for a question that comes without any."""
        raise ConfigurationError("found a question without candidates, expected a list of them")

    def cause_to_skip(
        self, data: dict[str, Any], candidates: Sequence[Text], passage: Sequence[str]
    ) -> Optional[str]:
        """Why a question is left out, or `None` if it is not. `passage` has its tokens in lower case."""
        if data.get("answer") is None:
            return None
        words = [token.lower() for token in self.answer_tokens(data["answer"], candidates)]
        if self._bag_of_tokens:
            occurs = not set(words).isdisjoint(passage)
        else:
            starts = range(len(passage) - len(words) + 1) if words else ()
            occurs = any(passage[i : i + len(words)] == words for i in starts)
        return None if occurs else ABSENT_ANSWER
