import glob
import hashlib
import json
import os
import re
import shlex
import sys
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Optional

from allennlp.common import Params
from allennlp.common.params import with_overrides

from allennlp_coref_rc.common.config_files import locate, strings
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.json_objects import read_json_object
from allennlp_coref_rc.training.exact_checkpointer import recoverable

DATA = "data"
"""The folder where configs look for data sets."""

OUTPUT = os.path.join("output", "reproduction")

RESULT = "result.json"
ERROR = "error.txt"
LOG = "log.txt"
PREDICTIONS = "predictions.jsonl"
MODEL = "model"
"""
The files in a run's folder: its result or its error, its log, its predictions, and AllenNLP's own folder.
"""

ALL_PREDICTIONS = "all_predictions.jsonl"

METRICS = "{}_metrics.json"

ATTEMPT = "attempt.json"

MAX_NAME = 120
"""The most characters in the name of a folder. File systems allow 255."""

ADDED = ("trainer.cuda_device", "trainer.checkpointer.type")
"""The keys that runs add to their configs. They do not change results."""

FOLD = "/fold_1/"
"""The folder of the data of the first fold in the paths of a config. That of another fold takes its place."""

SEEDS = ("random_seed", "numpy_seed", "pytorch_seed")


@dataclass(frozen=True)
class Run:
    """A model trained once: with one seed and, for bAbI, on one task, or on the data of one fold."""

    config: str
    """The file of the config, or its name in the package."""
    seed: int
    task: Optional[int] = None
    overrides: dict[str, Any] = field(default_factory=dict, hash=False)
    """New values of the config, by dotted key."""
    output: str = OUTPUT
    data: str = DATA
    evaluations: dict[str, dict[str, Any]] = field(default_factory=dict, compare=False)
    """More evaluations of the trained model: by the prefix of their metrics, overrides of the config."""
    files: list[str] = field(default_factory=list, compare=False)
    """The data files that the result depends on, relative to `data`."""
    fold: Optional[int] = None
    """The fold of a cross-validation, from 1. The config reads the first; see `FOLD`."""

    def joined(self, other: "Run") -> "Run":
        """This run with the evaluations and files of another condition that shares it."""
        for name, changes in self.evaluations.items():
            if other.evaluations.get(name, changes) != changes:
                raise ConfigurationError(
                    f"{self.name}: found two evaluations {name!r} with different settings, expected names of their own"
                )
        files = [*dict.fromkeys([*self.files, *other.files])]
        return replace(self, evaluations={**self.evaluations, **other.evaluations}, files=files)

    @property
    def part(self) -> Optional[int]:
        return self.fold if self.task is None else self.task

    @property
    def name(self) -> str:
        """
        The name of the run, and of its folder in `output`: its config, overrides, task or fold, and seed.
        """
        parts = os.path.splitext(os.path.normpath(self.config))[0].split(os.sep)[-2:]
        overrides = (f"{key}={json.dumps(value)}" for key, value in sorted(self.overrides.items()))
        # It has no commas, since `allennlp evaluate` would split the file's name there.
        parts[-1] = re.sub(r"[^\w.=+-]+", "_", "+".join([parts[-1], *overrides]))
        if len(parts[-1]) > MAX_NAME:
            digest = hashlib.sha256(json.dumps(self.overrides, sort_keys=True).encode()).hexdigest()
            parts[-1] = f"{parts[-1][:MAX_NAME]}-{digest[:8]}"
        if self.task is not None:
            parts.append(f"task_{self.task}")
        if self.fold is not None:
            parts.append(f"fold_{self.fold}")
        return "/".join([*parts, f"seed_{self.seed}"])

    def path(self, *names: str) -> str:
        return os.path.join(self.output, self.name, *names)

    def settings(self) -> dict[str, Any]:
        """By dotted key, the run's changes to its config, apart from the folder of the data."""
        task = {} if self.task is None else {"dataset_reader.task": self.task}
        changes = self.overrides if self.fold is None else self._of_fold()
        return {**changes, **task, **dict.fromkeys(SEEDS, self.seed)}

    def params(self, located: bool = False) -> dict[str, Any]:
        """
        The whole config with the run's settings. If `located`, its data paths lead to this run's folder of
        data.
        """
        try:
            params = with_overrides(_load(locate(self.config)), self.settings())
            return with_overrides(params, self._data_paths(params)) if located else params
        except (ValueError, RuntimeError, OSError, ConfigurationError) as error:
            raise ConfigurationError(f"{self.config}: {error}") from error

    def fingerprint(self) -> str:
        """A hash of `params`. A run with another fingerprint is another run."""
        return hashlib.sha256(json.dumps(self.params(), sort_keys=True).encode()).hexdigest()[:16]

    def commands(self, cuda_device: int = -1) -> list[list[str]]:
        """
        The arguments of AllenNLP's commands that do the run, or the evaluations that a finished run still
        lacks.
        """
        overrides = self._overrides(cuda_device)
        params = with_overrides(self.params(), overrides)
        loader = params.get("validation_data_loader") or params["data_loader"]
        batch_size = loader.get("batch_size") or loader["batch_sampler"]["batch_size"]
        # A run that was killed resumes if possible, and starts over otherwise.
        again = ["--recover"] if self.is_resumable(cuda_device) else ["-f"]
        again = again if os.path.exists(self.path(MODEL)) else []
        archive, device = self.path(MODEL, "model.tar.gz"), ["--cuda-device", str(cuda_device)]
        validation = params.get("validation_data_path", "")
        test = params.get("test_data_path") or validation
        result = self.result()
        evaluations = []
        for name in self._lacking(result):
            changed = self._in_fold(self.evaluations[name])
            changed.update(self._data_paths(changed))
            path = changed.get("validation_data_path", validation)
            options = ["-o", json.dumps(changed), *device, "--output-file", self.path(METRICS.format(name))]
            evaluations.append(["evaluate", archive, path, *options])
        if result is not None:
            return evaluations
        reading = ["--use-dataset-reader", "--silent", "--batch-size", str(batch_size)]
        return [
            ["train", locate(self.config), "-s", self.path(MODEL), *again, "-o", json.dumps(overrides)],
            ["predict", archive, test, *reading, *device, "--output-file", self.path(ALL_PREDICTIONS)],
            *evaluations,
        ]

    def is_resumable(self, cuda_device: int = -1) -> bool:
        """Whether a training that was killed can be resumed on this device."""
        params = with_overrides(self.params(), self._overrides(cuda_device))
        return self.read(os.path.join(MODEL, "config.json")) == params and recoverable(self.path(MODEL))

    def _overrides(self, cuda_device: int) -> dict[str, Any]:
        """The changes to the config with which AllenNLP trains."""
        params = self.params()
        overrides = {**self.settings(), **self._data_paths(params), "trainer.cuda_device": cuda_device}
        if "checkpointer" in params["trainer"]:
            return {**overrides, "trainer.checkpointer.type": "exact"}
        return {**overrides, "trainer.checkpointer": {"type": "exact"}}

    def shell_commands(self, environment: dict[str, str], cuda_device: int = -1) -> list[str]:
        """The commands of `commands` as one types them in a shell, with these environment variables."""
        start = [f"{name}={shlex.quote(value)}" for name, value in environment.items()]
        start += [shlex.quote(sys.executable), "-m", "allennlp_coref_rc"]
        return [
            " ".join(start + [shlex.quote(word) for word in words]) for words in self.commands(cuda_device)
        ]

    def result(self) -> Optional[dict[str, Any]]:
        """The run's result, or `None`. One of another version of the config or of the data is an error."""
        result = self.read(RESULT)
        if result is not None and result.get("fingerprint") != self.fingerprint():
            raise ConfigurationError(
                f"{self.path(RESULT)}: found a run of another version of {self.config}{self._differences()}; remove "
                "its folder, or choose another --output"
            )
        known = (result or {}).get("data", {})
        for name, digest in self.digests().items() if known else ():
            if known.get(name, digest) != digest:
                raise ConfigurationError(
                    f"{self.path(RESULT)}: found a run on another {os.path.join(self.data, name)} than is there now; "
                    "remove its folder, or choose another --output"
                )
        return result

    def current_result(self) -> Optional[dict[str, Any]]:
        """The result without the metrics of evaluations whose settings have changed."""
        result = self.result()
        changed = tuple(f"{name}_" for name in self._lacking(result))
        metrics = (result or {}).get("metrics", {})
        kept = {key: value for key, value in metrics.items() if not key.startswith(changed)}
        return result and {**result, "metrics": kept}

    def lacking(self) -> list[str]:
        """The evaluations whose metrics the result does not have; all of them if there is no result."""
        return self._lacking(self.result())

    @property
    def finished(self) -> bool:
        result = self.result()
        return result is not None and not self._lacking(result)

    def digests(self) -> dict[str, str]:
        """The hashes of those data files that are there."""
        paths = {name: os.path.join(self.data, name) for name in self.files}
        return {
            name: _digest(path, os.stat(path).st_mtime_ns)
            for name, path in paths.items()
            if os.path.isfile(path)
        }

    def read(self, name: str) -> Optional[dict[str, Any]]:
        """The object in a JSON file in the folder of the run; `None` if there is no such file."""
        return read_json_object(self.path(name)) if os.path.exists(self.path(name)) else None

    def progress(self) -> float:
        """The share of the training that is done, between 0 and 1."""
        epochs = len(glob.glob(glob.escape(self.path(MODEL)) + "/metrics_epoch_*.json"))
        return min(1.0, epochs / self.params()["trainer"].get("num_epochs", 20))

    def _lacking(self, result: Optional[dict[str, Any]]) -> list[str]:
        result = result or {}
        if "evaluations" in result:
            done = result["evaluations"]
            return [name for name, changes in self.evaluations.items() if done.get(name) != changes]
        # Older results do not say with which settings a model was evaluated.
        metrics = result.get("metrics", {})
        return [name for name in self.evaluations if not any(key.startswith(f"{name}_") for key in metrics)]

    def _differences(self) -> str:
        params = self.params(located=True)
        expected = Params(params).as_flat_dict()
        actual = Params(self.read(os.path.join(MODEL, "config.json")) or params).as_flat_dict()
        for key in sorted(actual.keys() | expected.keys()):
            if (
                actual.get(key) != expected.get(key)
                and key not in ADDED
                and key not in self._data_paths(params)
            ):
                return f" ({key}: found {actual.get(key)!r:.60}, expected {expected.get(key)!r:.60})"
        return ""

    def _of_fold(self) -> dict[str, Any]:
        """The overrides, and the paths of the config, with those of the run's fold."""
        paths = {key: path for key, path in strings(_load(locate(self.config))) if FOLD in path}
        changes = {**paths, **self.overrides}
        if FOLD not in json.dumps(changes):
            raise ConfigurationError(
                f"{self.config}: found no path with {FOLD}, expected those of the first fold's data"
            )
        return self._in_fold(changes)

    def _in_fold(self, values: dict[str, Any]) -> dict[str, Any]:
        return json.loads(json.dumps(values).replace(FOLD, f"/fold_{self.fold or 1}/"))

    def _data_paths(self, params: dict[str, Any]) -> dict[str, Any]:
        if os.path.normpath(self.data) == DATA:
            return {}
        return {
            key: self.data + path[len(DATA) :] for key, path in strings(params) if path.startswith(f"{DATA}/")
        }


def _load(config: str) -> dict[str, Any]:
    return json.loads(_evaluated(config, os.path.getmtime(config)))


@lru_cache(maxsize=None)
def _evaluated(config: str, modified: float) -> str:
    return json.dumps(Params.from_file(config).as_dict(quiet=True))


@lru_cache(maxsize=None)
def _digest(path: str, modified: int) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]
