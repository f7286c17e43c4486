"""
Draws what a cloze reader has looked at, from predictions of `cloze_reader`: the passage coloured by score (Figure 3 of
CG+SBA, NAACL-SRW 2018), the self-belief of the question as bars (its Figure 4), and the attention of every layer.

    allennlp predict model.tar.gz questions.jsonl --predictor-args '{"explain": true}' --output-file answers.jsonl
    python scripts/draw_explanations.py answers.jsonl output/explanations

writes for each prediction one standalone HTML page with everything on it, and PNG files of the bars and of the attention.
"""

import argparse
import html
import json
from pathlib import Path
from typing import Any, Dict, List, Sequence

import matplotlib

matplotlib.use("agg")
from matplotlib import pyplot  # noqa: E402
from tqdm import tqdm  # noqa: E402

RED = "220, 40, 40"
MAX_LABELS = 120
"""More tokens than that are not named on the axis of a picture."""


def coloured(tokens: Sequence[str], weights: Sequence[float]) -> str:
    """The tokens as HTML, each the redder the more weight it has; the largest is fully red."""
    most = max(weights, default=0.0) or 1.0
    spans = [
        f'<span style="background: rgba({RED}, {weight / most:.3f})" title="{weight:.4f}">{html.escape(token)}</span>'
        for token, weight in zip(tokens, weights)
    ]
    return " ".join(spans)


def page(prediction: Dict[str, Any]) -> str:
    """A standalone HTML page about one prediction."""
    best = sorted(prediction["candidate_probabilities"].items(), key=lambda pair: -pair[1])[:10]
    rows = "".join(f"<tr><td>{html.escape(name)}</td><td>{value:.4f}</td></tr>" for name, value in best)
    gold = f" (correct: {html.escape(str(prediction['gold']))})" if "gold" in prediction else ""
    parts = [
        f"<h1>{html.escape(' '.join(prediction['question_tokens']))}</h1>",
        f"<p>Answer: <b>{html.escape(str(prediction['answer']))}</b>{gold}</p><table>{rows}</table>",
        f"<h2>Score of each token</h2><p>{coloured(prediction['passage_tokens'], prediction['attention'])}</p>",
    ]
    for name, weights in prediction.get("explanations", {}).items():
        of, to = sides(name)
        parts.append(f"<h2>{html.escape(name)}</h2><p>What {of} tokens attend to in the {to}, on average:</p>")
        average = [sum(column) / len(weights) for column in zip(*weights)]
        parts.append(f"<p>{coloured(prediction[f'{to}_tokens'], average)}</p>")
    style = "body { font-family: sans-serif; max-width: 60em; margin: 2em auto; line-height: 1.6 }"
    return (
        f'<!DOCTYPE html><html><head><meta charset="utf-8"><style>{style}</style></head><body>'
        + "\n".join(parts)
        + "</body></html>\n"
    )


def sides(name: str) -> List[str]:
    """Of the name of an attention, whose tokens attend and to whose: passage or question."""
    words = name.split("_")
    return [words[0], words[2] if words[1] == "to" else words[0]]


def draw_bars(path: Path, tokens: Sequence[str], weights: Sequence[float]) -> None:
    """The weight of each token of a question."""
    figure, axes = pyplot.subplots(figsize=(max(4, 0.45 * len(tokens)), 3))
    axes.bar(range(len(tokens)), weights, color="#dc2828")
    axes.set_xticks(range(len(tokens)), tokens, rotation=60, ha="right")
    axes.set_ylim(0, 1)
    axes.set_ylabel("self-belief")
    figure.savefig(path, bbox_inches="tight", dpi=120)
    pyplot.close(figure)


def draw_attention(path: Path, rows: Sequence[str], columns: Sequence[str], weights: List[List[float]]) -> None:
    """A picture of an attention: a row for each token that attends."""
    size = [min(30, max(4, 0.2 * len(tokens))) for tokens in (columns, rows)]
    figure, axes = pyplot.subplots(figsize=size)
    axes.imshow(weights, aspect="auto", cmap="Reds", vmin=0)
    if len(rows) <= MAX_LABELS:
        axes.set_yticks(range(len(rows)), rows, fontsize=7)
    if len(columns) <= MAX_LABELS:
        axes.set_xticks(range(len(columns)), columns, fontsize=7, rotation=90)
    figure.savefig(path, bbox_inches="tight", dpi=120)
    pyplot.close(figure)


def draw(prediction: Dict[str, Any], folder: Path, name: str) -> None:
    (folder / f"{name}.html").write_text(page(prediction), encoding="utf-8")
    for attention, weights in prediction.get("explanations", {}).items():
        of, to = (prediction[f"{side}_tokens"] for side in sides(attention))
        path = folder / f"{name}_{attention}.png"
        if len(weights) == 1:
            draw_bars(path, to, weights[0])
        else:
            draw_attention(path, of, to, weights)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("predictions", help="JSON lines, as `allennlp predict` writes them")
    parser.add_argument("folder", type=Path, help="where the pages and pictures go")
    parser.add_argument("--limit", type=int, default=20, help="how many predictions (default: 20)")
    arguments = parser.parse_args()
    with open(arguments.predictions, encoding="utf-8") as file:
        predictions = [json.loads(line) for _, line in zip(range(arguments.limit), file)]
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for i, prediction in enumerate(tqdm(predictions, desc="drawing")):
        draw(prediction, arguments.folder, f"{i + 1:03d}")


if __name__ == "__main__":
    main()
