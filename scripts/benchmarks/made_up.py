"""Makes batches and files of made-up text for the readers and models of configs."""

import csv
import json
import os
import random
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from allennlp.common import Params, params
from allennlp.data import Batch, DatasetReader, Instance, TensorDict, Vocabulary
from allennlp.nn.util import move_to_device

from allennlp_coref_rc.common.config_files import locate
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.dataset_readers.annotated_babi import BUNDLED_FOLDER as SIMULATED

WORDS = 118_497
"""The number of different words in CNN's questions (Hermann et al. 2015), without those that only one question has."""

ENTITIES = [f"@entity{i}" for i in range(26)]
NAMES = ["Nora", "Sam", "Mrs. Duarte", "Hunter", "Kira", "Bruno", "the captain", "his sister", "Old Tom", "Ines"]
CONNECTIVES = ["because", "but", "when", "although", "instead", "then"]
QUESTION = "@placeholder , who met {entity} , speaks of {own} in the capital"

OWN = "{own}"
"""Stands for a word that no other text has."""

TEXTS = 200
"""The number of texts in a file. They are repeated, each time with a word of its own."""

Text = NamedTuple("Text", [("batch", int), ("tokens", int)])

SIZES = {"annotated_cnn_dailymail": (380_298, 380_298, 762), "annotated_narrativeqa": (46_765, 1_572, 659)}
"""By reader, the real numbers of questions, passages, and tokens in a passage."""


def read_config(name: str) -> dict[str, Any]:
    """The values of a config: a file, or one that comes with the package. "+VARIANT" adds a variant to it."""
    name, *variants = name.split("+")
    path = Path(locate(name)).resolve()
    if not path.is_file():
        raise ConfigurationError(f"{name}: no such file, and no config of this name; coref-rc configs lists them")
    parts = [f"(import '{path}')", *(f"(import 'lib/variants.libsonnet').{variant}" for variant in variants)]
    return json.loads(params.evaluate_snippet(name, " + ".join(parts), ext_vars=dict(os.environ)))


def make_texts(names: list[str], number: int, tokens: int, words: int = WORDS) -> list[str]:
    """
    Texts of at least this many tokens. Sentences have names, pronouns, connectives and words as frequent as in real
    text. Each text begins with the first name and has an `OWN`.
    """
    rng = random.Random(0)

    def sentence(last: str = "") -> str:
        name, other = rng.choices(names, k=2)
        # The index of a word times its frequency is a constant.
        a, b, c, d, e = (f"word{int(words ** rng.random())}" for _ in range(5))
        why, again = rng.choice(CONNECTIVES), rng.choice(["he", "she", "they", "it"])
        text = f"{name} said that the {a} {b} of {other} {c} a {d} {why} {again} {e} the {last or a} ."
        return text[0].upper() + text[1:]

    texts = []
    for _ in range(number):
        text = [names[0], *sentence(OWN).split()]
        while len(text) < tokens:
            text += sentence().split()
        texts.append(" ".join(text))
    return texts


def make_instances(params: dict[str, Any], text: Text, words: int) -> list[Instance]:
    """Instances for the reader of a config. For bAbI, these are the simulated stories of about that many tokens."""
    of_babi = {"folder": str(SIMULATED), "task": 2} if params["type"] == "annotated_babi" else {}
    reader = DatasetReader.from_params(Params({**params, **of_babi}))
    if of_babi:
        return sorted(reader.read("train"), key=lambda one: abs(len(one["passage"]) - text.tokens))[: text.batch]
    spans, instances = params["type"] == "annotated_narrativeqa", []
    for passage in make_texts(NAMES if spans else ENTITIES, text.batch, text.tokens, words):
        tokens = passage.split()[: text.tokens]
        if spans:
            words_of_question = "What did Nora say of the captain and his sister ?".split()
            known = {"answers": [" ".join(tokens[3:6])], "span": (3, 6)}
            instances.append(reader.text_to_instance(tokens, words_of_question, **known))
        else:
            question = QUESTION.format(entity=ENTITIES[1], own="it")
            instances.append(reader.text_to_instance(" ".join(tokens), question, ENTITIES, answer=ENTITIES[0]))
        reader.apply_token_indexers(instances[-1])
    return instances


def make_vocabulary(instances: list[Instance], words: int) -> Vocabulary:
    """A vocabulary for the instances. For cloze questions it has as many words as that of a data set."""
    counter: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for instance in instances:
        instance.count_vocab_items(counter)
    vocab = Vocabulary(counter=counter)
    if "candidates" in instances[0].fields and "cloze" in instances[0].fields:
        vocab.add_tokens_to_namespace([f"word{i}" for i in range(words)], "tokens")
    return vocab


def make_tensors(instances: list[Instance], vocab: Vocabulary, device: str) -> TensorDict:
    batch = Batch(instances)
    batch.index_instances(vocab)
    return move_to_device(batch.as_tensor_dict(), device)


def write(reader: str, folder: Path, share: float = 1.0) -> tuple[str, int]:
    """Writes official files with a share of the real size. Returns the data path and the number of questions."""
    if reader not in SIZES:
        raise ConfigurationError(f"found the reader {reader!r}, expected one of {', '.join(SIZES)}")
    (questions, passages, tokens), of_cnn = SIZES[reader], reader == "annotated_cnn_dailymail"
    passages = max(1, round(passages * share))
    questions = max(passages, round(questions * share))
    texts = make_texts(ENTITIES if of_cnn else NAMES, min(TEXTS, passages), tokens)
    path = _write_cnn(folder, texts, questions) if of_cnn else _write_narrativeqa(folder, texts, questions, passages)
    return str(path), questions


def _write_cnn(folder: Path, texts: list[str], questions: int) -> Path:
    entities = {entity: f"Name {entity[1:]}" for entity in ENTITIES}
    with open(folder / "training.jsonl", "w", encoding="utf-8") as output:
        for i in range(questions):
            passage = texts[i % len(texts)].replace(OWN, own_word(i))
            question = QUESTION.format(entity=ENTITIES[i % 26], own=own_word(i))
            item = {"id": str(i), "passage": passage, "question": question, "answer": ENTITIES[0], "entities": entities}
            output.write(json.dumps(item) + "\n")
    return folder / "training.jsonl"


def _write_narrativeqa(folder: Path, texts: list[str], questions: int, passages: int) -> Path:
    """All questions are in the training set, and only the raw texts are there."""

    def summary(i: int) -> str:
        return texts[i % len(texts)].replace(OWN, own_word(i))

    def question(i: int) -> list[str]:
        story = i * passages // questions
        start, name, own = 37 * i % 100, NAMES[i % len(NAMES)], own_word(passages + i)
        answers = " ".join(summary(story).split()[start : start + 5]), f"{name}'s {own}"
        return [f"story{story}", "train", f"What did {name} say of {own}?", *answers, "", "", ""]

    (folder / "third_party" / "wikipedia").mkdir(parents=True)
    names = ["question", "answer1", "answer2"]
    header = ["document_id", "set", *names, *(f"{name}_tokenized" for name in names)]
    _write_csv(folder / "qaps.csv", header, map(question, range(questions)))
    header = ["document_id", "set", "summary", "summary_tokenized"]
    rows = ([f"story{i}", "train", summary(i), ""] for i in range(passages))
    _write_csv(folder / "third_party" / "wikipedia" / "summaries.csv", header, rows)
    return folder / "train"


def _write_csv(path: Path, header: list[str], rows: Iterable[list[str]]) -> None:
    with open(path, "w", encoding="utf-8", newline="") as output:
        csv.writer(output).writerows([header, *rows])


def own_word(number: int) -> str:
    """A word for each number, of letters."""
    return f"Zy{str(number).translate(str.maketrans('0123456789', 'abcdefghij'))}q"
