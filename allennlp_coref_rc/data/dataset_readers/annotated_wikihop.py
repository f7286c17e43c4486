import dataclasses
import random
import re
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Optional, cast

from allennlp.data import DatasetReader, Instance

from allennlp_coref_rc.annotations import AnnotatedText, Document, clusters_from_json
from allennlp_coref_rc.annotations.annotated_text import Span
from allennlp_coref_rc.annotations.annotators import Annotator
from allennlp_coref_rc.annotations.clusters import largest_clusters, relevant_clusters
from allennlp_coref_rc.annotations.tokenization import WordFinder
from allennlp_coref_rc.common.checks import check_choice, check_number
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.json_value import JsonValue
from allennlp_coref_rc.common.schema import String
from allennlp_coref_rc.data.dataset_readers.answers import add_candidates, mark_skipped
from allennlp_coref_rc.data.dataset_readers.cloze_dataset_reader import ABSENT_ANSWER
from allennlp_coref_rc.data.dataset_readers.document_reader import GivenPassage, Text, candidate_names
from allennlp_coref_rc.data.dataset_readers.reading_comprehension_reader import ReadingComprehensionReader

SUBSETS = {
    "follows": ("follows",),
    "follows_single": ("follows", "single"),
    "follows_multiple": ("follows", "multiple"),
}
"""By subset, the judgements that more than half of the workers have made about each of its questions."""

NO_MENTION = -1
"""Stands for "no mention" in the authors' preprocessed files."""


@DatasetReader.register("annotated_wikihop")
class AnnotatedWikiHopReader(ReadingComprehensionReader):
    """
    Reads WikiHop (Welbl et al. 2018), and MedHop, in the format of QAngaroo v1.1. A file is a JSON list or
    has an object a line, and it may be plain or masked. The passage is all supporting texts, one after the
    other. The question is the relation, which is one token (`country_of_citizenship`), followed by the words
    of the entity that it is about, if there are any. The answer is one of the candidates.

    As in Coref-GRU (Dhingra et al., NAACL 2018, section 4), the supporting texts come in random order. As
    there, a cluster is kept only if it contains a candidate, or an entity that co-occurs with the question's
    entity. The authors did not publish their filter. Here a cluster contains a candidate if one of its
    mentions does, and an entity co-occurs with the question's entity if a supporting text mentions both. A
    question whose answer is not in the passage is skipped. The authors' preprocessed files (`document`,
    `mentions`, `coref_onehot`) can be read too. They come with their own tokens and clusters, which are
    filtered already.

    The metadata have the `relation`. For the development set they also have whether more than half of the
    workers said that the answer `follows`, and whether they said that it needs a `single` text or `multiple`
    texts.

    In `text_to_instance` a passage may be a list of supporting texts, whose order is kept. A question is a
    relation and an entity, as in the files ("country_of_citizenship louis-philippe fiset"), and candidates
    are required.

    Registered as a `DatasetReader` with name "annotated_wikihop". It also takes the parameters of
    `ReadingComprehensionReader`. By default `annotate_together` and `wrap_question` are false.

    # Parameters

    shuffle_supports : `bool`, optional (default = `True`)
        Puts the supporting texts in random order, as in the paper. If false, they stay in the file's order. In
        an annotated file they have the order in which it was made.
    seed : `int`, optional (default = `13370`)
        The seed of the order. The order also depends on the question's id, but not on questions read before.
    bag_of_tokens : `bool`, optional (default = `False`)
        A candidate occurs wherever one of its tokens does, as in the authors' code. By default, all its
        tokens have to follow one another in order. Upper and lower case are the same.
    filter_clusters : `bool`, optional (default = `True`)
        Whether to leave out clusters as described above.
    max_clusters : `int`, optional (default = `50`)
        Keeps only the `max_clusters` largest, or all if it is `None`. (The authors' code keeps the first 49.)
    subset : `str`, optional (default = `None`)
        Reads only the questions of one column of the paper's Table 2: `"follows"`, `"follows_single"` or
        `"follows_multiple"`.

    # Example

    ```jsonnet
    {"type": "annotated_wikihop", "max_passage_length": 2200, "bag_of_tokens": true}
    ```
    """

    default_annotate_together = False
    default_wrap_question = False
    whole_tokens = re.compile(r"(___MASK\d+___)")  # It stands for a candidate in the masked files.
    columns = ("query", "supports", "candidates")
    optional_columns = ("id", "answer", "annotations")

    def __init__(
        self,
        shuffle_supports: bool = True,
        seed: int = 13370,
        bag_of_tokens: bool = False,
        filter_clusters: bool = True,
        max_clusters: Optional[int] = 50,
        subset: Optional[str] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_number("annotated_wikihop", "max_clusters", max_clusters, least=0)
        if subset is not None:
            check_choice("annotated_wikihop", "subset", subset, SUBSETS)
        self._shuffle_supports = shuffle_supports
        self._seed = seed
        self._bag_of_tokens = bag_of_tokens
        self._filter_clusters = filter_clusters
        self._max_clusters = max_clusters
        self._subset = subset

    def to_document(self, item: tuple[str, JsonValue]) -> Document:
        default_id, values = item
        id = values["id"].to(String) if values.get("id") else default_id
        query = values["query"].to(String)
        known = {key: values.value.get(key) for key in ("answer", "annotations")}
        data = {"candidates": _candidates(values.value), **known}
        if values.get("document"):
            return _document(_preprocessed(values), query.split(), data, id)
        supports = values["supports"].to(list[String])
        if self._shuffle_supports:
            supports = random.Random(f"{self._seed} {id}").sample(supports, len(supports))
        return self.document(supports, [query], [data], id)

    def document(
        self, passage: GivenPassage, questions: Sequence[Text], data: Sequence[dict], id: Optional[str] = None
    ) -> Document:
        """As in other readers, but a list is that of the supporting texts."""
        supports = [passage] if isinstance(passage, (str, AnnotatedText)) else passage
        (query,), (known,) = questions, data
        texts = [self.split(support) for support in supports]
        spans = [[stop - len(text), stop] for text, stop in zip(texts, accumulate(map(len, texts)))]
        if isinstance(query, str):
            relation, _, entity = query.strip().partition(" ")
            query = [relation, *self.tokenize(entity)] if relation else []
        joined = AnnotatedText.concatenate(*texts)
        if all(isinstance(support, str) for support in supports):
            joined = joined.located("\n".join(cast(Sequence[str], supports)))
        return _document(joined, query, {**known, "supports": spans}, id)

    def annotate_documents(self, documents: Sequence[Document], annotator: Annotator) -> list[Document]:
        """
        As in other readers, but documents of the authors' preprocessed files keep their own annotations.
        """
        bare = [document for document in documents if "supports" in document.questions[0]]
        annotated = iter(super().annotate_documents(bare, annotator))
        return [next(annotated) if "supports" in doc.questions[0] else doc for doc in documents]

    def check_questions(self, document: Document) -> None:
        """
        As in other readers. A subset needs the workers' judgements, but not for the questions of predictions.
        """
        super().check_questions(document)
        if self._subset and not document.questions[0].get("annotations"):
            raise ConfigurationError(
                f"found no annotations, which dataset_reader.subset, {self._subset!r}, needs"
            )

    def to_instance(self, document: Document, question: int = 0) -> Optional[Instance]:
        (data,) = document.questions
        judged = _majority(data.get("annotations"))
        if self._subset and judged and not all(judged[word] for word in SUBSETS[self._subset]):
            self.report.skipped[f"not of the subset {self._subset!r}"] += 1
            return None
        candidates, answer = _candidates(data), data.get("answer")
        text, boundary = self.select(document)
        passage = text.tokens[:boundary]
        relation, *entity = document.tokens_of(1)

        finder = WordFinder(passage)
        words = [self.tokenize(candidate) for candidate in candidates]
        spans = [finder.find(candidate) for candidate in words]
        # In lower case, a name may be split differently than in the passage (St. Petersburg).
        words = [passage[slice(*found[0])] if found else own for own, found in zip(words, spans)]
        if data.get("clusters") is None:
            clusters = text.clusters
            if self._filter_clusters and "supports" in data:
                (texts,) = clusters_from_json([data["supports"]])
                heads = finder.find(entity)
                near = [
                    (start, stop) for start, stop in texts if any(start <= head < stop for head, _ in heads)
                ]
                # Mentions in the question are mentions of the entity that it is about.
                near.append((boundary, len(text)))
                clusters = relevant_clusters(clusters, [span for found in spans for span in found], near)
            text = dataclasses.replace(text, clusters=largest_clusters(clusters, self._max_clusters))

        index = None if answer is None else self.find_answer(answer, candidates)
        skipped = index is not None and not self._occurs(words[index], spans[index], passage)
        if skipped and self.skip(ABSENT_ANSWER):
            return None
        known = {"answer": answer, "relation": relation, **judged}
        instance = self.make_instance(text, boundary, known)
        target = None if answer is None else self.tokenize(answer) if index is None else words[index]
        add_candidates(
            instance, candidate_names(candidates), words, target, contiguous=not self._bag_of_tokens
        )
        if skipped:
            mark_skipped(instance)
        return instance

    def _occurs(self, words: list[str], spans: list[Span], passage: list[str]) -> bool:
        if not self._bag_of_tokens:
            return bool(spans)
        return not set(map(str.lower, words)).isdisjoint(map(str.lower, passage))


def _document(
    passage: AnnotatedText, question: Sequence[str], data: dict[str, Any], id: Optional[str]
) -> Document:
    questions = [{key: value for key, value in data.items() if value is not None}]
    return Document.of(passage, AnnotatedText(list(question)), id=id, data={"questions": questions})


def _preprocessed(item: JsonValue) -> AnnotatedText:
    """The passage of the authors' preprocessed files, with its clusters."""
    tokens = item["document"].to(String).split()
    mentions = [mention.span(len(tokens)) for mention in item["mentions"].list()]
    chains = [
        {mentions[i] for link in links.list() for i in _linked(link, len(mentions)) if i != NO_MENTION}
        for links in item["coref_onehot"].list()
    ]
    return AnnotatedText(tokens, clusters=[sorted(chain) for chain in chains if chain])


def _linked(link: JsonValue, mentions: int) -> list[int]:
    ends = link.list()
    if len(ends) != 3:
        raise link.error("[mention, relation, mention]")
    return [end.integer(NO_MENTION, mentions - 1) for end in ends[::2]]


def _candidates(data: dict[str, Any]) -> list[Text]:
    if data.get("candidates") is None:
        raise ConfigurationError("found a question without candidates, expected a list of them")
    return data["candidates"]


def _majority(annotations: Optional[list[list[str]]]) -> dict[str, bool]:
    """Whether more than half of the workers made each judgement. Without workers it is empty."""
    said = Counter(word for judgement in annotations or [] for word in set(judgement))
    judgements = ("follows", "single", "multiple") if annotations else ()
    return {word: 2 * said[word] > len(annotations or []) for word in judgements}
