"""
Prints the result of a training: the test accuracy, the archive, next commands, and a question with its answer.

    python scripts/show_result.py FOLDER

FOLDER is a folder that `coref-rc train` has written. It also needs `test_metrics.json` from `coref-rc evaluate` and
`test_predictions.jsonl` from `coref-rc predict`.
"""

import json
import textwrap
from pathlib import Path

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.script import ScriptParser, run

# The parts of a question in a prediction, and for each the slice without the tokens that the reader puts around it.
INPUTS = {"passage": slice(None), "question": slice(1, -1)}


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    for name in ("model.tar.gz", "test_metrics.json", "test_predictions.jsonl"):
        if not (folder / name).exists():
            raise ConfigurationError(f"{folder / name}: no such file; expected the folder of a finished run")

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
    inputs = {name: _join(example[f"{name}_tokens"][skip]) for name, skip in INPUTS.items()}
    (folder / "question.jsonl").write_text(json.dumps(inputs) + "\n")
    probabilities = sorted(example["candidate_probabilities"].items(), key=lambda item: -item[1])

    print(f"\nTest accuracy: {metrics['accuracy']:.3f} ({len(predictions)} questions)")
    print(f"Archive:       {archive}")
    print(f"Evaluate:      .venv/bin/coref-rc evaluate {archive} test")
    print("               (or a file in the bAbI format in place of `test`)")
    print(f"Predict:       .venv/bin/coref-rc predict {archive} {folder / 'question.jsonl'}")
    print("               (that file has the story below; its lines are objects with a passage and a question)")
    print("\nStory:")
    print(textwrap.fill(inputs["passage"], 100, initial_indent="  ", subsequent_indent="  "))
    print(f"Question:      {inputs['question']}")
    print(f"Prediction:    {example['answer']}")
    print(f"Gold answer:   {example['gold']}")
    print("Probabilities: " + ", ".join(f"{name} {probability:.3f}" for name, probability in probabilities))


def _join(tokens: list) -> str:
    text = " ".join(tokens)
    for mark in ".?!,":
        text = text.replace(f" {mark}", mark)
    return text


if __name__ == "__main__":
    run(main)
