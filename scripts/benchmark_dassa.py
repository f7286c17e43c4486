"""
Times forward and backward of `dassa`, plain and with heads that see annotations, beside allennlp-models'
`qanet_encoder` of the same size, in training mode; with `--model` a whole update, Adam included, of `annotated_qanet`
as configured in training_config/narrativeqa, beside allennlp-models' `qanet` with the same embedder.

    python scripts/benchmark_dassa.py --threads 1 --lengths 200 400 800 --model

All are run in turn, and what is printed are medians and ratios of them: what the machine does besides affects all. On
a CPU with one thread the time is that of the process, not that of the clock. Peak memory is measured in a process of
its own for each (on Linux), less what the process has before the call.
"""

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable, Dict

import torch
from allennlp.common import Params
from allennlp.data import Vocabulary
from allennlp.models import Model
from allennlp.nn.util import move_to_device
from allennlp.training.optimizers import Optimizer
from allennlp_models.rc import models  # noqa: F401  registers one
from allennlp_models.rc.modules.seq2seq_encoders.qanet_encoder import QaNetEncoder

from allennlp_coref_rc.annotations.layers import label_namespace
from allennlp_coref_rc.modules.seq2seq_encoders import Dassa, EncoderInput, encode

NUM_LABELS = 100
HEADS = {
    "dassa without heads": {},
    "dassa explicit 2": {"explicit": 2},
    "dassa explicit 2 srl 3 coref 1": {"explicit": 2, "srl": 3, "coref": 1},
}
CONFIGS = {
    "dassa without heads": "baseline_qanet",
    "dassa explicit 2": "dassa_sdp_exp",
    "dassa explicit 2 srl 3 coref 1": "dassa_multi_srl_sdp_exp_coref_feats",
}
# As many heads as the configs have, by the names of their layers.
LAYERS = {"explicit": "discourse_explicit"}
BASELINE = "allennlp-models"
ALL_HEADS = HEADS["dassa explicit 2 srl 3 coref 1"]
QUESTION_LENGTH = 11
NUM_WORDS = 10000


def make_vocabulary() -> Vocabulary:
    layers = {LAYERS.get(layer, layer) for layer in ALL_HEADS} | set(ALL_HEADS)
    labels = {label_namespace(layer): {str(i): 1 for i in range(NUM_LABELS)} for layer in layers}
    return Vocabulary(counter={**labels, "tokens": {str(i): 1 for i in range(NUM_WORDS)}})


def make_annotations(batch: int, length: int, sentence: int, generator: torch.Generator) -> Dict[str, Any]:
    """Random labels; sentences of random lengths, on average as asked for."""
    sentences = 1 + (torch.rand(batch, length, 1, generator=generator) < 1 / sentence).cumsum(dim=1)
    annotations = {}
    for layer, number in ALL_HEADS.items():
        labels = torch.randint(NUM_LABELS, (batch, length, number), generator=generator)
        scopes = torch.ones_like(labels) if layer == "coref" else sentences.expand_as(labels)
        annotations[layer] = annotations[LAYERS.get(layer, layer)] = {"labels": labels, "scopes": scopes}
    return annotations


def encoder_update(name: str, batch: int, length: int, sentence: int, device: str) -> Callable[[], None]:
    torch.manual_seed(0)
    if name == BASELINE:
        encoder: torch.nn.Module = QaNetEncoder(
            128, 128, 128, 128, num_blocks=7, num_convs_per_block=2, conv_kernel_size=5, num_attention_heads=8
        )
    else:
        encoder = Dassa(128, heads=HEADS[name], vocab=make_vocabulary())
    encoder.to(device)
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randn(batch, length, 128, generator=generator)
    mask = torch.ones(batch, length, dtype=torch.bool)
    annotations = make_annotations(batch, length, sentence, generator)
    sequence = EncoderInput(*move_to_device([inputs, mask, annotations], torch.device(device)))
    sequence.inputs.requires_grad_()
    return lambda: encode(encoder, sequence).sum().backward()


def model_update(name: str, batch: int, length: int, sentence: int, device: str) -> Callable[[], None]:
    torch.manual_seed(0)
    config = Params.from_file(f"training_config/narrativeqa/{CONFIGS.get(name, 'baseline_qanet')}.jsonnet")
    params = config["model"]
    if name == BASELINE:
        params["type"] = "qanet"
        for layer, (blocks, convolutions, width) in {"phrase_layer": (1, 4, 7), "modeling_layer": (7, 2, 5)}.items():
            params[layer] = {
                "type": "qanet_encoder",
                "input_dim": (
                    params["text_field_embedder"]["token_embedders"]["tokens"]["embedding_dim"]
                    + params["text_field_embedder"]["token_embedders"]["characters"]["encoder"]["num_filters"]
                    if layer == "phrase_layer"
                    else 128
                ),
                "hidden_dim": 128,
                "attention_projection_dim": 128,
                "feedforward_hidden_dim": 128,
                "num_blocks": blocks,
                "num_convs_per_block": convolutions,
                "conv_kernel_size": width,
                "num_attention_heads": 8,
            }
    model = Model.from_params(params, vocab=make_vocabulary()).to(device)
    named = [(name, parameter) for name, parameter in model.named_parameters() if parameter.requires_grad]
    optimizer = Optimizer.from_params(config["trainer"]["optimizer"], model_parameters=named)
    generator = torch.Generator().manual_seed(0)

    def text(tokens: int) -> Dict[str, Any]:
        return {
            "tokens": {"tokens": torch.randint(2, NUM_WORDS, (batch, tokens), generator=generator)},
            "characters": {"token_characters": torch.randint(1, 261, (batch, tokens, 12), generator=generator)},
        }

    span = torch.full((batch, 1), length // 2)
    batch_of_data = {"passage": text(length), "question": text(QUESTION_LENGTH), "span_start": span, "span_end": span}
    if name in CONFIGS:
        batch_of_data["passage_annotations"] = make_annotations(batch, length, sentence, generator)
        batch_of_data["question_annotations"] = make_annotations(batch, QUESTION_LENGTH, sentence, generator)
    batch_of_data = move_to_device(batch_of_data, torch.device(device))
    model.train()

    def update() -> None:
        optimizer.zero_grad()
        (model(**batch_of_data)["loss"] + (model.get_regularization_penalty() or 0)).backward()
        optimizer.step()

    return update


def make_update(name: str, arguments: argparse.Namespace, batch: int, length: int) -> Callable[[], None]:
    make = model_update if arguments.model else encoder_update
    update = make(name, batch, length, arguments.sentence, arguments.device)

    def finished() -> None:
        update()
        if arguments.device != "cpu":
            torch.cuda.synchronize()

    return finished


def mebibytes(name: str, arguments: argparse.Namespace, length: int) -> float:
    command = [sys.executable, __file__, "--memory-of", name, "--lengths", str(length)]
    for key in ("batch", "sentence", "threads", "device"):
        command += [f"--{key}", str(getattr(arguments, key))]
    command += ["--model"] if arguments.model else []
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1])


def peak_of_process() -> float:
    """The largest resident size in MiB, as Linux has it."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(status["VmHWM"].split()[0]) / 2**10


def measure_memory(arguments: argparse.Namespace) -> float:
    update = make_update(arguments.memory_of, arguments, arguments.batch, arguments.lengths[0])
    if arguments.device == "cpu":
        make_update(arguments.memory_of, arguments, 1, 16)()
        Path("/proc/self/clear_refs").write_text("5")  # The peak so far, of imports, is forgotten.
        before = peak_of_process()
        update()
        return peak_of_process() - before
    update()
    return torch.cuda.max_memory_allocated() / 2**20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lengths", type=int, nargs="+", default=[200, 400, 800])
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--sentence", type=int, default=20, help="tokens of a sentence, on average")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, default=1, help="of the CPU")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--model", action="store_true", help="a whole update")
    parser.add_argument("--memory-of", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    if arguments.memory_of:
        print(measure_memory(arguments))
        return

    clock = time.process_time if arguments.device == "cpu" and arguments.threads == 1 else time.perf_counter
    for length in arguments.lengths:
        updates = {name: make_update(name, arguments, arguments.batch, length) for name in (BASELINE, *HEADS)}
        seconds = {name: [] for name in updates}
        for round in range(arguments.rounds + 2):
            for name, update in updates.items():
                start = clock()
                update()
                # The first two rounds warm up.
                if round >= 2:
                    seconds[name].append(clock() - start)
        medians = {name: 1000 * statistics.median(times) for name, times in seconds.items()}
        memory = {name: mebibytes(name, arguments, length) for name in updates}
        print(f"batch {arguments.batch}, length {length}, {arguments.device}, {arguments.threads} threads")
        for name in updates:
            print(
                f"  {name:32}{medians[name]:9.1f} ms  {medians[name] / medians[BASELINE]:5.2f}"
                f"{memory[name]:9.0f} MiB  {memory[name] / memory[BASELINE]:5.2f}"
            )


if __name__ == "__main__":
    main()
