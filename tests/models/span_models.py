"""Small models that answer with spans, and questions for them."""

import json

import torch
from allennlp.common import Params
from allennlp.data import DatasetReader, Vocabulary
from allennlp.models import Model

from tests import batches
from tests.shared import PROJECT

TRAIN = str(PROJECT / "tests" / "fixtures" / "narrativeqa" / "train")

DIM = 8

READER = {
    "type": "annotated_narrativeqa",
    "annotator": "exact_match_coref",
    "annotation_layers": {"coref": "coref_edges", "clusters": "coref_views"},
    "token_indexers": {
        "tokens": {"type": "single_id", "lowercase_tokens": True},
        "characters": {"type": "characters", "min_padding_length": 5},
    },
}

EMBEDDERS = {
    "tokens": {"type": "embedding", "embedding_dim": 6},
    "characters": {
        "type": "character_encoding",
        "embedding": {"embedding_dim": 3, "vocab_namespace": "token_characters"},
        "encoder": {"type": "character_cnn", "embedding_dim": 3, "num_filters": 4},
    },
}

DASSA = {
    "type": "dassa",
    "input_dim": DIM,
    "hidden_dim": DIM,
    "num_blocks": 2,
    "num_attention_heads": 2,
    "feedforward_hidden_dim": 6,
    "layer_dropout_undecayed_prob": 0.0,
}

MODELING_LAYERS = {
    "gru": {"type": "gru", "input_size": DIM, "hidden_size": DIM // 2, "bidirectional": True},
    "coref_gru": {"type": "coref_gru", "input_size": DIM, "hidden_size": DIM // 2},
    "mage_gru": {"type": "mage_gru", "input_size": DIM, "state_sizes": {"sequential": 2, "coref": 2}},
    "qanet": DASSA,
    "dassa": {**DASSA, "heads": {"clusters": 1}, "annotated_blocks": [1]},
}


def qanet(modeling_layer="dassa", **options):
    return {
        "type": "annotated_qanet",
        "text_field_embedder": {"token_embedders": EMBEDDERS},
        "phrase_layer": {**DASSA, "num_blocks": 1, "conv_kernel_size": 7},
        "matrix_attention_layer": {
            "type": "linear",
            "tensor_1_dim": DIM,
            "tensor_2_dim": DIM,
            "combination": "x,y,x*y",
        },
        "modeling_layer": MODELING_LAYERS[modeling_layer],
        **options,
    }


def build(model, **reader_options):
    """A model, its reader and the training questions."""
    reader = DatasetReader.from_params(Params(json.loads(json.dumps({**READER, **reader_options}))))
    instances = list(reader.read(TRAIN))
    for instance in instances:
        reader.apply_token_indexers(instance)
    vocab = Vocabulary.from_instances(instances)
    torch.manual_seed(0)
    return Model.from_params(Params(json.loads(json.dumps(model))), vocab=vocab), reader, instances


def tensors(model, instances):
    return batches.tensors(instances, model.vocab)
