"""A pretrained transformer under the readers, by `variants.transformer`: tiny ones, on fixtures."""

import copy
import json
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import pytest
import torch
from allennlp.common import Params
from allennlp.common.params import with_overrides
from allennlp.data import Batch, DatasetReader, Vocabulary
from allennlp.models import Model
from allennlp.nn import Initializer, InitializerApplicator
from allennlp.training.learning_rate_schedulers import LearningRateScheduler
from allennlp.training.optimizers import Optimizer
from transformers import AutoModel

from tests import tiny_transformers
from tests.training_config.configs import CONFIGS, evaluate, overrides

pytestmark = pytest.mark.slow


class Reader(NamedTuple):
    """Its data set, library of variants, variants, and the parts of the model's output that are compared."""

    folder: str
    library: str
    variants: str
    outputs: tuple


SPAN = ("span_start_probs", "span_end_probs")

READERS = {
    "ga_coref_gru": Reader("wikihop", "variants", "variants.coref_gru", ("probabilities",)),
    "ga_dassa": Reader("babi", "variants", "variants.dassa", ("probabilities",)),
    "qanet_dassa": Reader(
        "narrativeqa", "narrativeqa_variants", "variants.coref() + variants.explicit()", SPAN
    ),
}

SMALL = """
    hidden_size:: 12, layers:: 1, blocks:: 1, annotated_blocks:: [0], dropout:: 0, learning_rate:: 0.005,
    max_passage_length:: 40, training_limits:: { max_passage_length: 40, max_question_length: 10 },
    dassa_options:: { layer_dropout_undecayed_prob: 0 },
"""

SHORT = 20
"""The pieces that a transformer reads at once: passages are longer."""

OPTIONS = {
    "all": "",
    "last": ", trained_layers=1, gradient_checkpointing=true",
    "none": ", trained_layers=0, gradient_checkpointing=true",
}
"""The layers that are trained: options of the variant."""

TRANSFORMER = "token_embedder_transformer._matched_embedder.transformer_model."

# How words are found does not depend on the reader above them.
each_transformer = pytest.mark.parametrize(
    "reader, architecture",
    [
        *((reader, "bert") for reader in READERS),
        *(("ga_coref_gru", architecture) for architecture in ("roberta", "deberta", "modernbert")),
    ],
)


@pytest.fixture(scope="module")
def make(tmp_path_factory):
    """Makes the config, the model and two questions for a reader, an architecture, and trained layers."""
    folder = tmp_path_factory.mktemp("transformers")
    experiments = {}
    for reader, (data_set, library, variants, _) in READERS.items():
        for trained, options in OPTIONS.items():
            experiments[f"{reader}_{trained}"] = f"""
                local variants = import 'lib/{library}.libsonnet';
                (import 'lib/{data_set}.libsonnet') + {variants} + variants.transformer(
                    'ARCHITECTURE', dim={tiny_transformers.HIDDEN_SIZE}, max_length={SHORT}, warmup=0.2,
                    learning_rate=0.001{options}
                ) {{ {SMALL} }}
            """
    # Together, since libraries then are read once.
    texts = json.dumps(
        evaluate(f"{{ {', '.join(f'{name}: ({text})' for name, text in experiments.items())} }}")
    )

    @lru_cache(maxsize=None)
    def experiments_of(architecture):
        name = tiny_transformers.make(architecture, folder / architecture)
        return json.loads(texts.replace("ARCHITECTURE", name))

    @lru_cache(maxsize=None)
    def questions(reader, architecture):
        folder_of_data = READERS[reader].folder
        paths = json.loads(overrides(CONFIGS / folder_of_data / "mine.jsonnet"))
        params = Params(with_overrides(experiments_of(architecture)[f"{reader}_all"], paths))
        read = DatasetReader.from_params(params["dataset_reader"]).read(params["train_data_path"])
        first, *_, last = islice(read, 10)
        vocab = Vocabulary.from_instances([first, last])
        Batch([first, last]).index_instances(vocab)
        return vocab, [first, last]

    def made(reader, architecture, trained="all"):
        vocab, instances = questions(reader, architecture)
        experiment = experiments_of(architecture)[f"{reader}_{trained}"]
        torch.manual_seed(0)
        model = Model.from_params(Params(copy.deepcopy(experiment["model"])), vocab=vocab)
        parts = instances, instances[:1], instances[1:]
        return experiment, model, [Batch(part).as_tensor_dict() for part in parts]

    return made


def transformer_of(model):
    """The parameters of its transformer, by the names that these have in the transformer itself."""
    named = [(name.partition(TRANSFORMER), parameter) for name, parameter in model.named_parameters()]
    return {rest: parameter for (_, found, rest), parameter in named if found}


@each_transformer
def test_updates_reach_pretrained_weights_and_annotations_and_the_loss_falls(make, reader, architecture):
    experiment, model, (batch, *_) = make(reader, architecture)
    name = experiment["model"]["text_field_embedder"]["token_embedders"]["transformer"]["model_name"]
    pretrained = AutoModel.from_pretrained(name).state_dict()
    weights = transformer_of(model)
    assert {key for key in pretrained if not key.startswith("pooler.")} == weights.keys()
    for key, weight in weights.items():
        # AllenNLP leaves out rows for words that the tokenizer does not have.
        assert torch.equal(weight, pretrained[key][: len(weight)]), key
    passage = batch["passage"]["transformer"]
    assert passage["token_ids"].size(1) > 2 * SHORT

    trainer = Params(copy.deepcopy(experiment["trainer"]))
    named = [(name, parameter) for name, parameter in model.named_parameters() if parameter.requires_grad]
    optimizer = Optimizer.from_params(trainer["optimizer"], model_parameters=named)
    scheduler = LearningRateScheduler.from_params(
        trainer["learning_rate_scheduler"], optimizer=optimizer, num_epochs=1, num_steps_per_epoch=20
    )
    names = {id(parameter): name for name, parameter in named}
    groups = [(group, [names[id(p)] for p in group["params"]]) for group in optimizer.param_groups]
    decayed, undecayed, rest = [names_of_group for _, names_of_group in groups]
    assert {TRANSFORMER in name for name in decayed + undecayed} == {True}
    assert not any(TRANSFORMER in n for n in rest)
    assert all(name.endswith("weight") and "norm" not in name.lower() for name in decayed)
    assert [group["weight_decay"] for group, _ in groups] == [0.01, 0, 0]

    losses, rates = [], []
    for step in range(20):
        loss = model(**batch)["loss"]
        optimizer.zero_grad()
        loss.backward()
        if step == 0:
            check_gradients(model, weights)
        rates.append([group["lr"] for group, _ in groups])
        optimizer.step()
        scheduler.step_batch()
        losses.append(loss.item())
    assert losses[-1] < 0.5 * losses[0]
    shares = [0, 0.25, 0.5, 0.75, *((20 - i) / 16 for i in range(4, 20))]
    for share, found in zip(shares, rates):
        assert found == pytest.approx([0.001 * share, 0.001 * share, 0.005 * share], abs=1e-8)


def check_gradients(model, weights):
    """All have them, also those that only annotations reach."""
    gradients = {key: parameter.grad for key, parameter in model.named_parameters()}
    assert [key for key, gradient in gradients.items() if gradient is None] == []
    # Attention does not depend on the bias of keys.
    expected = ([], [k for k in weights if "key.bias" in k])
    assert [key for key in weights if not weights[key].grad.any()] in expected
    annotated = [key for key in gradients if "keys" in key.rpartition(".")[2] or ".labels." in key]
    # No word of a WikiHop question has an antecedent.
    annotated = [key for key in annotated if "_question_encoders" not in key]
    assert annotated and all(gradients[key].any() for key in annotated)


@each_transformer
def test_padding_and_batching_change_nothing(make, reader, architecture):
    _, model, (batch, *singles) = make(reader, architecture)
    lengths = batch["passage"]["transformer"]["mask"].sum(dim=1)
    assert lengths[0] != lengths[1]
    model.eval()
    with torch.no_grad():
        together = model(**batch)
        for i, single in enumerate(singles):
            alone = model(**single)
            for output in READERS[reader].outputs:
                expected = alone[output][0]
                torch.testing.assert_close(
                    together[output][i, : len(expected)], expected, rtol=1e-4, atol=1e-5
                )


@pytest.mark.parametrize("reader", ["ga_dassa", "qanet_dassa"])
@pytest.mark.parametrize("trained, number", [("none", 0), ("last", 1)])
def test_layers_below_the_last_ones_are_not_trained(make, reader, trained, number):
    experiment, model, (batch, *_) = make(reader, "bert", trained)
    model.train()(**batch)["loss"].backward()
    with_gradients = {key for key, parameter in transformer_of(model).items() if parameter.grad is not None}
    last = f"encoder.layer.{tiny_transformers.LAYERS - 1}."
    assert with_gradients == {key for key in transformer_of(model) if number and key.startswith(last)}
    assert len(experiment["trainer"]["optimizer"].get("parameter_groups", [])) == 2 * number


def test_initializers_may_not_change_the_transformer(make):
    experiment, *_ = make("ga_dassa", "bert")
    initializer = InitializerApplicator.from_params(Params(copy.deepcopy(experiment["model"]["initializer"])))
    initializer._initializers.append(
        (".*", Initializer.from_params(Params({"type": "constant", "val": 7.0})))
    )
    _, model, _ = make("ga_dassa", "bert")
    before = {key: parameter.clone() for key, parameter in transformer_of(model).items()}
    initializer(model)
    assert all(torch.equal(before[key], parameter) for key, parameter in transformer_of(model).items())
    assert all(
        (parameter == 7).all() for key, parameter in model.named_parameters() if TRANSFORMER not in key
    )


def test_renamed_words_are_refused():
    with pytest.raises(RuntimeError, match="Found entity substitution beside a transformer"):
        evaluate(
            "(import 'lib/ga.libsonnet') + (import 'lib/transformers.libsonnet').transformer('bert-base-uncased') "
            "+ { entity_substitution:: {} }"
        )


def test_sizes_are_those_of_base_and_large_models():
    sizes = evaluate(
        "local words = import 'lib/transformers.libsonnet'; "
        "[words.transformer(name).transformer.dim for name in ['roberta-base', 'roberta-large']]"
    )
    assert sizes == [768, 1024]
