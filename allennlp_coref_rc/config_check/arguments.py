"""
Finds errors in the arguments of AllenNLP's commands that AllenNLP says late, or by an obscure exception.
"""

import json
import os
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

from allennlp_coref_rc.common.config_files import check_overrides, load_config
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import check_writable, destination, is_among, is_in_place, refuse_special
from allennlp_coref_rc.common.messages import counted
from allennlp_coref_rc.config_check.check import check_config, missing_data, missing_devices
from allennlp_coref_rc.safe_archives.archives import config_of, is_trusted
from allennlp_coref_rc.safe_archives.registered_names import only_registered


def check_arguments(command: str, args: Namespace) -> None:
    if command in CHECKS:
        CHECKS[command](args)


def check_experiment(path: str, overrides: str = "", devices: bool = True) -> dict[str, Any]:
    """
    The values of an experiment's config. A `ConfigurationError` lists the errors in it, if there are any.
    """
    params = load_config(path, overrides)
    problems = check_config(params, devices)
    if len(problems) == 1:
        raise ConfigurationError(f"{path}: {problems[0]}")
    if problems:
        raise ConfigurationError("\n  ".join([f"{path}: found {len(problems)} errors", *problems]))
    return params


def _train(args: Namespace) -> None:
    folder, recover = args.serialization_dir, getattr(args, "recover", None)
    if not args.force and not recover and os.path.isdir(folder) and os.listdir(folder):
        # `find-lr` cannot resume.
        resuming = "" if recover is None else "--recover resumes the training in it, "
        raise ConfigurationError(
            f"-s {folder}: found a folder that is not empty; {resuming}-f replaces it, another folder after -s keeps it"
        )
    check_experiment(args.param_path, args.overrides)


def _build_vocab(args: Namespace) -> None:
    if not args.output_path.endswith(".tar.gz"):
        raise ConfigurationError(f"found the output {args.output_path}, expected a name that ends in .tar.gz")
    if os.path.exists(args.output_path) and not args.force:
        raise ConfigurationError(f"{args.output_path} is there already; -f replaces it")
    _count_instances(args)


def _count_instances(args: Namespace) -> None:
    check_experiment(args.param_path, args.overrides, devices=False)


def _evaluate(args: Namespace) -> None:
    reader = _check_archive(args).get("validation_dataset_reader")
    inputs = _inputs(args.input_file)
    if not inputs or "" in inputs:
        raise ConfigurationError(
            f"found the input {args.input_file!r}, expected files or splits, with commas between"
        )
    for path in inputs:
        _check_data(args.archive_file, reader, path)
    others: list[str] = []
    for option in ("output_file", "predictions_output_file"):
        outputs = (getattr(args, option) or "").split(",")
        if outputs != [""] and len(outputs) != len(inputs):
            name = f"--{option.replace('_', '-')}"
            raise ConfigurationError(
                f"{name}: found {counted(len(outputs), 'file')} for {counted(len(inputs), 'input')}, expected as many, "
                "with commas between"
            )
        for path in outputs:
            _check_output_file(path, inputs)
            if path and is_among(path, others) and not is_in_place(destination(path)):
                raise ConfigurationError(
                    f"{path}: found the same file for two outputs, expected another for each"
                )
            others.append(path)


def _predict(args: Namespace) -> None:
    params = _check_archive(args)
    try:
        given = json.loads(args.predictor_args.strip() or "{}")
    except ValueError as error:
        raise ConfigurationError(f"--predictor-args: found no JSON ({error}), expected an object") from error
    if not isinstance(given, dict):
        raise ConfigurationError(f"--predictor-args: found {args.predictor_args}, expected an object")
    if args.use_dataset_reader:
        name = "dataset_reader" if args.dataset_reader_choice == "train" else "validation_dataset_reader"
        _check_data(args.archive_file, params.get(name), args.input_file)
    elif args.input_file != "-" and "://" not in args.input_file and not os.path.isfile(args.input_file):
        refuse_special(args.input_file)
        raise ConfigurationError(
            f"{args.input_file}: no such file; expected objects in JSON, a line each, or --use-dataset-reader and data"
        )
    _check_output_file(args.output_file or "", [args.input_file])


def _diff(args: Namespace) -> None:
    from allennlp.commands.diff import _get_checkpoint_path
    from allennlp.nn.util import read_state_dict

    for checkpoint in (args.checkpoint1, args.checkpoint2):
        for name, value in read_state_dict(_get_checkpoint_path(checkpoint)).items():
            if not hasattr(value, "shape"):
                raise ConfigurationError(
                    f"{checkpoint}: found {name!r}, which is not a tensor, expected weights"
                )


def _print_results(args: Namespace) -> None:
    if not os.path.isdir(args.path):
        raise ConfigurationError(f"{args.path}: no such folder, expected one of trainings")
    if not args.keys:
        raise ConfigurationError("--keys: found nothing, expected names of metrics, such as test_accuracy")


def _check_archive(args: Namespace) -> dict[str, Any]:
    """
    The config of an archive or folder, with overrides and a `validation_dataset_reader`; empty if it is
    remote.
    """
    from allennlp.common.params import parse_overrides, with_overrides

    missing = missing_devices({"cuda_device": args.cuda_device})
    if missing:
        raise ConfigurationError(f"--cuda-device: {missing[0][1]}")
    check_overrides(args.overrides)
    if args.batch_size is not None and args.batch_size < 1:
        raise ConfigurationError(f"--batch-size: found {args.batch_size}, expected 1 or more")
    archive = args.archive_file
    params = {} if "://" in archive else config_of(archive, is_trusted())
    try:
        params = with_overrides(params, parse_overrides(args.overrides)) if args.overrides else params
    except ValueError as error:
        raise ConfigurationError(f"-o {args.overrides}: {error}") from error
    params.setdefault("validation_dataset_reader", params.get("dataset_reader"))
    return params


def _inputs(value: str) -> list[Any]:
    """The data paths of `evaluate`, split as AllenNLP splits the argument."""
    try:
        return json.loads(f"[{value}]")
    except ValueError:
        return list(value.split(","))


def _check_data(archive: str, reader: Any, path: Any) -> None:
    if not isinstance(reader, Mapping) or not isinstance(path, str):
        return
    # The reader is built, in order to ask it where it would look.
    with nullcontext() if is_trusted() else only_registered(archive):
        problem = missing_data(reader, path)
    if problem:
        raise ConfigurationError(problem)


def _check_output_file(path: str, inputs: Sequence[Any]) -> None:
    if os.path.exists(path) and is_among(path, [one for one in inputs if isinstance(one, str)]):
        raise ConfigurationError(f"{path}: found the input as output too, expected another file")
    folder = os.path.dirname(path)
    if folder and not os.path.isdir(folder):
        raise ConfigurationError(f"{path}: found no folder {folder} to write it to")
    if path:
        check_writable(path)


CHECKS: dict[str, Callable[[Namespace], None]] = {
    "train": _train,
    "find-lr": _train,
    "build-vocab": _build_vocab,
    "diff": _diff,
    "count-instances": _count_instances,
    "evaluate": _evaluate,
    "predict": _predict,
    "print-results": _print_results,
}
