"""
Prints the test accuracy of a trained reader, the next commands, and a question of the test data with its answer.

    python scripts/show_result.py FOLDER

FOLDER is a folder that `coref-rc train` has written. It also needs `test_metrics.json` from `coref-rc evaluate` and
`test_predictions.jsonl` from `coref-rc predict`.
"""

import json
import textwrap
from pathlib import Path

from allennlp_coref_rc.common.json_objects import read_json_object, read_json_objects
from allennlp_coref_rc.common.script import ScriptParser, run
from allennlp_coref_rc.pages.predictions import asked_tokens


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    accuracy = read_json_object(str(folder / "test_metrics.json"))["accuracy"]
    predictions = [prediction for _, prediction in read_json_objects(str(folder / "test_predictions.jsonl"))]
    # The longest story that still fits a screen shows more than the first.
    example = max(predictions, key=lambda p: len(p["passage_tokens"]) if len(p["passage_tokens"]) <= 80 else 0)
    inputs = {
        "passage": " ".join(example["passage_tokens"]).replace(" .", "."),
        "question": " ".join(asked_tokens(example["question_tokens"])).replace(" ?", "?"),
    }
    (folder / "question.jsonl").write_text(json.dumps(inputs) + "\n")
    probabilities = sorted(example["candidate_probabilities"].items(), key=lambda item: -item[1])
    print(f"\nTest accuracy: {accuracy:.3f} ({len(predictions)} questions)")
    print(f"Evaluate:      .venv/bin/coref-rc evaluate {folder / 'model.tar.gz'} test    # or a file in bAbI's format")
    print(f"Predict:       .venv/bin/coref-rc predict {folder / 'model.tar.gz'} {folder / 'question.jsonl'}")
    print("\n" + textwrap.fill(inputs["passage"], 100, initial_indent="  ", subsequent_indent="  "))
    print(f"Question:      {inputs['question']}")
    print(f"Prediction:    {example['answer']} (correct: {example['gold']})")
    print("Probabilities: " + ", ".join(f"{name} {probability:.3f}" for name, probability in probabilities))


if __name__ == "__main__":
    run(main)
