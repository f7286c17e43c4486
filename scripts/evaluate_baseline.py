"""
Measures the accuracy of a baseline that answers with the candidate that is most frequent in the passage.

    python scripts/evaluate_baseline.py lambada/ga_gru.jsonnet data/lambada/development_valid.txt

The config says which dataset reader reads the file. If candidates are equally frequent, the first one in the passage is
taken. For bAbI, the candidates are the answers of the training data, and --candidates names their file.
"""

import json
from collections import Counter

from allennlp.common import Params
from allennlp.data import DatasetReader, Instance
from tqdm import tqdm

import allennlp_coref_rc  # noqa: F401  registers what configs name
from allennlp_coref_rc.common.config_files import locate
from allennlp_coref_rc.common.script import ScriptParser, run
from allennlp_coref_rc.data.fields import SKIPPED_ANSWER


def most_frequent(passage: list[str], candidates: list[list[str]]) -> list[str]:
    """The candidate whose words occur most often, averaged over its words."""
    counts = Counter(passage)
    first = {word: -i for i, word in reversed(list(enumerate(passage)))}
    return max(
        candidates,
        key=lambda words: (sum(counts[word] for word in words) / len(words), first.get(words[0], -len(passage))),
    )


def is_correct(instance: Instance, reader: DatasetReader, answers: list[str]) -> bool:
    metadata = instance["metadata"].metadata
    passage = [token.lower() for token in metadata["passage_tokens"]]
    candidates = [[word.lower() for word in reader.tokenize(name)] for name in metadata["candidates"] or answers]
    return most_frequent(passage, candidates) == [word.lower() for word in reader.tokenize(metadata["answer"])]


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("config")
    parser.add_argument("file")
    parser.add_argument("--candidates", help="training data, whose answers are the candidates if a question has none")
    arguments = parser.parse_args()
    config = Params.from_file(locate(arguments.config)).as_dict()
    params = {**config["dataset_reader"], "annotator": None, "annotation_layers": None, "keep_skipped": True}
    reader = DatasetReader.from_params(Params(params))
    answers: list[str] = []
    if arguments.candidates:
        answers = sorted({instance["metadata"].metadata["answer"] for instance in reader.read(arguments.candidates)})
    instances = list(tqdm(reader.read(arguments.file), desc="reading"))
    kept = [instance for instance in instances if instance["answer"].label != SKIPPED_ANSWER]
    correct, total = sum(is_correct(instance, reader, answers) for instance in kept), len(instances)
    accuracies = {"accuracy": correct / len(kept), "accuracy_official": correct / total}
    print(json.dumps({**accuracies, "kept": len(kept), "total": total}))


if __name__ == "__main__":
    run(main)
