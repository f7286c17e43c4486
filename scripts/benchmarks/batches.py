"""Makes batches of made-up text for the readers and models of configs."""

import copy
import json
import os
import random
from collections import defaultdict
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from allennlp.common import Params, params
from allennlp.data import Batch, DatasetReader, Instance, TensorDict, Vocabulary
from allennlp.nn.util import move_to_device

import allennlp_coref_rc
from allennlp_coref_rc.common.config_files import locate
from allennlp_coref_rc.common.errors import ConfigurationError

SIMULATED = Path(allennlp_coref_rc.__file__).parent / "data" / "babi" / "simulated"
QUESTION = "@entity1 says that @placeholder has met the president of @entity2 in the capital on monday"
CONNECTIVES = ["but", "because", "when", "then", "although", "instead"]


class Text(NamedTuple):
    batch: int
    tokens: int


def read_config(name: str) -> dict[str, Any]:
    """
    The values of a config: a file, or the name of one that comes with the package. "+VARIANT" adds a variant to it.
    """
    return json.loads(_evaluated(name))


@lru_cache(maxsize=None)
def _evaluated(name: str) -> str:
    name, *variants = name.split("+")
    path = locate(name)
    if not Path(path).is_file():
        raise ConfigurationError(f"{name}: no such file, and no config of this name; coref-rc configs lists them")
    parts = [f"(import '{Path(path).resolve()}')", *(f"(import 'lib/variants.libsonnet').{name}" for name in variants)]
    return params.evaluate_snippet(name, " + ".join(parts), ext_vars=dict(os.environ))


def make_instances(reader: dict[str, Any], text: Text, entities: int, words: int) -> list[Instance]:
    """Instances for the reader of a config."""
    reader, make = copy.deepcopy(reader), cloze_questions
    if reader["type"] == "annotated_babi":
        reader.update(folder=str(SIMULATED), task=2)
        make = stories
    elif reader["type"] == "annotated_narrativeqa":
        make = span_questions
    return make(DatasetReader.from_params(Params(reader)), text, entities, words)


def stories(reader: DatasetReader, text: Text, entities: int, words: int) -> list[Instance]:
    """Those stories of the bundled simulated data whose lengths are nearest to `text.tokens`."""
    instances = sorted(reader.read("train"), key=lambda instance: abs(len(instance["passage"]) - text.tokens))
    return instances[: text.batch]


def cloze_questions(reader: DatasetReader, text: Text, entities: int, words: int) -> list[Instance]:
    """Half of the tokens are frequent words, a tenth are entity markers, and the rest are drawn from all words."""
    rng = random.Random(0)
    choices: list[Callable[[], str]] = [
        lambda: f"word{int(min(200, words) * rng.random() ** 2)}",
        lambda: f"@entity{rng.randrange(1, entities + 1)}",
        lambda: f"word{rng.randrange(words)}",
    ]
    names = [f"@entity{i + 1}" for i in range(entities)]
    instances = []
    for _ in range(text.batch):
        passage = [names[0], *(choose() for choose in rng.choices(choices, [5, 1, 4], k=text.tokens - 1))]
        instances.append(reader.text_to_instance(" ".join(passage), QUESTION, names, answer=names[0]))
        reader.apply_token_indexers(instances[-1])
    return instances


def span_questions(reader: DatasetReader, text: Text, entities: int, words: int) -> list[Instance]:
    """Random words, with full stops and connectives between them, so that there are sentences and relations."""
    rng = random.Random(0)
    vocabulary = ["".join(rng.choices("abcdefghij", k=rng.randint(1, 9))) for _ in range(min(words, 5000))]

    def tokens(number: int) -> list[str]:
        kinds = rng.choices([vocabulary, CONNECTIVES, ["."]], [18, 1, 1], k=number)
        return [rng.choice(kind) for kind in kinds]

    instances = []
    for _ in range(text.batch):
        passage = tokens(text.tokens)
        instances.append(reader.text_to_instance(passage, tokens(11), [" ".join(passage[3:6])], (3, 6)))
        reader.apply_token_indexers(instances[-1])
    return instances


def make_vocabulary(instances: list[Instance], words: int) -> Vocabulary:
    """
    A vocabulary for the instances. For cloze questions it has as many words as that of a data set, even if few of them
    occur.
    """
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
