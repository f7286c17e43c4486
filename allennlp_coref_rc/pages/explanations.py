"""Shows what readers looked at: a page for each explained prediction."""

from itertools import islice
from pathlib import Path
from typing import NamedTuple

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span, clusters_from_json
from allennlp_coref_rc.annotations.tokenization import sentence_spans
from allennlp_coref_rc.common.files import write_text
from allennlp_coref_rc.common.progress import progress_bar
from allennlp_coref_rc.pages.annotated_text import entities, find_answer, mentions
from allennlp_coref_rc.pages.attention_views import SCORES, packed_views, shown_token
from allennlp_coref_rc.pages.marked_text import Mark, in_lanes, joined, lanes, marked_paragraphs, paragraphs
from allennlp_coref_rc.pages.predictions import (
    Prediction,
    asked_tokens,
    checked_predictions,
    gold_answers,
    gold_texts,
    has_right_answer,
    predicted_spans,
)
from allennlp_coref_rc.pages.templates import render

MAX_BARS = 6
"""The most probabilities that have a bar."""


def write_explanations(path: str, folder: str, limit: int, pictures: bool = False) -> int:
    """
    Writes a page for each of the first predictions of a file, and pictures if asked to. Returns their number.
    """
    predictions = list(islice(checked_predictions(path), limit))
    Path(folder).mkdir(parents=True, exist_ok=True)
    for number, prediction in enumerate(progress_bar(predictions, desc="drawing"), start=1):
        write_text(Path(folder) / f"{number:03d}.html", page(prediction))
        if pictures:
            from allennlp_coref_rc.pages.attention_pictures import draw_pictures

            draw_pictures(prediction, Path(folder), f"{number:03d}")
    return len(predictions)


def page(prediction: Prediction) -> str:
    passage, question = prediction["passage_tokens"], prediction["question_tokens"]
    joint, marks = marked(prediction)
    data, kept = packed_views(prediction)
    parts = {
        "passage": paragraphs(sentence_spans(passage)),
        "question": [(len(passage), len(joint))] * bool(question),
    }
    return render(
        "explanation.html.jinja",
        title=question_of(prediction),
        answer=prediction["answer"],
        unanswered=prediction.get("unanswered"),
        gold=gold_answers(prediction),
        right=has_right_answer(prediction),
        warnings=prediction.get("warnings") or [],
        lanes=lanes(marks),
        bars=bars(prediction),
        entities=entities(joint),
        data=data,
        kept=kept,
        **{side: list(marked_paragraphs(joint.tokens, marks, spans)) for side, spans in parts.items()},
    )


def marked(prediction: Prediction) -> tuple[AnnotatedText, list[Mark]]:
    """
    The passage and the question as one text, with marks: mentions, the answer, and right answers to a wrong
    one.
    """
    passage, question = prediction["passage_tokens"], prediction["question_tokens"]
    joint = AnnotatedText(
        [shown_token(token) for token in passage + question],
        clusters=clusters_from_json(prediction.get("clusters") or []),
    )
    gold = [] if has_right_answer(prediction) else gold_texts(prediction)
    framed = {
        "answer": answer_spans(prediction),
        "gold": [span for one in gold for span in find_answer(passage, one)],
    }
    frames = [Mark(*span, kind, lane=len(joint)) for kind, spans in framed.items() for span in spans]
    return joint, in_lanes(mentions(joint), len(joint)) + frames


def question_of(prediction: Prediction) -> str:
    """The question as it is shown."""
    shown = [shown_token(token) for token in asked_tokens(prediction["question_tokens"])]
    return " ".join(joined(shown, (0, len(shown))))


def answer_spans(prediction: Prediction) -> list[Span]:
    """The spans of the answer in the passage. If it is a candidate, all places where it occurs."""
    return predicted_spans(prediction) or find_answer(prediction["passage_tokens"], prediction["answer"])


class Bar(NamedTuple):
    before: str
    name: str
    after: str
    value: float


def bars(prediction: Prediction) -> list[tuple[str, list[Bar], str]]:
    """
    Lists of probabilities with a title and a note on what is left out. Words stand between their neighbours.
    """
    candidates = prediction.get("candidate_probabilities", {})
    lists = [("Candidates", [Bar("", name, "", value) for name, value in candidates.items()])]
    tokens = ["", *map(shown_token, prediction["passage_tokens"]), ""]
    for key in ("span_start_probs", "span_end_probs"):
        lists.append(
            (SCORES[key][0], list(map(Bar, tokens, tokens[1:], tokens[2:], prediction.get(key, []))))
        )
    shown_lists = []
    for title, values in lists:
        ranked = sorted(values, key=lambda bar: -bar.value)
        shown, rest = ranked[:MAX_BARS], ranked[MAX_BARS:]
        left = f"{len(rest)} others together: {100 * sum(bar.value for bar in rest):.1f} %" if rest else ""
        if shown:
            shown_lists.append((title, shown, left))
    return shown_lists
