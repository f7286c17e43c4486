"""AllenNLP's own classes for transformers, whose vectors are compared with those of transformers."""

import pytest
import torch
from allennlp.common import Params
from allennlp.data import Batch, Instance, Token, TokenIndexer, Tokenizer, Vocabulary
from allennlp.data.fields import TextField
from allennlp.modules.text_field_embedders import BasicTextFieldEmbedder
from allennlp.modules.token_embedders import TokenEmbedder
from transformers import AutoModel, AutoTokenizer

from tests import tiny_transformers

TEXTS = [
    "Mary went to the kitchen because the journalist , who had travelled , unbelievably slept .".split(),
    "Is it there ?".split(),
]

SPACE = {"bert": "", "roberta": " ", "deberta": "", "modernbert": " "}
"""What stands before a word within a sentence, as its tokenizer sees it."""

each_architecture = pytest.mark.parametrize("architecture", tiny_transformers.ARCHITECTURES)


def embed(texts, indexer, embedder):
    vocabulary = Vocabulary()
    batch = Batch([Instance({"text": TextField(tokens, {"words": indexer})}) for tokens in texts])
    batch.index_instances(vocabulary)
    return BasicTextFieldEmbedder({"words": embedder}).eval()(batch.as_tensor_dict()["text"])


@each_architecture
@pytest.mark.parametrize("max_length", [None, 12])
def test_words_have_the_mean_vector_of_their_pieces(transformer_folders, architecture, max_length):
    name = transformer_folders[architecture]
    keys = {"type": "pretrained_transformer_mismatched", "model_name": name, "max_length": max_length}
    keys["tokenizer_kwargs"] = {"add_prefix_space": True}
    made = [base.from_params(Params(dict(keys))) for base in (TokenIndexer, TokenEmbedder)]
    found = embed([[Token(word) for word in words] for words in TEXTS], *made)
    tokenizer, model = AutoTokenizer.from_pretrained(name), AutoModel.from_pretrained(name).eval()
    for words, vectors in zip(TEXTS, found):
        pieces = [tokenizer.encode(SPACE[architecture] + word, add_special_tokens=False) for word in words]
        flat = sum(pieces, [])
        size = (max_length or 100) - 2
        windows = [
            [tokenizer.cls_token_id, *flat[i : i + size], tokenizer.sep_token_id]
            for i in range(0, len(flat), size)
        ]
        assert len(windows) > 1 or words is TEXTS[1] or max_length is None
        hidden = torch.cat([model(torch.tensor([window])).last_hidden_state[0, 1:-1] for window in windows])
        expected = torch.stack([part.mean(dim=0) for part in hidden.split([len(part) for part in pieces])])
        torch.testing.assert_close(vectors[: len(words)], expected, rtol=1e-4, atol=1e-5)


@each_architecture
def test_text_is_tokenized_and_embedded_as_by_transformers(transformer_folders, architecture):
    name = transformer_folders[architecture]
    text = "John moved to the garden, unbelievably."
    tokens = Tokenizer.from_params(Params({"type": "pretrained_transformer", "model_name": name})).tokenize(
        text
    )
    tokenizer, model = AutoTokenizer.from_pretrained(name), AutoModel.from_pretrained(name).eval()
    expected = tokenizer(text, return_offsets_mapping=True)
    assert [token.text_id for token in tokens] == expected["input_ids"]
    spans = [(token.idx, token.idx_end) for token in tokens if token.idx is not None]
    assert spans == [span for span in expected["offset_mapping"] if span[0] < span[1]]
    keys = {"type": "pretrained_transformer", "model_name": name}
    (found,) = embed(
        [tokens], TokenIndexer.from_params(Params(dict(keys))), TokenEmbedder.from_params(Params(dict(keys)))
    )
    hidden = model(torch.tensor([expected["input_ids"]])).last_hidden_state[0]
    torch.testing.assert_close(found, hidden, rtol=1e-4, atol=1e-5)


@each_architecture
def test_gradient_checkpointing_computes_layers_again_and_changes_nothing(transformer_folders, architecture):
    keys = {"type": "pretrained_transformer", "model_name": transformer_folders[architecture]}
    gradients, calls = [], []
    for checkpointing in (False, True):
        embedder = TokenEmbedder.from_params(Params({**keys, "gradient_checkpointing": checkpointing}))
        transformer = embedder.transformer_model
        layers = transformer.layers if architecture == "modernbert" else transformer.encoder.layer
        # Not of the layer itself: from transformers 5 on its hooks run only once.
        *_, last = (module for module in layers[0].modules() if isinstance(module, torch.nn.Linear))
        last.register_forward_pre_hook(lambda *_, c=checkpointing: calls.append(c))
        ids = torch.arange(5, 15).unsqueeze(0)
        torch.manual_seed(0)  # of dropout
        embedder.train()(ids, torch.ones_like(ids, dtype=torch.bool)).square().sum().backward()
        gradients.append({name: p.grad for name, p in embedder.named_parameters() if p.grad is not None})
    assert calls == [False, True, True]
    assert gradients[0].keys() == gradients[1].keys() and len(gradients[0]) >= len(list(layers.parameters()))
    for name, gradient in gradients[0].items():
        torch.testing.assert_close(gradients[1][name], gradient, rtol=1e-4, atol=1e-5)


def test_weights_of_half_precision_are_loaded_in_single_precision(transformer_folders, tmp_path):
    AutoModel.from_pretrained(transformer_folders["bert"]).half().save_pretrained(tmp_path)
    AutoTokenizer.from_pretrained(transformer_folders["bert"]).save_pretrained(tmp_path)
    for load_weights in (True, False):
        keys = {"type": "pretrained_transformer", "model_name": str(tmp_path), "load_weights": load_weights}
        embedder = TokenEmbedder.from_params(Params(keys))
        assert {parameter.dtype for parameter in embedder.parameters()} == {torch.float32}


@each_architecture
def test_attention_is_fused_and_as_in_plain_pytorch(transformer_folders, architecture, monkeypatch):
    ids = torch.arange(5, 25).reshape(2, 10)
    mask = torch.arange(10) < torch.tensor([[10], [6]])
    vectors = []
    for options in ({}, {"attn_implementation": "eager"}):
        monkeypatch.setattr("allennlp.common.cached_transformers._model_cache", {})
        keys = {"type": "pretrained_transformer", "model_name": transformer_folders[architecture]}
        embedder = TokenEmbedder.from_params(Params({**keys, "transformer_kwargs": options})).eval()
        fused = not options and architecture != "deberta"  # which has none
        assert embedder.config._attn_implementation == ("sdpa" if fused else "eager")
        vectors.append(embedder(ids, mask)[mask])
    torch.testing.assert_close(*vectors, rtol=1e-4, atol=1e-5)
