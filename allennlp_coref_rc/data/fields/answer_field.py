from allennlp.data import Vocabulary
from allennlp.data.fields import LabelField

CANDIDATE_LABELS = "candidate_labels"
"""The vocabulary namespace of answers that are words of the passage."""

CLASS_LABELS = "class_labels"
"""The vocabulary namespace of answers that are classes."""

UNKNOWN_ANSWER = -1
"""The index of an answer that is none of the candidates. Such a question has no loss and counts as answered wrongly."""

SKIPPED_ANSWER = -2
"""The index of the answer to a question that the data set's rule leaves out. Only `accuracy_official` counts it."""


class AnswerField(LabelField):
    """
    The answer. It is a `LabelField` with a label or, with `skip_indexing`, the index of a candidate. But a label that
    is not in the vocabulary becomes `UNKNOWN_ANSWER` and raises no error. A test answer that training never saw, as in
    bAbI's task 8, has to be counted and must not stop the evaluation.
    """

    def index(self, vocab: Vocabulary) -> None:
        if not self._skip_indexing:
            labels = vocab.get_token_to_index_vocabulary(self._label_namespace)
            self._label_id = labels.get(str(self.label), UNKNOWN_ANSWER)
