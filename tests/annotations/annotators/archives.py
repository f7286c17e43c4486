"""Archives of small AllenNLP models with random weights."""

import torch
from allennlp.common import Params
from allennlp.data import DatasetReader, Token, Vocabulary
from allennlp.models import Model
from allennlp.models.archival import archive_model

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


def make_archive(folder, config, seed=0, scale=1.5):
    """Writes the archive of a config's model. Its weights are large, so that its outputs differ clearly."""
    reader = DatasetReader.from_params(Params(config).duplicate().pop("dataset_reader"))
    if config is COREF:
        instances = [reader.text_to_instance(SENTENCES)]
    else:
        words = [Token(word) for word in SENTENCES[1]]
        labels = [int(i == 1) for i in range(len(words))]
        instances = [reader.text_to_instance(words, labels, (ROLES * 2)[: len(words)])]
    for instance in instances:
        reader.apply_token_indexers(instance)
    vocabulary = Vocabulary.from_instances(instances)
    model = Model.from_params(Params(config).duplicate().pop("model"), vocab=vocabulary)
    torch.manual_seed(seed)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=scale)
    folder.mkdir()
    Params(config).to_file(str(folder / "config.json"))
    vocabulary.save_to_files(str(folder / "vocabulary"))
    torch.save(model.state_dict(), folder / "weights.th")
    return archive_model(str(folder), weights="weights.th")
