"""Word vectors of a file: GloVe's text, word2vec's text with its header, plain or compressed."""

import gzip

import pytest
import torch
from allennlp.data import DatasetReader, Vocabulary
from allennlp.models import Model

from tests.training_config.configs import load_text

VECTORS = "milk 1.0 2.0 3.0 4.0\nfred -1.0 0.5 0.25 0.0\nunheard 9.0 9.0 9.0 9.0\n"


@pytest.mark.parametrize("header", ["", "3 4\n"], ids=["GloVe", "word2vec"])
@pytest.mark.parametrize("suffix", ["txt", "gz"])
def test_words_have_the_vectors_of_the_file(tmp_path, header, suffix):
    path = tmp_path / f"vectors.{suffix}"
    path.write_bytes((gzip.compress if suffix == "gz" else bytes)((header + VECTORS).encode()))
    text = (
        f"(import 'babi/ga_gru.jsonnet') {{ pretrained_file:: '{path}', embedding_dim:: 4, hidden_size:: 3 }}"
    )
    params = load_text(text, "babi")
    vocab = Vocabulary.from_instances(DatasetReader.from_params(params["dataset_reader"]).read("train"))
    model = Model.from_params(params["model"], vocab=vocab)
    weight = model.state_dict()["_text_field_embedder.token_embedder_tokens.weight"]
    assert weight[vocab.get_token_index("milk")].tolist() == [1.0, 2.0, 3.0, 4.0]
    assert weight[vocab.get_token_index("fred")].tolist() == [-1.0, 0.5, 0.25, 0.0]
    # Other words are drawn about the mean of the file's.
    assert torch.isfinite(weight).all() and weight[vocab.get_token_index("the")].abs().sum() > 0
