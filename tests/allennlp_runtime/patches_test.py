"""AllenNLP's own transformers and loggers with current packages: vectors are compared with those of transformers."""

import importlib.util
import multiprocessing
import struct
import subprocess
import sys
import warnings
from types import SimpleNamespace
from unittest.mock import Mock, create_autospec

import pytest
import torch
import wandb
import wrapt
from allennlp.common import Params
from allennlp.data import Batch, Instance, Token, TokenIndexer, Tokenizer, Vocabulary
from allennlp.data.data_loaders import MultiProcessDataLoader, SimpleDataLoader
from allennlp.data.fields import TextField
from allennlp.models import Model
from allennlp.modules.text_field_embedders import BasicTextFieldEmbedder
from allennlp.modules.token_embedders import TokenEmbedder
from allennlp.training import Checkpointer, GradientDescentTrainer
from allennlp.training.callbacks import TrainerCallback
from allennlp.training.optimizers import AdamOptimizer
from allennlp.training.trainer import TrainerCheckpoint
from tensorboardX.proto import event_pb2
from transformers import AutoModel, AutoTokenizer

from allennlp_coref_rc.allennlp_runtime import patches
from tests import tiny_transformers

TEXTS = [
    "Mary went to the kitchen because the journalist , who had travelled , unbelievably slept .".split(),
    "Is it there ?".split(),
]

SPACE = {"bert": "", "roberta": " ", "deberta": "", "modernbert": " "}
"""What stands before a word within a sentence, as its tokenizer sees it."""

each_architecture = pytest.mark.parametrize("architecture", tiny_transformers.ARCHITECTURES)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("transformers")
    return {name: tiny_transformers.make(name, folder / name) for name in tiny_transformers.ARCHITECTURES}


def embed(texts, indexer, embedder):
    vocabulary = Vocabulary()
    batch = Batch([Instance({"text": TextField(tokens, {"words": indexer})}) for tokens in texts])
    batch.index_instances(vocabulary)
    return BasicTextFieldEmbedder({"words": embedder}).eval()(batch.as_tensor_dict()["text"])


@each_architecture
@pytest.mark.parametrize("max_length", [None, 12])
def test_words_have_the_mean_vector_of_their_pieces(folders, architecture, max_length):
    name = folders[architecture]
    keys = {"type": "pretrained_transformer_mismatched", "model_name": name, "max_length": max_length}
    keys["tokenizer_kwargs"] = {"add_prefix_space": True}
    found = embed(
        [[Token(word) for word in words] for words in TEXTS],
        TokenIndexer.from_params(Params(dict(keys))),
        TokenEmbedder.from_params(Params(dict(keys))),
    )
    tokenizer, model = AutoTokenizer.from_pretrained(name), AutoModel.from_pretrained(name).eval()
    for words, vectors in zip(TEXTS, found):
        pieces = [tokenizer.encode(SPACE[architecture] + word, add_special_tokens=False) for word in words]
        flat = sum(pieces, [])
        size = (max_length or 100) - 2
        windows = [
            [tokenizer.cls_token_id, *flat[i : i + size], tokenizer.sep_token_id] for i in range(0, len(flat), size)
        ]
        assert len(windows) > 1 or words is TEXTS[1] or max_length is None
        hidden = torch.cat([model(torch.tensor([window])).last_hidden_state[0, 1:-1] for window in windows])
        expected = torch.stack([part.mean(dim=0) for part in hidden.split([len(part) for part in pieces])])
        torch.testing.assert_close(vectors[: len(words)], expected, rtol=1e-4, atol=1e-5)


@each_architecture
def test_text_is_tokenized_and_embedded_as_by_transformers(folders, architecture):
    name = folders[architecture]
    text = "John moved to the garden, unbelievably."
    tokens = Tokenizer.from_params(Params({"type": "pretrained_transformer", "model_name": name})).tokenize(text)
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
def test_gradient_checkpointing_computes_layers_again_and_changes_nothing(folders, architecture):
    keys = {"type": "pretrained_transformer", "model_name": folders[architecture]}
    gradients, calls = [], []
    for checkpointing in (False, True):
        embedder = TokenEmbedder.from_params(Params({**keys, "gradient_checkpointing": checkpointing}))
        transformer = embedder.transformer_model
        layers = transformer.layers if architecture == "modernbert" else transformer.encoder.layer
        layers[0].register_forward_pre_hook(lambda *_, c=checkpointing: calls.append(c))
        ids = torch.arange(5, 15).unsqueeze(0)
        torch.manual_seed(0)  # of dropout
        embedder.train()(ids, torch.ones_like(ids, dtype=torch.bool)).square().sum().backward()
        gradients.append({name: p.grad for name, p in embedder.named_parameters() if p.grad is not None})
    assert calls == [False, True, True]
    assert gradients[0].keys() == gradients[1].keys() and len(gradients[0]) >= len(list(layers.parameters()))
    for name, gradient in gradients[0].items():
        torch.testing.assert_close(gradients[1][name], gradient, rtol=1e-4, atol=1e-5)


class OneWeight(Model):
    def __init__(self):
        super().__init__(Vocabulary())
        self.weight = torch.nn.Parameter(torch.tensor([1.0, 3.0]))

    def forward(self, **_):
        return {"loss": self.weight.square().sum()}


def train(callback, folder):
    (folder / "config.json").write_text('{"a": 1}')
    model = OneWeight()
    loader = SimpleDataLoader([Instance({"text": TextField([], {})})] * 3, 1)
    loader.index_with(model.vocab)
    optimizer = AdamOptimizer(list(model.named_parameters()), lr=0.1)
    callback = TrainerCallback.from_params(Params(callback), serialization_dir=str(folder))
    GradientDescentTrainer(
        model, optimizer, loader, num_epochs=2, serialization_dir=str(folder), callbacks=[callback], cuda_device=-1
    ).train()
    return callback


def test_tensorboard_gets_losses_and_weights(tmp_path):
    train({"type": "tensorboard", "summary_interval": 1, "should_log_parameter_statistics": True}, tmp_path)
    (path,) = (tmp_path / "log" / "train").iterdir()
    data, values, position = path.read_bytes(), {}, 0
    while position < len(data):
        (length,) = struct.unpack_from("<Q", data, position)
        event = event_pb2.Event.FromString(data[position + 12 : position + 12 + length])
        values.update({(value.tag, event.step): value.simple_value for value in event.summary.value})
        position += length + 16
    losses = [values["train/batch_loss", step] for step in range(2, 8)]
    assert losses[0] == 10.0 and losses == sorted(losses, reverse=True)
    assert values["parameter_mean/weight", 2] == pytest.approx(1.9)


def test_weights_and_biases_gets_losses_and_an_id(tmp_path, monkeypatch):
    """A stand-in takes the place of the package, which would start a server; `init` has the package's signature."""
    names = ("save", "watch", "log", "finish")
    fake = SimpleNamespace(util=wandb.util, init=create_autospec(wandb.init), **{name: Mock() for name in names})
    monkeypatch.setitem(sys.modules, "wandb", fake)
    callback = train({"type": "wandb", "project": "babi", "summary_interval": 1}, tmp_path)
    (started,) = fake.init.call_args_list
    assert started.kwargs["project"] == "babi" and started.kwargs["config"] == {"a": 1}
    assert started.kwargs["id"] == callback.state_dict()["run_id"] and len(started.kwargs["id"]) == 8
    losses = [
        call.args[0]["train/batch_loss"] for call in fake.log.call_args_list if "train/batch_loss" in call.args[0]
    ]
    assert len(losses) == 6 and losses[0] == 10.0 and losses == sorted(losses, reverse=True)
    assert fake.finish.called


def test_a_worker_that_has_ended_needs_no_stop():
    """If the machine is busy, it ends before the loader tells it to."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    with receiver:
        MultiProcessDataLoader._join_workers(Mock(), [], Mock(), [sender])
        assert receiver.recv() == "stop"
    with sender:
        MultiProcessDataLoader._join_workers(Mock(), [], Mock(), [sender])


@pytest.mark.slow
def test_imports_of_allennlp_say_nothing_about_packaging():
    """In a process of its own, which imports it for the first time."""
    imports = "import allennlp_coref_rc, rouge"
    result = subprocess.run([sys.executable, "-c", imports], capture_output=True, text=True, check=True)
    assert "UserWarning" not in result.stderr


def test_imports_of_allennlp_say_nothing_about_pictures(monkeypatch):
    """Torchvision's module is run again, by its own name, since to import it in another process takes seconds."""
    monkeypatch.setattr(wrapt, "when_imported", lambda module: lambda change: None)
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        patches.patch_allennlp()
        spec = importlib.util.find_spec("torchvision.io.image")
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    assert not [warning for warning in given if warning.category is UserWarning]


def test_a_folder_that_looks_like_a_pattern_has_checkpoints(tmp_path):
    folder = tmp_path / "runs [1] *?"
    folder.mkdir()
    (tmp_path / "runs 1").mkdir()
    checkpointer = Checkpointer(str(folder), keep_most_recent_by_count=1)
    for epoch in (1, 2):
        state = TrainerCheckpoint({"epoch": epoch}, {"epochs_completed": epoch, "batches_in_epoch_completed": 0})
        checkpointer.save_checkpoint(SimpleNamespace(get_checkpoint_state=lambda state=state: state))
    assert checkpointer.load_checkpoint().model_state == {"epoch": 2}
    assert sorted(path.name for path in folder.iterdir()) == ["model_state_e2_b0.th", "training_state_e2_b0.th"]


def test_a_checkpoint_without_its_second_file_is_passed_over(tmp_path):
    checkpointer = Checkpointer(str(tmp_path))
    for epoch in (1, 2):
        state = TrainerCheckpoint({"epoch": epoch}, {"epochs_completed": epoch, "batches_in_epoch_completed": 0})
        checkpointer.save_checkpoint(SimpleNamespace(get_checkpoint_state=lambda state=state: state))
    assert checkpointer.load_checkpoint().model_state == {"epoch": 2}
    for epoch, expected in ((2, {"epoch": 1}), (1, None)):
        (tmp_path / f"training_state_e{epoch}_b0.th").unlink()
        loaded = checkpointer.load_checkpoint()
        assert (loaded and loaded.model_state) == expected
        assert not (tmp_path / f"model_state_e{epoch}_b0.th").exists()
