import json
import subprocess
import sys
from html.parser import HTMLParser

from tests.shared import PROJECT

PREDICTION = {
    "answer": "<Mary>",
    "gold": "Bill",
    "candidate_probabilities": {"<Mary>": 0.75, "Bill": 0.25},
    "passage_tokens": ["<Mary>", "saw", "Bill"],
    "attention": [0.75, 0.0, 0.25],
    "question_tokens": ["@placeholder", "saw"],
    "explanations": {
        "passage_to_question_1": [[0.5, 0.5], [1.0, 0.0], [0.0, 1.0]],
        "question_to_passage_2": [[0.5, 0.25, 0.25], [0.0, 1.0, 0.0]],
        "question_self_belief": [[0.9, 0.1]],
        "passage_self_belief": [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    },
}


class Spans(HTMLParser):
    def __init__(self):
        super().__init__()
        self.spans, self.open = [], False

    def handle_starttag(self, tag, attributes):
        self.open = tag == "span"
        if self.open:
            self.style = dict(attributes)["style"]

    def handle_data(self, data):
        if self.open:
            self.spans.append((data, self.style))

    def handle_endtag(self, tag):
        self.open = False


def test_pages_and_pictures(tmp_path):
    plain = {key: value for key, value in PREDICTION.items() if key not in ("explanations", "gold")}
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(json.dumps(prediction) + "\n" for prediction in (PREDICTION, plain, plain)))
    script = str(PROJECT / "scripts" / "draw_explanations.py")
    command = [sys.executable, script, str(answers), str(tmp_path / "out"), "--limit", "2"]
    subprocess.run(command, check=True, capture_output=True)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(
        ["001.html", "002.html"] + [f"001_{name}.png" for name in PREDICTION["explanations"]]
    )
    for path in (tmp_path / "out").glob("*.png"):
        assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    spans = Spans()
    spans.feed((tmp_path / "out" / "001.html").read_text())
    assert spans.spans[:3] == [
        ("<Mary>", "background: rgba(220, 40, 40, 1.000)"),
        ("saw", "background: rgba(220, 40, 40, 0.000)"),
        ("Bill", "background: rgba(220, 40, 40, 0.333)"),
    ]
    # A line for each of the four attentions: over 2, 3, 2 and 3 tokens.
    assert len(spans.spans) == 3 + 2 + 3 + 2 + 3
