"""
Archives that were made with the oldest and newest releases of torch and transformers that work, and their
predictions. These wrote the fixtures, in an environment of each kind:

    python -m tests.safe_archives.releases_test oldest
    python -m tests.safe_archives.releases_test newest
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
import torch
from allennlp.models.archival import archive_model, load_archive
from allennlp.predictors import Predictor

from allennlp_coref_rc.allennlp_runtime.lazy_registry import register_own
from tests import tiny_transformers
from tests.models.ga_reader_test import build
from tests.shared import PROJECT
from tests.training_config.configs import FIXTURES, load_text

ARCHIVES = FIXTURES / "archives"

TRANSFORMER = "tests/fixtures/archives/bert"

SMALL = "{ embedding_dim:: 4, hidden_size:: 4, layers:: 1 }"

KINDS = {
    "recurrent": f"(import 'babi/ga_coref_gru.jsonnet') + {SMALL}",
    "transformer": f"(import 'babi/ga_coref_gru.jsonnet') + (import 'lib/transformers.libsonnet').transformer("
    f"'{TRANSFORMER}', dim={tiny_transformers.HIDDEN_SIZE}, max_length={tiny_transformers.MAX_LENGTH}) + {SMALL}",
}

PASSAGE = "Mary went to the park. She took the milk to the office. John slept in the kitchen."
QUESTION = {"passage": PASSAGE, "question": "Where is the milk?"}


def predict(archive):
    predictor = Predictor.from_archive(load_archive(str(archive)), "cloze_reader")
    return predictor.predict_json(QUESTION)["candidate_probabilities"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("releases", ["oldest", "newest"])
def test_an_archive_of_other_releases_predicts_the_same(kind, releases, monkeypatch):
    monkeypatch.chdir(PROJECT)
    expected = json.loads((ARCHIVES / f"{kind}_{releases}.json").read_text())
    assert len(set(expected.values())) > 1
    assert predict(ARCHIVES / f"{kind}_{releases}.tar.gz") == pytest.approx(expected, rel=1e-5)


def make(releases):
    register_own()
    if not (PROJECT / TRANSFORMER).exists():
        tiny_transformers.make("bert", PROJECT / TRANSFORMER)
    for kind, config in KINDS.items():
        model, _, _ = build(config)
        for name, parameter in model.named_parameters():
            if "transformer_model" not in name:
                torch.nn.init.normal_(parameter, std=0.5)
        with tempfile.TemporaryDirectory() as folder:
            load_text(config, "babi").to_file(f"{folder}/config.json")
            model.vocab.save_to_files(f"{folder}/vocabulary")
            torch.save(model.state_dict(), f"{folder}/weights.th")
            target = ARCHIVES / f"{kind}_{releases}"
            shutil.copy(archive_model(folder, weights="weights.th"), f"{target}.tar.gz")
        Path(f"{target}.json").write_text(json.dumps(predict(f"{target}.tar.gz"), indent=1) + "\n")


if __name__ == "__main__":
    make(*sys.argv[1:])
