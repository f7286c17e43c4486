"""
Draws what a reader has looked at, from predictions of `cloze_reader` or `span_reader`: the passage coloured by score
(Figure 3 of CG+SBA, NAACL-SRW 2018), the self-belief of the question as bars (its Figure 4), the attention of every
layer, and the annotated heads of DASSA (EMNLP 2019).

    allennlp predict model.tar.gz questions.jsonl --predictor-args '{"explain": true}' --output-file answers.jsonl
    python scripts/draw_explanations.py answers.jsonl output/explanations

writes for each prediction one standalone HTML page with everything on it, and PNG files of the bars, of the attention
and of the annotated heads, a picture a head with every block and application of the encoder beside each other. On the
page a click on a token shows what it attends to; what is outside its scope is grey. Of passages of more than 60 tokens
a head's picture shows those around the answer. What cannot be read ends the program with status 2 and one line that says
why; nothing is written then.
"""

import argparse
import html
import json
import re
from itertools import islice
from pathlib import Path
from typing import Any, Dict, List, Sequence, Tuple

import numpy
from tqdm import tqdm

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.json_objects import read_json_objects
from allennlp_coref_rc.common.pictures import pyplot, save
from allennlp_coref_rc.pages.page import RED, html_page

MAX_LABELS = 120
"""More tokens than that are not named on the axis of a picture."""
WINDOW = 60
"""So many tokens of a passage are in the picture of a head."""

NEEDED = ("question_tokens", "passage_tokens", "answer")

SCORES = {
    "attention": "Score of each token",
    "span_start_probs": "Probability of each token to be the first of the answer",
    "span_end_probs": "Probability of each token to be the last of the answer",
}
"""By the names they have in predictions, what passages are coloured by."""

HEADS_STYLE = """
#tokens { line-height: 2.2 }
#tokens span { cursor: pointer }
#tokens .outside { color: #bbb }
#tokens .chosen { outline: 2px solid black }
sub { color: #06c; font-size: 60% }
"""

# Shows one head: without a chosen token what each is attended to on average, else what that one attends to.
SCRIPT = """
const heads = JSON.parse(document.getElementById("heads").textContent);
const select = document.getElementById("head"), place = document.getElementById("tokens");
let chosen = -1;
function show() {
  const head = heads[select.value], weights = {};
  head.scopes.forEach((scope, s) => {
    const row = scope.indexOf(chosen);
    if (chosen >= 0 && row < 0) return;
    scope.forEach((token, i) => {
      const paid = row < 0 ? head.weights[s].map(weights => weights[i]) : [head.weights[s][row][i]];
      weights[token] = paid.reduce((a, b) => a + b) / paid.length;
    });
  });
  const most = Math.max(...Object.values(weights)) || 1;
  place.replaceChildren();
  head.tokens.forEach((token, i) => {
    const span = document.createElement("span"), label = document.createElement("sub");
    span.textContent = token;
    label.textContent = head.labels[i];
    span.title = i in weights ? weights[i].toFixed(4) : "outside the scope";
    span.className = (i in weights ? "" : "outside") + (i === chosen ? " chosen" : "");
    span.style.background = `rgba(RED, ${(weights[i] || 0) / most})`;
    span.onclick = () => { chosen = i === chosen ? -1 : i; show(); };
    span.append(label);
    place.append(span, " ");
  });
}
select.onchange = () => { chosen = -1; show(); };
show();
""".replace("RED", RED)


def coloured(tokens: Sequence[str], weights: Sequence[float]) -> str:
    """The tokens as HTML, each the redder the more weight it has; the largest is fully red."""
    most = max(weights, default=0.0) or 1.0
    spans = [
        f'<span style="background: rgba({RED}, {weight / most:.3f})" title="{weight:.4f}">{html.escape(token)}</span>'
        for token, weight in zip(tokens, weights)
    ]
    return " ".join(spans)


def page(prediction: Dict[str, Any]) -> str:
    """A page about one prediction."""
    best = sorted(prediction.get("candidate_probabilities", {}).items(), key=lambda pair: -pair[1])[:10]
    rows = "".join(f"<tr><td>{html.escape(name)}</td><td>{value:.4f}</td></tr>" for name, value in best)
    correct = prediction.get("answer_texts") or [str(prediction[key]) for key in ("gold",) if key in prediction]
    gold = f" (correct: {html.escape(' / '.join(correct))})" if correct else ""
    parts = [
        f"<h1>{html.escape(' '.join(prediction['question_tokens']))}</h1>",
        f"<p>Answer: <b>{html.escape(str(prediction['answer']))}</b>{gold}</p><table>{rows}</table>",
    ]
    for name, title in SCORES.items():
        if name in prediction:
            parts.append(f"<h2>{title}</h2><p>{coloured(prediction['passage_tokens'], prediction[name])}</p>")
    for name, weights in prediction.get("explanations", {}).items():
        of, to = sides(name)
        parts.append(f"<h2>{html.escape(name)}</h2><p>What {of} tokens attend to in the {to}, on average:</p>")
        average = [sum(column) / len(weights) for column in zip(*weights)]
        parts.append(f"<p>{coloured(prediction[f'{to}_tokens'], average)}</p>")
    if prediction.get("annotated_heads"):
        parts.append(heads_section(prediction))
    return html_page("\n".join(parts))


def heads_section(prediction: Dict[str, Any]) -> str:
    """The annotated heads, of which one at a time is shown, with all their weights as JSON."""
    heads = [{**head, "tokens": prediction[f"{head['side']}_tokens"]} for head in prediction["annotated_heads"]]
    options = "".join(
        f'<option value="{i}">{html.escape(f"{head_name(head)}, {map_name(head)}")}</option>'
        for i, head in enumerate(heads)
    )
    data = json.dumps(heads, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return (
        f'<style>{HEADS_STYLE}</style><h2>Annotated heads</h2><p><select id="head">{options}</select> (click on a token for what it attends to)</p>'
        f'<p id="tokens"></p><script type="application/json" id="heads">{data}</script><script>{SCRIPT}</script>'
    )


def head_name(head: Dict[str, Any]) -> str:
    return f"{head['side']}, {head['layer']} {head['view']}, {head['encoder']}"


def map_name(head: Dict[str, Any]) -> str:
    return f"application {head['application']}, block {head['block']}"


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
    save(figure, path)


def draw_attention(path: Path, rows: Sequence[str], columns: Sequence[str], weights: List[List[float]]) -> None:
    """A picture of an attention: a row for each token that attends."""
    size = [min(30, max(4, 0.2 * len(tokens))) for tokens in (columns, rows)]
    figure, axes = pyplot.subplots(figsize=size)
    axes.imshow(weights, aspect="auto", cmap="Reds", vmin=0)
    if len(rows) <= MAX_LABELS:
        axes.set_yticks(range(len(rows)), rows, fontsize=7)
    if len(columns) <= MAX_LABELS:
        axes.set_xticks(range(len(columns)), columns, fontsize=7, rotation=90)
    save(figure, path)


def head_matrix(head: Dict[str, Any], start: int, stop: int) -> numpy.ndarray:
    """What some of the tokens pay to each other; no number where one is outside the other's scope."""
    matrix = numpy.full((stop - start, stop - start), numpy.nan)
    for scope, weights in zip(head["scopes"], head["weights"]):
        shown = [i for i, token in enumerate(scope) if start <= token < stop]
        at = [scope[i] - start for i in shown]
        matrix[numpy.ix_(at, at)] = [[weights[i][j] for j in shown] for i in shown]
    return matrix


def window(prediction: Dict[str, Any], length: int) -> Tuple[int, int]:
    """What of a passage the pictures of heads show."""
    scores = prediction.get("attention", [0])
    middle = sum(prediction["best_span"]) // 2 if "best_span" in prediction else scores.index(max(scores))
    start = max(0, min(middle - WINDOW // 2, length - WINDOW))
    return start, min(length, start + WINDOW)


def draw_head(path: Path, tokens: Sequence[str], maps: Sequence[Dict[str, Any]], start: int, stop: int) -> None:
    """A head's map of each application and block, the darkest of each its largest weight; grey is out of scope."""
    size = min(9, max(3, 0.2 * (stop - start)))
    figure, panels = pyplot.subplots(1, len(maps), figsize=(size * len(maps), size), squeeze=False)
    colours = pyplot.get_cmap("Reds").with_extremes(bad="0.9")
    ticks = range(stop - start)
    for axes, head in zip(panels[0], maps):
        axes.imshow(head_matrix(head, start, stop), cmap=colours, vmin=0)
        axes.set_title(map_name(head), fontsize=8)
        axes.set_xticks(ticks, tokens[start:stop], fontsize=6, rotation=90)
        axes.set_yticks([])
    labelled = [f"{token} [{label}]" if label else token for token, label in zip(tokens, maps[0]["labels"])]
    panels[0, 0].set_yticks(ticks, labelled[start:stop], fontsize=6)
    save(figure, path)


def draw(prediction: Dict[str, Any], folder: Path, name: str) -> None:
    (folder / f"{name}.html").write_text(page(prediction), encoding="utf-8")
    for attention, weights in prediction.get("explanations", {}).items():
        of, to = (prediction[f"{side}_tokens"] for side in sides(attention))
        path = folder / f"{name}_{attention}.png"
        if len(weights) == 1:
            draw_bars(path, to, weights[0])
        else:
            draw_attention(path, of, to, weights)
    heads: Dict[str, List] = {}
    for head in prediction.get("annotated_heads", []):
        heads.setdefault(head_name(head), []).append(head)
    for title, maps in heads.items():
        tokens = prediction[f"{maps[0]['side']}_tokens"]
        shown = window(prediction, len(tokens)) if maps[0]["side"] == "passage" else (0, len(tokens))
        draw_head(folder / f"{name}_{re.sub('[^a-z0-9]+', '_', title.lower())}.png", tokens, maps, *shown)


def read(path: str, limit: int) -> List[Dict[str, Any]]:
    """The first predictions of a file."""
    predictions = []
    for place, prediction in islice(read_json_objects(path), limit):
        for key in NEEDED:
            if key not in prediction:
                raise ConfigurationError(
                    f"{place}: found a prediction without {key}, expected one of `cloze_reader` or `span_reader`"
                )
        predictions.append(prediction)
    return predictions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("predictions", help="JSON lines, as `allennlp predict` writes them")
    parser.add_argument("folder", type=Path, help="where the pages and pictures go")
    parser.add_argument("--limit", type=int, default=20, help="how many predictions (default: 20)")
    arguments = parser.parse_args()
    try:
        predictions = read(arguments.predictions, arguments.limit)
    except (ConfigurationError, OSError) as error:
        parser.exit(2, f"{parser.prog}: error: {error}\n")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for i, prediction in enumerate(tqdm(predictions, desc="drawing")):
        draw(prediction, arguments.folder, f"{i + 1:03d}")


if __name__ == "__main__":
    main()
