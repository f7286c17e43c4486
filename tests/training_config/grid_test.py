"""
Encoders in readers on data sets: trained for two batches, and reloaded. Every two of an encoder, a reader and
a data set meet in a cell; `pytest --every-cell` tests all of them.
"""

import json
import math
from functools import lru_cache
from itertools import combinations, islice, product

import pytest
import torch
from allennlp.common import Params
from allennlp.data import Batch, DatasetReader, Vocabulary
from allennlp.models import Model

from tests.training_config.configs import CONFIGS, SMALL, evaluate, load_text, on_fixtures

pytestmark = pytest.mark.slow

DATA_SETS = {
    "babi": "babi",
    "cnn": "cnn",
    "lambada": "lambada",
    "wdw_strict": "who_did_what",
    "wikihop": "wikihop",
}
"""
The library of each folder of configs. Those of Daily Mail and of the relaxed questions differ in their files
alone.
"""

ENCODERS = ("gru", "coref_gru", "mage_gru(8)", "dassa")

READERS = {
    "ga": [],
    "single_layer": ["single_layer"],
    "stanford": ["single_layer", "bilinear"],
    "cg": ["cg"],
    "cg_by_filtered_question_unfiltered": ["cg_by_filtered_question_unfiltered"],
    "sba_question": ["sba_question"],
    "sba_passage": ["sba_passage"],
    "sba_both": ["sba_question", "sba_passage"],
    "cg_sba": ["cg", "sba_question"],
}
"""The variants of each."""


@lru_cache(maxsize=None)
def experiments(folder):
    """Those of all encoders in all readers on a data set, evaluated together."""

    def text(encoder, reader):
        variants = "".join(f" + variants.{variant}" for variant in [encoder, *READERS[reader]])
        return f"library{variants} + {{ training_set:: 'Strict', hidden_size:: 12, {SMALL} }}"

    fields = (f"'{encoder} {reader}': {text(encoder, reader)}" for encoder in ENCODERS for reader in READERS)
    return evaluate(
        f"""
        local variants = import 'lib/variants.libsonnet';
        local library = import 'lib/{DATA_SETS[folder]}.libsonnet';
        {{ {", ".join(fields)} }}
        """
    )


def experiment(folder, encoder, reader):
    return on_fixtures(experiments(folder)[f"{encoder} {reader}"], CONFIGS / folder / "mine.jsonnet")


def qanet_experiment(modeling_layer):
    text = f"""
        local variants = import 'lib/narrativeqa_variants.libsonnet';
        (import 'lib/narrativeqa.libsonnet') + variants.{modeling_layer}
        {{ hidden_size:: 12, blocks:: 2, annotated_blocks:: [1], {SMALL} }}
    """
    return load_text(text, "narrativeqa")


@lru_cache(maxsize=None)
def data(folder, encoder):
    return batches_of(experiment(folder, encoder, "ga"))


def batches_of(params):
    reader = DatasetReader.from_params(params["dataset_reader"])
    instances = list(islice(reader.read(params["train_data_path"]), 4))
    vocab = Vocabulary.from_instances(instances)
    batches = []
    for part in (instances[:2], instances[2:]):
        batch = Batch(part)
        batch.index_instances(vocab)
        batches.append(batch.as_tensor_dict())
    return vocab, batches


def cells(every):
    """All, or a Latin square, in which the encoder follows from where the data set and the reader stand."""
    if every:
        return list(product(DATA_SETS, READERS, ENCODERS))
    return [
        (folder, reader, ENCODERS[(i + j) % len(ENCODERS)])
        for i, folder in enumerate(DATA_SETS)
        for j, reader in enumerate(READERS)
    ]


def pytest_generate_tests(metafunc):
    if metafunc.function is test_cell:
        metafunc.parametrize("folder, reader, encoder", cells(metafunc.config.getoption("every_cell")))


def test_every_two_meet():
    for kinds in combinations(range(3), 2):
        some, all_of_them = (
            {tuple(cell[kind] for kind in kinds) for cell in cells(every)} for every in (False, True)
        )
        assert some == all_of_them


def test_cell(folder, reader, encoder):
    check(experiment(folder, encoder, reader), *data(folder, encoder), "probabilities")


@pytest.mark.parametrize("modeling_layer", ["gru", "coref_gru", "mage_gru(8)", "coref()"])
def test_modelling_layer_of_qanet(modeling_layer):
    """The last is that of DASSA."""
    params = qanet_experiment(modeling_layer)
    check(params, *batches_of(params), "span_end_probs")


def check(params, vocab, batches, output):
    config = params.as_dict(quiet=True)["model"]
    torch.manual_seed(0)
    model, reloaded = (
        Model.from_params(Params(json.loads(json.dumps(config))), vocab=vocab) for _ in range(2)
    )
    optimizer = torch.optim.Adam(model.parameters())
    for batch in batches:
        loss = model(**batch)["loss"]
        assert math.isfinite(loss.item())
        optimizer.zero_grad()
        loss.backward()
        assert all(parameter.grad is not None for parameter in model.parameters())
        optimizer.step()
    reloaded.load_state_dict(model.state_dict())
    with torch.no_grad():
        found, expected = (each.eval()(**batches[0])[output] for each in (reloaded, model))
    assert torch.equal(found, expected)
