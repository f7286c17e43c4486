"""
Times forward and backward of `dassa`, plain and with heads that see annotations, beside allennlp-models'
`qanet_encoder` of the same size, in training mode.

    python scripts/benchmarks/dassa.py --threads 1 --lengths 200 400 800

All are run in turn, and what is printed are medians and ratios of them: what the machine does besides affects all. On
a CPU with one thread the time is that of the process, not that of the clock. Peak memory is measured in a process of
its own for each (on Linux), less what the process has before the call.
"""

import argparse
import statistics
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Callable, Dict, List, Sequence

import torch
from allennlp.data import Vocabulary
from allennlp_models.rc.modules.seq2seq_encoders.qanet_encoder import QaNetEncoder

from allennlp_coref_rc.data.annotation_layers import label_namespace
from allennlp_coref_rc.modules.seq2seq_encoders import Dassa, EncoderInput, encode

NUM_LABELS = 100
HEADS = {
    "dassa without heads": {},
    "dassa explicit 2": {"explicit": 2},
    "dassa explicit 2 srl 3 coref 1": {"explicit": 2, "srl": 3, "coref": 1},
}
BASELINE = "qanet_encoder"


def make_encoder(name: str) -> torch.nn.Module:
    torch.manual_seed(0)
    if name == BASELINE:
        return QaNetEncoder(
            128, 128, 128, 128, num_blocks=7, num_convs_per_block=2, conv_kernel_size=5, num_attention_heads=8
        )
    counter = {label_namespace(layer): {str(i): 1 for i in range(NUM_LABELS)} for layer in ("explicit", "srl", "coref")}
    return Dassa(128, heads=HEADS[name], vocab=Vocabulary(counter=counter))


def make_input(batch: int, length: int, sentence: int, device: str) -> EncoderInput:
    """Random vectors and labels; sentences of random lengths, on average as asked for."""
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randn(batch, length, 128, generator=generator)
    sentences = 1 + (torch.rand(batch, length, 1, generator=generator) < 1 / sentence).cumsum(dim=1)
    annotations = {}
    for layer, number in HEADS["dassa explicit 2 srl 3 coref 1"].items():
        labels = torch.randint(NUM_LABELS, (batch, length, number), generator=generator)
        scopes = torch.ones_like(labels) if layer == "coref" else sentences.expand_as(labels)
        annotations[layer] = {"labels": labels.to(device), "scopes": scopes.to(device)}
    mask = torch.ones(batch, length, dtype=torch.bool)
    return EncoderInput(inputs.to(device).requires_grad_(), mask.to(device), annotations)


def update(encoder: torch.nn.Module, sequence: EncoderInput) -> None:
    encode(encoder, sequence).sum().backward()
    if sequence.inputs.is_cuda:
        torch.cuda.synchronize()


def peak_of_process() -> float:
    """The largest resident size in MiB, as Linux has it."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(status["VmHWM"].split()[0]) / 2**10


def measure_memory(arguments: argparse.Namespace) -> float:
    encoder = make_encoder(arguments.memory_of).to(arguments.device)
    sequence = make_input(arguments.batch, arguments.lengths[0], arguments.sentence, arguments.device)
    if arguments.device == "cpu":
        update(encoder, make_input(1, 8, 4, "cpu"))
        Path("/proc/self/clear_refs").write_text("5")  # The peak so far, of imports, is forgotten.
        before = peak_of_process()
        update(encoder, sequence)
        return peak_of_process() - before
    update(encoder, sequence)
    return torch.cuda.max_memory_allocated() / 2**20


def compare(
    make_updates: Callable[[int], Dict[str, Callable[[], None]]],
    arguments: argparse.Namespace,
    script: str,
    options: Sequence[str],
) -> None:
    """
    Prints time and memory of the updates that there are of each length, in turn, beside those of the first. Memory is
    what the script, given these of its options, measures of each.
    """

    def mebibytes(name: str, length: int) -> float:
        command = [sys.executable, script, "--memory-of", name, "--lengths", str(length)]
        for option in options:
            command += [f"--{option}", str(getattr(arguments, option))]
        return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1])

    clock = time.process_time if arguments.device == "cpu" and arguments.threads == 1 else time.perf_counter
    for length in arguments.lengths:
        updates = make_updates(length)
        seconds: Dict[str, List[float]] = {name: [] for name in updates}
        for round in range(arguments.rounds + 2):
            for name, update in updates.items():
                start = clock()
                update()
                # The first two rounds warm up.
                if round >= 2:
                    seconds[name].append(clock() - start)
        medians = {name: 1000 * statistics.median(times) for name, times in seconds.items()}
        memory = {name: mebibytes(name, length) for name in updates}
        baseline = next(iter(updates))
        print(f"batch {arguments.batch}, length {length}, {arguments.device}, {arguments.threads} threads")
        for name in updates:
            print(
                f"  {name:32}{medians[name]:9.1f} ms  {medians[name] / medians[baseline]:5.2f}"
                f"{memory[name]:9.0f} MiB  {memory[name] / memory[baseline]:5.2f}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lengths", type=int, nargs="+", default=[200, 400, 800])
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--sentence", type=int, default=20, help="tokens of a sentence, on average")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, default=1, help="of the CPU")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--memory-of", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    if arguments.memory_of:
        print(measure_memory(arguments))
        return

    encoders = {name: make_encoder(name).to(arguments.device) for name in (BASELINE, *HEADS)}

    def updates(length: int) -> Dict[str, Callable[[], None]]:
        sequence = make_input(arguments.batch, length, arguments.sentence, arguments.device)
        return {name: partial(update, encoder, sequence) for name, encoder in encoders.items()}

    compare(updates, arguments, __file__, ("batch", "sentence", "threads", "device"))


if __name__ == "__main__":
    main()
