import glob
import logging
import os
import random
from collections import Counter
from typing import Any, Iterable, Iterator, Optional, Sequence, Tuple

from allennlp.common.file_utils import cached_path
from allennlp.data import DatasetReader, Instance

from allennlp_coref_rc.common.errors import ConfigurationError

logger = logging.getLogger(__name__)

FOLDS = ("train", "valid")


class CorpusReader(DatasetReader):
    """
    What readers of annotated corpora have in common, which train the models that annotate. A data path is a file, a
    folder (its files of the corpus's format), a pattern such as `gdtb/*.rels`, a URL, or a list of any of them.

    A corpus that has no official split is split by documents, each by itself, so that it stays on its side whatever else
    is read.

    # Parameters

    fold : `str`, optional (default = `None`)
        `"train"` or `"valid"`: read the documents of this side only. By default all.
    held_out : `float`, optional (default = `0.2`)
        The share of documents that are on the side "valid", on average.
    split_seed : `int`, optional (default = `13370`)
        What is held out depends on the seed and on a document's name alone.
    """

    suffixes: Sequence[str] = ()
    """How the names of files end that are read from a folder."""

    def __init__(
        self, fold: Optional[str] = None, held_out: float = 0.2, split_seed: int = 13370, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        if fold not in (None, *FOLDS):
            raise ConfigurationError(f"dataset_reader.fold is {fold!r}, expected one of {', '.join(FOLDS)}")
        if not 0.0 < held_out < 1.0:
            raise ConfigurationError(f"dataset_reader.held_out is {held_out}, expected more than 0 and less than 1")
        self._fold = fold
        self._held_out = held_out
        self._split_seed = split_seed
        self.skipped: Counter = Counter()
        """How many items of what was read last were left out, by cause."""

    def read_items(self, path: str) -> Iterator[Tuple[str, Any]]:
        """What a file holds, in order, each item with the name of its document."""
        raise NotImplementedError

    def to_instances(self, item: Any) -> Iterator[Instance]:
        """The instances of an item; none, and one more in `skipped`, where it is left out."""
        raise NotImplementedError

    def _read(self, file_path: Any) -> Iterable[Instance]:
        self.skipped = Counter()
        for path in self.files(file_path):
            logger.info("Reading %s", path)
            for document, item in self.read_items(path):
                if self._fold is None or self.in_fold(document):
                    yield from self.to_instances(item)
        for cause, number in sorted(self.skipped.items()):
            logger.warning("%s: %d skipped: %s", file_path, number, cause)

    def in_fold(self, document: str) -> bool:
        """Whether a document is on the reader's side."""
        held_out = random.Random(f"{self._split_seed} {document}").random() < self._held_out
        return held_out == (self._fold == "valid")

    def files(self, file_path: Any) -> Iterator[str]:
        """The local files of a data path."""
        if isinstance(file_path, (list, tuple)):
            for path in file_path:
                yield from self.files(path)
            return
        path = str(file_path)
        if os.path.isdir(path):
            found = [entry for entry in sorted(os.listdir(path)) if entry.endswith(tuple(self.suffixes))]
            if not found:
                raise ConfigurationError(f"{path}: found no file that ends with {' or '.join(self.suffixes)}")
            yield from (os.path.join(path, entry) for entry in found)
        elif glob.has_magic(path) and not os.path.exists(path):
            found = sorted(glob.glob(path, recursive=True))
            if not found:
                raise ConfigurationError(f"{path}: found no file with such a name")
            yield from found
        else:
            try:
                yield str(cached_path(path))
            except (FileNotFoundError, ValueError) as error:
                raise ConfigurationError(f"{path}: no such file") from error
