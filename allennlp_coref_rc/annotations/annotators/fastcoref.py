from collections.abc import Sequence
from functools import cached_property
from typing import Any, Optional

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Cluster
from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.annotators.optional_package import import_optional
from allennlp_coref_rc.common.checks import check_choice
from allennlp_coref_rc.common.errors import ConfigurationError

MODELS = {"fcoref": ("FCoref", "biu-nlp/f-coref"), "lingmess": ("LingMessCoref", "biu-nlp/lingmess-coref")}


@Annotator.register("fastcoref")
class FastCoref(Annotator):
    """
    Coreference by fastcoref (Otmazgin et al., AACL 2022): F-coref, which is fast, or LingMess, which is more
    accurate. The package is optional (the extra `fastcoref`), and its weights come from the Hugging Face hub.
    Each process loads them when it annotates its first text.

    Registered as an `Annotator` with name "fastcoref".

    # Parameters

    model : `str`, optional (default = `"fcoref"`)
        `"fcoref"` or `"lingmess"`.
    model_name_or_path : `str`, optional (default = `None`)
        Weights: a folder, or a name on the hub. By default the authors'.
    device : `str`, optional (default = `None`)
        Such as `"cuda:0"` or `"cpu"`. By default the first GPU if there is one.

    # Example

    ```jsonnet
    {"type": "fastcoref", "model": "lingmess", "device": "cpu"}
    ```
    """

    def __init__(
        self,
        model: str = "fcoref",
        model_name_or_path: Optional[str] = None,
        device: Optional[str] = None,
    ) -> None:
        check_choice("fastcoref", "model", model, MODELS)
        self._class, weights = MODELS[model]
        self._weights = model_name_or_path or weights
        self._device = device

    def annotate_batch(self, texts: Sequence[AnnotatedText]) -> list[AnnotatedText]:
        annotated = list(texts)
        filled = [i for i, text in enumerate(texts) if text.tokens]
        if filled:
            # A batch of one text. In larger ones fastcoref lets padding become mentions, so that a text's
            # clusters would depend on the other texts.
            results = self._model.predict(
                texts=[texts[i].tokens for i in filled], is_split_into_words=True, max_tokens_in_batch=1
            )
            # Texts that are too long are not among the results.
            by_index = {result.text_idx: result for result in results}
            for n, i in enumerate(filled):
                if n not in by_index:
                    raise ConfigurationError(
                        f"fastcoref: found {len(texts[i])} tokens in the text {texts[i].id!r}, expected fewer: "
                        f"{self._weights} does not read texts of this length"
                    )
                annotated[i] = texts[i].with_more(clusters=_clusters(by_index[n]))
        return annotated

    @cached_property
    def _model(self) -> Any:
        package = import_optional("fastcoref", "2.1")
        try:
            # Without a spaCy model, which would split text that is split already.
            return getattr(package, self._class)(
                model_name_or_path=self._weights, device=self._device, nlp=None, enable_progress_bar=False
            )
        except (OSError, ValueError) as error:
            raise ConfigurationError(f"fastcoref: {self._weights} can't be loaded: {error}") from error


def _clusters(result: Any) -> list[Cluster]:
    """
    For text that is split into words, `get_clusters` counts words, not characters. A mention may be `None`.
    """
    clusters = [
        sorted({(int(span[0]), int(span[1])) for span in cluster if span is not None})
        for cluster in result.get_clusters(as_strings=False)
    ]
    return [cluster for cluster in clusters if len(cluster) > 1]
