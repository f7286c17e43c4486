"""Small experiments. Their data are the fixtures, and everything else is as in the configs."""

import atexit
import copy
import json
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any, Optional

import _jsonnet
import allennlp_models.tagging  # noqa: F401  registers "crf_tagger", as the command line does
from allennlp.common import Params
from allennlp.common.params import with_overrides

from tests import tiny_transformers
from tests.shared import PROJECT

FIXTURES = PROJECT / "tests" / "fixtures"

CONFIGS = PROJECT / "training_config"

BABI = FIXTURES / "babi"

BABI_FOLDERS = ("babi", "babi_mix")
"""Of configs that read its tasks."""

SPLITS = ("train", "validation", "test")

DATA_PATHS = {
    "cnn": "cnn_dailymail/questions/{training,validation,test}",
    "daily_mail": "cnn_dailymail/questions/{training,validation,test}",
    "lambada": "lambada/{train,valid,test}.txt",
    "lambada_development": "lambada/{train,valid,valid}.txt",
    "narrativeqa": "narrativeqa/{train,valid,test}",
    "narrativeqa_swapped": "narrativeqa/{train,valid,test}",
    "quoref": "quoref/{train,dev,dev}.json",
    "quoref_articles": "quoref/{train,dev,dev}.json",
    "wdw_relaxed": "who_did_what/Relaxed/{train,val,test}.xml",
    "wdw_strict": "who_did_what/Strict/{train,val,test}.xml",
    "wikihop": "wikihop/{train,dev,dev}.json",
}
"""By the folder of its configs, the files of a data set: for training, validation and testing."""


def configs(*folders: str) -> list[Path]:
    """All experiments, or those of some folders."""
    paths = sorted(CONFIGS.glob("*/*.jsonnet"))
    return [path for path in paths if not folders or path.parent.name in folders]


def name_of(config: Path) -> str:
    return f"{config.parent.name}-{config.stem}"


def overrides(config: Path, task: int = 2, more: Optional[dict[str, Any]] = None) -> str:
    """As `-o` takes them; `task` is that of bAbI."""
    values: dict[str, Any] = {"trainer.num_epochs": 1}
    if config.parent.name in BABI_FOLDERS:
        values.update({"dataset_reader.folder": str(BABI), "dataset_reader.task": task})
    elif config.parent.name == "annotators":
        corpora = _experiments("annotators")[config.stem]["train_data_path"]
        values.update({f"{split}_data_path": _fixtures_of(corpora) for split in SPLITS[:2]})
    else:
        start, names, end = DATA_PATHS[config.parent.name].replace("}", "{").split("{")
        for split, name in zip(SPLITS, names.split(",")):
            values[f"{split}_data_path"] = str(FIXTURES / (start + name + end))
    return json.dumps({**values, **(more or {})})


def _fixtures_of(corpora: Any) -> Any:
    """The fixture of a corpus, or those of several."""
    if isinstance(corpora, dict):
        return {task: _fixtures_of(path) for task, path in corpora.items()}
    if isinstance(corpora, list):
        return [_fixtures_of(path) for path in corpora]
    return str(FIXTURES / "annotators" / corpora.partition("annotators/")[2])


def load(config: Path, task: int = 2, more: Optional[dict[str, Any]] = None) -> Params:
    """An experiment on fixtures."""
    return on_fixtures(_experiments(config.parent.name)[config.stem], config, task, more)


def evaluate(text: str) -> Any:
    """The values of Jsonnet text that imports configs and libraries as a user's config does."""
    return json.loads(_jsonnet.evaluate_snippet("mine.jsonnet", text, jpathdir=[str(CONFIGS)]))


@lru_cache(maxsize=None)
def _experiments(folder: str, smaller: bool = False) -> dict[str, Any]:
    """All experiments of a folder, evaluated together, since Jsonnet reads its libraries anew each time."""
    texts = {path.stem: f"import '{folder}/{path.name}'" for path in configs(folder)}
    fields = (f"'{name}': {small(text, folder) if smaller else text}" for name, text in texts.items())
    return evaluate(f"{{ {', '.join(fields)} }}")


def on_fixtures(values: Any, config: Path, task: int = 2, more: Optional[dict[str, Any]] = None) -> Params:
    """An experiment's values, with the fixtures as its data. They are those of the folder of a config."""
    return Params(with_overrides(copy.deepcopy(values), json.loads(overrides(config, task, more))))


def load_text(text: str, folder: str, task: int = 2, more: Optional[dict[str, Any]] = None) -> Params:
    """An experiment in Jsonnet, on the fixtures that are the data of a folder of configs."""
    return on_fixtures(evaluate(text), CONFIGS / folder / "mine.jsonnet", task, more)


SMALL = "embedding_dim:: 8, pretrained_file:: null, dassa_options:: { layer_dropout_undecayed_prob: 0 }, "
"""Without layer dropout, so that every parameter is used."""

SMALL_QANET = """
    hidden_size:: 20, blocks:: 1, annotated_blocks:: [0], lstm_size:: 4,
    annotators+:: { srl: { type: 'compose', annotators: [] } },
"""
"""And without roles, which take a parse."""


def load_small(config: Path, task: int = 2) -> Params:
    """With small embeddings and encoders, no smaller than the largest part of a state that a config names."""
    return on_fixtures(_experiments(config.parent.name, smaller=True)[config.stem], config, task)


def write_small(folder: Path, config: str, **trainer: Any) -> Path:
    """Writes a small experiment of bAbI, with other settings of its trainer, to small.json in a folder."""
    params = load_small(CONFIGS / "babi" / f"{config}.jsonnet")
    params["trainer"].update(trainer)
    params.to_file(str(folder / "small.json"))
    return folder / "small.json"


@lru_cache(maxsize=None)
def tiny_transformer() -> str:
    """
    Fields of a tiny transformer without dropout, in place of a pretrained one that has to be downloaded. Its
    positions have no end.
    """
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    name = tiny_transformers.make("modernbert", Path(folder.name) / "modernbert")
    options = f"dim={tiny_transformers.HIDDEN_SIZE}, max_length={2 * tiny_transformers.MAX_LENGTH}"
    return f"(import 'lib/transformers.libsonnet').transformer('{name}', {options}) {{ overlap:: 4, dropout:: 0 }}"


def small(text: str, folder: str) -> str:
    """The same of an experiment in Jsonnet, as Jsonnet."""
    if "structured_transformer" in text:
        text = f"({text}\n) + {tiny_transformer()}"
    is_qanet = folder in ("narrativeqa", "narrativeqa_swapped", "quoref", "quoref_articles")
    return f"({text}\n) {{ {SMALL} {SMALL_QANET if is_qanet else 'hidden_size:: 100'} }}"
