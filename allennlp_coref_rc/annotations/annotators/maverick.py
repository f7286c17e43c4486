import logging
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from functools import cached_property, lru_cache
from typing import Any, Optional

import torch

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Cluster
from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.annotators.optional_package import import_optional
from allennlp_coref_rc.common.checks import check_choice
from allennlp_coref_rc.common.errors import ConfigurationError

logger = logging.getLogger(__name__)

MODELS = {name: f"sapienzanlp/maverick-mes-{name}" for name in ("ontonotes", "litbank", "preco")}
"""By the corpus that they were trained on, the authors' weights on the Hugging Face hub."""


@Annotator.register("maverick")
class Maverick(Annotator):
    """
    Coreference by Maverick (Martinelli et al., ACL 2024). **Its code and weights are for non-commercial use
    only** (CC BY-NC-SA 4.0). The package is optional (the extra `maverick`), and its weights come from the
    Hugging Face hub. Each process loads them when it annotates its first text. The weights are pickles, which
    can run code: name only weights that you trust.

    Sentences are taken from the text, and no speakers are given.

    Registered as an `Annotator` with name "maverick".

    # Parameters

    model : `str`, optional (default = `"ontonotes"`)
        The corpus that the weights were trained on: `"ontonotes"`, `"litbank"` or `"preco"`. OntoNotes has no
        entities with one mention.
    model_name_or_path : `str`, optional (default = `None`)
        Other weights: a file, or a name on the hub. By default the authors' for `model`.
    include_singletons : `bool`, optional (default = `False`)
        Also return mentions that are linked to no other, each as a cluster of one.
    device : `str`, optional (default = `None`)
        Such as `"cuda:0"` or `"cpu"`. By default the first GPU if there is one.

    # Example

    ```jsonnet
    {"type": "maverick", "model": "litbank", "device": "cpu"}
    ```
    """

    def __init__(
        self,
        model: str = "ontonotes",
        model_name_or_path: Optional[str] = None,
        include_singletons: bool = False,
        device: Optional[str] = None,
    ) -> None:
        check_choice("maverick", "model", model, MODELS)
        _tell_licence()
        self._weights = model_name_or_path or MODELS[model]
        self._include_singletons = include_singletons
        self._device = device

    def annotate_batch(self, texts: Sequence[AnnotatedText]) -> list[AnnotatedText]:
        # Maverick reads one text at a time.
        return [text.with_more(clusters=self._clusters(text)) if len(text) else text for text in texts]

    def _clusters(self, text: AnnotatedText) -> list[Cluster]:
        # Words in sentences: a flat list of words would be cut at full stops, with a spaCy model that is
        # downloaded.
        sentences = [list(text.tokens[start:stop]) for start, stop in text.sentences]
        predicted = self._model.predict(sentences, singletons=self._include_singletons)[
            "clusters_token_offsets"
        ]
        # The ends of mentions are included.
        clusters = [sorted({(int(start), int(end) + 1) for start, end in cluster}) for cluster in predicted]
        return [cluster for cluster in clusters if len(cluster) > (0 if self._include_singletons else 1)]

    @cached_property
    def _model(self) -> Any:
        package = import_optional("maverick", "1.0", distribution="maverick-coref")
        device = self._device or ("cuda:0" if torch.cuda.is_available() else "cpu")
        try:
            # It prints what it loads, where `coref-rc` may print documents.
            with redirect_stdout(sys.stderr):
                return package.Maverick(hf_name_or_path=self._weights, device=device)
        # PyTorch, Lightning and transformers raise errors of many kinds.
        except Exception as error:
            raise ConfigurationError(f"maverick: {self._weights} can't be loaded: {error!r}") from error


@lru_cache(maxsize=None)
def _tell_licence() -> None:
    logger.warning("maverick: its code and weights are for non-commercial use only (CC BY-NC-SA 4.0)")
