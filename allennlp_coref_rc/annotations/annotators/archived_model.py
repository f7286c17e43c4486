from collections.abc import Sequence
from functools import cached_property
from typing import Any, Optional, Union

import torch
from allennlp.data import DatasetReader, Instance
from allennlp.data.fields import TextField
from allennlp.models import Archive, Model

from allennlp_coref_rc.allennlp_runtime.lazy_registry import import_plugins
from allennlp_coref_rc.annotations.annotators.loads_later import LoadsLater
from allennlp_coref_rc.common.checks import check_number
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.safe_archives.archives import is_trusted, load, trusting


class ArchivedModel(LoadsLater):
    """
    A model trained by `allennlp train`, for use by an annotator. Each process loads it when it first needs
    it. A batch holds instances of similar length. (AllenNLP's own predictors would also load a spaCy model to
    split the text, which is already split here.)

    # Parameters

    archive : `str`
        A file `model.tar.gz`, or the URL of one. It is not trusted, unless `--trust` was given (see
        `safe_archives/archives.py`).
    batch_size : `int`
    cuda_device : `int`, optional (default = `None`)
        The index of the GPU, or -1 for the CPU. By default the first GPU if there is one.
    overrides : `Union[str, dict[str, Any]]`, optional (default = `""`)
        Changes to the archive's config.
    predictor : `str`, optional (default = `None`)
        The predictor that the model has to name as its default. By default any model will do.
    """

    def __init__(
        self,
        archive: str,
        batch_size: int,
        cuda_device: Optional[int] = None,
        overrides: Union[str, dict[str, Any]] = "",
        predictor: Optional[str] = None,
    ) -> None:
        check_number(archive, "batch_size", batch_size)
        self.path = archive
        self._batch_size = batch_size
        self._cuda_device = cuda_device
        self._overrides = overrides
        self._kind = predictor

    @cached_property
    def _archive(self) -> Archive:
        import_plugins()
        device = self._cuda_device
        if device is None:
            device = 0 if torch.cuda.is_available() else -1
        archive = load(self.path, device, self._overrides)
        predictor = archive.model.default_predictor
        if self._kind not in (None, predictor):
            raise ConfigurationError(
                f"{self.path}: found a {type(archive.model).__name__}, whose predictor is {predictor!r}, expected a "
                f"model of the predictor {self._kind!r}"
            )
        archive.model.eval()
        return archive

    @property
    def model(self) -> Model:
        return self._archive.model

    @property
    def reader(self) -> DatasetReader:
        """Makes the instances that the model reads."""
        return self._archive.validation_dataset_reader

    def predict(self, instances: Sequence[Instance], output: str) -> list[Any]:
        """The model's output named `output` for each instance."""
        with trusting(is_trusted(), ""):
            for instance in instances:
                self.reader.apply_token_indexers(instance)
            order = sorted(range(len(instances)), key=lambda i: _length(instances[i]))
            predictions: list[Any] = [None] * len(instances)
            for start in range(0, len(order), self._batch_size):
                batch = order[start : start + self._batch_size]
                outputs = self.model.forward_on_instances([instances[i] for i in batch])
                for i, values in zip(batch, outputs):
                    if output not in values:
                        names = ", ".join(sorted(values))
                        raise ConfigurationError(
                            f"{self.path}: found a model that gives {names}, expected {output}"
                        )
                    predictions[i] = values[output]
        return predictions


def _length(instance: Instance) -> int:
    return sum(len(field) for field in instance.fields.values() if isinstance(field, TextField))
