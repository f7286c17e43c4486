import os
from collections.abc import Iterator, Sequence
from typing import Any

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.extras import install_command
from allennlp_coref_rc.common.hub_addresses import HubDataSet, has_splits, parse_address
from allennlp_coref_rc.common.json_value import JsonValue


def read_rows(address: str, columns: Sequence[str], optional: Sequence[str] = ()) -> Iterator[JsonValue]:
    """
    The rows of a data set of the Hugging Face hub, or of local data in its form, with their places
    ("hf://squad?split=train, row 3", from 0 as in `datasets`), the `columns` and those `optional` ones that
    it has. A column within another has a dotted name, such as `document.id`.
    """
    rows = _load(parse_address(address)).flatten().with_format(None)
    missing = [column for column in columns if column not in rows.column_names]
    if missing:
        names = ", ".join(rows.column_names)
        raise ConfigurationError(f"{address}: found the columns {names:.200}, expected also {missing[0]!r}")
    if not len(rows):
        raise ConfigurationError(f"{address}: found no rows, expected some")
    wanted = [*columns, *(column for column in optional if column in rows.column_names)]
    for number, row in enumerate(rows.select_columns(wanted)):
        yield JsonValue(row, f"{address}, row {number}")


def _load(source: HubDataSet) -> Any:
    try:
        from datasets import load_dataset, load_from_disk
        from datasets.exceptions import DatasetsError
    except ImportError as error:
        raise ConfigurationError(
            f"{source.address}: the package datasets cannot be imported ({error}); install it with "
            + install_command("datasets")
        ) from error
    try:
        if source.is_local and os.path.isfile(source.path):
            split = source.split or "train"
            return load_dataset("parquet", data_files={split.partition("[")[0]: source.path}, split=split)
        if source.is_local and has_splits(source.path) is not None:
            return _split_of(source, load_from_disk(source.path))
        return load_dataset(source.path, source.name, split=source.split, revision=source.revision)
    except (DatasetsError, OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise ConfigurationError(
            f"{source.address}: found no data that can be read: {reason:.300}"
        ) from error


def _split_of(source: HubDataSet, saved: Any) -> Any:
    """
    The split that a source names. A folder of `save_to_disk` may have several splits, or be a single one.
    """
    splits = saved if isinstance(saved, dict) else {str(saved.split): saved}
    if source.split is None and saved is not splits:
        return saved
    if source.split not in splits:
        raise ConfigurationError(
            f"{source.address}: found no such split, expected one of {', '.join(splits)}"
        )
    return splits[source.split]
