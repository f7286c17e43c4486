"""Makes batches of made-up text for the models of configs."""

import json
import os
import random
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

from allennlp.common import Params, params
from allennlp.data import Batch, DatasetReader, Instance, TensorDict, Vocabulary
from allennlp.nn.util import move_to_device

from allennlp_coref_rc.common.config_files import locate
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.dataset_readers.annotated_babi import BUNDLED_FOLDER as SIMULATED

WORDS = 118_497
"""
The number of different words in CNN's questions (Hermann et al. 2015), without those that only one question
has.
"""

ENTITIES = [f"@entity{i}" for i in range(26)]
NAMES = [
    "Nora",
    "Sam",
    "Mrs. Duarte",
    "Hunter",
    "Kira",
    "Bruno",
    "the captain",
    "his sister",
    "Old Tom",
    "Ines",
]
CONNECTIVES = ["because", "but", "when", "although", "instead", "then"]
QUESTION = f"@placeholder , who met {ENTITIES[1]} , speaks of it in the capital"

Text = NamedTuple("Text", [("batch", int), ("tokens", int)])


def read_config(name: str) -> dict[str, Any]:
    """The values of a config: a file, or one that comes with the package. "+VARIANT" adds a variant to it."""
    name, *variants = name.split("+")
    path = Path(locate(name)).resolve()
    if not path.is_file():
        raise ConfigurationError(
            f"{name}: no such file, and no config of this name; coref-rc configs lists them"
        )
    parts = [f"(import '{path}')", *(f"(import 'lib/variants.libsonnet').{variant}" for variant in variants)]
    return json.loads(params.evaluate_snippet(name, " + ".join(parts), ext_vars=dict(os.environ)))


def make_texts(names: list[str], number: int, tokens: int, words: int = WORDS) -> list[str]:
    """
    Texts of at least this many tokens. Sentences have names, pronouns, connectives and words as frequent as
    in real text. Each text begins with the first name.
    """
    rng = random.Random(0)

    def sentence() -> str:
        name, other = rng.choices(names, k=2)
        # The index of a word times its frequency is a constant.
        a, b, c, d, e = (f"word{int(words ** rng.random())}" for _ in range(5))
        why, again = rng.choice(CONNECTIVES), rng.choice(["he", "she", "they", "it"])
        text = f"{name} said that the {a} {b} of {other} {c} a {d} {why} {again} {e} the {a} ."
        return text[0].upper() + text[1:]

    texts = []
    for _ in range(number):
        text = [names[0]]
        while len(text) < tokens:
            text += sentence().split()
        texts.append(" ".join(text))
    return texts


def make_instances(params: dict[str, Any], text: Text, words: int) -> list[Instance]:
    """
    Instances for the reader of a config. For bAbI, these are the simulated stories of about that many tokens.
    """
    of_babi = {"folder": str(SIMULATED), "task": 2} if params["type"] == "annotated_babi" else {}
    reader = DatasetReader.from_params(Params({**params, **of_babi}))
    if of_babi:
        return sorted(reader.read("train"), key=lambda one: abs(len(one["passage"]) - text.tokens))[
            : text.batch
        ]
    spans, instances = params["type"] == "annotated_narrativeqa", []
    for passage in make_texts(NAMES if spans else ENTITIES, text.batch, text.tokens, words):
        tokens = passage.split()[: text.tokens]
        if spans:
            words_of_question = "What did Nora say of the captain and his sister ?".split()
            known = {"answers": [" ".join(tokens[3:6])], "span": (3, 6)}
            instances.append(reader.text_to_instance(tokens, words_of_question, **known))
        else:
            instances.append(
                reader.text_to_instance(" ".join(tokens), QUESTION, ENTITIES, answer=ENTITIES[0])
            )
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
