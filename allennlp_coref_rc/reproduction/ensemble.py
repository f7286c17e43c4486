import math
from collections.abc import Iterator, Sequence
from typing import Any

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.json_objects import read_json_objects
from allennlp_coref_rc.common.side_by_side import side_by_side
from allennlp_coref_rc.metrics.answer_scores import correctness

KEY = "candidate_probabilities"


def ensemble(paths: Sequence[str]) -> Iterator[dict[str, Any]]:
    """
    Combines several readers' predictions: the answer is the candidate with the highest mean probability, if
    any.
    """
    yield from map(_together, side_by_side(paths, _read, _question, _shown))


def _question(prediction: dict[str, Any]) -> tuple[Any, str]:
    return prediction.get("id"), prediction["gold"]


def _shown(prediction: dict[str, Any]) -> str:
    return f"the question {prediction.get('id')!r:.60} with the answer {prediction['gold']!r:.60}"


def _read(path: str) -> Iterator[dict[str, Any]]:
    for place, prediction in read_json_objects(path):
        probabilities = prediction.get(KEY)
        numbers = list(probabilities.values()) if isinstance(probabilities, dict) else []
        if not numbers or not all(
            isinstance(number, (int, float)) and math.isfinite(number) for number in numbers
        ):
            raise ConfigurationError(
                f"{place}: found {probabilities!r:.60} as {KEY}, expected a number by candidate"
            )
        if not isinstance(prediction.get("gold"), str):
            raise ConfigurationError(
                f"{place}: found no gold answer, expected predictions of labelled questions"
            )
        yield prediction


def _together(predictions: Sequence[dict[str, Any]]) -> dict[str, Any]:
    # Case tells no candidates apart. A reader finds all spellings at the same places.
    names: dict[str, str] = {}
    means: dict[str, float] = {}
    for prediction in predictions:
        own: dict[str, float] = {}
        for spelling, probability in prediction[KEY].items():
            name = names.setdefault(spelling.lower(), spelling)
            own[name] = max(own.get(name, 0.0), probability)
        for name, probability in own.items():
            means[name] = means.get(name, 0.0) + probability / len(predictions)
    # If no candidate occurs in the passage, no reader has an answer.
    unanswered = all(one.get("answer", KEY) is None for one in predictions)
    answer, gold = None if unanswered else max(means, key=means.__getitem__), predictions[0]["gold"]
    kept = {"id": predictions[0]["id"]} if "id" in predictions[0] else {}
    together = {**kept, "answer": answer, "gold": gold, KEY: means}
    return {**together, "correct": correctness(together)}
