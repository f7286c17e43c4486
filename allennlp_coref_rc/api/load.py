import os
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Cluster
from allennlp_coref_rc.api.answer import Answer
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.messages import excerpt

if TYPE_CHECKING:
    from allennlp_coref_rc.annotations.annotators import Annotator
    from allennlp_coref_rc.predictors.explaining_predictor import ExplainingPredictor

ARCHIVE = "model.tar.gz"

_FOLDER = Path(__file__).with_name("readers")

BUNDLED = {"C-GRU": str(_FOLDER / "coref_gru.tar.gz"), "GRU": str(_FOLDER / "gru.tar.gz")}
"""The readers that come with the package, by name. The folder's CARD.md says what they are."""


def load(
    path: Union[str, os.PathLike] = BUNDLED["C-GRU"], trust: bool = False, cuda_device: int = -1
) -> "Reader":
    """
    Loads a trained reader.

    # Parameters

    path : `str` or `PathLike`, optional (default = a small reader of simulated stories)
        An archive, a folder with a `model.tar.gz`, or a model of the Hugging Face hub ("hf://OWNER/NAME"). By
        default the Coref-GRU that comes with the package.
    trust : `bool`, optional (default = `False`)
        Whether the archive's config may name classes and files anywhere (see docs/security.md).
    cuda_device : `int`, optional (default = `-1`)
        The GPU to use; -1 is none.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise ConfigurationError(
            f"found {excerpt(path)}, expected the path of an archive, or of a folder with one"
        )
    from allennlp_coref_rc.allennlp_runtime.lazy_registry import import_plugins

    import_plugins()
    from allennlp.predictors import Predictor

    from allennlp_coref_rc.data.dataset_readers import ReadingComprehensionReader
    from allennlp_coref_rc.predictors.explaining_predictor import ExplainingPredictor
    from allennlp_coref_rc.safe_archives import archives

    name = os.fspath(path)
    inside = os.path.join(name, ARCHIVE)
    archive = archives.load(inside if os.path.isfile(inside) else name, cuda_device, trust=trust)
    predictor = Predictor.from_archive(archive)
    if not isinstance(predictor, ExplainingPredictor):
        raise ConfigurationError(
            f"{name}: found a {type(archive.model).__name__}, which answers no questions, expected a model whose "
            "predictor is cloze_reader or span_reader"
        )
    if not isinstance(archive.dataset_reader, ReadingComprehensionReader):
        raise ConfigurationError(
            f"{name}: found a dataset reader {type(archive.dataset_reader).__name__}, expected one of this package's"
        )
    return Reader(name, predictor, trust)


class Reader:
    """A trained reader, which answers questions. `load` makes it of the predictor that comes from a path."""

    def __init__(self, path: str, predictor: "ExplainingPredictor", trust: Optional[bool] = None) -> None:
        self.path = path
        self.predictor = predictor
        self._trust = trust

    @property
    def answers_are_spans(self) -> bool:
        """Whether answers are spans of the passage; otherwise they are candidates or classes."""
        return self.predictor.answers_are_spans

    @property
    def annotator(self) -> Optional["Annotator"]:
        """The annotator of the reader's config, if it has one."""
        return self.predictor.annotator

    def with_annotator(self, annotator: "Annotator") -> "Reader":
        """The same reader with another annotator."""
        return Reader(self.path, self.predictor.with_annotator(annotator))

    def answer(
        self,
        passage: Union[str, Sequence[str], AnnotatedText],
        question: str,
        candidates: Optional[Sequence[str]] = None,
        clusters: Optional[Sequence[Cluster]] = None,
        explain: bool = False,
    ) -> Answer:
        """
        Answers a question about a passage.

        # Parameters

        passage : `str`, `list[str]` or `AnnotatedText`
            A text, a list of its tokens, or for bAbI of its statements, which the annotator of the reader's
            config annotates; or what `annotate` has made, which keeps its tokens and annotations: that annotator
            then adds those of the question alone (see `keep_passage`).
        question : `str`
        candidates : `list[str]`, optional (default = `None`)
            The possible answers, for readers that answer with one of several. By default they are those that
            the reader knows.
        clusters : `list[Cluster]`, optional (default = `None`)
            Coreference clusters in place of all others: lists of [start, end) spans, which count the tokens
            of the passage and of the question in a row, as in `Answer.clusters`.
        explain : `bool`, optional (default = `False`)
            Also tell what was attended to, as `Answer.explanations` and `Answer.annotated_heads`.
        """
        inputs = {"passage": passage, "question": question, "candidates": candidates, "clusters": clusters}
        if candidates is not None and self.answers_are_spans:
            raise ConfigurationError(
                f"{self.path}: found candidates, expected none, as its answers are spans"
            )
        given = {key: value for key, value in inputs.items() if value is not None}
        from allennlp_coref_rc.safe_archives.archives import trusting

        # An annotator that is not the archive's may ask the network, as users do what they like.
        with nullcontext() if self._trust is None else trusting(self._trust, ""):
            return _answer(*self.predictor.answer(given, explain))

    def __repr__(self) -> str:
        return f"Reader({self.path!r}): a {type(self.predictor._model).__name__}"


def _answer(output: dict[str, Any], text: AnnotatedText, boundary: int) -> Answer:
    probabilities = output.get("candidate_probabilities", {})
    answer = output["answer"]
    spans = output.get("best_spans") or ([output["best_span"]] if "best_span" in output else [])
    probability = probabilities.get(answer)
    if "best_span" in output:
        first, last = output["best_span"]
        probability = output["span_start_probs"][first] * output["span_end_probs"][last]
    return Answer(
        answer,
        probability,
        dict(sorted(probabilities.items(), key=lambda pair: -pair[1])),
        text,
        boundary,
        [(first, last + 1) for first, last in spans],
        output.get("warnings", []),
        output,
    )
