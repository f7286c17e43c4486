"""Shows what several readers answered to the same questions: a page for each question, and an index."""

from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Union

from allennlp_coref_rc.annotations.tokenization import sentence_spans
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import write_text
from allennlp_coref_rc.common.progress import progress_bar
from allennlp_coref_rc.common.side_by_side import side_by_side
from allennlp_coref_rc.pages.annotated_text import entities, full_colour
from allennlp_coref_rc.pages.explanations import bars, marked, question_of
from allennlp_coref_rc.pages.marked_text import lanes, marked_paragraphs, paragraphs
from allennlp_coref_rc.pages.predictions import (
    Prediction,
    asked_tokens,
    checked_predictions,
    gold_answers,
    has_right_answer,
)
from allennlp_coref_rc.pages.templates import render


class Row(NamedTuple):
    """A question in the index, with the answers of the readers as their sections on the page show them."""

    file: str
    question: str
    gold: list[str]
    answers: list[dict[str, Any]]


def write_compared_answers(
    folder: str, paths: dict[str, str], limit: int, only_different: bool = False
) -> int:
    """
    Writes into a folder a page for each question, with the answers of all readers, by whose names the files
    of predictions are given, side by side, and index.html. With `only_different`, questions that all readers
    answer right, or all wrong, are left out. Returns the number of questions.
    """
    if only_different and len(paths) < 2:
        raise ConfigurationError(
            f"--only-different: found one reader ({', '.join(paths)}), expected two or more"
        )
    read = partial(checked_predictions, labelled=only_different)
    together = side_by_side(list(paths.values()), read, _question, _shown)
    questions = (
        answers for answers in together if not only_different or len(set(map(has_right_answer, answers))) > 1
    )
    rows = [
        Row(
            f"{i:03d}.html",
            question_of(answers[0]),
            gold_answers(answers[0]),
            list(map(_section, paths, answers)),
        )
        for i, answers in enumerate(islice(questions, limit), start=1)
    ]
    if not rows:
        kind = "which only some readers answer" if only_different else "with predictions"
        raise ConfigurationError(
            f"{', '.join(paths.values())}: found no questions {kind}, expected one or more"
        )
    Path(folder).mkdir(parents=True, exist_ok=True)
    for i, row in enumerate(progress_bar(rows, desc="drawing")):
        before, after = rows[i - 1].file if i else None, rows[i + 1].file if i + 1 < len(rows) else None
        write_text(
            Path(folder) / row.file,
            render("compared_answers.html.jinja", row=row, before=before, after=after),
        )
    index = render("compared_answers_index.html.jinja", rows=rows, readers=list(paths))
    write_text(Path(folder) / "index.html", index)
    return len(rows)


def _question(prediction: Prediction) -> Union[str, int]:
    """
    The id of the question or, without one, its text, since readers may have split it into different tokens.
    """
    if prediction.get("id") is not None:
        return prediction["id"]
    return "".join(asked_tokens(prediction["question_tokens"]) + prediction["passage_tokens"])


def _shown(prediction: Prediction) -> str:
    return f"the question {question_of(prediction)!r:.60} (id {prediction.get('id')!r:.60})"


def _section(reader: str, prediction: Prediction) -> dict[str, Any]:
    joint, marks = marked(prediction)
    weights = prediction.get("attention")
    parts = paragraphs(sentence_spans(prediction["passage_tokens"]))
    return {
        "reader": reader,
        "answer": prediction["answer"],
        "right": has_right_answer(prediction) if gold_answers(prediction) else None,
        "warnings": prediction.get("warnings") or [],
        "bars": bars(prediction),
        "paragraphs": list(marked_paragraphs(joint.tokens, marks, parts)),
        "lanes": lanes(marks),
        "weights": weights,
        "heaviest": full_colour(weights or []),
        "entities": entities(joint),
    }
