"""
Counts what a training update launches and waits for on a GPU, by line. No GPU is needed: it is a pretended
one (see pretended_gpu.py).

    python -m scripts.benchmarks launches wikihop/ga_coref_gru narrativeqa/dassa_sdp_exp --tokens 2000

An update is forward, penalty and backward of a config's model; the optimizer is left out. What a batch's copy
to the GPU waits for is not counted either. Below each row are the lines that wait for the GPU, and those with
the most launches: a line of this package, and after "<" one of a library that it called. Launches of the
backward pass have no line.

Values checked: tensors on the GPU meet no tensors on the CPU.
"""

from scripts.benchmarks import pretended_gpu  # isort: skip  before anything imports PyTorch

import argparse
from collections import Counter

from scripts.benchmarks.harness import Report, Subject, positive
from scripts.benchmarks.made_up import Text
from scripts.benchmarks.updates import Experiment, Variant


class Launches(Subject):
    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        add = parser.add_argument
        add("models", nargs="+", metavar="MODEL", help="a config or CONFIG+VARIANT")
        add("--batch", type=positive, default=10)
        add("--tokens", type=positive, default=800, help="of passages")
        add("--words", type=positive, default=1000, help="in the vocabulary of cloze questions")
        add("--lines", type=positive, default=10, help="how many lines are named (default: %(default)s)")

    def measure(self, report: Report) -> int:
        pretended_gpu.begin()
        self.arguments.device = "cuda"
        for model in self.arguments.models:
            experiment = Experiment(
                Variant(model, ""), Text(self.arguments.batch, self.arguments.tokens), self.arguments
            )
            inputs, counts = experiment.tensors(), pretended_gpu.COUNTS
            counts.launches.clear(), counts.syncs.clear()
            loss = experiment.loss(inputs)
            forward = counts.launches.total()
            loss.backward()
            launches, kernels = (
                counts.launches.total(),
                [n for (x, _), n in counts.launches.items() if "kernel" in x],
            )
            row = {
                "launches": launches,
                "forward": forward,
                "backward": launches - forward,
                "kernels": sum(kernels),
            }
            report.add({"model": model, **row, "syncs": counts.syncs.total()})
            for (what, line), number in counts.syncs.most_common():
                report.add({"syncs": number, "what": what, "line": line})
            lines: Counter[str] = Counter()
            for (what, line), number in counts.launches.items():
                lines[f"{line}: {what}" if line == "backward" else line] += number
            for line, number in lines.most_common(self.arguments.lines):
                report.add({"launches": number, "line": line})
        return 0
