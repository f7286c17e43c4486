from functools import cached_property
from tarfile import TarError
from typing import Any, List, Sequence

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins
from allennlp.data import DatasetReader, Instance, Vocabulary
from allennlp.models import Archive, load_archive


class ArchivedModel:
    """
    A model that `allennlp train` has made, for an annotator: loaded when it is first asked, on the GPU if there is one,
    and asked in batches of instances of about equal length.

    # Parameters

    archive : `str`
        A file `model.tar.gz`, or the URL of one.
    batch_size : `int`
        In instances.
    """

    def __init__(self, archive: str, batch_size: int) -> None:
        if batch_size < 1:
            raise ConfigurationError(f"batch_size is {batch_size}, expected 1 or more")
        self.path = archive
        self._batch_size = batch_size

    @cached_property
    def _archive(self) -> Archive:
        # The models of allennlp-models, where nobody has asked for them yet.
        import_plugins()
        try:
            archive = load_archive(self.path, cuda_device=0 if torch.cuda.is_available() else -1)
        except (OSError, ValueError, EOFError, TarError) as error:
            raise ConfigurationError(
                f"{self.path}: found no archive that `allennlp train` has made: {error}"
            ) from error
        archive.model.eval()
        return archive

    @property
    def reader(self) -> DatasetReader:
        """Makes the instances that the model reads."""
        return self._archive.validation_dataset_reader

    @property
    def vocab(self) -> Vocabulary:
        """The model's."""
        return self._archive.model.vocab

    def predict(self, instances: Sequence[Instance], output: str) -> List[Any]:
        """What the model gives for each of the instances by the name `output`."""
        for instance in instances:
            self.reader.apply_token_indexers(instance)
        order = sorted(range(len(instances)), key=lambda i: len(instances[i]["tokens"]))
        predictions: List[Any] = [None] * len(instances)
        for start in range(0, len(order), self._batch_size):
            batch = order[start : start + self._batch_size]
            outputs = self._archive.model.forward_on_instances([instances[i] for i in batch])
            for i, values in zip(batch, outputs):
                if output not in values:
                    found = ", ".join(sorted(values))
                    raise ConfigurationError(f"{self.path}: found a model that gives {found}, expected {output}")
                predictions[i] = values[output]
        return predictions
