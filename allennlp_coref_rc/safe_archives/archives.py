import glob
import inspect
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Optional, Union
from unittest.mock import patch

from allennlp_coref_rc.common.error_message import user_message
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.hub_addresses import HUB
from allennlp_coref_rc.common.messages import cut
from allennlp_coref_rc.common.wrapping import wrapping
from allennlp_coref_rc.safe_archives import registered_names, unpacking
from allennlp_coref_rc.safe_archives.archived_config import read_config
from allennlp_coref_rc.safe_archives.registered_names import HINT, only_registered
from allennlp_coref_rc.safe_archives.unpacking import extracted_archive, read_member, without_network

if TYPE_CHECKING:
    from allennlp.models import Archive

CONFIG, VOCABULARY = "config.json", "vocabulary"

WEIGHTS = ("weights.th", "best.th")
"""In an archive, and in the folder of a training."""

LONGEST = 600
"""The most characters of another library's message that are shown."""

_trust: ContextVar[Optional[bool]] = ContextVar("trust", default=None)
"""
Whether archives are trusted. `None`, outside of `trusting`, leaves AllenNLP's own `load_archive` as it is.
"""

_GUARDS: tuple[ContextVar[Any], ...] = (_trust, registered_names._only_registered, unpacking._allowed)


@contextmanager
def trusting(trust: bool, addresses: Optional[str] = None) -> Iterator[None]:
    """
    Within this, AllenNLP's `load_archive` is this module's `load`, and archives are trusted or not. If they
    are not, and there is a text `addresses`, only files whose addresses are in it are downloaded.
    """
    token = _trust.set(trust)
    try:
        with nullcontext() if trust or addresses is None else without_network(addresses):
            yield
    finally:
        _trust.reset(token)


def is_trusted() -> bool:
    """Whether archives are trusted here."""
    return bool(_trust.get())


def guards() -> list[Any]:
    """What `trusting`, `only_registered` and `without_network` say here, for a process that is not a fork."""
    return [guard.get() for guard in _GUARDS]


def set_guards(values: list[Any]) -> None:
    """Lets the `guards` of another process hold in this one."""
    for guard, value in zip(_GUARDS, values):
        guard.set(value)


def load(
    archive_file: Union[str, os.PathLike],
    cuda_device: int = -1,
    overrides: Union[str, dict[str, Any]] = "",
    weights_file: Optional[str] = None,
    trust: Optional[bool] = None,
) -> "Archive":
    """
    Loads an archive that a stranger may have made, or the folder of a training, as AllenNLP's `load_archive`
    does. If it cannot be loaded, a `ConfigurationError` is raised that begins with the archive's name.

    # Parameters

    trust : `bool`, optional (default = `None`)
        Whether the config may name any class and any file. The default is what `trusting` says; outside of
        it, `False`.

    The other parameters are those of AllenNLP's `load_archive`.
    """
    from allennlp.models import archival

    trust = is_trusted() if trust is None else trust
    archive = os.fspath(archive_file)
    with ExitStack() as stack:
        folder = stack.enter_context(_opened(archive))
        stack.enter_context(_named(archive, folder))
        config_of(archive, trust, folder)
        _check_complete(archive, folder, bool(weights_file))
        stack.enter_context(
            trusting(trust, overrides if isinstance(overrides, str) else json.dumps(overrides))
        )
        if not trust:
            _check_links(archive, folder)
            stack.enter_context(only_registered(archive))
            # By default, transformers asks the user whether to run code that comes with a model, and reads
            # the answer from standard input, which may hold a stranger's questions.
            stack.enter_context(patch("transformers.dynamic_module_utils.TIME_OUT_REMOTE_CODE", 0))
        return inspect.unwrap(archival.load_archive)(folder, cuda_device, overrides, weights_file)


def config_of(archive: str, trust: bool, path: Optional[str] = None) -> dict[str, Any]:
    """
    The config of an archive or a folder. Nothing else is unpacked. `path` is where the archive is on this
    machine, if users know it by another name, such as an address.
    """
    path = path or archive
    if not os.path.exists(path):
        raise _missing(archive)
    data = None
    if not os.path.isdir(path):
        data = read_member(path, CONFIG)
    elif os.path.isfile(os.path.join(path, CONFIG)):
        with open(os.path.join(path, CONFIG), "rb") as file:
            data = file.read()
    if data is None:
        kind = "a folder" if os.path.isdir(archive) else "an archive"
        raise ConfigurationError(
            f"{archive}: found {kind} without a config.json, expected one of coref-rc train"
        )
    return read_config(archive, data, trust)


def _missing(archive: str) -> ConfigurationError:
    return ConfigurationError(
        f"{archive}: no such archive; coref-rc train -s FOLDER writes FOLDER/model.tar.gz"
    )


@contextmanager
def _opened(archive: str) -> Iterator[str]:
    """The folder of an archive: the one that is given, or a temporary one into which it is unpacked."""
    from allennlp.common.file_utils import cached_path

    try:
        # A local archive needs no cache; see `local_path`.
        path = archive if os.path.exists(archive) else os.fspath(cached_path(archive))
    except (OSError, ValueError) as error:
        if isinstance(error, FileNotFoundError) and "://" not in archive:
            raise _missing(archive) from error
        reason = cut(" ".join(str(error).split()), LONGEST)
        raise ConfigurationError(f"{archive}: cannot get an archive from there: {reason}") from error
    if os.path.isdir(path) and not archive.startswith(HUB):
        yield path
        return
    with ExitStack() as stack:
        if os.path.isdir(path):
            yield _of_hub(path, stack.enter_context(tempfile.TemporaryDirectory()))
            return
        with _named(archive, path):
            folder = stack.enter_context(extracted_archive(path))
        yield folder


def _of_hub(cached: str, folder: str) -> str:
    """
    Fills a folder with links to the files in the hub's cache, which are links too. The vocabulary is copied,
    since its lock must not be a link.
    """
    for name in os.listdir(cached):
        if name != VOCABULARY:
            os.symlink(os.path.join(cached, name), os.path.join(folder, name))
    if os.path.isdir(os.path.join(cached, VOCABULARY)):
        os.mkdir(os.path.join(folder, VOCABULARY))
        for path in filter(os.path.isfile, glob.glob(os.path.join(glob.escape(cached), VOCABULARY, "*"))):
            shutil.copy(path, os.path.join(folder, VOCABULARY))
    return folder


@contextmanager
def _named(archive: str, folder: str) -> Iterator[None]:
    """
    Turns an error into one line that names the archive, and not a temporary folder that the user does not
    know.
    """
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        if type(error).__name__ == "OutOfMemoryError":
            raise
        explained = user_message(error)
        message = (explained or f"{type(error).__name__}: {error}").replace(os.path.join(folder, ""), "")
        message = message.removeprefix(f"{folder}: ").removeprefix(f"{archive}: ")
        if "found" not in message and not (isinstance(error, OSError) and error.filename):
            message = f"found no model that can be loaded: {message}"
        raise ConfigurationError(f"{archive}: {cut(' '.join(message.split()), LONGEST)}") from error


def _check_complete(archive: str, folder: str, own_weights: bool) -> None:
    for is_there, found in (
        (
            own_weights or any(os.path.isfile(os.path.join(folder, name)) for name in WEIGHTS),
            " or ".join(WEIGHTS),
        ),
        (os.path.isdir(os.path.join(folder, VOCABULARY)), f"folder {VOCABULARY}"),
    ):
        if not is_there:
            raise ConfigurationError(f"{archive}: found no {found}, expected one of coref-rc train")


def _check_links(archive: str, folder: str) -> None:
    """
    AllenNLP empties the file `.lock` in a vocabulary's folder when it reads it, so no link may be there.
    """
    for name in (VOCABULARY, os.path.join(VOCABULARY, ".lock")):
        if os.path.islink(os.path.join(folder, name)):
            raise ConfigurationError(f"{archive}: found the link {name}, which leads elsewhere; {HINT}")


def install(module: Any) -> None:
    """
    Changes AllenNLP's `archival`, which is given: it unpacks archives safely, and `load_archive` does what
    `trusting` says.
    """
    _load_as_trusted(module)
    module.extracted_archive = extracted_archive


@wrapping("load_archive")
def _load_as_trusted(original: Any, _: None, args: Any, kwargs: dict[str, Any]) -> "Archive":
    return (original if _trust.get() is None else load)(*args, **kwargs)


@wrapping("spacy_download")
def install_spacy(original: Any, _: None, args: Any, kwargs: dict[str, Any]) -> None:
    """Installs a missing model of spaCy, as AllenNLP does, but only if archives are trusted."""
    if _trust.get() is False:
        raise ConfigurationError(
            f"found no spaCy model {args[0]}; python -m spacy download {args[0]} installs it"
        )
    original(*args, **kwargs)
