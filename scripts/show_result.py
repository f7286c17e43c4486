"""
Prints what a training run came to: test accuracy, archive, the commands to go on with, and one question with its
answer.

    python scripts/show_result.py FOLDER

FOLDER is a serialization folder of `allennlp train` in which `test_metrics.json` (of `allennlp evaluate`) and
`test_predictions.jsonl` (of `allennlp predict`) were written too.
"""

import argparse
import json
import sys
import textwrap
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    for name in ("model.tar.gz", "test_metrics.json", "test_predictions.jsonl"):
        if not (folder / name).exists():
            sys.exit(f"{folder / name}: no such file; expected the folder of a finished run")

    metrics = json.loads((folder / "test_metrics.json").read_text())
    archive = folder / "model.tar.gz"
    with open(folder / "test_predictions.jsonl") as lines:
        predictions = [json.loads(line) for line in lines]
    # The longest story that still fits a screen shows more than the first.
    example = max(
        (p for p in predictions if len(p["passage_tokens"]) <= 80),
        key=lambda p: len(p["passage_tokens"]),
        default=predictions[0],
    )
    probabilities = sorted(example["candidate_probabilities"].items(), key=lambda item: -item[1])

    print(f"\nTest accuracy: {metrics['accuracy']:.3f} ({len(predictions)} questions)")
    print(f"Archive:       {archive}")
    print(f"Evaluate:      .venv/bin/allennlp evaluate {archive} FILE")
    print(f"Predict:       .venv/bin/allennlp predict {archive} FILE.jsonl")
    print('               with lines like {"passage": "Mary took the milk. …", "question": "Where is the milk?"}')
    print("\nStory:")
    print(textwrap.fill(_join(example["passage_tokens"]), 100, initial_indent="  ", subsequent_indent="  "))
    print(f"Question:      {_join(example['question_tokens'][1:-1])}")
    print(f"Prediction:    {example['answer']}")
    print(f"Gold answer:   {example['gold']}")
    print("Probabilities: " + ", ".join(f"{name} {probability:.3f}" for name, probability in probabilities))


def _join(tokens: list) -> str:
    text = " ".join(tokens)
    for mark in ".?!,":
        text = text.replace(f" {mark}", mark)
    return text


if __name__ == "__main__":
    main()
