"""Layers as a reader makes fields of them, and as the fields become tensors."""

import dataclasses

import torch
from allennlp.data import Instance, Vocabulary

from allennlp_coref_rc.annotations import AnnotatedText, DiscourseRelation, Frame
from allennlp_coref_rc.annotations.annotators import Annotator, ExactMatchCoref
from allennlp_coref_rc.data.annotation_layers import (
    CorefClusters,
    CorefEdges,
    CorefViews,
    DiscourseEdges,
    DiscourseViews,
    SentenceViews,
    SrlEdges,
    SrlViews,
    label_namespace,
)
from allennlp_coref_rc.data.annotation_layers.edges import PADDING
from allennlp_coref_rc.data.dataset_readers import AnnotatedBabiReader
from allennlp_coref_rc.data.fields import AnnotationField
from tests import batches
from tests.shared import PROJECT

X = PADDING
STORIES = str(PROJECT / "tests" / "fixtures" / "babi" / "qa1_train.txt")


class SecondTokenIsThePredicate(Annotator):
    """bAbI sentences are "Mary went to …"; each one is related to the next."""

    def annotate(self, text: AnnotatedText) -> AnnotatedText:
        text = ExactMatchCoref().annotate(text)
        frames = [
            Frame((start + 1, start + 2), [("ARG0", (start, start + 1)), ("ARG4", (start + 2, stop - 1))])
            for start, stop in text.sentences
        ]
        relations = [
            DiscourseRelation("EntRel", "EntRel", [first], [second])
            for first, second in zip(text.sentences, text.sentences[1:])
        ] + [
            DiscourseRelation("Explicit", "Temporal.Synchrony", [(start, start + 2)], [(start + 2, stop)])
            for start, stop in text.sentences
        ]
        return dataclasses.replace(text, frames=frames, relations=relations)


LAYERS = {
    "coref": CorefEdges(),
    "srl": SrlEdges(),
    "discourse": DiscourseEdges(),
    "one_hot": CorefClusters(),
    "srl_heads": SrlViews(3),
    "explicit": DiscourseViews("explicit"),
    "non_explicit": DiscourseViews("non_explicit"),
    "coref_heads": CorefViews(copies=2),
    "sentences": SentenceViews(4),
}
VIEWS = {"srl_heads": 3, "explicit": 2, "non_explicit": 2, "coref_heads": 2, "sentences": 4}


def field(layer, text, name="srl"):
    made = layer.make(text, len(text))[0]
    return AnnotationField(
        {name: made}, len(text), {name: dict.fromkeys(layer.label_names, label_namespace(name))}
    )


def batch(vocab, *fields):
    return batches.tensors([Instance({"annotations": field}) for field in fields], vocab)["annotations"]


def test_a_reader_makes_tensors_of_every_kind_of_layer():
    reader = AnnotatedBabiReader(annotator=SecondTokenIsThePredicate(), annotation_layers=LAYERS)
    instances = list(reader.read(STORIES))
    for instance in instances:
        reader.apply_token_indexers(instance)
    vocab = Vocabulary.from_instances(instances)
    tensors = batches.tensors(instances, vocab)
    for part in ("passage", "question"):
        mask = tensors[part]["tokens"]["tokens"] > 0
        annotations = tensors[f"{part}_annotations"]
        assert set(annotations) == set(LAYERS)
        for name in ("coref", "srl", "discourse"):
            assert set(annotations[name]) == {"antecedents", "descendants"}
            for edges in annotations[name].values():
                assert edges.shape[:2] == mask.shape and edges.dtype == torch.long
                assert (edges[~mask] == PADDING).all()
        for name, num_views in VIEWS.items():
            labels, scopes = annotations[name]["labels"], annotations[name]["scopes"]
            assert labels.shape == scopes.shape == (*mask.shape, num_views)
            assert (labels[~mask] == PADDING).all() and (scopes[~mask] == PADDING).all()
            assert (labels[mask] >= 0).all() and (scopes[mask] >= 0).all()
            assert labels.max() < vocab.get_vocab_size(label_namespace(name))
    # Each passage token but full stops has a role, and the inventory is what the data has.
    roles = vocab.get_token_to_index_vocabulary(label_namespace("srl_heads"))
    assert set(roles) == {"@@PADDING@@", "@@UNKNOWN@@", "B-V", "B-ARG0", "B-ARG4", "I-ARG4"}
    assert set(vocab.get_token_to_index_vocabulary(label_namespace("sentences"))) >= {"1", "2", "3", "4"}
    # Nothing but the question's entities links it with the passage.
    assert (tensors["question_annotations"]["coref"]["antecedents"] < PADDING).any()


def test_labels_are_numbered_by_the_vocabulary():
    seen = AnnotatedText(["a", "b"], frames=[Frame((0, 1), [("ARG0", (1, 2))])])
    new = AnnotatedText(
        ["c", "d", "e"], [(0, 3)], frames=[Frame((1, 2), [("ARG0", (0, 1)), ("ARG9", (2, 3))])]
    )
    vocab = Vocabulary.from_instances([Instance({"annotations": field(SrlViews(2), seen)})])
    namespace = label_namespace("srl")
    ids = {label: vocab.get_token_index(label, namespace) for label in ("B-V", "B-ARG0")}
    assert sorted(ids.values()) == [2, 3]
    tensors = batch(vocab, field(SrlViews(2), seen), field(SrlViews(2), new))["srl"]
    assert tensors["labels"].tolist() == [
        [[ids["B-V"], 0], [ids["B-ARG0"], 0], [X, X]],
        # A label that the vocabulary does not know is 1.
        [[ids["B-ARG0"], 0], [ids["B-V"], 0], [1, 0]],
    ]
    assert tensors["scopes"].tolist() == [[[1, 1], [1, 1], [X, X]], [[1, 1]] * 3]


def test_views_that_a_text_does_not_have_are_padding():
    one = AnnotatedText(["a", "b"], frames=[Frame((0, 1))])
    none = AnnotatedText(["c", "d", "e"])
    layer = SrlViews(3, pad_views=False)
    vocab = Vocabulary.from_instances([Instance({"annotations": field(layer, one)})])
    tensors = batch(vocab, field(layer, one), field(layer, none))["srl"]
    assert tensors["labels"].tolist() == [[[2], [0], [X]], [[X]] * 3]
    assert tensors["scopes"].tolist() == [[[1], [1], [X]], [[X]] * 3]
