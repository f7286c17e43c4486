"""Divides a file of questions into folds for a cross-validation over its articles."""

import json
import os
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ConfigDict

from allennlp_coref_rc.annotations import read_documents, read_header, write_documents
from allennlp_coref_rc.annotations.document import warn_if_incomplete
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import atomic_write
from allennlp_coref_rc.common.json_objects import read_listed_objects
from allennlp_coref_rc.common.schema import Schema, validated


class Article(Schema):
    model_config = ConfigDict(extra="ignore")

    title: str
    paragraphs: list[Any]


def write_folds(path: str, folder: str, folds: int = 5, seed: int = 1) -> Iterator[tuple[str, int]]:
    """
    Writes the files `fold_1/train.json`, `fold_1/test.json` and so on, and yields them with their numbers of
    passages. Each article is in the test file of one fold, and in the training files of all others. A file
    that `coref-rc annotate` has written, with a passage and its questions on each line, gives such files,
    `train.jsonl` and `test.jsonl`, with the same articles.
    """
    header = read_header(path)
    warn_if_incomplete(path, header or {})
    articles = [
        (validated(Article, article, place), article)
        for place, article in (read_listed_objects(path) if header is None else _annotated(path))
    ]
    passages: Counter[str] = Counter()
    for article, _ in articles:
        passages[article.title] += len(article.paragraphs)
    fold_of = deal(passages, folds, seed)
    other = os.path.join(folder, f"fold_{folds + 1}")
    if os.path.exists(other):
        raise ConfigurationError(f"{other}: found a fold of another division, expected {folds} folds or none")
    for fold in range(1, folds + 1):
        os.makedirs(os.path.join(folder, f"fold_{fold}"), exist_ok=True)
        for name in ("train", "test"):
            chosen = [pair for pair in articles if (fold_of[pair[0].title] == fold) == (name == "test")]
            output = os.path.join(folder, f"fold_{fold}", f"{name}.json")
            if header is None:
                with atomic_write(output) as file:
                    json.dump({"data": [content for _, content in chosen]}, file)
            else:
                output += "l"
                reader = {key: header[key] for key in ("reader",) if key in header}
                write_documents(output, (own["paragraphs"][0] for _, own in chosen), reader)
            yield output, sum(len(article.paragraphs) for article, _ in chosen)


def _annotated(path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The documents of an annotated file with their places, each as an article of one passage."""
    for place, document in read_documents(path):
        yield place, {**document.data, "paragraphs": [document]}


def deal(passages: Mapping[str, int], folds: int, seed: int) -> dict[str, int]:
    """
    By title, the fold of each article, from 1, given its number of passages. Articles with more passages are
    dealt first, and those with equally many in random order. Each goes to the fold that has the fewest
    passages so far. So the folds' numbers of passages differ by at most one if there are enough articles with
    a single passage.
    """
    if not 2 <= folds <= len(passages):
        raise ConfigurationError(
            f"--folds: found {folds}, expected 2 to {len(passages)}, the number of articles"
        )
    titles = list(passages)
    random.Random(seed).shuffle(titles)
    fold_of, sizes = {}, [0] * folds
    for title in sorted(titles, key=passages.__getitem__, reverse=True):
        fold = sizes.index(min(sizes))
        fold_of[title] = fold + 1
        sizes[fold] += passages[title]
    return fold_of
