from allennlp.common import Params

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.annotators import Annotator

CONFIG = {
    "type": "compose",
    "annotators": [
        {"type": "exact_match_coref", "entities": ["Mary", "John"]},
        {"type": "compose", "annotators": [{"type": "exact_match_coref", "entities": ["it"]}]},
    ],
}


class Counting(Annotator):
    """Notes how many clusters there were, and how large the batches of texts were."""

    def __init__(self):
        self.seen, self.batches = [], []

    def annotate(self, text):
        self.seen.append(len(text.clusters))
        return text

    def annotate_batch(self, texts):
        self.batches.append(len(texts))
        return super().annotate_batch(texts)


def test_annotators_add_to_what_is_there():
    text = AnnotatedText("Mary saw it and John saw it and Mary".split())
    annotator = Annotator.from_params(Params(CONFIG))
    expected = [[(0, 1), (8, 9)], [(2, 3), (6, 7)]]
    assert annotator.annotate(text).clusters == expected
    assert text.clusters == []
    assert [found.clusters for found in annotator.annotate_batch([text, text])] == [expected] * 2


def test_batches_stay_batches():
    first = Annotator.from_params(Params({"type": "exact_match_coref"}))
    last = Counting()
    annotator = Annotator.by_name("compose")([first, last])
    annotator.annotate_batch([AnnotatedText(["a1", "a1"]), AnnotatedText(["b1"]), AnnotatedText([])])
    assert last.batches == [3] and last.seen == [1, 0, 0]
    assert annotator.annotate_batch([]) == []
