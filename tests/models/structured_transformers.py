"""Small structured transformers over tiny pretrained ones, and questions for them."""

import copy
from functools import lru_cache

import torch
from allennlp.common import Params
from allennlp.data import DatasetReader, Vocabulary
from allennlp.models import Model

from tests import tiny_transformers
from tests.shared import PROJECT

FIXTURES = PROJECT / "tests" / "fixtures"

DIM = tiny_transformers.HIDDEN_SIZE

PREFIX = {"tokenizer_kwargs": {"add_prefix_space": True}}

ENCODERS = {
    "gru": {"type": "gru", "input_size": DIM, "hidden_size": 6, "bidirectional": True},
    "coref_gru": {"type": "coref_gru", "input_size": DIM, "hidden_size": 6},
    "mage_gru": {"type": "mage_gru", "input_size": DIM, "state_sizes": {"sequential": 4, "coref": 4}},
    "dassa": {
        "type": "dassa",
        "input_dim": DIM,
        "hidden_dim": 12,
        "num_blocks": 1,
        "num_attention_heads": 4,
        "feedforward_hidden_dim": 6,
        "heads": {"clusters": 1, "discourse": 2},
        "annotated_blocks": [0],
        "layer_dropout_undecayed_prob": 0.0,
    },
}


def spans():
    return {"type": "annotated_quoref"}, FIXTURES / "quoref" / "train.json", [0, 4]


def tags():
    return {"type": "annotated_quoref", "tag_answers": True}, FIXTURES / "quoref" / "train.json", [1, 4]


def candidates():
    return {"type": "annotated_wikihop"}, FIXTURES / "wikihop" / "train.json", [0, 1]


def cloze():
    return {"type": "annotated_lambada", "max_passage_length": 40}, FIXTURES / "lambada" / "train.txt", [0, 1]


def classes():
    return {"type": "annotated_babi", "folder": str(FIXTURES / "babi"), "task": 15}, "train", [0, 4]


ANNOTATED = {
    "annotator": {"type": "compose", "annotators": ["exact_match_coref", "connective_discourse"]},
    "annotation_layers": {
        "coref": "coref_edges",
        "clusters": "coref_views",
        "discourse": {"type": "discourse_views", "kind": "explicit"},
    },
    "max_passage_length": 24,
    "max_question_length": 5,
}


@lru_cache(maxsize=None)
def read(folder, data):
    """The reader, two questions of different lengths, and their vocabulary."""
    own, path, chosen = data()
    indexer = {"type": "pretrained_transformer_mismatched", "model_name": folder, **PREFIX}
    params = {**ANNOTATED, **own, "token_indexers": {"transformer": indexer}}
    reader = DatasetReader.from_params(Params(copy.deepcopy(params)))
    instances = list(reader.read(str(path)))
    instances = [instances[i] for i in chosen]
    for instance in instances:
        reader.apply_token_indexers(instance)
    return reader, instances, Vocabulary.from_instances(instances)


HEADS = {spans: "span", tags: "tags", candidates: "candidates", cloze: "candidates", classes: "candidates"}
"""By the kind of questions, the head that answers them."""


def build(folder, data, encoder="none", **options):
    """A model and the questions; the encoder is one of `ENCODERS` or a config."""
    transformer = {"model_name": folder, "max_length": tiny_transformers.MAX_LENGTH, "overlap": 4, **PREFIX}
    params = {"type": "structured_transformer", "transformer": transformer, "dropout": 0.0, **options}
    params["head"] = {"type": HEADS.get(data, "span")}
    if encoder != "none":
        params["encoder"] = ENCODERS[encoder] if isinstance(encoder, str) else encoder
    _, instances, vocab = read(folder, data)
    torch.manual_seed(0)
    return Model.from_params(Params(copy.deepcopy(params)), vocab=vocab), instances
