"""
Runs all benchmarks that need a GPU. Without a GPU it says so and stops.

    python scripts/benchmarks/gpu.py --json gpu

* kernels: the fused recurrence of C-GRU and MAGE beside `torch.nn.GRU`, which is cuDNN's, in float32 and bfloat16;
* encoders: `dassa`, plain and with heads that see annotations, beside allennlp-models' `qanet_encoder`;
* updates: whole training updates of GA Readers, of QANet and of DASSA, in float32 and in mixed precision;
* run: a config's training from beginning to end on the CPU, on the GPU, and there in mixed precision.

`--json NAME` writes NAME-kernels-float32.json and so on. Each part but `run` is one of the other benchmarks: for other
sizes, call it with `--device cuda`.

Values checked: as in the other benchmarks; and the runs come to the same validation accuracy, to 0.1.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, NamedTuple, Optional

import encoders
import recurrence
import torch
import updates
from harness import Benchmark, Report, compare, parse, parser

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.script import ScriptParser, run

CNN = ["cnn/ga_gru", "cnn/ga_gru+coref_gru", "cnn/ga_mage_gru_16"]
NARRATIVEQA = [updates.ALLENNLP_QANET, "narrativeqa/baseline_qanet", "narrativeqa/dassa_sdp_exp"]
AMP = ["--amp", "bfloat16", "float16"]
RUN, RUN_COLUMNS = "run", ("config", "trained", "epochs", "seconds", "seconds an epoch", "validation accuracy")
TRAINERS: Dict[str, Dict[str, Any]] = {
    "on the CPU": {"trainer.cuda_device": -1},
    "on the GPU": {"trainer.cuda_device": 0},
    "on the GPU, use_amp": {"trainer.cuda_device": 0, "trainer.use_amp": True},
}


class Part(NamedTuple):
    benchmark: Callable[[argparse.Namespace], Benchmark]
    options: Callable[[], ScriptParser]
    arguments: List[str]


PARTS = {
    "kernels-float32": Part(recurrence.Recurrence, recurrence.options, []),
    "kernels-bfloat16": Part(recurrence.Recurrence, recurrence.options, ["--dtype", "bfloat16"]),
    "encoders": Part(encoders.Encoders, encoders.options, ["--batch", "32"]),
    "updates-cnn": Part(updates.Updates, updates.options, [*CNN, "--tokens", "2000", *AMP]),
    "updates-narrativeqa": Part(updates.Updates, updates.options, [*NARRATIVEQA, "--tokens", "400", "800", *AMP]),
}


def train(config: str, overrides: Dict[str, Any]) -> Dict[str, Any]:
    """Trains in a process of its own. Returns the run's metrics, with the seconds of the whole process."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "allennlp_coref_rc", "train", config, "-s", f"{folder}/run"]
        start = time.perf_counter()
        process = subprocess.run([*command, "-o", json.dumps(overrides)], capture_output=True, text=True)
        seconds = time.perf_counter() - start
        if process.returncode:
            raise ConfigurationError(f"{config}: no figures, training ended with: {process.stderr.strip()[-500:]}")
        metrics = json.loads((Path(folder) / "run" / "metrics.json").read_text())
    return {**metrics, "seconds": seconds}


def compare_runs(arguments: argparse.Namespace) -> None:
    found = {name: train(arguments.config, overrides) for name, overrides in TRAINERS.items()}
    accuracies = {name: metrics["best_validation_accuracy"] for name, metrics in found.items()}
    if max(accuracies.values()) - min(accuracies.values()) > 0.1:
        raise ConfigurationError(f"{arguments.config}: no figures, runs come to different accuracies, {accuracies}")
    report = Report(arguments, RUN_COLUMNS)
    for name, metrics in found.items():
        epochs = metrics["training_epochs"] + 1
        values = [arguments.config, name, epochs, metrics["seconds"], metrics["seconds"] / epochs, accuracies[name]]
        report.add([*values[:3], *(f"{value:.3g}" for value in values[3:])], dict(zip(RUN_COLUMNS, values)))


def options() -> ScriptParser:
    result = parser(__doc__, rounds=15)
    result.add_argument("--only", nargs="+", choices=[*PARTS, RUN], default=[*PARTS, RUN], metavar="PART")
    result.add_argument("--config", default="babi/quick_start", help="what `run` trains (default: %(default)s)")
    result.set_defaults(device="cuda")
    return result


def json_file(arguments: argparse.Namespace, name: str) -> Optional[str]:
    return arguments.json and f"{arguments.json}-{name}.json"


def main() -> int:
    if not torch.cuda.is_available():
        print("gpu.py: there is no GPU here that PyTorch can use: nothing is measured", file=sys.stderr)
        return 1
    arguments = parse(options())
    status = 0
    for name, part in PARTS.items():
        if name in arguments.only:
            print(f"\n## {name}\n", flush=True)
            given = [*part.arguments, "--device", "cuda", "--rounds", str(arguments.rounds)]
            path = json_file(arguments, name)
            own = parse(part.options(), [*given, *(["--json", path] if path else [])])
            status = max(status, compare(part.benchmark(own)))
    if RUN in arguments.only:
        print(f"\n## {RUN}\n", flush=True)
        arguments.json = json_file(arguments, RUN)
        compare_runs(arguments)
    return status


if __name__ == "__main__":
    run(main)
