"""Shows what readers looked at: an HTML page and pictures for each explained prediction."""

import html
import json
import re
from itertools import islice
from pathlib import Path
from typing import Any, Dict, List, Sequence, Tuple

from tqdm import tqdm

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.json_objects import read_json_objects
from allennlp_coref_rc.pages.attention_pictures import draw_attention, draw_bars, draw_head
from allennlp_coref_rc.pages.page import RED, html_page

WINDOW = 60
"""The number of tokens of a passage in the picture of a head."""

NEEDED = ("question_tokens", "passage_tokens", "answer")

OBJECTS = {
    "explanations": "kind side to weights".split(),
    "annotated_heads": "encoder side application block annotation_layer view labels scopes weights".split(),
}
"""The lists that predictions may have, and the keys of the objects in them."""

SCORES = {
    "attention": "Score of each token",
    "span_start_probs": "Probability of each token to be the first of the answer",
    "span_end_probs": "Probability of each token to be the last of the answer",
}
"""The values that colour passages, by their names in predictions."""

HEADS_STYLE = """
#tokens { line-height: 2.2 }
#tokens span { cursor: pointer }
#tokens .outside { color: #bbb }
#tokens .chosen { outline: 2px solid black }
sub { color: #06c; font-size: 60% }
"""

# Shows one head. With a chosen token, it shows the attention of this token, else the average attention that each token
# gets.
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


def write_explanations(path: str, folder: str, limit: int) -> int:
    """
    Writes a page and its pictures for each of the first predictions of a file into a folder, which is made if the file
    can be used. Returns their number.
    """
    predictions = read_predictions(path, limit)
    Path(folder).mkdir(parents=True, exist_ok=True)
    for number, prediction in enumerate(tqdm(predictions, desc="drawing"), start=1):
        write_explanation(prediction, Path(folder), f"{number:03d}")
    return len(predictions)


def read_predictions(path: str, limit: int) -> List[Dict[str, Any]]:
    """The first predictions of a file."""
    predictions = []
    for place, prediction in islice(read_json_objects(path), limit):
        for key in NEEDED:
            if key not in prediction:
                raise ConfigurationError(
                    f"{place}: found a prediction without {key}, expected one of `cloze_reader` or `span_reader`"
                )
        for name, keys in OBJECTS.items():
            for value in prediction.get(name, []):
                if not isinstance(value, dict) or not set(keys) <= set(value):
                    raise ConfigurationError(
                        f"{place}: found {str(value):.60} among its {name}, expected an object with {', '.join(keys)}; "
                        "what an earlier version has predicted has to be predicted again"
                    )
        predictions.append(prediction)
    return predictions


def write_explanation(prediction: Dict[str, Any], folder: Path, name: str) -> None:
    """The page NAME.html and pictures whose names begin alike."""
    (folder / f"{name}.html").write_text(page(prediction), encoding="utf-8")
    for attention in prediction.get("explanations", []):
        rows, columns = (prediction[f"{attention[side]}_tokens"] for side in ("side", "to"))
        path = folder / f"{name}_{slug(attention_title(attention))}.png"
        if len(attention["weights"]) == 1:
            draw_bars(path, columns, attention["weights"][0])
        else:
            draw_attention(path, rows, columns, attention["weights"])
    heads: Dict[str, List] = {}
    for head in prediction.get("annotated_heads", []):
        heads.setdefault(head_title(head), []).append(head)
    for title, maps in heads.items():
        tokens = prediction[f"{maps[0]['side']}_tokens"]
        shown = window(prediction, len(tokens)) if maps[0]["side"] == "passage" else (0, len(tokens))
        titles = [map_title(head) for head in maps]
        draw_head(folder / f"{name}_{slug(title)}.png", tokens, maps, titles, *shown)


def page(prediction: Dict[str, Any]) -> str:
    """A page about one prediction."""
    best = sorted(prediction.get("candidate_probabilities", {}).items(), key=lambda pair: -pair[1])[:10]
    rows = "".join(f"<tr><td>{html.escape(name)}</td><td>{value:.4f}</td></tr>" for name, value in best)
    correct = prediction.get("answer_texts") or [str(prediction[key]) for key in ("gold",) if key in prediction]
    gold = f" (correct: {html.escape(' / '.join(correct))})" if correct else ""
    answer = f"none: {prediction.get('unanswered')}" if prediction["answer"] is None else str(prediction["answer"])
    parts = [
        f"<h1>{html.escape(' '.join(prediction['question_tokens']))}</h1>",
        f"<p>Answer: <b>{html.escape(answer)}</b>{gold}</p><table>{rows}</table>",
    ]
    for name, title in SCORES.items():
        if name in prediction:
            parts.append(f"<h2>{title}</h2><p>{coloured(prediction['passage_tokens'], prediction[name])}</p>")
    for attention in prediction.get("explanations", []):
        side, to, weights = (attention[key] for key in ("side", "to", "weights"))
        parts.append(f"<h2>{html.escape(attention_title(attention))}</h2>")
        parts.append(f"<p>What {side} tokens attend to in the {to}, on average:</p>")
        average = [sum(column) / len(weights) for column in zip(*weights)]
        parts.append(f"<p>{coloured(prediction[f'{to}_tokens'], average)}</p>")
    if prediction.get("annotated_heads"):
        parts.append(heads_section(prediction))
    return html_page("\n".join(parts))


def heads_section(prediction: Dict[str, Any]) -> str:
    """The section with the annotated heads. It has all their weights as JSON and shows one head at a time."""
    heads = [{**head, "tokens": prediction[f"{head['side']}_tokens"]} for head in prediction["annotated_heads"]]
    options = "".join(
        f'<option value="{i}">{html.escape(f"{head_title(head)}, {map_title(head)}")}</option>'
        for i, head in enumerate(heads)
    )
    data = json.dumps(heads, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return (
        f'<style>{HEADS_STYLE}</style><h2>Annotated heads</h2><p><select id="head">{options}</select> '
        "(click on a token for what it attends to)</p>"
        f'<p id="tokens"></p><script type="application/json" id="heads">{data}</script><script>{SCRIPT}</script>'
    )


def attention_title(attention: Dict[str, Any]) -> str:
    what = "self-belief" if attention["kind"] == "self_belief" else f"to {attention['to']}"
    return f"{attention['side']} {what}" + (f", layer {attention['layer']}" if "layer" in attention else "")


def head_title(head: Dict[str, Any]) -> str:
    return f"{head['side']}, {head['annotation_layer']} {head['view']}, {head['encoder']}"


def map_title(head: Dict[str, Any]) -> str:
    return f"application {head['application']}, block {head['block']}"


def slug(title: str) -> str:
    """A title as part of a file's name."""
    return re.sub("[^a-z0-9]+", "_", title.lower())


def window(prediction: Dict[str, Any], length: int) -> Tuple[int, int]:
    """The part of a passage that the pictures of heads show, as [start, stop)."""
    scores = prediction.get("attention", [0])
    middle = sum(prediction["best_span"]) // 2 if "best_span" in prediction else scores.index(max(scores))
    start = max(0, min(middle - WINDOW // 2, length - WINDOW))
    return start, min(length, start + WINDOW)


def coloured(tokens: Sequence[str], weights: Sequence[float]) -> str:
    """The tokens as HTML. The more weight a token has, the redder it is; the largest weight is fully red."""
    most = max(weights, default=0.0) or 1.0
    spans = [
        f'<span style="background: rgba({RED}, {weight / most:.3f})" title="{weight:.4f}">{html.escape(token)}</span>'
        for token, weight in zip(tokens, weights)
    ]
    return " ".join(spans)
