"""Patches of `allennlp.data`."""

import filecmp
import functools
import glob
import inspect
import os
import random
import signal
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from typing import Any
from unittest.mock import patch

import wrapt

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import refuse_special
from allennlp_coref_rc.common.stopping import uninterrupted
from allennlp_coref_rc.common.workers import end_with_parent
from allennlp_coref_rc.common.wrapping import wrapping
from allennlp_coref_rc.safe_archives.archives import guards, set_guards


@wrapping("PretrainedTransformerIndexer.__init__")
def add_special_tokens_to_windows(original: Any, indexer: Any, args: Any, kwargs: dict[str, Any]) -> None:
    """
    Adds the tokenizer's special tokens to each window of a long text. A tokenizer without a class of its own,
    such as ModernBERT's, adds none, and from transformers 5 on tokenizers no longer have the method for it.
    """
    original(*args, **kwargs)
    tokenizer = indexer._allennlp_tokenizer
    ends = tokenizer.single_sequence_start_tokens, tokenizer.single_sequence_end_tokens
    first, last = ([token.text_id for token in tokens] for tokens in ends)
    indexer._tokenizer.build_inputs_with_special_tokens = functools.partial(_between, first, last)


def _between(first: list[int], last: list[int], inner: list[int]) -> list[int]:
    return first + inner + last


def use_python_tokenizer(srl: Any) -> None:
    """
    Uses BERT's tokenizer in Python, whose parts the reader of SRL calls. In transformers 5 it has another
    name.
    """
    with suppress(ModuleNotFoundError):
        srl.BertTokenizer = import_module(
            "transformers.models.bert.tokenization_bert_legacy"
        ).BertTokenizerLegacy


@wrapping("Vocabulary.save_to_files")
def refuse_other_vocabulary(original: Any, _: Any, args: Any, kwargs: dict[str, Any]) -> None:
    """Refuses to go on with other words, or another order of words, than the weights of a training have."""
    from allennlp.data.vocabulary import NAMESPACE_PADDING_FILE

    folder = args[0] if args else kwargs["directory"]
    trained = glob.glob(os.path.join(glob.escape(os.path.dirname(os.path.abspath(folder))), "model_state_*"))
    if trained and os.path.isdir(folder):
        with tempfile.TemporaryDirectory() as now:
            original(now)
            # The lines of that file are in the order of a set, and do not depend on the data.
            names = {*os.listdir(folder), *os.listdir(now)} - {".lock", NAMESPACE_PADDING_FILE}
            _, differing, missing = filecmp.cmpfiles(folder, now, sorted(names), shallow=False)
        for name in differing + missing:
            raise ConfigurationError(
                f"{os.path.join(folder, name)}: found other words in the data, or in another order, than the training "
                "began with, expected the same data. -f in place of --recover starts over"
            )
    original(folder)


@wrapping("Vocabulary._extend")
def refuse_unknown_namespaces(original: Any, _: Any, args: Any, kwargs: dict[str, Any]) -> None:
    """Refuses settings of namespaces that no field has, which change nothing."""
    given = inspect.signature(original).bind(*args, **kwargs).arguments
    counted = given.get("counter") or {}
    for key in ("max_vocab_size", "pretrained_files", "min_pretrained_embeddings"):
        setting = given.get(key)
        unknown = set(setting) - set(counted) if counted and isinstance(setting, dict) else ()
        for namespace in sorted(unknown):
            raise ConfigurationError(
                f"vocabulary.{key}: found the namespace {namespace}, expected some of {', '.join(sorted(counted))}"
            )
    original(*args, **kwargs)


@wrapping("Vocabulary.from_files")
def refuse_special_files(original: Any, _: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """Refuses a vocabulary in which a file is a device or a pipe, for which AllenNLP would wait for ever."""
    for folder, _, names in os.walk(args[0] if args else kwargs["directory"]):
        for name in names:
            refuse_special(os.path.join(folder, name))
    return original(*args, **kwargs)


@wrapping("Vocabulary.set_from_file")
def name_missing_unknown_word(original: Any, _: Any, args: Any, kwargs: dict[str, Any]) -> None:
    """Names the file of a vocabulary that lacks the unknown word, which AllenNLP only asserts."""
    path = args[0] if args else kwargs["filename"]
    try:
        original(*args, **kwargs)
    except AssertionError as error:
        raise ConfigurationError(
            f"{path}: found no {kwargs.get('oov_token', '@@UNKNOWN@@')}, expected a line with it, for unknown words"
        ) from error


@wrapping("MultiProcessDataLoader._join_workers")
def ignore_ended_workers(original: Any, loader: Any, args: Any, kwargs: Any) -> None:
    """Sends no "stop" to a worker that has ended. On a busy machine, the error sometimes ended a training."""
    *others, senders = args
    original(*others, list(map(_Sender, senders)))


def refuse_empty_splits(data_loaders: Any) -> None:
    """
    Refuses a split without any instance or batch, with which AllenNLP trains and evaluates nothing. The share
    of one of several processes may be empty; see `lockstep_evaluation`.
    """

    def some(original: Any, loader: Any, args: Any, kwargs: Any) -> Iterator[Any]:
        from allennlp.common.util import is_distributed

        is_empty = True
        for value in original(*args, **kwargs):
            is_empty = False
            yield value
        if is_empty and not is_distributed():
            raise ConfigurationError(
                f"{loader.data_path}: found no question for a batch, expected one or more"
            )

    for name in ("iter_instances", "_iter_batches"):
        wrapt.wrap_function_wrapper(data_loaders.MultiProcessDataLoader, name, some)


def start_workers(data_loaders: Any) -> None:
    """
    Starts workers that end with their parent, and that need not be forks. AllenNLP watches a pipe that each
    worker itself has open for writing, and locks tqdm by a lock that only forks can have.
    """
    cls = data_loaders.MultiProcessDataLoader
    for name in ("_instance_worker", "_batch_worker"):
        setattr(cls, name, _worker(getattr(cls, name)))

    def start(original: Any, loader: Any, args: Any, kwargs: Any) -> Any:
        _, context = args
        # A fork has them anyway.
        loader.of_parent = random.getstate(), guards()
        # Python drops the error of a signal that comes while it forks.
        with uninterrupted(), patch.object(data_loaders, "mp", context):
            return original(*args, **kwargs)

    for name in ("_start_instance_workers", "_start_batch_workers"):
        wrapt.wrap_function_wrapper(cls, name, start)


def _worker(worker: Any) -> Any:
    @functools.wraps(worker)
    def run(loader: Any, *args: Any) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        end_with_parent()
        random_state, guards_of_parent = loader.of_parent
        random.setstate(random_state)
        set_guards(guards_of_parent)
        worker(loader, *args)

    return run


class _Sender:
    """Sends to a process that may have ended."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def send(self, message: str) -> None:
        with suppress(BrokenPipeError):
            self._connection.send(message)
