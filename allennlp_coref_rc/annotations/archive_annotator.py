import logging
from typing import Any, Dict, List, Optional, Sequence, Union

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins
from allennlp.common.util import JsonDict
from allennlp.data import Instance
from allennlp.models.archival import load_archive
from allennlp.predictors import Predictor

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.annotator import Annotator

logger = logging.getLogger(__name__)


class ArchiveAnnotator(Annotator):
    """
    Annotates with a trained AllenNLP model. It is loaded when the first text is annotated, in each process by itself.

    # Parameters

    archive_file : `str`
        The model's archive, `model.tar.gz`: a file, a folder or a URL.
    batch_size : `int`
        How many instances the model sees at a time.
    cuda_device : `int`, optional (default = `None`)
        Number of the GPU, or -1 for the CPU. By default the first GPU if there is one.
    overrides : `Union[str, Dict[str, Any]]`, optional (default = `""`)
        Changes of the archive's config.
    """

    default_predictor: str
    """What AllenNLP calls the predictor of the models that are meant."""

    def __init__(
        self,
        archive_file: str,
        batch_size: int,
        cuda_device: Optional[int] = None,
        overrides: Union[str, Dict[str, Any]] = "",
    ) -> None:
        if batch_size < 1:
            raise ConfigurationError(f"{self._name}: batch_size is {batch_size}, expected 1 or more")
        self._archive_file = archive_file
        self._batch_size = batch_size
        self._cuda_device = cuda_device
        self._overrides = overrides
        self._predictor: Optional[Predictor] = None

    @property
    def predictor(self) -> Predictor:
        """
        The model and its dataset reader. (AllenNLP's own predictors of coreference and roles would load a spaCy model
        besides, to split text that comes split already.)
        """
        if self._predictor is None:
            import_plugins()
            device = self._cuda_device
            if device is None:
                device = 0 if torch.cuda.is_available() else -1
            try:
                archive = load_archive(self._archive_file, device, self._overrides)
            except (OSError, ValueError) as error:
                raise ConfigurationError(
                    f"{self._name}: archive_file is {self._archive_file!r}, which can't be loaded: {error}"
                ) from error
            found = archive.model.default_predictor
            if found != self.default_predictor:
                raise ConfigurationError(
                    f"{self._name}: archive_file is {self._archive_file!r}: found a {type(archive.model).__name__}, whose "
                    f"predictor is {found!r}, expected a model of the predictor {self.default_predictor!r}"
                )
            logger.info("%s was loaded on %s", self._archive_file, "the CPU" if device < 0 else f"GPU {device}")
            self._predictor = Predictor(archive.model, archive.validation_dataset_reader)
        return self._predictor

    def predict(self, instances: Sequence[Instance]) -> List[JsonDict]:
        """What the model says of each instance, by batches."""
        outputs: List[JsonDict] = []
        for start in range(0, len(instances), self._batch_size):
            outputs += self.predictor.predict_batch_instance(list(instances[start : start + self._batch_size]))
        return outputs

    def annotate(self, text: AnnotatedText) -> AnnotatedText:
        return self.annotate_batch([text])[0]

    @property
    def _name(self) -> str:
        return next(name for name in Annotator.list_available() if Annotator.by_name(name) is type(self))

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_predictor": None}
