"""The last lines of each of AllenNLP's commands: the result, and the files that it wrote."""

import glob
import json
import os
import shlex
from argparse import Namespace
from collections.abc import Callable
from functools import partial
from typing import Any, ContextManager

from allennlp_coref_rc.common import stopping
from allennlp_coref_rc.common.config_files import type_of
from allennlp_coref_rc.common.json_objects import read_json_object
from allennlp_coref_rc.common.messages import counted


def closing_lines(command: str, args: Namespace, result: Any) -> list[str]:
    """The last lines of a command that has succeeded, if it does not print them on its own."""
    return CLOSINGS[command](args, result) if command in CLOSINGS else []


def with_resume_hint(command: str, args: Namespace) -> ContextManager[None]:
    """Within this, an interruption or a full disk gives a message that says how to resume the command."""
    options = ("serialization_dir", "output_file", "predictions_output_file", "output_path")
    output = ", ".join(filter(None, (getattr(args, option, None) for option in options)))
    if command == "train":
        return stopping.with_resume_hint(partial(_resume_hint, args), output, partial(_best_so_far, args))
    answers = f"{output}.part has the answers so far" if command == "predict" and output else ""
    return stopping.with_resume_hint(str, output, lambda: answers)


def shown(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _after_train(args: Namespace, result: Any) -> list[str]:
    folder = args.serialization_dir
    if args.dry_run:
        return [f"{os.path.join(folder, 'vocabulary')}: the vocabulary; nothing was trained (--dry-run)"]
    archive, metrics_file = os.path.join(folder, "model.tar.gz"), os.path.join(folder, "metrics.json")
    config, metrics = read_json_object(os.path.join(folder, "config.json")), read_json_object(metrics_file)
    trainer, model = (type_of(config.get(key)) for key in ("trainer", "model"))
    lines = ["", "Nothing was trained (no_op)" if trainer == "no_op" else _reached(metrics)]
    test = _of_split(metrics, "test_")
    if test:
        lines.append(f"Test:      {test}")
    path = config.get("test_data_path") or config.get("validation_data_path") or "FILE"
    data, quoted = shlex.quote(path if isinstance(path, str) else json.dumps(path)), shlex.quote(archive)
    options = "".join(f" --include-package {shlex.quote(name)}" for name in args.include_package)
    # The archive names another one, which other people's may not.
    options += " --trust" if model == "from_archive" else ""
    lines += [
        f"Archive:   {archive}",
        f"Metrics:   {metrics_file}",
        f"Log:       {', '.join(sorted(glob.glob(os.path.join(glob.escape(folder), 'out*.log'))))}",
        f"Evaluate:  coref-rc evaluate {quoted} {data}{options}",
    ]
    # Of several readers, `predict` takes one.
    if not isinstance(path, dict):
        answers = "--use-dataset-reader --output-file predictions.jsonl"
        lines.append(f"Predict:   coref-rc predict {quoted} {data} {answers}{options}")
    return lines


def _best_so_far(args: Namespace) -> str:
    archive = os.path.join(args.serialization_dir, "model.tar.gz")
    return f"{archive} has the best model so far" if os.path.exists(archive) else ""


def _resume_hint(args: Namespace) -> str:
    folder = args.serialization_dir
    if glob.glob(os.path.join(glob.escape(folder), "training_state_*.th")):
        return "the same command with --recover resumes the training"
    if os.path.exists(folder):
        return "the same command with --recover starts over, since no epoch is finished"
    return ""


def _reached(metrics: dict[str, Any]) -> str:
    epochs = metrics.get("epoch", -1) + 1
    if not epochs:
        return "Trained no epoch, as the training had ended; --recover with a larger trainer.num_epochs trains longer"
    line = (
        f"Trained {counted(epochs, 'epoch')} in {metrics.get('training_duration', '0:00:00').split('.')[0]}"
    )
    best = _of_split(metrics, "best_validation_")
    return (
        f"{line}; the best is epoch {metrics['best_epoch'] + 1}, on validation data: {best}" if best else line
    )


def _of_split(metrics: dict[str, Any], prefix: str) -> str:
    of_split = {key.removeprefix(prefix): value for key, value in metrics.items() if key.startswith(prefix)}
    return ", ".join(
        f"{name} {shown(value)}" for name, value in sorted(of_split.items()) if not name.startswith("_")
    )


def _after_evaluate(args: Namespace, result: dict[str, Any]) -> list[str]:
    width = max(map(len, result), default=0)
    lines = [f"{name:{width}}  {shown(value)}" for name, value in sorted(result.items())]
    for paths, what in ((args.output_file, "metrics"), (args.predictions_output_file, "answers")):
        lines += [f"{path}: the {what}" for path in (paths or "").split(",") if path]
    return lines


def _after_predict(args: Namespace, result: Any) -> list[str]:
    if not args.output_file:
        return []
    return [f"{args.output_file}: {counted(result.answered, 'prediction')}"]


CLOSINGS: dict[str, Callable[[Namespace, Any], list[str]]] = {
    "train": _after_train,
    "evaluate": _after_evaluate,
    "predict": _after_predict,
    "find-lr": lambda args, _: [f"{args.serialization_dir}/lr-losses.png: the loss at each learning rate"],
    "test-install": lambda *_: [
        "All modules of AllenNLP can be imported; coref-rc environment tests the rest"
    ],
}
