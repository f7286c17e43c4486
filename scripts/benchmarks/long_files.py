"""Writes made-up files that have the real sizes of CNN and NarrativeQA, in their official formats."""

import csv
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from allennlp_coref_rc.common.errors import ConfigurationError

WORDS = 118_497
"""The number of different words in CNN's questions (Hermann et al. 2015), without those that only one question has."""

ENTITIES = [f"@entity{i}" for i in range(26)]
NAMES = ["Nora", "Sam", "Mrs. Duarte", "Hunter", "Kira", "Bruno", "the captain", "his sister", "Old Tom", "Ines"]
CONNECTIVES = ["because", "but", "when", "although", "instead", "then"]
PRONOUNS = ["he", "she", "they", "it"]

OWN = "{own}"
"""Stands for a word that no other text has."""

TEXTS = 200
"""The number of texts that are made up. They are repeated, each time with a word of its own."""


class Size(NamedTuple):
    """The numbers of questions and passages, and the number of tokens in a passage."""

    questions: int
    passages: int
    tokens: int


SIZES = {
    "annotated_cnn_dailymail": Size(380_298, 380_298, 762),
    "annotated_narrativeqa": Size(46_765, 1_572, 659),
}
"""By reader, the real sizes. Those of NarrativeQA are of all its sets together."""


def write(reader: str, folder: Path, share: float = 1.0) -> tuple[str, int]:
    """Writes a share of a data set of the real size. Returns its data path and its number of questions."""
    if reader not in SIZES:
        raise ConfigurationError(f"found the reader {reader!r}, expected one of {', '.join(SIZES)}")
    size = SIZES[reader]
    passages = max(1, round(size.passages * share))
    size = size._replace(passages=passages, questions=max(passages, round(size.questions * share)))
    folder.mkdir(parents=True, exist_ok=True)
    return WRITERS[reader](folder, size), size.questions


def write_cnn(folder: Path, size: Size) -> str:
    """Questions as JSON lines."""
    texts = _texts(ENTITIES, size)
    path = folder / "training.jsonl"
    entities = {entity: f"Name {entity[1:]}" for entity in ENTITIES}
    with open(path, "w", encoding="utf-8") as output:
        for i in range(size.questions):
            question = {
                "id": f"question{i}",
                "passage": texts[i % len(texts)].replace(OWN, own_word(i)),
                "question": f"@placeholder , who met {ENTITIES[i % 26]} , speaks of {own_word(i)} in the capital",
                "answer": ENTITIES[0],
                "entities": entities,
            }
            output.write(json.dumps(question) + "\n")
    return str(path)


def write_narrativeqa(folder: Path, size: Size) -> str:
    """A folder with the official files. All questions are in the training set, and only the raw texts are there."""
    texts = _texts(NAMES, size)
    (folder / "third_party" / "wikipedia").mkdir(parents=True, exist_ok=True)
    with open(folder / "third_party" / "wikipedia" / "summaries.csv", "w", encoding="utf-8", newline="") as output:
        rows = csv.writer(output)
        rows.writerow(["document_id", "set", "summary", "summary_tokenized"])
        for i in range(size.passages):
            rows.writerow([f"story{i}", "train", texts[i % len(texts)].replace(OWN, own_word(i)), ""])
    with open(folder / "qaps.csv", "w", encoding="utf-8", newline="") as output:
        names = ["question", "answer1", "answer2"]
        rows = csv.writer(output)
        rows.writerow(["document_id", "set", *names, *(f"{name}_tokenized" for name in names)])
        for i in range(size.questions):
            story = i * size.passages // size.questions
            text = texts[story % len(texts)].split()
            start = 37 * i % (len(text) - 5)
            answer = " ".join(text[start : start + 5]).replace(OWN, own_word(story))
            name, own = NAMES[i % len(NAMES)], own_word(size.passages + i)
            row = [f"story{story}", "train", f"What did {name} say of {own}?", answer, f"{name}'s {own}"]
            rows.writerow([*row, "", "", ""])
    return str(folder / "train")


WRITERS: dict[str, Callable[[Path, Size], str]] = {
    "annotated_cnn_dailymail": write_cnn,
    "annotated_narrativeqa": write_narrativeqa,
}


def own_word(number: int) -> str:
    """A word for each number, of letters."""
    letters = ""
    while number:
        number, letter = divmod(number, 26)
        letters += chr(ord("a") + letter)
    return f"Zy{letters}q"


def _texts(names: list[str], size: Size) -> list[str]:
    """Sentences with names, pronouns, connectives and words as frequent as in real text. Each text has an `OWN`."""
    rng = random.Random(0)

    def word() -> str:
        # The index of a word times its frequency is a constant.
        return f"word{int(WORDS ** rng.random())}"

    def sentence(last: str) -> str:
        name, other = rng.choices(names, k=2)
        again, why = rng.choice(PRONOUNS), rng.choice(CONNECTIVES)
        words = (
            f"{name} said that the {word()} {word()} of {other} {word()} a {word()} {why} {again} {word()} the {last} ."
        )
        return words[0].upper() + words[1:]

    texts = []
    for _ in range(min(TEXTS, size.passages)):
        sentences = [f"{names[0]} {sentence(OWN)}"]
        length = len(sentences[0].split())
        while length < size.tokens:
            sentences.append(sentence(word()))
            length += len(sentences[-1].split())
        texts.append(" ".join(sentences))
    return texts
