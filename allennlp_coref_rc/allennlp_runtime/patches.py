"""
Lets AllenNLP 2.10.1 work with packages that are newer than it is: transformers from 4.31 to 4.48, and Weights & Biases;
and fixes faults of its own: `keep_tokens_to_ignore`, `keep_vectors_of_all_tokens`, `weigh_smooth_gradients`,
`let_workers_finish`, `take_folders_by_name` and `go_on_from_whole_checkpoints`.
Each function changes one module of AllenNLP when it is imported; `patch_allennlp` names them all.
"""

import functools
import glob
import os
import re
import uuid
import warnings
from collections.abc import Iterator
from contextlib import suppress
from types import SimpleNamespace
from typing import Any, Optional

import wrapt

from allennlp_coref_rc.allennlp_runtime import folder_lock, lazy_registry
from allennlp_coref_rc.common import config_files
from allennlp_coref_rc.safe_archives import archives, registered_names, unpacking

POSITIONS = re.compile(r"(^|\.)embeddings\.(position_ids|token_type_ids)$")
"""Constants that transformers saved with the weights of a model up to 4.30, and no longer expects there."""

IRRELEVANT = (
    ("Failed to load image Python extension", r"torchvision\."),
    ("pkg_resources is deprecated", r"rouge\."),
)
"""Warnings about what this package does not use, and the modules that give them when AllenNLP imports them."""


def patch_allennlp() -> None:
    """Changes AllenNLP's modules, those that are imported already and those that will be."""
    for message, warning_module in IRRELEVANT:
        warnings.filterwarnings("ignore", message, UserWarning, warning_module)
    for module, change in (
        ("allennlp.commands.train", folder_lock.install),
        ("allennlp.commands.train", count_every_question),
        ("allennlp.common.cached_transformers", let_tokenizers_load),
        ("allennlp.common.params", config_files.let_configs_import),
        ("allennlp.common.registrable", lazy_registry.install),
        ("allennlp.common.registrable", registered_names.install),
        ("allennlp.data.token_indexers.pretrained_transformer_indexer", add_special_tokens_to_windows),
        ("allennlp.data.data_loaders.multiprocess_data_loader", let_workers_finish),
        ("allennlp.interpret.attackers.input_reduction", keep_tokens_to_ignore),
        ("allennlp.interpret.saliency_interpreters.saliency_interpreter", keep_vectors_of_all_tokens),
        ("allennlp.interpret.saliency_interpreters.smooth_gradient", weigh_smooth_gradients),
        ("allennlp.modules.token_embedders.pretrained_transformer_embedder", let_checkpoint_gradients),
        ("allennlp.models.archival", archives.install),
        ("allennlp.nn.module", let_older_weights_load),
        ("allennlp.nn.util", archives.install_weights),
        ("cached_path", unpacking.install),
        ("allennlp.training.callbacks.wandb", give_runs_an_id),
        ("allennlp.training.checkpointer", take_folders_by_name),
        ("allennlp.training.checkpointer", go_on_from_whole_checkpoints),
        ("allennlp.training.gradient_descent_trainer", take_folders_by_name),
    ):
        wrapt.when_imported(module)(change)


def count_every_question(train: Any) -> None:
    """Processes that train a model together evaluate it on every question once."""
    from allennlp_coref_rc.allennlp_runtime import lockstep_evaluation

    lockstep_evaluation.install(train)


def let_tokenizers_load(cached_transformers: Any) -> None:
    """From 4.45 on a tokenizer refuses `add_special_tokens`, which AllenNLP says again wherever it tokenizes."""
    original = cached_transformers.get_tokenizer

    @functools.wraps(original)
    def get_tokenizer(model_name: str, **kwargs: Any) -> Any:
        kwargs.pop("add_special_tokens", None)
        return original(model_name, **kwargs)

    cached_transformers.get_tokenizer = get_tokenizer


def add_special_tokens_to_windows(indexers: Any) -> None:
    """
    A long text is cut into windows, to each of which the tokenizer adds its special tokens. One that is of no class of
    its own, such as ModernBERT's, adds none when it is asked for that.
    """
    cls = indexers.PretrainedTransformerIndexer
    original = cls.__init__

    @functools.wraps(original)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        first, last = (
            [token.text_id for token in tokens]
            for tokens in (
                self._allennlp_tokenizer.single_sequence_start_tokens,
                self._allennlp_tokenizer.single_sequence_end_tokens,
            )
        )
        if self._tokenizer.build_inputs_with_special_tokens([]) != first + last:
            self._tokenizer.build_inputs_with_special_tokens = functools.partial(_between, first, last)

    cls.__init__ = init


def _between(first: list[int], last: list[int], inner: list[int]) -> list[int]:
    return first + inner + last


def let_checkpoint_gradients(embedders: Any) -> None:
    """AllenNLP sets `gradient_checkpointing` in a model's config, where transformers no longer looks for it."""
    cls = embedders.PretrainedTransformerEmbedder
    original = cls.__init__

    @functools.wraps(original)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        if kwargs.get("gradient_checkpointing"):
            # The other kind has no gradients at all if the embeddings are frozen.
            self.transformer_model.gradient_checkpointing_enable({"use_reentrant": False})

    cls.__init__ = init


def let_older_weights_load(module: Any) -> None:
    """Leaves `POSITIONS` out of weights. All archives that AllenNLP has published with a transformer have them."""
    original = module.Module.load_state_dict

    @functools.wraps(original)
    def load_state_dict(self: Any, state_dict: dict[str, Any], strict: bool = True) -> Any:
        expected = self.state_dict().keys()
        kept = {name: value for name, value in state_dict.items() if name in expected or not POSITIONS.search(name)}
        return original(self, kept, strict)

    module.Module.load_state_dict = load_state_dict


def give_runs_an_id(callbacks: Any) -> None:
    """Weights & Biases no longer has the function by which AllenNLP draws the id of a run."""
    cls = callbacks.WandBCallback
    original = cls.on_start

    @functools.wraps(original)
    def on_start(self: Any, trainer: Any, is_primary: bool = True, **kwargs: Any) -> None:
        if is_primary and self._run_id is None:
            self._run_id = uuid.uuid4().hex[:8]
        original(self, trainer, is_primary=is_primary, **kwargs)

    cls.on_start = on_start


def keep_tokens_to_ignore(input_reduction: Any) -> None:
    """Input reduction compares tokens with the texts that it is to ignore, and so removes them like others."""
    original = input_reduction._remove_one_token

    @functools.wraps(original)
    def remove_one_token(instance: Any, field: str, grads: Any, ignore_tokens: Any, *args: Any) -> Any:
        ignored = [token for token in instance[field].tokens if str(token) in ignore_tokens]
        return original(instance, field, grads, ignored, *args)

    input_reduction._remove_one_token = remove_one_token


def keep_vectors_of_all_tokens(interpreters: Any) -> None:
    """
    `simple-gradient` takes the first of a batch twice. So it multiplied the gradients of all words by the vector of the
    first word.
    """
    cls = interpreters.SaliencyInterpreter
    original = cls._aggregate_token_embeddings

    @functools.wraps(original)
    def aggregate(embeddings_list: list[Any], token_offsets: list[Any]) -> Any:
        batches = [vectors.unsqueeze(0) if vectors.dim() == 2 else vectors for vectors in embeddings_list]
        return original(batches, token_offsets)

    cls._aggregate_token_embeddings = staticmethod(aggregate)


def weigh_smooth_gradients(interpreters: Any) -> None:
    """
    `smooth-gradient` adds up the dimensions of a gradient. Below a layer norm, as in a transformer, they add up to 0,
    so that it showed errors of rounding. Now it multiplies the gradient by the vector before, as the other two do.
    """
    cls = interpreters.SmoothGradient
    original = cls._smooth_grads

    @functools.wraps(original)
    def smooth_grads(self: Any, instance: Any) -> dict[str, Any]:
        vectors: list[Any] = []
        handle = self.predictor.get_interpretable_layer().register_forward_hook(
            lambda module, inputs, output: vectors.append(output.detach().clone())
        )
        try:
            self.predictor.get_gradients([instance])
        finally:
            handle.remove()
        return {
            name: gradient * of_input.cpu().numpy()
            for (name, gradient), of_input in zip(original(self, instance).items(), reversed(vectors))
        }

    cls._smooth_grads = smooth_grads


def let_workers_finish(data_loaders: Any) -> None:
    """A worker that has ended hears no "stop". Now and then, that ended a training on a busy machine."""
    cls = data_loaders.MultiProcessDataLoader
    original = cls._join_workers

    @functools.wraps(original)
    def join_workers(self: Any, workers: list[Any], queue: Any, senders: list[Any]) -> None:
        original(self, workers, queue, list(map(_Sender, senders)))

    cls._join_workers = join_workers


class _Sender:
    """Sends to a process that may have ended."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def send(self, message: str) -> None:
        with suppress(BrokenPipeError):
            self._connection.send(message)


def take_folders_by_name(training: Any) -> None:
    """The name of a training's folder may be "runs [1]", which is not a pattern. Checkpoints were not found there."""

    def iglob(path: str) -> Iterator[str]:
        folder, pattern = os.path.split(path)
        return glob.iglob(os.path.join(glob.escape(folder), pattern))

    training.glob = SimpleNamespace(iglob=iglob)


def go_on_from_whole_checkpoints(checkpointer: Any) -> None:
    """
    A training that was stopped between the two files of a checkpoint could not be recovered. The first file goes, since
    AllenNLP would not write it again.
    """

    def find_latest_checkpoint(self: Any) -> Optional[tuple[str, str]]:
        for when in sorted(self._find_all_checkpoints(), reverse=True):
            paths = self._model_state_path(*when), self._training_state_path(*when)
            if os.path.exists(paths[1]):
                return paths
            os.unlink(paths[0])
        return None

    checkpointer.Checkpointer.find_latest_checkpoint = find_latest_checkpoint
