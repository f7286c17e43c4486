import os
from typing import NamedTuple, Optional

from allennlp_coref_rc.common.errors import ConfigurationError

HUB = "hf://"
"""
The beginning of an address of a model or a data set on the Hugging Face hub, or of local data in the same
form.
"""

OPTIONS = ("split", "name", "revision")
"""
The options that may stand after the "?" of an address, with the names that `datasets.load_dataset` gives
them.
"""

SAVED = {"dataset_dict.json": True, "state.json": False}
"""Files in folders that `save_to_disk` has written, and whether the folder has splits."""

EXPECTED = "expected hf://OWNER/NAME?split=SPLIT, or hf:///FOLDER?split=SPLIT for a folder of this machine"


class HubDataSet(NamedTuple):
    """The data set of an address. `path` is its name on the hub, or the local folder or Parquet file."""

    address: str
    path: str
    is_local: bool
    split: Optional[str] = None
    name: Optional[str] = None
    revision: Optional[str] = None


def is_hub_address(path: str) -> bool:
    """Whether a data path is the address of a data set. `hf://OWNER/NAME/FILE` is the address of a file."""
    rest = path.removeprefix(HUB)
    return rest != path and ("?" in rest or _is_local(rest) or rest.count("/") < 2)


def parse_address(address: str) -> HubDataSet:
    """
    The data set of an address. An error that can be found without a network raises a `ConfigurationError`.
    """
    path, question_mark, query = address.removeprefix(HUB).partition("?")
    options: dict[str, str] = {}
    for option in query.split("&") if question_mark else ():
        key, _, value = option.partition("=")
        if key not in OPTIONS or not value or key in options:
            raise ConfigurationError(
                f"{address}: found {option!r:.80}, expected each of {', '.join(OPTIONS)} once"
            )
        options[key] = value
    is_local = _is_local(path)
    path = os.path.expanduser(path) if is_local else path
    if not path:
        raise ConfigurationError(f"{address}: found no name, {EXPECTED}")
    if is_local and not os.path.exists(path):
        raise ConfigurationError(f"{address}: no such file or folder")
    is_one = is_local and (os.path.isfile(path) or has_splits(path) is False)
    if "split" not in options and not is_one:
        raise ConfigurationError(f"{address}: found no split, {EXPECTED}")
    return HubDataSet(address, path, is_local, **options)


def has_splits(folder: str) -> Optional[bool]:
    """Whether a folder that `save_to_disk` has written has splits; `None` if it is another folder."""
    return next(
        (splits for name, splits in SAVED.items() if os.path.isfile(os.path.join(folder, name))), None
    )


def _is_local(path: str) -> bool:
    return path.startswith(("/", ".", "~"))
