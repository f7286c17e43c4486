"""
Finds errors in the arguments of AllenNLP's commands that would cost a file, hours, or the answers, before
anything runs.
"""

import os
from argparse import Namespace
from collections.abc import Sequence

from allennlp_coref_rc.common.config_files import check_overrides
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import check_writable, is_among
from allennlp_coref_rc.config_check.check import check_experiment, missing_devices


def check_arguments(command: str, args: Namespace) -> None:
    if command in ("train", "find-lr", "build-vocab", "count-instances"):
        check_experiment(args.param_path, args.overrides, devices=command in ("train", "find-lr"))
    elif command == "predict":
        _check_model_options(args)
        _check_outputs([args.output_file or ""], [args.input_file])
    elif command == "evaluate":
        _check_model_options(args)
        outputs = [args.output_file or "", args.predictions_output_file or ""]
        _check_outputs(",".join(outputs).split(","), args.input_file.split(","))


def _check_model_options(args: Namespace) -> None:
    for _, problem in missing_devices({"cuda_device": args.cuda_device}):
        raise ConfigurationError(f"--cuda-device: {problem}")
    check_overrides(args.overrides)
    if args.batch_size is not None and args.batch_size < 1:
        raise ConfigurationError(f"--batch-size: found {args.batch_size}, expected 1 or more")


def _check_outputs(paths: Sequence[str], inputs: Sequence[str]) -> None:
    for path in filter(None, paths):
        if os.path.exists(path) and is_among(path, inputs):
            raise ConfigurationError(f"{path}: found the input as output too, expected another file")
        folder = os.path.dirname(path)
        if folder and not os.path.isdir(folder):
            raise ConfigurationError(f"{path}: found no folder {folder} to write it to")
        check_writable(path)
