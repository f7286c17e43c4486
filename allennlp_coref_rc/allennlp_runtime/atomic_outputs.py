import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, ContextManager, Optional
from unittest.mock import patch

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import partial_path

CUTTING = ("batches_per_epoch", "instances_per_epoch", "drop_last")
"""Keys of data loaders, and of their samplers, that leave a part of the data out of an epoch."""


@contextmanager
def whole_outputs() -> Iterator[None]:
    """
    Within this, archives, metrics and answers get their names, and replace earlier ones, only when complete.
    """
    from allennlp.commands import train
    from allennlp.evaluation import SimpleEvaluator

    archive = train.archive_model
    evaluate: Callable[..., Any] = SimpleEvaluator.__call__

    def archive_whole(serialization_dir: str, **kwargs: Any) -> str:
        path = os.path.join(serialization_dir, "model.tar.gz")
        with partial_path(path) as part:
            archive(serialization_dir, archive_path=part, **kwargs)
        return path

    def evaluate_whole(
        self: SimpleEvaluator,
        model: Any,
        data_loader: Any,
        *args: Any,
        metrics_output_file: Optional[str] = None,
        predictions_output_file: Optional[str] = None,
        **kwargs: Any,
    ) -> Any:
        parts = {name: getattr(data_loader, name, None) for name in ("batch_sampler", "scheduler")}
        for part, owner in {"data_loader": data_loader, **parts}.items():
            for key in CUTTING:
                if value := getattr(owner, key, None) or getattr(owner, f"_{key}", None):
                    raise ConfigurationError(
                        f"{part}.{key}: found {value!r}, by which a part of the data would be left out; expected it "
                        "in no data loader that evaluates"
                    )
        with _partial(metrics_output_file) as metrics, _partial(predictions_output_file) as predictions:
            found = evaluate(
                self,
                model,
                data_loader,
                *args,
                metrics_output_file=metrics,
                predictions_output_file=predictions,
                **kwargs,
            )
            for name, value in found.items():
                if isinstance(value, float) and not math.isfinite(value):
                    raise ConfigurationError(
                        f"found {value} as {name}, expected a finite number, as of finite answers"
                    )
            return found

    with (
        patch.object(train, "archive_model", archive_whole),
        patch.object(SimpleEvaluator, "__call__", evaluate_whole),
    ):
        yield


def _partial(path: Optional[str]) -> ContextManager[Optional[str]]:
    return nullcontext() if path is None else partial_path(path)
