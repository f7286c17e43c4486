"""
Finds errors in the arguments of AllenNLP's commands that would cost a file, hours, or the answers, before
anything runs.
"""

import json
import logging
import os
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from allennlp.common import Params
from allennlp.common.params import parse_overrides

from allennlp_coref_rc.common.config_files import check_overrides
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import bare, check_writable, is_among, is_in_place
from allennlp_coref_rc.common.messages import counted
from allennlp_coref_rc.config_check.check import check_experiment, missing_devices
from allennlp_coref_rc.safe_archives.archives import config_of

logger = logging.getLogger(__name__)

FEWER = "dataset_reader.max_instances"


def check_arguments(command: str, args: Namespace) -> None:
    if command in ("train", "find-lr", "build-vocab", "count-instances"):
        if command == "build-vocab":
            _check_archive(args.output_path, args.force)
        params = check_experiment(args.param_path, args.overrides, devices=command in ("train", "find-lr"))
        if params.get("validation_dataset_reader"):
            for key in training_reader_keys(args.overrides):
                logger.warning(
                    "-o %s: validation and test data keep what validation_dataset_reader says; set validation_%s too, "
                    "or in a config the hidden fields",
                    key,
                    key,
                )
        if command == "train":
            _check_node_rank(args.node_rank, params.get("distributed"))
        if command == "find-lr":
            for option in ("start_lr", "end_lr", "stopping_factor"):
                number, may_be_0 = getattr(args, option), option == "start_lr" and args.linear
                if number is not None and not (number > 0 or number == 0 and may_be_0):
                    flag = f"--{option.replace('_', '-')}"
                    raise ConfigurationError(f"{flag}: found {number}, expected a number above 0")
    elif command == "predict":
        _check_model_options(args)
        _check_json_object("--predictor-args", args.predictor_args, '{"explain": true}')
        _check_outputs([args.output_file or ""], [args.input_file])
    elif command == "evaluate":
        _check_model_options(args)
        try:
            inputs = json.loads(f"[{args.input_file}]")
        except ValueError:
            inputs = args.input_file.split(",")
        names = [Path(one).stem for one in inputs if isinstance(one, str)]
        if len(set(names)) < len(names):
            raise ConfigurationError(
                f"found the inputs {args.input_file}, expected files of different names, after which metrics are named"
            )
        if args.auto_names != "NONE":
            raise ConfigurationError(
                f"--auto-names {args.auto_names}: AllenNLP ignores it, expected --output-file FILE"
            )
        outputs = [option.split(",") for option in (args.output_file, args.predictions_output_file) if option]
        if not inputs or "" in inputs or any(len(paths) != len(inputs) for paths in outputs):
            raise ConfigurationError(
                f"found the input {args.input_file!r} and {counted(sum(map(len, outputs)), 'output')}, expected "
                "files or splits with commas between, and as many outputs of each kind"
            )
        _check_outputs([path for paths in outputs for path in paths], inputs)
        if args.embedding_sources_mapping:
            if not args.extend_vocab:
                raise ConfigurationError(
                    "--embedding-sources-mapping: found no --extend-vocab, expected both"
                )
            _check_json_object(
                "--embedding-sources-mapping", args.embedding_sources_mapping, '{"NAME": "FILE"}'
            )
    elif command == "print-results":
        if not os.path.isdir(args.path):
            raise ConfigurationError(f"{args.path}: no such folder, expected one of trainings")
        if not args.keys:
            raise ConfigurationError(
                "--keys: found nothing, expected names of metrics, such as test_accuracy"
            )


def _check_node_rank(rank: int, distributed: Any) -> None:
    if rank and not distributed:
        raise ConfigurationError(f"--node-rank {rank}: found no `distributed` in the config")
    nodes = distributed.get("num_nodes") or 1 if isinstance(distributed, dict) else 1
    if not 0 <= rank < nodes:
        raise ConfigurationError(f"--node-rank {rank}: found {counted(nodes, 'node')}, numbered from 0")


def _check_archive(path: str, force: bool) -> None:
    if not path.endswith(".tar.gz"):
        raise ConfigurationError(f"{path}: expected a name that ends in .tar.gz")
    if os.path.exists(path) and not force:
        raise ConfigurationError(f"{path} is there already; --force overwrites it")
    check_writable(path)


def training_reader_keys(overrides: str) -> list[str]:
    """The settings that overrides give to the reader of training data, and not to the other one too."""
    given = parse_overrides(overrides)
    if "validation_dataset_reader" in given:
        return []
    # An empty object is in none of the flat keys.
    settings = {".".join(key.split(".")[:2]) for key in (*Params(given).as_flat_dict(), *given)}
    # Of fewer questions, those of training are meant.
    of_training = {key for key in settings if key.startswith("dataset_reader.")} - {FEWER}
    return sorted(key for key in of_training if f"validation_{key}" not in settings)


def _check_model_options(args: Namespace) -> None:
    check_overrides(args.overrides)
    keys = training_reader_keys(args.overrides)
    is_of_training = getattr(args, "dataset_reader_choice", "") == "train"
    config = config_of(args.archive_file, trust=True) if keys and os.path.exists(args.archive_file) else {}
    if config.get("validation_dataset_reader") and not is_of_training:
        raise ConfigurationError(
            f"-o {keys[0]}: found a setting of the reader of training data, expected validation_{keys[0]}, as the "
            "archive has another reader of other data"
        )
    for _, problem in missing_devices({"cuda_device": args.cuda_device}):
        raise ConfigurationError(f"--cuda-device: {problem}")
    if args.batch_size is not None and args.batch_size < 1:
        raise ConfigurationError(f"--batch-size: found {args.batch_size}, expected 1 or more")


def _check_json_object(option: str, text: str, example: str) -> None:
    try:
        values = json.loads(text) if text.strip() else {}
    except ValueError:
        values = None
    if not isinstance(values, dict):
        raise ConfigurationError(f"{option} {text}: found no JSON object, expected one, such as '{example}'")


def _check_outputs(paths: Sequence[str], inputs: Sequence[Any]) -> None:
    files = [one for one in inputs if isinstance(one, str)]
    written: list[str] = []
    for path in filter(None, paths):
        if os.path.exists(path) and is_among(path, files):
            raise ConfigurationError(f"{path}: found the input as output too, expected another file")
        if is_among(path, written) and not is_in_place(path):
            raise ConfigurationError(
                f"{path}: found the same file for two outputs, expected another for each"
            )
        if path != bare(path):
            raise ConfigurationError(f"{path}: found the name of a compressed file, expected that of a text")
        folder = os.path.dirname(path)
        if folder and not os.path.isdir(folder):
            raise ConfigurationError(f"{path}: found no folder {folder} to write it to")
        check_writable(path)
        written.append(path)
