import glob
import logging
import os
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Optional, cast

from allennlp.data import DatasetReader, Instance, TokenIndexer
from allennlp.data.fields import TextField
from allennlp.data.token_indexers import SingleIdTokenIndexer

from allennlp_coref_rc.common.checks import check_choice
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import known_as, local_path

logger = logging.getLogger(__name__)

FOLDS = ("train", "valid")


class CorpusReader(DatasetReader):
    """
    Base class of readers of annotated corpora, on which models that annotate are trained. A data path is a file, a
    folder (all its files in the corpus's format), a pattern such as `gdtb/*.rels`, a URL, or a list of these.

    A corpus without an official split can be split by documents into "train" and "valid". A document is always in the
    same fold, whatever else is read.

    It also takes the parameters of AllenNLP's `DatasetReader`.

    # Parameters

    token_indexers : `dict[str, TokenIndexer]`, optional (default = `None`)
        By default one `single_id` indexer, "tokens", of words in lower case.
    fold : `str`, optional (default = `None`)
        Reads only the documents of this fold, `"train"` or `"valid"`. By default all.
    held_out : `float`, optional (default = `0.2`)
        The expected share of documents in the fold "valid", more than 0 and less than 1.
    split_seed : `int`, optional (default = `13370`)
        A document's fold depends only on this seed, on `held_out` and on the document's name.
    """

    suffixes: Sequence[str] = ()
    """The suffixes of the files that are read from a folder."""

    def __init__(
        self,
        token_indexers: Optional[dict[str, TokenIndexer]] = None,
        fold: Optional[str] = None,
        held_out: float = 0.2,
        split_seed: int = 13370,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._token_indexers = token_indexers or {"tokens": SingleIdTokenIndexer(lowercase_tokens=True)}
        if fold is not None:
            check_choice("dataset_reader", "fold", fold, FOLDS)
        if not 0.0 < held_out < 1.0:
            raise ConfigurationError(f"dataset_reader.held_out is {held_out}, expected more than 0 and less than 1")
        self._fold = fold
        self._held_out = held_out
        self._split_seed = split_seed
        self.skipped: Counter = Counter()
        """The number of items that the last reading left out, by cause."""

    def read_items(self, path: str) -> Iterator[tuple[str, Any]]:
        """The items of a file in order, each with the name of its document."""
        raise NotImplementedError

    def to_instances(self, item: Any) -> Iterator[Instance]:
        """The instances of an item. An item that is left out gives none, and is counted in `skipped`."""
        raise NotImplementedError

    def apply_token_indexers(self, instance: Instance) -> None:
        cast(TextField, instance["tokens"]).token_indexers = self._token_indexers

    def _read(self, file_path: Any) -> Iterable[Instance]:
        self.skipped = Counter()
        for path in self.files(file_path):
            logger.info("Reading %s", path)
            local = local_path(path)
            with known_as(path, local):
                for document, item in self.read_items(local):
                    if self._fold is None or self.in_fold(document):
                        yield from self.to_instances(item)
        for cause, number in sorted(self.skipped.items()):
            logger.warning("%s: %d skipped: %s", file_path, number, cause)

    def in_fold(self, document: str) -> bool:
        """Whether a document is in the reader's fold."""
        held_out = random.Random(f"{self._split_seed} {document}").random() < self._held_out
        return held_out == (self._fold == "valid")

    def files(self, file_path: Any) -> Iterator[str]:
        """The files and addresses of a data path. A folder or pattern without files raises a `ConfigurationError`."""
        if isinstance(file_path, (list, tuple)):
            for path in file_path:
                yield from self.files(path)
            return
        path = str(file_path)
        if os.path.isdir(path):
            names = [entry for entry in sorted(os.listdir(path)) if entry.endswith(tuple(self.suffixes))]
            if not names:
                raise ConfigurationError(f"{path}: found no file that ends with {' or '.join(self.suffixes)}")
            yield from (os.path.join(path, entry) for entry in names)
        elif glob.has_magic(path) and not os.path.exists(path):
            files = sorted(glob.glob(path, recursive=True))
            if not files:
                raise ConfigurationError(f"{path}: found no file with such a name")
            yield from files
        else:
            yield path
