"""Archives of small AllenNLP models, after an update of random weights."""

import torch
from allennlp.common import Params
from allennlp.data import DatasetReader, Token, Vocabulary
from allennlp.models import Model
from allennlp.models.archival import archive_model

from tests import tiny_transformers
from tests.batches import tensors

SENTENCES = [
    "Mary went to the garden .".split(),
    "She was tired because John had left her there , so she slept .".split(),
    "He came back .".split(),
]

EMBEDDER = {"token_embedders": {"tokens": {"type": "embedding", "embedding_dim": 6}}}
SPAN_DIM = 2 * 8 + 4 + 6
FEEDFORWARD = {"num_layers": 1, "hidden_dims": 5, "activations": "relu"}

COREF = {
    "dataset_reader": {"type": "coref", "max_span_width": 4},
    "model": {
        "type": "coref",
        "text_field_embedder": EMBEDDER,
        "context_layer": {"type": "lstm", "input_size": 6, "hidden_size": 4, "bidirectional": True},
        "mention_feedforward": {"input_dim": SPAN_DIM, **FEEDFORWARD},
        "antecedent_feedforward": {"input_dim": 3 * SPAN_DIM + 4, **FEEDFORWARD},
        "feature_size": 4,
        "max_span_width": 4,
        "spans_per_word": 0.4,
        "max_antecedents": 10,
    },
}

ROLES = ["O", "B-V", "B-ARG0", "I-ARG0", "B-ARG1", "I-ARG1", "B-ARGM-LOC", "I-ARGM-LOC"]
SRL = {
    "dataset_reader": {"type": "srl"},
    "model": {
        "type": "srl",
        "text_field_embedder": EMBEDDER,
        "encoder": {"type": "lstm", "input_size": 8, "hidden_size": 5, "bidirectional": True},
        "binary_feature_dim": 2,
        "srl_eval_path": None,
    },
}


def feedforward(size):
    return {"input_dim": size, "num_layers": 2, "hidden_dims": 10, "activations": "relu", "dropout": 0.3}


def coref_of(transformer):
    """A config like that of AllenNLP's coref-spanbert-large-2021.03.10, except for sizes."""
    words = {"type": "pretrained_transformer_mismatched", "model_name": transformer, "max_length": 16}
    span_dim = 3 * tiny_transformers.HIDDEN_SIZE + 4
    reader = {"token_indexers": {"tokens": words}, "max_sentences": 110}
    initializers = [
        [f".*{name}.*weight", {"type": "xavier_normal"}]
        for name in ("_span_updating_gated_sum", "linear_layers", "scorer")
    ]
    model = {
        "text_field_embedder": {"token_embedders": {"tokens": words}},
        "context_layer": {"type": "pass_through", "input_dim": tiny_transformers.HIDDEN_SIZE},
        "mention_feedforward": feedforward(span_dim),
        "antecedent_feedforward": feedforward(3 * span_dim + 4),
        "initializer": {"regexes": initializers},
        "max_antecedents": 50,
        "coarse_to_fine": True,
        "inference_order": 2,
    }
    return {part: {**COREF[part], **more} for part, more in (("dataset_reader", reader), ("model", model))}


def srl_of(transformer):
    """A config like that of AllenNLP's structured-prediction-srl-bert.2020.12.15."""
    return {
        "dataset_reader": {"type": "srl", "bert_model_name": transformer},
        "model": {"type": "srl_bert", "bert_model": transformer, "embedding_dropout": 0.1},
    }


def make_archive(folder, config, seed=0):
    """
    Writes the archive of a config's model. Weights are large, so that its outputs differ clearly. A
    transformer's have the positions that archives from before transformers 4.31 have.
    """
    reader = DatasetReader.from_params(Params(config).duplicate().pop("dataset_reader"))
    if config["model"]["type"] == "coref":
        gold = [[(0, 0), (6, 6), (11, 11)], [(9, 9), (19, 19)]]
        instance = reader.text_to_instance(SENTENCES, gold)
    else:
        words = [Token(word) for word in SENTENCES[1]]
        labels = [int(i == 1) for i in range(len(words))]
        instance = reader.text_to_instance(words, labels, (ROLES * 2)[: len(words)])
    reader.apply_token_indexers(instance)
    vocabulary = Vocabulary.from_instances([instance])
    torch.manual_seed(seed)
    model = Model.from_params(Params(config).duplicate().pop("model"), vocab=vocabulary)
    for name, parameter in model.named_parameters():
        if "transformer_model" not in name and "bert_model" not in name:
            torch.nn.init.normal_(parameter, std=1.5)
    model(**tensors([instance], vocabulary))["loss"].backward()
    torch.optim.Adam(model.parameters(), lr=0.01).step()
    weights = model.state_dict()
    for name in [name for name in weights if name.endswith("word_embeddings.weight")]:
        prefix = name.removesuffix("word_embeddings.weight")
        weights[f"{prefix}position_ids"] = torch.arange(tiny_transformers.MAX_LENGTH).unsqueeze(0)
    folder.mkdir()
    Params(config).to_file(str(folder / "config.json"))
    vocabulary.save_to_files(str(folder / "vocabulary"))
    torch.save(weights, folder / "weights.th")
    return archive_model(str(folder), weights="weights.th")
