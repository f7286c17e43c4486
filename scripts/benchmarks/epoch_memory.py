"""
Measures the memory of an epoch over all of CNN and all of NarrativeQA, read lazily.

    python scripts/benchmarks/epoch_memory.py
    python scripts/benchmarks/epoch_memory.py cnn/cg_sba --share 0.1 --instances-in-memory 1000

Made-up files of the real sizes are written to a temporary folder. Texts repeat, but each story and each question has a
word that no other has. So it shows if texts or words are kept in memory. The config's reader and data loader read the
files with its annotators, in a process of its own, and make one batch after another. Nothing is trained. The vocabulary
is that of the first instances. The script prints the process's resident memory, as a mean over each quarter of the
epoch. It also prints how much the memory grows in 10,000 questions, which is the slope of a line through the second
half. The memory of workers is added, and what they share with the process counts again.

Values checked: the epoch has as many questions as the file.
"""

import argparse
import statistics
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import long_files
import psutil
from allennlp.common import Params
from allennlp.data import DataLoader, DatasetReader, Vocabulary
from batches import read_config
from harness import Report, in_own_process, parse, parser, positive
from tqdm import tqdm

import allennlp_coref_rc  # noqa: F401  registers what configs name
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.script import ScriptParser, run

CONFIGS = ["cnn/ga_mage_gru_16", "narrativeqa/dassa_coref_feats"]
COLUMNS = ("config", "questions", "minutes", "questions/s", *(f"quarter {i}, MiB" for i in (1, 2, 3, 4)))
MIB = 2**20
SAMPLES = 400


class Sample(NamedTuple):
    """The resident memory, in bytes, after a number of questions."""

    questions: int
    resident: int


def resident(process: psutil.Process) -> int:
    """The resident memory of a process and of those that it started, in bytes."""
    return sum(one.memory_info().rss for one in (process, *process.children(recursive=True)))


def epoch(
    params: dict[str, Any], path: str, questions: int, arguments: argparse.Namespace
) -> tuple[list[Sample], float]:
    """Reads a file once, in this process. Returns samples of the memory, and the seconds that it took."""
    reader = DatasetReader.from_params(Params(params["dataset_reader"]))
    options = {
        "max_instances_in_memory": arguments.instances_in_memory,
        "num_workers": arguments.workers,
        "quiet": True,
    }
    loader = DataLoader.from_params(Params({**params["data_loader"], **options}), reader=reader, data_path=path)
    loader.index_with(Vocabulary.from_instances(list(islice(loader.iter_instances(), arguments.instances_in_memory))))
    process = psutil.Process()
    samples, read, start = [Sample(0, resident(process))], 0, time.perf_counter()
    with tqdm(total=questions, desc=path, unit=" questions") as bar:
        for batch in loader:
            read += len(batch["metadata"])
            bar.update(len(batch["metadata"]))
            if read * SAMPLES >= questions * len(samples):
                samples.append(Sample(read, resident(process)))
    if read != questions:
        raise ConfigurationError(f"{path}: no figures, the epoch has {read} questions, expected {questions}")
    return samples, time.perf_counter() - start


def quarters(samples: list[Sample], questions: int) -> list[float]:
    """The mean memory of each quarter of the epoch, in bytes."""
    parts: list[list[int]] = [[], [], [], []]
    for sample in samples:
        parts[max(0, 4 * (sample.questions - 1) // questions)].append(sample.resident)
    # A tiny file may have no batch that ends in a quarter.
    return [statistics.mean(part or parts[0]) for part in parts]


def slope(samples: list[Sample], questions: int) -> float:
    """The number of bytes by which the memory grows with each question in the second half."""
    late = [sample for sample in samples if 2 * sample.questions >= questions]
    return statistics.linear_regression(*zip(*late)).slope if len(late) > 1 else 0.0


def share(value: str) -> float:
    """The value of an option that is a number above 0, and at most 1."""
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if not 0 < number <= 1:
        raise argparse.ArgumentTypeError(f"found {value!r}, expected a number above 0, at most 1")
    return number


def options() -> ScriptParser:
    result = parser(__doc__, rounds=None, threads=1)
    result.add_argument("configs", nargs="*", metavar="CONFIG", default=CONFIGS, help="default: %(default)s")
    result.add_argument("--share", type=share, default=1.0, help="of the real size (default: %(default)s)")
    result.add_argument("--instances-in-memory", type=positive, default=512, help="default: %(default)s")
    result.add_argument("--workers", type=int, default=0, help="processes that read (default: %(default)s)")
    return result


def main() -> None:
    arguments = parse(options())
    report = Report(arguments, [*COLUMNS, "highest, MiB", "growth in 10,000 questions, MiB"])
    for config in arguments.configs:
        params = read_config(config)
        with tempfile.TemporaryDirectory() as folder:
            path, questions = long_files.write(params["dataset_reader"]["type"], Path(folder), arguments.share)
            samples, seconds = in_own_process(epoch, params, path, questions, arguments)
        means, highest = quarters(samples, questions), max(sample.resident for sample in samples)
        growth = 10_000 * slope(samples, questions)
        memory = [f"{value / MIB:,.1f}" for value in (*means, highest)]
        cells = [config, f"{questions:,}", f"{seconds / 60:.1f}", f"{questions / seconds:,.0f}", *memory]
        row = {"config": config, "questions": questions, "seconds": seconds, "quarters": means, "highest": highest}
        report.add([*cells, f"{growth / MIB:.2f}"], {**row, "growth_in_10000": growth, "samples": samples})


if __name__ == "__main__":
    run(main)
