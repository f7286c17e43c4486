"""
Looks for what a process keeps: memory, open files, threads, processes and Python objects.

    python -m scripts.benchmarks soak epoch cnn/ga_mage_gru_16 --share 0.25
    python -m scripts.benchmarks soak trainings --trainings 200

`epoch` reads made-up files as large as CNN's or NarrativeQA's with the reader, annotators and data loader of a config,
and makes batches. Nothing is trained. Each story and each question has a word that no other has, which shows if texts
or words are kept. `trainings` trains configs in turn for an epoch on a few simulated stories, and evaluates them.

Memory is the resident memory of this process and its workers. The slope is that
of a line through the second half: the growth in 10,000 questions, or with each training.

Values checked: the epoch has as many questions as the file. Each config has the same metrics in all of its trainings.
"""

import argparse
import contextlib
import gc
import io
import json
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import psutil
from allennlp.common import Params
from allennlp.data import DataLoader, DatasetReader, Vocabulary
from tqdm import tqdm

import allennlp_coref_rc  # noqa: F401  registers what configs name
from allennlp_coref_rc.__main__ import main as coref_rc
from scripts.benchmarks.harness import MIB, Report, Subject, positive, refuse
from scripts.benchmarks.made_up import read_config, write

CONFIGS = {
    "epoch": ["narrativeqa/dassa_coref_feats"],
    "trainings": ["babi/quick_start", "babi/ga_mage_gru", "babi/bi_gru_one_hot"],
}
SAMPLES = 400
DATA = {"folder": "bundled://simulated", "task": 2, "max_instances": 48}

Steps = Iterator[tuple[int, int]]
"""How many questions or trainings are done, and how many there will be."""


def resident() -> float:
    """The memory of this process and of those that it started, in MiB."""
    process = psutil.Process()
    return sum(one.memory_info().rss for one in (process, *process.children(recursive=True))) / MIB


def slope(samples: Sequence[tuple[int, float]]) -> float:
    """The MiB by which memory grows with each question or training, in the second half of them."""
    late = [sample for sample in samples if 2 * sample[0] >= samples[-1][0]]
    return statistics.linear_regression(*zip(*late)).slope if len(late) > 1 else 0.0


def train(config: str, folder: Path) -> dict[str, Any]:
    """Trains a config with little to do, and evaluates it. Returns the metrics without times and memory."""
    params = read_config(config)
    for reader in {"dataset_reader", "validation_dataset_reader"} & params.keys():
        params[reader].update(DATA)
    params["trainer"]["num_epochs"] = 1
    (folder / "config.json").write_text(json.dumps(params))
    run, test = folder / "run", folder / "test.json"
    with contextlib.redirect_stdout(io.StringIO()):
        coref_rc(["train", str(folder / "config.json"), "-s", str(run), "-f"])
        coref_rc(["evaluate", str(run / "model.tar.gz"), "test", "--output-file", str(test)])
    metrics = json.loads((run / "metrics.json").read_text())
    kept = {name: value for name, value in metrics.items() if not name.endswith(("_duration", "_MB"))}
    return {**kept, "evaluated": json.loads(test.read_text())}


class Soak(Subject):
    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        add = parser.add_argument
        add("what", choices=CONFIGS)
        add("configs", nargs="*", metavar="CONFIG", help="one for epoch; default: NarrativeQA, or three of bAbI")
        add("--rows", type=positive, default=10, help="after the first (default: %(default)s)")
        add("--share", type=float, default=1.0, help="of the real size of the files (default: %(default)s)")
        add("--instances-in-memory", type=positive, default=512, help="in an epoch (default: %(default)s)")
        add("--trainings", type=positive, default=200, help="default: %(default)s")

    def measure(self, report: Report) -> int:
        """Reports the resources after the first step and then `--rows` times."""
        what, process, began = self.arguments.what, psutil.Process(), time.perf_counter()
        configs, samples, rows = self.arguments.configs or CONFIGS[what], [], -1
        with tempfile.TemporaryDirectory() as folder:
            for done, total in tqdm(getattr(self, what)(configs, Path(folder)), unit=" steps"):
                if not samples or (done - samples[-1][0]) * SAMPLES >= total:
                    samples.append((done, resident()))
                if done * self.arguments.rows // total == rows:
                    continue
                rows = done * self.arguments.rows // total
                gc.collect()
                row = {
                    what: done,
                    "MiB": resident(),
                    "highest MiB": max(mib for _, mib in samples),
                    "files": process.num_fds(),
                    "threads": process.num_threads(),
                    "processes": len(process.children(recursive=True)),
                    "objects": len(gc.get_objects()),
                    "seconds": time.perf_counter() - began,
                    "slope": {"epoch": 10_000, "trainings": 1}[what] * slope(samples),
                }
                report.add(row)
        return 0

    def epoch(self, configs: Sequence[str], folder: Path) -> Steps:
        """Reads a made-up file once."""
        params, number = read_config(configs[0]), self.arguments.instances_in_memory
        path, questions = write(params["dataset_reader"]["type"], folder, self.arguments.share)
        reader = DatasetReader.from_params(Params(params["dataset_reader"]))
        options = {"max_instances_in_memory": number, "num_workers": 0, "quiet": True}
        loader = DataLoader.from_params(Params({**params["data_loader"], **options}), reader=reader, data_path=path)
        loader.index_with(Vocabulary.from_instances(list(islice(loader.iter_instances(), number))))
        read = 0
        for batch in loader:
            read += len(batch["metadata"])
            yield read, questions
        if read != questions:
            refuse([f"{path}: the epoch has {read} questions, expected {questions}"])

    def trainings(self, configs: Sequence[str], folder: Path) -> Steps:
        """Trains configs in turn."""
        first: dict[str, dict[str, Any]] = {}
        for turn in range(1, self.arguments.trainings + 1):
            config = configs[(turn - 1) % len(configs)]
            metrics = train(config, folder)
            if metrics != first.setdefault(config, metrics):
                refuse([f"{config}: training {turn} has the metrics {metrics}, expected {first[config]}"])
            yield turn, self.arguments.trainings
