"""
Times whole training updates (forward, penalty, backward, clipping, Adam) of NarrativeQA's experiments beside
allennlp-models' `qanet` of the same sizes.

    python scripts/benchmarks/qanet.py --threads 1 --lengths 200 400 800

Passages are random words with full stops and connectives between them, so that there are sentences and relations. All
are run in turn, and what is printed are medians and ratios of them: what the machine does besides affects all. On a CPU
with one thread the time is that of the process, not that of the clock. Peak memory is measured in a process of its own
for each (on Linux), less what the process has before the update.
"""

import argparse
import copy
import random
from pathlib import Path
from typing import Any, Callable, Dict, List

import torch
from allennlp.common import Params
from allennlp.data import Batch, DatasetReader, Instance, Vocabulary
from allennlp.models import Model
from allennlp.nn.util import move_to_device
from dassa import compare, peak_of_process

import allennlp_coref_rc  # noqa: F401  registers what configs name

CONFIGS = Path(__file__).resolve().parents[2] / "training_config" / "narrativeqa"
BASELINE = "allennlp-models' qanet"
CONNECTIVES = ["but", "because", "when", "then", "although", "instead"]


def allennlp_qanet(model: Dict[str, Any]) -> Dict[str, Any]:
    """The config of allennlp-models' model and encoders, from that of ours."""
    theirs = copy.deepcopy(model)
    theirs["type"] = "qanet"
    theirs["text_field_embedder"]["token_embedders"]["characters"]["encoder"].update(type="cnn", ngram_filter_sizes=[5])
    for name, convolutions, width in (("phrase_layer", 4, 7), ("modeling_layer", 2, 5)):
        layer = theirs[name]
        theirs[name] = {
            "type": "qanet_encoder",
            "attention_projection_dim": layer["hidden_dim"],
            "num_convs_per_block": convolutions,
            "conv_kernel_size": width,
            "num_attention_heads": 8,
            **{key: layer[key] for key in ("input_dim", "hidden_dim", "num_blocks", "feedforward_hidden_dim")},
        }
    return theirs


def questions(reader: DatasetReader, arguments: argparse.Namespace, length: int) -> List[Instance]:
    rng = random.Random(0)
    words = ["".join(rng.choices("abcdefghij", k=rng.randint(1, 9))) for _ in range(5000)]

    def text(number: int) -> List[str]:
        kinds = rng.choices([words, CONNECTIVES, ["."]], [18, 1, 1], k=number)
        return [rng.choice(kind) for kind in kinds]

    instances = []
    for _ in range(arguments.batch):
        passage = text(length)
        instances.append(reader.text_to_instance(passage, text(11), [" ".join(passage[3:6])], (3, 6)))
        reader.apply_token_indexers(instances[-1])
    return instances


def make_update(name: str, arguments: argparse.Namespace, length: int) -> Callable[[], None]:
    params = Params.from_file(str(CONFIGS / f"{'baseline_qanet' if name == BASELINE else name}.jsonnet")).as_dict()
    instances = questions(DatasetReader.from_params(Params(params["dataset_reader"])), arguments, length)
    vocab = Vocabulary.from_instances(instances)
    config = allennlp_qanet(params["model"]) if name == BASELINE else params["model"]
    torch.manual_seed(0)
    model = Model.from_params(Params(config), vocab=vocab).to(arguments.device)
    batch = Batch(instances)
    batch.index_instances(vocab)
    inputs = move_to_device(batch.as_tensor_dict(), torch.device(arguments.device))
    if name == BASELINE:
        inputs = {key: value for key, value in inputs.items() if "annotations" not in key}
    parameters = list(model.parameters())
    optimizer = torch.optim.Adam(parameters, lr=0.001, betas=(0.8, 0.999), eps=1e-7)

    def update() -> None:
        optimizer.zero_grad()
        (model(**inputs)["loss"] + model.get_regularization_penalty()).backward()
        torch.nn.utils.clip_grad_norm_(parameters, 5.0)
        optimizer.step()
        if arguments.device != "cpu":
            torch.cuda.synchronize()

    return update


def measure_memory(arguments: argparse.Namespace) -> float:
    update = make_update(arguments.memory_of, arguments, arguments.lengths[0])
    if arguments.device == "cpu":
        make_update(arguments.memory_of, arguments, 8)()
        Path("/proc/self/clear_refs").write_text("5")  # The peak so far, of imports, is forgotten.
        before = peak_of_process()
        update()
        return peak_of_process() - before
    update()
    return torch.cuda.max_memory_allocated() / 2**20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--configs", nargs="+", default=["baseline_qanet", "dassa_sdp_exp", "dassa_coref_feats"])
    parser.add_argument("--lengths", type=int, nargs="+", default=[200, 400, 800])
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, default=1, help="of the CPU")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--memory-of", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    if arguments.memory_of:
        print(measure_memory(arguments))
        return

    names = [BASELINE, *arguments.configs]

    def updates(length: int) -> Dict[str, Callable[[], None]]:
        return {name: make_update(name, arguments, length) for name in names}

    compare(updates, arguments, __file__, ("batch", "threads", "device"))


if __name__ == "__main__":
    main()
