import json
from collections.abc import Iterator
from functools import partial
from typing import Any, Optional

from allennlp_coref_rc.common.version import VERSION
from allennlp_coref_rc.pages.templates import render

TEMPLATE = "model_card.md.jinja"

DATA_PATHS = {"train": "train_data_path", "validation": "validation_data_path", "test": "test_data_path"}
"""By split, the key of a config that names its data."""

ELSEWHERE = ("type", "annotator", "annotation_layers", "token_indexers")
"""
The settings of a reader that a card does not list. They have a place of their own, or belong to the model.
"""

REPORTED = ("best_validation_", "test_")
"""A card has the metrics whose names begin like this."""

UNKNOWN_LICENCE = "unknown"
"""The Hugging Face hub's name for a licence that was not chosen."""


def model_card(
    config: dict[str, Any], metrics: dict[str, Any], title: str, licence: Optional[str] = None
) -> str:
    """
    The text of a model card in Markdown, as the Hugging Face hub shows it, from a model's config and its
    `metrics.json`. Without a `licence`, one of the hub's names, the card asks for one.
    """
    reader, model = _typed(config["dataset_reader"]), _typed(config["model"])["type"]
    return render(
        TEMPLATE,
        cell=_cell,
        json=partial(json.dumps, indent=2, ensure_ascii=False),
        title=title,
        version=VERSION,
        licence=licence or UNKNOWN_LICENCE,
        licence_chosen=licence is not None,
        model=model,
        # The structure model annotates texts, and all others answer questions.
        answers=model != "multitask",
        reader=reader,
        data=[(split, config[key]) for split, key in DATA_PATHS.items() if config.get(key)],
        settings={key: value for key, value in reader.items() if key not in ELSEWHERE},
        annotator=reader.get("annotator"),
        layers=reader.get("annotation_layers"),
        transformers=sorted(set(_transformers(config["model"]))),
        metrics=_reported(metrics),
    )


def _typed(part: Any) -> dict[str, Any]:
    """A part of a config as an object. AllenNLP also allows its registered name alone."""
    return {"type": "default", **part} if isinstance(part, dict) else {"type": part}


def _transformers(value: Any) -> Iterator[str]:
    """The names of pretrained transformers anywhere in the config of a model."""
    if isinstance(value, dict):
        if str(value.get("type", "")).startswith("pretrained_transformer") and value.get("model_name"):
            yield str(value["model_name"])
        for inner in value.values():
            yield from _transformers(inner)


def _reported(metrics: dict[str, Any]) -> list[tuple[str, str]]:
    numbers = {name: value for name, value in metrics.items() if isinstance(value, (int, float))}
    return [(name, f"{value:.4g}") for name, value in sorted(numbers.items()) if name.startswith(REPORTED)]


def _cell(value: Any) -> str:
    """A value as code in a cell of a table, where it may have no bar and no line end."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return "`" + " ".join(text.replace("`", "'").replace("|", "\\|").split()) + "`"
