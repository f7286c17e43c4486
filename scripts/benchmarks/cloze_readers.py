"""
Time and memory of a whole training update of a cloze reader on long passages, Adam included: by default CNN's largest
setting, 32 passages of 2,000 tokens and GRUs of 256 units a direction. Each row is a process of its own.

    python scripts/benchmarks/cloze_readers.py training_config/cnn/ga_gru.jsonnet training_config/cnn/ga_coref_gru.jsonnet

Passages are random words and entity markers, `--entities` different ones, which are the candidates. "dense" is the same
reader with candidates as an array of batch x tokens x candidates of floats, as the GA Reader's code has them, padded to
`--padded-candidates`, the most that any question of the data set has.

On a CPU with one thread the time is that of the process, not that of the clock. Peak memory on the CPU is the growth of
the resident size over what the process had with model and batch loaded (`getrusage`); on a GPU
`torch.cuda.max_memory_allocated`.
"""

import argparse
import json
import multiprocessing
import random
import resource
import statistics
import time
from typing import Dict, List

import torch
from allennlp.common import Params
from allennlp.data import Batch, DatasetReader, Vocabulary
from allennlp.models import Model
from allennlp.nn.util import move_to_device

import allennlp_coref_rc  # noqa: F401  registers what configs name
from allennlp_coref_rc.modules.answer_layers import AnswerInput, AnswerLayer, AnswerOutput
from allennlp_coref_rc.modules.masked_softmax import masked_softmax

QUESTION = "@entity1 says that @placeholder has met the president of @entity2 in the capital on monday"


class DenseAttentionSum(AnswerLayer):
    """`AttentionSum` with a dense array that says which token belongs to which candidate."""

    def __init__(self, padded_candidates: int) -> None:
        super().__init__()
        self._padded_candidates = padded_candidates

    def forward(self, inputs: AnswerInput) -> AnswerOutput:
        candidates, positions = inputs.candidates["candidates"], inputs.candidates["positions"]
        belongs = inputs.passage.new_zeros(*inputs.passage_mask.shape, self._padded_candidates)
        example = torch.arange(len(candidates), device=candidates.device).unsqueeze(1).expand_as(candidates)
        occurs = candidates >= 0
        belongs[example[occurs], positions[occurs], candidates[occurs]] = 1.0
        scores = (inputs.passage @ inputs.question_vector.unsqueeze(-1)).squeeze(-1)
        attention = masked_softmax(scores, inputs.passage_mask) * belongs.amax(dim=2)
        attention = attention / attention.sum(dim=1, keepdim=True)
        probabilities = (attention.unsqueeze(-1) * belongs).sum(dim=1)
        return AnswerOutput((probabilities[:, : inputs.candidates["mask"].size(1)] + 1e-7).log(), attention)


def passages(arguments: argparse.Namespace) -> List[str]:
    """Half of the tokens are frequent words, a tenth entity markers, the rest drawn from all words."""
    rng = random.Random(0)
    choices = [
        lambda: f"word{int(200 * rng.random() ** 2)}",
        lambda: f"@entity{rng.randrange(1, arguments.entities + 1)}",
        lambda: f"word{rng.randrange(arguments.words)}",
    ]
    return [
        " ".join(rng.choices(choices, [5, 1, 4])[0]() for _ in range(arguments.tokens)) for _ in range(arguments.batch)
    ]


def measure(config: str, dense: bool, arguments: argparse.Namespace, queue: multiprocessing.Queue) -> None:
    torch.manual_seed(0)
    if arguments.threads:
        torch.set_num_threads(arguments.threads)
    params = Params.from_file(config)
    reader = DatasetReader.from_params(params["dataset_reader"])
    entities = [f"@entity{i + 1}" for i in range(arguments.entities)]
    instances = []
    for passage in passages(arguments):
        instances.append(reader.text_to_instance(passage, QUESTION, entities, answer="@entity1"))
        reader.apply_token_indexers(instances[-1])
    vocab = Vocabulary.from_instances(instances)
    # As many words as the data set has, whether this batch has them or not.
    vocab.add_tokens_to_namespace([f"word{i}" for i in range(arguments.words)], "tokens")
    batch = Batch(instances)
    batch.index_instances(vocab)
    device = torch.device(arguments.device)
    inputs = move_to_device(batch.as_tensor_dict(), device)
    model = Model.from_params(params["model"], vocab=vocab).to(device)
    if dense:
        model._answer_layer = DenseAttentionSum(arguments.padded_candidates)
    optimizer = torch.optim.Adam(model.parameters())

    def update() -> None:
        optimizer.zero_grad()
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=arguments.bfloat16):
            loss = model(**inputs)["loss"]
        loss.backward()
        optimizer.step()
        if device.type == "cuda":
            torch.cuda.synchronize()

    def peak() -> float:
        if device.type == "cuda":
            return torch.cuda.max_memory_allocated() / 2**30
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20

    before = peak() if device.type == "cpu" else 0.0
    clock = time.process_time if device.type == "cpu" and arguments.threads == 1 else time.perf_counter
    milliseconds = []
    for _ in range(arguments.rounds + 1):
        start = clock()
        update()
        milliseconds.append(1000 * (clock() - start))
    # The first update allocates.
    queue.put({"ms": statistics.median(milliseconds[1:]), "gib": peak() - before})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("configs", nargs="+")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--tokens", type=int, default=2000)
    parser.add_argument("--entities", type=int, default=60)
    parser.add_argument("--padded-candidates", type=int, default=500)
    parser.add_argument("--words", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, help="of the CPU (default: PyTorch's)")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--bfloat16", action="store_true", help="autocast to bfloat16")
    parser.add_argument("--dense", action="store_true", help="also the dense formulation")
    parser.add_argument("--json", help="write the numbers there too")
    arguments = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    results: Dict[str, Dict[str, float]] = {}
    print(f"batch {arguments.batch}, {arguments.tokens} tokens, {arguments.entities} candidates, {arguments.device}")
    print("| config | ms an update | peak GiB |\n|---|---|---|")
    for config in arguments.configs:
        for dense in (False, True) if arguments.dense else (False,):
            queue = context.Queue()
            process = context.Process(target=measure, args=(config, dense, arguments, queue))
            process.start()
            while process.is_alive() and queue.empty():
                process.join(0.5)
            name = f"{config}{', dense' if dense else ''}"
            if queue.empty():
                print(f"| {name} | failed (exit status {process.exitcode}) | |")
                continue
            results[name] = queue.get()
            process.join()
            print("| {} | {ms:.0f} | {gib:.2f} |".format(name, **results[name]), flush=True)
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
