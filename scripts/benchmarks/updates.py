"""
Times a whole training update of an experiment, Adam included, beside the forward and backward of one `torch.nn.GRU`.

    python scripts/benchmarks/updates.py training_config/babi/ga_coref_gru.jsonnet --tokens 100

The batch is stories of the bundled simulated data of about that many tokens. Both are timed in turn, and what is
printed are medians and their ratio: what the machine does besides affects both.
"""

import argparse
import json
import statistics
import time
from pathlib import Path

import torch
from allennlp.common import Params
from allennlp.data import Batch, DatasetReader, Vocabulary
from allennlp.models import Model

import allennlp_coref_rc

SIMULATED = Path(allennlp_coref_rc.__file__).parent / "data" / "simulated_babi"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--tokens", type=int, default=100)
    parser.add_argument("--size", type=int, default=64, help="of the GRU")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, help="of the CPU (default: PyTorch's)")
    arguments = parser.parse_args()
    if arguments.threads:
        torch.set_num_threads(arguments.threads)

    overrides = json.dumps({"dataset_reader.folder": str(SIMULATED), "dataset_reader.task": 2})
    params = Params.from_file(arguments.config, params_overrides=overrides)
    instances = list(DatasetReader.from_params(params["dataset_reader"]).read("train"))
    vocab = Vocabulary.from_instances(instances)
    instances.sort(key=lambda instance: abs(len(instance["passage"]) - arguments.tokens))
    batch = Batch(instances[: arguments.batch])
    batch.index_instances(vocab)
    inputs = batch.as_tensor_dict()
    model = Model.from_params(params["model"], vocab=vocab)
    optimizer = torch.optim.Adam(model.parameters())
    gru = torch.nn.GRU(arguments.size, arguments.size, batch_first=True)
    sequence = torch.randn(arguments.batch, arguments.tokens, arguments.size, requires_grad=True)

    def update() -> None:
        optimizer.zero_grad()
        model(**inputs)["loss"].backward()
        optimizer.step()

    def baseline() -> None:
        gru(sequence)[0].sum().backward()

    seconds = {update: [], baseline: []}
    for round in range(arguments.rounds + 2):
        for function, times in seconds.items():
            start = time.perf_counter()
            function()
            # The first two rounds warm up.
            if round >= 2:
                times.append(time.perf_counter() - start)
    medians = {function: 1000 * statistics.median(times) for function, times in seconds.items()}
    shape = tuple(inputs["passage"]["tokens"]["tokens"].shape)
    print(f"{arguments.config}, passages {shape}, {torch.get_num_threads()} threads")
    print(f"update                {medians[update]:8.1f} ms")
    print(f"torch.nn.GRU {arguments.batch, arguments.tokens, arguments.size}: {medians[baseline]:.1f} ms")
    print(f"ratio                 {medians[update] / medians[baseline]:8.2f}")


if __name__ == "__main__":
    main()
