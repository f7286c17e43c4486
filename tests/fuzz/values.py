"""
Inputs whose right reading is known, and what becomes of it when some of their parts are damaged: the others
are read with the values that they were written with, and each damaged part is counted.
"""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from allennlp.common import Params
from allennlp.data import DatasetReader

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.formats import FORMATS

NAMES = ["Ann", "Bob", "Eve", "Ivy"]


class Outcome(NamedTuple):
    values: Any
    """What is read, in a form that says nothing of the file's."""
    lost: int
    """How many errors there are."""


def of_format(name: str, path: str, value: Callable[[AnnotatedText], Any]) -> Outcome:
    items = list(FORMATS[name].items(path))
    texts = [item for item in items if isinstance(item, AnnotatedText)]
    return Outcome(list(map(value, texts)), len(items) - len(texts))


def named_clusters(text: AnnotatedText) -> list[list[tuple[int, int]]]:
    return sorted(text.clusters)


def clusters_of(words: list[str]) -> list[list[tuple[int, int]]]:
    """The clusters of a text in which each name is one entity."""
    return sorted(
        [(i, i + 1) for i, word in enumerate(words) if word == name] for name in NAMES if name in words
    )


HEADERS = [
    ("eid-etype-head-other", "({}-person-1-)"),
    ("GRP-etype-infstat", "({}-person-new)"),
    ("entity-GRP-identity", "(person-{})"),
    ("etype-eid-infstat-minspan-link-identity", "(person-{}-new-1-coref)"),
    ("etype-identity", "(person-A{})"),
]


def conllu(rng: random.Random, path: Path) -> tuple[Outcome, Outcome]:
    """Heads and sentences are damaged; a header without the number of the entity leaves no clusters."""
    header, form = rng.choice(HEADERS)
    lines, words, edges, lost = [f"# global.Entity = {header}"], [], 0, 0
    for _ in range(rng.randint(1, 5)):
        sentence = [rng.choice([*NAMES, "left", "slept"]) for _ in range(rng.randint(2, 5))]
        rows = [[str(i), word, *"____", "1", "dep", "_", "_"] for i, word in enumerate(sentence, start=1)]
        rows[0][6:8] = "0", "root"
        for row in rows:
            if row[1] in NAMES:
                row[9] = "Entity=" + form.format(NAMES.index(row[1]) + 1)
        good = len(rows) - 1
        if rng.random() < 0.3:
            rows[1][6], good, lost = rng.choice(["x", "9", "-1"]), good - 1, lost + 1
        if rng.random() < 0.2:
            rows[1][0], lost = "7", lost + (rows[1][6] == "1")
            sentence, good = [], 0
        words, edges = words + sentence, edges + good
        lines += ["\t".join(row) for row in rows] + [""]
    path.write_text("\n".join(lines) + "\n")
    expected = [(words, [] if header == "etype-identity" else clusters_of(words), edges)] if words else []
    read = of_format("conllu", str(path), lambda text: (text.tokens, named_clusters(text), len(text.edges)))
    return Outcome(expected, lost), read


def brat(rng: random.Random, path: Path) -> tuple[Outcome, Outcome]:
    """Line ends and offsets of both kinds; some offsets are damaged."""
    words = [rng.choice([*NAMES, "left"]) for _ in range(rng.randint(3, 9))]
    breaks = [rng.choice([" ", "\n"]) for _ in words]
    text, rows, lost, places = "", [], 0, {name: [] for name in NAMES}
    for i, (word, end) in enumerate(zip(words, breaks)):
        if word in NAMES:
            start = len(text)
            bad = rng.random() < 0.2
            lost += bad
            rows.append(f"T{i}\tP {start} {start + (900 if bad else len(word))}\t{word}")
            places[word] += [] if bad else [i]
        text += word + end
    windows = rng.random() < 0.5
    path.with_suffix(".txt").write_bytes(text.replace("\n", "\r\n" if windows else "\n").encode())
    rows += ["*\tEquiv " + " ".join(f"T{i}" for i in found) for found in places.values() if len(found) > 1]
    path.write_text("\n".join(rows) + "\n")
    expected = sorted([(i, i + 1) for i in found] for found in places.values() if len(found) > 1)
    return Outcome([(words, expected)], lost), of_format(
        "brat", str(path), lambda t: (t.tokens, named_clusters(t))
    )


def e2e_coref(rng: random.Random, path: Path) -> tuple[Outcome, Outcome]:
    """Documents of tokens or of characters; lines and mentions are damaged."""
    lines, expected, lost = [], [], 0
    for _ in range(rng.randint(2, 6)):
        words = [rng.choice([*NAMES, "left"]) for _ in range(rng.randint(1, 6))]
        clusters = [[[start, stop - 1] for start, stop in cluster] for cluster in clusters_of(words)]
        document: dict[str, Any] = {"sentences": [words], "clusters": clusters}
        if rng.random() < 0.5:
            starts = [len(" ".join([*words[:i], ""])) for i in range(len(words))]
            spans = [[[starts[i], starts[i] + len(words[i])] for i, _ in cluster] for cluster in clusters]
            document = {"text": " ".join(words), "clusters": spans}
        if rng.random() < 0.3:
            document["clusters"].append([[0, 900]])
            lost += 1
        line, whole = json.dumps(document), True
        if rng.random() < 0.3:
            line, whole = line[: rng.randrange(2, len(line) - 2)], False
            lost += document["clusters"][-1:] != [[[0, 900]]]
        lines.append(line)
        expected += [(words, clusters_of(words))] * whole
    path.write_text("\n".join(lines) + "\n")
    return Outcome(expected, lost), of_format("e2e_coref", str(path), lambda t: (t.tokens, named_clusters(t)))


def squad(rng: random.Random, path: Path) -> tuple[Outcome, Outcome]:
    """Answers in both forms; questions are damaged."""
    paragraphs, expected, lost = [], [], 0
    for _ in range(rng.randint(1, 3)):
        words = [rng.choice([*NAMES, "left"]) for _ in range(5)]
        asked: list[dict[str, Any]] = []
        for number in range(rng.randint(1, 4)):
            i = rng.randrange(5)
            start = len(" ".join([*words[:i], ""]))
            answers: Any = [{"text": words[i], "answer_start": start}]
            if rng.random() < 0.5:
                answers = {"text": [words[i]], "answer_start": [start]}
            bad = rng.random() < 0.3
            asked.append({"question": 5 if bad else f"{number}?", "answers": answers})
            lost += bad
            expected += [] if bad else [(words, i, words[i])]
        paragraphs.append({"context": " ".join(words), "qas": asked})
    path.write_text(json.dumps({"data": [{"paragraphs": paragraphs}]}))
    reader = DatasetReader.from_params(Params({"type": "annotated_squad"}))
    found = [
        (
            instance["metadata"]["passage_tokens"],
            instance["span_start"].sequence_index,
            *instance["metadata"]["answer_texts"],
        )
        for instance in (reader.read(str(path)) if expected else ())
    ]
    return Outcome(expected, lost if expected else 0), Outcome(found, len(reader.report.malformed))


KNOWN: dict[str, Callable[[random.Random, Path], tuple[Outcome, Outcome]]] = {
    "a.conllu": conllu,
    "a.ann": brat,
    "a.jsonlines": e2e_coref,
    "a.json": squad,
}
"""By the name of a file, what writes it, and gives its right reading and its reading."""
