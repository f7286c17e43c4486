import errno
import os
import re
import traceback
from typing import Optional

import pytest
import torch
from allennlp.common import FromParams, Params
from allennlp.data.data_loaders import multiprocess_data_loader
from torch.multiprocessing import ProcessExitedException, ProcessRaisedException

from allennlp_coref_rc.common.error_message import WorkerError, user_message
from allennlp_coref_rc.common.errors import ConfigurationError

NO_LOSS = "The model you are trying to optimize does not contain a 'loss' key in the output of model."


@pytest.mark.parametrize(
    "error, message",
    [
        (ConfigurationError("model: found 1, expected 2"), "model: found 1, expected 2"),
        (FileNotFoundError(errno.ENOENT, "No such file or directory", "x.txt"), "x.txt: no such file"),
        (PermissionError(errno.EACCES, "Permission denied", "x"), "x: this user may not read or write it"),
        (IsADirectoryError(errno.EISDIR, "Is a directory", "x"), "x: found a directory, expected a file"),
        (FileExistsError(errno.EEXIST, "File exists", "x"), "x: found a file, expected a folder"),
        (OSError(errno.ENOSPC, "No space left on device"), "no space is left on the disk"),
        (torch.OutOfMemoryError("CUDA out of memory."), "the GPU has no memory left; take smaller batches"),
        (MemoryError(), "this machine has no memory left"),
        (RuntimeError("STATIC ERROR: a.jsonnet:1:2: x"), "found an error in Jsonnet: a.jsonnet:1:2: x"),
        (RuntimeError("Error loading state dict for GAReader"), "found weights of another model"),
        (RuntimeError(NO_LOSS), "found training questions without an answer, which give no loss"),
        (ValueError("nan loss encountered"), "the loss is not a number (nan); take a lower learning rate"),
    ],
)
def test_what_users_can_mend_is_a_paragraph(error, message):
    assert user_message(error).startswith(message)


@pytest.mark.parametrize(
    "error", [ValueError("other"), KeyError("x"), RuntimeError("shapes differ"), AssertionError()]
)
def test_a_fault_of_the_program_is_none(error):
    assert user_message(error) is None


def test_a_part_of_a_library_that_cannot_be_imported_has_a_true_cause():
    error = ModuleNotFoundError("Could not import module 'BertModel'. Set the logging verbosity to DEBUG")
    error.__cause__ = ImportError("torchvision._meta_registrations")
    error.__cause__.__cause__ = RuntimeError("operator torchvision::nms does not exist")
    assert user_message(error) == (
        "a package can't be imported (RuntimeError: operator torchvision::nms does not exist); coref-rc environment "
        "says what does not fit"
    )
    assert user_message(ImportError("no module x")) is None


class Tower(FromParams):
    def __init__(self, height: float) -> None:
        if height < 1:
            raise ValueError("height must be at least 1")


class HighTower(Tower):
    def __init__(self, height: float) -> None:
        super().__init__(height)


class House(FromParams):
    def __init__(self, tower: Tower, pattern: Optional[str] = None, file: Optional[str] = None) -> None:
        if pattern:
            re.compile(pattern)
        if file:
            self._read()

    def _read(self):
        raise KeyError("a fault of the reader")


def error_of(function):
    with pytest.raises((ValueError, LookupError, re.error)) as error:
        function()
    return error.value


@pytest.mark.parametrize("cls", [Tower, HighTower])
def test_a_value_that_a_constructor_refuses_is_a_mistake_in_the_config(cls):
    expected = f"the config gives {cls.__name__} a value that it refuses: height must be at least 1"
    assert user_message(error_of(lambda: cls.from_params(Params({"height": 0})))) == expected
    # Elsewhere it is a fault of the program.
    assert user_message(error_of(lambda: cls(0))) is None


REFUSED = f"the config gives House a value that it refuses: {re.error.__name__}: missing )"


@pytest.mark.parametrize(
    "params, message",
    [
        ({"tower": {"height": 0}}, "tower: the config gives Tower a value that it refuses: height must be"),
        ({"tower": {"height": 2}, "pattern": "("}, REFUSED),
        ({"tower": {"height": 2}, "file": "x"}, None),
    ],
)
def test_whatever_the_error_its_keys_are_named(params, message):
    found = user_message(error_of(lambda: House.from_params(Params(params))))
    assert found is None if message is None else found.startswith(message)


def test_long_values_are_cut():
    message = f"a.json: found 2 errors\n  {'x' * 12_000}: found 1, expected 2\n  model: found 3"
    first, second, third = user_message(ConfigurationError(message)).split("\n")
    assert (first, third) == ("a.json: found 2 errors", "  model: found 3")
    assert second.startswith("  xxx") and second.endswith("xxx: found 1, expected 2") and len(second) == 1000


@pytest.mark.parametrize(
    "kind, handed_on",
    [
        (WorkerError, lambda text: ProcessRaisedException(f"\n\n-- Process 0 terminated\n{text}", 0, 1)),
        (ConfigurationError, lambda text: multiprocess_data_loader.WorkerError("ConfigurationError()", text)),
    ],
)
def test_the_message_of_a_worker_comes_through(kind, handed_on):
    try:
        try:
            raise ConfigurationError("model: found 1\nexpected 2")
        except ConfigurationError as error:
            raise kind(str(error)) from error
    except kind:
        raised = handed_on(traceback.format_exc())
    assert user_message(raised) == "model: found 1\nexpected 2"
    assert user_message(handed_on("Traceback ...\nKeyError: 'x'")) is None


def test_a_training_process_that_ends_is_told():
    ended = ProcessExitedException("process 0 terminated with signal SIGKILL", 0, 1, -9, "SIGKILL")
    assert user_message(ended).startswith(
        "one of the processes that train the model together ended: process 0"
    )


def test_an_empty_path_has_a_name():
    assert user_message(ConfigurationError(": no such file")) == "an empty path: no such file"
    with pytest.raises(OSError) as error:
        os.stat("")
    assert user_message(error.value) == "an empty path: no such file"


def test_a_cache_that_cannot_be_written_to_has_a_remedy(monkeypatch, tmp_path):
    monkeypatch.setenv("ALLENNLP_CACHE_ROOT", str(tmp_path))
    error = PermissionError(errno.EACCES, "Permission denied", str(tmp_path / "cache"))
    assert "ALLENNLP_CACHE_ROOT" in user_message(error)
    elsewhere = PermissionError(errno.EACCES, "Permission denied", str(tmp_path.parent / "x"))
    assert "ALLENNLP_CACHE_ROOT" not in user_message(elsewhere)
