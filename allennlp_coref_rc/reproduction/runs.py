import hashlib
import json
import os
import re
import shlex
import sys
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Optional, Tuple

from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.params import with_overrides

DATA = "data"
"""Where configs look for data sets."""

RESULT = "result.json"
ERROR = "error.txt"
LOG = "log.txt"
PREDICTIONS = "predictions.jsonl"
MODEL = "model"
"""In the folder of a run: what it came to, or why it failed; what it printed; its answers; AllenNLP's own folder."""

ALL_PREDICTIONS = "all_predictions.jsonl"

SEEDS = ("random_seed", "numpy_seed", "pytorch_seed")


@dataclass(frozen=True)
class Run:
    """
    A model trained once: with one seed and, for bAbI, on one task.

    # Parameters

    config : `str`
        The file.
    seed : `int`
    task : `int`, optional (default = `None`)
    overrides : `Dict[str, Any]`, optional (default = `{}`)
        Of the config's values, by dotted key.
    output : `str`, optional (default = `"output/reproduction"`)
        The folder of all runs.
    data : `str`, optional (default = `"data"`)
        The folder of all data sets.
    """

    config: str
    seed: int
    task: Optional[int] = None
    overrides: Dict[str, Any] = field(default_factory=dict, hash=False)
    output: str = os.path.join("output", "reproduction")
    data: str = DATA

    @property
    def name(self) -> str:
        """What the run goes by, and its folder in `output`: its config, overrides, task and seed."""
        parts = os.path.splitext(self.config)[0].split(os.sep)
        parts = parts[1:] if parts[0] == "training_config" else parts[-2:]
        overrides = (f"{key}={json.dumps(value)}" for key, value in sorted(self.overrides.items()))
        parts[-1] = re.sub(r"[^\w.,=+-]+", "_", ",".join([parts[-1], *overrides]))
        if self.task is not None:
            parts.append(f"task_{self.task}")
        return "/".join(parts + [f"seed_{self.seed}"])

    def path(self, *names: str) -> str:
        """A file in the folder of the run."""
        return os.path.join(self.output, self.name, *names)

    def settings(self) -> Dict[str, Any]:
        """What distinguishes the run from its config, wherever the data are; by dotted key."""
        return {
            **self.overrides,
            **({"dataset_reader.task": self.task} if self.task is not None else {}),
            **dict.fromkeys(SEEDS, self.seed),
        }

    def params(self) -> Dict[str, Any]:
        """The whole experiment, with the data where configs look for them."""
        try:
            return with_overrides(Params.from_file(self.config).as_dict(quiet=True), self.settings())
        except (ValueError, RuntimeError, FileNotFoundError) as error:
            raise ConfigurationError(f"{self.config}: {error}") from error

    def fingerprint(self) -> str:
        """Of the experiment: a run with another one is not this run."""
        return hashlib.sha256(json.dumps(self.params(), sort_keys=True).encode()).hexdigest()[:16]

    def commands(self, cuda_device: int = -1) -> List[List[str]]:
        """The arguments of AllenNLP's commands that train the model and let it answer the questions of the test."""
        params = self.params()
        overrides = {**self.settings(), **self._data_paths(params), "trainer.cuda_device": cuda_device}
        test = with_overrides(params, self._data_paths(params))
        loader = params.get("validation_data_loader") or params["data_loader"]
        batch_size = loader.get("batch_size") or loader["batch_sampler"]["batch_size"]
        return [
            ["train", self.config, "-s", self.path(MODEL), "-o", json.dumps(overrides)],
            ["predict", self.path(MODEL, "model.tar.gz"), test.get("test_data_path") or test["validation_data_path"],
             "--use-dataset-reader", "--silent", "--batch-size", str(batch_size), "--cuda-device", str(cuda_device),
             "--output-file", self.path(ALL_PREDICTIONS)],
        ]  # fmt: skip

    def shell_commands(self, environment: Dict[str, str], cuda_device: int = -1) -> List[str]:
        """The same for a shell."""
        start = [f"{name}={value}" for name, value in environment.items()]
        start += [shlex.quote(sys.executable), "-m", "allennlp_coref_rc"]
        return [" ".join(start + [shlex.quote(word) for word in words]) for words in self.commands(cuda_device)]

    def result(self) -> Optional[Dict[str, Any]]:
        """What the run came to, if it is finished."""
        path = self.path(RESULT)
        if not os.path.exists(path):
            return None
        with open(path, encoding="utf-8") as file:
            try:
                result = json.load(file)
                found = result["fingerprint"]
            except (ValueError, TypeError, KeyError) as error:
                raise ConfigurationError(f"{path}: found no result of a run ({error}); remove the folder") from error
        if found != self.fingerprint():
            raise ConfigurationError(
                f"{path}: found a run of another version of {self.config}; remove the folder, or choose another --output"
            )
        return result

    def _data_paths(self, params: Dict[str, Any]) -> Dict[str, Any]:
        if os.path.normpath(self.data) == DATA:
            return {}
        return {key: self.data + path[len(DATA) :] for key, path in _strings(params) if path.startswith(f"{DATA}/")}


def _strings(value: Any, key: str = "") -> Iterator[Tuple[str, str]]:
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, (dict, list)):
        for name, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _strings(part, f"{key}.{name}" if key else str(name))
