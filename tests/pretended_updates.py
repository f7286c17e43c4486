"""
Trains configs on their fixtures for one update, on a pretended GPU, and prints for each what came of it, in
JSON. The configs are small, as `load_small` has them.

    python -m tests.pretended_updates babi-ga_coref_gru=4 narrativeqa-dassa_sdp_exp=2

prints them for updates of 4 and 2 questions, under these words. "mistake" has what is said if position
encodings that are on the CPU meet a text on the GPU, "layer" the launches of one layer, and "benchmark" what
the benchmark on a GPU reports of readers on both devices.
"""

from tests import pretended_gpu  # isort: skip  before anything imports PyTorch

import json
import os
import sys
from argparse import Namespace
from contextlib import redirect_stdout
from unittest import mock

import torch
from allennlp.nn.util import move_to_device

from allennlp_coref_rc.data.annotation_layers.edges import PADDING
from allennlp_coref_rc.modules.gpu import one_pass
from allennlp_coref_rc.modules.seq2seq_encoders import CorefGRU
from allennlp_coref_rc.modules.seq2seq_encoders.dassa import Positions
from scripts.benchmarks import gpu
from scripts.benchmarks.harness import Report
from tests.command_line import exit_status
from tests.training_config.configs import CONFIGS, load_small
from tests.training_config.configs_test import model_and_data


def update(name, size):
    """The loss on both devices, before the update, and what the update launches and waits for on the GPU."""
    model, _, inputs = model_and_data(load_small(CONFIGS / f"{name.replace('-', '/', 1)}.jsonnet"), size)
    with torch.no_grad():
        expected = model.eval()(**inputs)["loss"].item()
    model = model.to("cuda")
    inputs = move_to_device(inputs, torch.device("cuda", 0))
    with torch.no_grad():
        loss = model(**inputs)["loss"].item()
    counts = pretended_gpu.COUNTS
    counts.launches.clear(), counts.syncs.clear()
    trained = model.train()(**inputs)["loss"]
    penalty = model.get_regularization_penalty()
    (trained if penalty is None else trained + penalty).backward()
    syncs = {f"{what}: {line}": number for (what, line), number in counts.syncs.items()}
    missing = [name for name, p in model.named_parameters() if p.requires_grad and p.grad is None]
    kernels = sum(number for (what, _), number in counts.launches.items() if what.startswith("kernel"))
    launches = counts.launches.total()
    numbers = {"loss": loss, "expected": expected, "launches": launches, "kernels": kernels}
    return {**numbers, "missing": missing, "syncs": syncs}


@one_pass
def layer():
    torch.manual_seed(0)
    encoder = CorefGRU(4, 4, bidirectional=False).to("cuda")
    inputs = torch.zeros(2, 3, 4).to("cuda").requires_grad_()
    mask = torch.ones(2, 3, dtype=torch.bool).to("cuda")
    edges = torch.full((2, 3, 1), PADDING).to("cuda")
    annotations = {"coref": {"antecedents": edges, "descendants": edges}}
    upstream = torch.ones_like(encoder(inputs, mask, annotations))
    launches = pretended_gpu.COUNTS.launches
    launches.clear()
    encoder(inputs, mask, annotations).backward(upstream)
    return launches.total()


def mistake():
    with mock.patch.object(Positions, "forward", lambda self, inputs: torch.zeros(inputs.shape[1:])):
        try:
            update("narrativeqa-baseline_qanet", 2)
        except RuntimeError as error:
            return str(error)


def benchmark():
    chosen = {"narrativeqa/dassa_sdp_exp", "babi/ga_mage_gru_triples"}
    with redirect_stdout(sys.stderr):
        report = Report(Namespace(json=None, device="cuda"))
        steps = [step for step in gpu.steps("devices", tiny=True) if step[0] in chosen]
        failed = gpu.measure_parts(report, [("devices", steps, 600)])
    return {"failed": failed, "rows": report.content["rows"], "notes": report.content["notes"]}


def main():
    torch.set_num_threads(1)
    pretended_gpu.begin()
    words = (word.split("=") for word in sys.argv[1:])
    others = {"layer": layer(), "mistake": mistake(), "benchmark": benchmark()}
    print(json.dumps({f"{name}={size}": update(name, int(size)) for name, size in words} | others))


if __name__ == "__main__":
    # PyTorch 2.13 hands a Python context to autograd's thread for the GPU. If the thread drops that of the
    # last update while the interpreter shuts down, it aborts (pytorch/pytorch#38228): the interpreter is not
    # shut down.
    os._exit(exit_status(main))
