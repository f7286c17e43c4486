"""
Measures how the questions of a config are prepared, and how their batches are made, at the size of the real
data.

    python -m scripts.benchmarks loading cnn/ga_gru+coref_gru --questions 100000

The files are made up, in the official formats of CNN and WikiHop, with the real lengths and numbers of words.
Two new processes do what a training does before its first update, and make batches: the first prepares the
data, the second finds them prepared. `start s` is from the start of the process to the first batch, with all
imports. Nothing consumes the batches. MiB are the peak of the resident memory of all processes together. Disk
space is that of the prepared data, in bytes a token of passages and questions.

Values checked: both processes have as many questions as the file, and equal first batches.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from allennlp_coref_rc.common.errors import ConfigurationError
from scripts.benchmarks.harness import MIB, Report, Subject, num_cpus, positive, refuse

TEXTS = 2000
"""The most different texts. Each question has one of them."""

SUPPORT = 150
"""The number of words in a supporting document of WikiHop."""

TOKENS = {"annotated_cnn_dailymail": 762, "annotated_wikihop": 2000}
"""By reader, the length of a passage."""


class Loading(Subject):
    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "config", metavar="CONFIG", help="of CNN, the Daily Mail or WikiHop; +VARIANT adds one"
        )
        parser.add_argument(
            "--questions", type=positive, default=2000, metavar="N", help="default: %(default)s"
        )
        parser.add_argument("--batches", type=positive, default=300, metavar="N", help="default: %(default)s")

    def measure(self, report: Report) -> int:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            path = write(self.arguments.config, folder, self.arguments.questions)
            results = [self._run(folder, path) for _ in range(2)]
        refuse(
            [
                f"found {run['questions']} questions"
                for run in results
                if run["questions"] != self.arguments.questions
            ]
        )
        refuse(["the first batches differ"] if len({run["batch"] for run in results}) > 1 else [])
        for name, result in zip(("the first", "another"), results):
            report.add(
                {
                    "process": name,
                    "questions": result["questions"],
                    "start s": result["start"],
                    "preparing s": result["preparing"],
                    "questions/s": result["questions"] / result["preparing"],
                    "cores": num_cpus(),
                    "batches/s": result["batches"] / result["seconds"],
                    "MiB": result["peak"],
                    "bytes a token": result["bytes"] / result["tokens"],
                }
            )
        return 0

    def _run(self, folder: Path, path: Path) -> dict[str, Any]:
        words = self.arguments.config, str(path), self.arguments.batches
        code = f"from scripts.benchmarks import loading; loading.load(*{words!r})"
        environment = {
            **os.environ,
            "ALLENNLP_CACHE_ROOT": str(folder / "cache"),
            "STARTED": str(time.time()),
        }
        process = psutil.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment, text=True
        )
        peak = 0.0
        while process.poll() is None:
            peak = max(peak, _resident(process))
            time.sleep(0.1)
        output = process.stdout.read() if process.stdout else ""
        if process.returncode:
            raise ConfigurationError(f"no figures: the process ended with status {process.returncode}")
        store = sum(
            file.stat().st_size for file in (folder / "cache" / "prepared").rglob("*") if file.is_file()
        )
        return {**json.loads(output.splitlines()[-1]), "peak": peak / MIB, "bytes": store}


def _resident(process: psutil.Process) -> float:
    """The memory of a process and of those that it started."""
    total = 0.0
    with suppress(psutil.NoSuchProcess):
        for one in (process, *process.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                total += one.memory_info().rss
    return total


def load(config: str, path: str, batches: int) -> None:
    """What a training does up to its first batches. Prints the figures as JSON."""
    from allennlp.common import Params
    from allennlp.data import DataLoader, DatasetReader, Vocabulary

    import allennlp_coref_rc  # noqa: F401  registers what configs name
    from scripts.benchmarks.made_up import read_config

    started = float(os.environ["STARTED"])
    params = read_config(config)
    began = time.perf_counter()
    reader = DatasetReader.from_params(Params(params["dataset_reader"]))
    loader = DataLoader.from_params(Params(params["data_loader"]), reader=reader, data_path=path)
    prepared = time.perf_counter()
    random.seed(0)
    loader.index_with(Vocabulary.from_instances(loader.iter_instances()))
    made = iter(loader)
    first = next(made)
    start = time.time() - started
    number, begin = 0, time.perf_counter()
    while number < batches:
        if next(made, None) is None:
            made = iter(loader)
            continue
        number += 1
    seconds = time.perf_counter() - begin
    lengths = [
        len(instance.fields[name]) for instance in loader.iter_instances() for name in ("passage", "question")
    ]
    figures = {
        "questions": len(lengths) // 2,
        "tokens": sum(lengths),
        "preparing": prepared - began,
        "start": start,
        "batches": number,
        "seconds": seconds,
        "batch": int(first["passage"]["tokens"]["tokens"].sum()),
    }
    print(json.dumps(figures))


def write(config: str, folder: Path, questions: int) -> Path:
    """Writes a training file with this number of questions for the reader of a config."""
    from scripts.benchmarks.made_up import ENTITIES, NAMES, make_texts, read_config

    reader = read_config(config)["dataset_reader"]["type"]
    if reader not in TOKENS:
        raise ConfigurationError(f"found a config of {reader}, expected one of {', '.join(TOKENS)}")
    of_wikihop = reader == "annotated_wikihop"
    path = folder / ("train.json" if of_wikihop else "training.jsonl")
    texts = make_texts(NAMES if of_wikihop else ENTITIES, min(TEXTS, questions), TOKENS[reader])
    with open(path, "w", encoding="utf-8") as file:
        file.writelines((_wikihop if of_wikihop else _cnn)(texts, questions))
    return path


def _cnn(texts: list[str], questions: int) -> Iterator[str]:
    from scripts.benchmarks.made_up import ENTITIES, QUESTION

    entities = {entity: f"Name {entity[1:]}" for entity in ENTITIES}
    for i in range(questions):
        known = {"question": QUESTION, "answer": ENTITIES[0], "entities": entities}
        item = {"id": str(i), "passage": texts[i % len(texts)], **known}
        yield json.dumps(item) + "\n"


def _wikihop(texts: list[str], questions: int) -> Iterator[str]:
    from scripts.benchmarks.made_up import NAMES

    for i in range(questions):
        words = texts[i % len(texts)].split()
        supports = [" ".join(words[start : start + SUPPORT]) for start in range(0, len(words), SUPPORT)]
        item = {"id": f"WH_train_{i}", "query": f"acquaintance_of {NAMES[i % 5 + 1]}", "answer": NAMES[0]}
        yield f"{',' if i else '['}\n{json.dumps({**item, 'candidates': NAMES, 'supports': supports})}"
    yield "\n]\n"
