"""The library of structured transformers: variants combine in any order, over libraries of data sets."""

from itertools import permutations, product

import pytest
from allennlp.data import Vocabulary
from allennlp.models import Model
from allennlp.training.optimizers import Optimizer

from tests.training_config.configs import evaluate, load_text, small

pytestmark = pytest.mark.slow

IMPORTS = """
    local structured = import 'lib/structured_transformer.libsonnet';
    local variants = import 'lib/variants.libsonnet';
    local qanet = import 'lib/qanet_variants.libsonnet';
"""

BASES = {
    "spans": "structured.spans(import 'lib/narrativeqa.libsonnet')",
    "tags": "structured.tags(import 'lib/quoref.libsonnet')",
    "candidates": "structured.candidates(import 'lib/wikihop.libsonnet')",
}

ENCODERS = {"coref_gru": "variants.coref_gru", "mage_gru": "variants.mage_gru(16)", "dassa": "variants.dassa"}

OTHERS = (
    "variants.transformer('roberta-large', learning_rate=0.00001)",
    "{ hidden_size:: 64, overlap:: 32, callbacks+:: [{ type: 'tensorboard' }] }",
)


def experiments(texts):
    """Together, since libraries then are read once."""
    return dict(zip(texts, evaluate(f"{IMPORTS} [{', '.join(texts.values())}]")))


def test_the_encoder_is_swapped_by_an_edit():
    pairs = product(BASES.items(), ENCODERS.items())
    found = experiments({(base, name): f"{text} + {variant}" for (base, text), (name, variant) in pairs})
    for (_, name), values in found.items():
        encoder = values["model"]["encoder"]
        assert encoder["type"] == name and encoder.get("input_size", encoder.get("input_dim")) == 768
        assert values["dataset_reader"]["annotation_layers"].keys() == {"coref"}
        assert values["dataset_reader"]["token_indexers"].keys() == {"transformer"}
        assert values["validation_dataset_reader"]["token_indexers"].keys() == {"transformer"}
    plain = experiments(BASES)
    assert not any("encoder" in values["model"] for values in plain.values())


def test_variants_combine_in_any_order():
    views = ("structured.dassa", "qanet.coref()", "qanet.explicit()")
    for base, text in BASES.items():
        chosen = (*OTHERS, *(views if base != "candidates" else ["variants.coref_gru"]))
        orders = list(permutations(chosen))
        orders = orders[:: max(1, len(orders) // 6)]
        first, *others = experiments({order: " + ".join((text, *order)) for order in orders}).values()
        assert len(others) >= 5
        assert all(other == first for other in others)
        model, groups = first["model"], first["trainer"]["optimizer"]["parameter_groups"]
        rates = [group[1]["lr"] for group in groups]
        assert model["transformer"]["model_name"] == "roberta-large" and model["transformer"]["overlap"] == 32
        assert model["encoder"].get("input_size", model["encoder"].get("input_dim")) == 1024
        assert {"type": "tensorboard"} in first["trainer"]["callbacks"]
        assert rates == [0.00001, 0.00001] and first["trainer"]["grad_norm"] == 1


def test_the_transformer_has_a_learning_rate_of_its_own():
    params = load_text(small("import 'quoref/structured_transformer_coref.jsonnet'", "quoref"), "quoref")
    model = Model.from_params(params["model"], vocab=Vocabulary())
    named = list(model.named_parameters())
    groups = Optimizer.from_params(params["trainer"]["optimizer"], model_parameters=named).param_groups
    names = {id(parameter): name for name, parameter in named}
    decayed, undecayed, rest = [[names[id(p)] for p in group["params"]] for group in groups]
    assert {"transformer_model." in name for name in decayed + undecayed} == {True}
    assert not any("transformer_model." in name for name in rest) and "_layer._gate" in rest
    assert all("norm" not in name for name in decayed) and all("norm" in name for name in undecayed)
    assert [group["lr"] for group in groups] == [0.00002, 0.00002, 0.0002]
