import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance, Token, TokenIndexer, Vocabulary
from allennlp.data.fields import TextField
from transformers import AutoModel

from allennlp_coref_rc.modules.token_embedders import TransformerPair
from tests import batches, tiny_transformers

PASSAGE = "Mary went , and the journalist , she slept .".split()

QUESTION = "Where is Mary ?".split()

PREFIX = {"tokenizer_kwargs": {"add_prefix_space": True}}

each_architecture = pytest.mark.parametrize("architecture", tiny_transformers.ARCHITECTURES)


def embedder(folder, **keys):
    return TransformerPair.from_params(
        Params({"model_name": folder, "max_length": 64, **PREFIX, **keys})
    ).eval()


def tensors(folder, *pairs, **keys):
    indexer = TokenIndexer.by_name("pretrained_transformer_mismatched")(folder, **PREFIX, **keys)

    def field(words):
        return TextField([Token(word) for word in words], {"": indexer})

    return batches.tensors(
        [Instance({"question": field(question), "passage": field(passage)}) for question, passage in pairs],
        Vocabulary(),
    )


def expected(folder, question, passage, pooled="avg"):
    """The vectors of a pair by sequence and word, as transformers encodes it, and its first token's."""
    tokenizer = tiny_transformers.word_tokenizer(folder)
    encoded = tokenizer(question, passage, is_split_into_words=True, return_tensors="pt")
    with torch.no_grad():
        vectors = AutoModel.from_pretrained(folder).eval()(**encoded).last_hidden_state[0]
    places = list(zip(encoded.sequence_ids(), encoded.word_ids()))
    words = []
    for sequence, text in enumerate((question, passage)):
        of_words = [
            [i for i, place in enumerate(places) if place == (sequence, word)] for word in range(len(text))
        ]
        words.append(torch.stack([vectors[of[:1] if pooled == "first" else of].mean(0) for of in of_words]))
    return (*words, vectors[0])


@each_architecture
@pytest.mark.parametrize("pooled", ["avg", "first"])
def test_words_have_the_vectors_of_their_pieces_in_the_pair(transformer_folders, architecture, pooled):
    folder = transformer_folders[architecture]
    short = (["who"], ["John", "slept"])
    with torch.no_grad():
        found = embedder(folder, sub_token_mode=pooled)(**tensors(folder, (QUESTION, PASSAGE), short))
    for i, pair in enumerate([(QUESTION, PASSAGE), short]):
        for vectors, others in zip(found, expected(folder, *pair, pooled)):
            of_pair = vectors[i][: len(others)] if others.dim() > 1 else vectors[i]
            torch.testing.assert_close(of_pair, others, rtol=1e-4, atol=1e-5)
            assert not (vectors[i][len(others) :].any() if others.dim() > 1 else False)


def whole_pair(folder):
    """The pair as the transformers library tokenizes it."""
    tokenizer = tiny_transformers.word_tokenizer(folder)
    return tokenizer([QUESTION], [PASSAGE], is_split_into_words=True)


@each_architecture
@pytest.mark.parametrize("more", [0, 1, -1])
def test_a_pair_that_fits_is_one_window(transformer_folders, architecture, more):
    folder = transformer_folders[architecture]
    pair = tensors(folder, (QUESTION, PASSAGE))
    length = len(whole_pair(folder)["input_ids"][0])
    with torch.no_grad():
        whole = embedder(folder, max_length=64)(**pair)
        found = embedder(folder, max_length=length + more, overlap=4)(**pair)
    assert all(torch.allclose(a, b, atol=1e-5) for a, b in zip(whole, found)) == (more >= 0)


@each_architecture
def test_windows(transformer_folders, architecture):
    """Each piece has its vector from the window where it is farthest from both ends, else the later."""
    folder, room, overlap = transformer_folders[architecture], 6, 3
    whole = whole_pair(folder)
    ids, places = whole["input_ids"][0], list(zip(whole.sequence_ids(0), whole.word_ids(0)))
    passage = [i for i, (sequence, _) in enumerate(places) if sequence == 1]
    before, after = passage[0], len(ids) - passage[-1] - 1
    found_by = embedder(folder, max_length=before + room + after, overlap=overlap)
    transformer = AutoModel.from_pretrained(folder).eval()
    last = len(passage) - room
    best, vectors_of_question = {}, []
    for start in (*range(0, last, room - overlap), last):
        kept = [*range(before), *passage[start : start + room], *range(len(ids) - after, len(ids))]
        keys = {key: torch.tensor([[values[0][i] for i in kept]]) for key, values in whole.items()}
        with torch.no_grad():
            vectors = transformer(**keys).last_hidden_state[0]
        vectors_of_question.append(vectors[:before])
        for i in range(room):
            far = min(i, room - 1 - i)
            if start + i not in best or far >= best[start + i][0]:
                best[start + i] = far, vectors[before + i]
    assert len(vectors_of_question) > 2
    with torch.no_grad():
        found_question, found_passage, found_summary = found_by(**tensors(folder, (QUESTION, PASSAGE)))
    for word in range(len(PASSAGE)):
        pieces = [best[i][1] for i, index in enumerate(passage) if places[index] == (1, word)]
        torch.testing.assert_close(found_passage[0, word], torch.stack(pieces).mean(0), rtol=1e-4, atol=1e-5)
    means = torch.stack(vectors_of_question).mean(0)
    torch.testing.assert_close(found_summary[0], means[0], rtol=1e-4, atol=1e-5)
    for word in range(len(QUESTION)):
        pieces = [i for i, place in enumerate(places) if place == (0, word)]
        torch.testing.assert_close(found_question[0, word], means[pieces].mean(0), rtol=1e-4, atol=1e-5)


def test_what_cannot_be_read(transformer_folders):
    folder = transformer_folders["bert"]
    pair = tensors(folder, (QUESTION, PASSAGE))
    length = len(whole_pair(folder)["input_ids"][0])
    with pytest.raises(ConfigurationError, match=r"transformer\.max_length is \d+: .* transformer\.overlap"):
        embedder(folder, max_length=length - 5, overlap=20)(**pair)
    with pytest.raises(ConfigurationError, match="transformer.max_length is 65, expected 64 or less"):
        embedder(folder, max_length=65)
    with pytest.raises(ConfigurationError, match="mismatched with a max_length, expected none"):
        embedder(folder)(**tensors(folder, (QUESTION, PASSAGE), max_length=12))
    with pytest.raises(ConfigurationError, match="found tokens, expected one of type"):
        embedder(folder)({"tokens": {}}, pair["passage"])


@each_architecture
def test_values_of_pieces_lie_where_the_transformer_reads_the_pieces(transformer_folders, architecture):
    """In several windows, of which the last is as long as the others."""
    pair = embedder(transformer_folders[architecture], max_length=24, overlap=4)
    inputs = tensors(transformer_folders[architecture], (QUESTION, PASSAGE * 3))
    read = []
    table = pair._matched_embedder.transformer_model.get_input_embeddings()
    table.register_forward_hook(lambda module, inputs, output: read.append(inputs[0]))
    with torch.no_grad():
        pair(**inputs)
    (ids,) = read
    values = [inputs[name][""]["token_ids"][0].unsqueeze(1) + 1 for name in ("question", "passage")]
    placed = pair.in_windows(*values).squeeze(2)
    assert len(ids) > 1 and placed.shape == ids.shape
    special = placed == 0
    assert torch.equal(placed[~special], ids[~special] + 1)
    assert special.sum().item() == len(ids) * sum(map(len, pair._places_of_special))
