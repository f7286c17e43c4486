"""Variants change one thing each and combine in any order, as docs/configs.md says."""

import random
from collections import ChainMap
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import combinations, permutations, product
from typing import NamedTuple

import pytest

from tests.training_config import configs_page
from tests.training_config.configs import evaluate

pytestmark = pytest.mark.slow

VIEWS = dict.fromkeys(
    ["discourse_explicit", "discourse_non_explicit", "srl", "coref"], "dataset_reader.annotator"
)
VIEWS["sentence_spans"] = ""

KEYS = {
    "variants": {
        "encoder": "model.passage_encoders model.question_encoders model.initializer dataset_reader.annotation_layers",
        "layers": "model.passage_encoders model.question_encoders",
        "gating": "model.gating",
        "self_belief.question": "model.question_self_belief",
        "self_belief.passage": "model.passage_self_belief",
        "pointer": "model.pointer",
        "cluster_one_hot": "model.cluster_one_hot model.*.input_size model.*.input_dim "
        "dataset_reader.annotation_layers.coref_clusters",
        "corruption": "dataset_reader.annotator",
        "transformer": "model.text_field_embedder.token_embedders dataset_reader.token_indexers model.*.input_size "
        "model.*.input_dim model.initializer trainer.optimizer trainer.learning_rate_scheduler",
    },
    "qanet_variants": {
        **{
            f"views.{view}": f"model.modeling_layer.heads.{view} dataset_reader.annotation_layers.{view} {annotator}"
            for view, annotator in VIEWS.items()
        },
        "heads_in_all_blocks": "model.modeling_layer.annotated_blocks model.modeling_layer.num_attention_heads "
        "model.modeling_layer.attention_projection_dim",
        "join_unannotated": "model.modeling_layer.join_unannotated",
        "encoder": "model dataset_reader.annotation_layers dataset_reader.annotator trainer.optimizer.weight_decay",
        "transformer": "model*.text_field_embedder.token_embedders dataset_reader.token_indexers model.*.input_size "
        "model.*.input_dim trainer.optimizer trainer.learning_rate_scheduler",
        "max_batch_size": "data_loader.batch_sampler.batch_size validation_data_loader.batch_size "
        "trainer.num_gradient_accumulation_steps",
        "moving_average": "trainer.moving_average",
    },
}
KEYS["narrativeqa_variants"] = KEYS["qanet_variants"] | {
    **dict.fromkeys(
        ["budget", "authors_budget"],
        "data_loader.batch_sampler.batch_size validation_data_loader.batch_size trainer.num_epochs "
        "trainer.patience trainer.num_gradient_accumulation_steps trainer.learning_rate_scheduler.patience",
    ),
    "files": "train_data_path validation_data_path test_data_path evaluate_on_test dataset_reader.text "
    "dataset_reader.annotator",
}
"""By library and field, patterns of the keys that a variant changes; of both dataset readers."""


class Library(NamedTuple):
    """A library of variants: its file, its sections of the page, and a config to add them to."""

    file: str
    sections: tuple
    base: str

    @property
    def fields(self):
        return dict(ChainMap(*map(configs_page.fields_of_variants, self.sections)))

    @property
    def keys(self):
        return {field: keys.split() for field, keys in KEYS[self.file].items()}

    def experiment(self, *variants):
        added = "".join(f" + variants.{variant}" for variant in variants)
        return f"((import '{self.base}.jsonnet'){added})"

    def evaluate(self, combinations):
        """Experiments with some variants each; together, since libraries then are read once."""
        fields = ", ".join(f"'{i}': {self.experiment(*variants)}" for i, variants in enumerate(combinations))
        found = evaluate(f"local variants = import 'lib/{self.file}.libsonnet'; {{ {fields} }}")
        return {variants: found[str(i)] for i, variants in enumerate(combinations)}


GA = ("Variants of the GA Reader",)

QANET = ("Variants of QANet",)

NARRATIVEQA = (*QANET, "Variants of QANet on NarrativeQA")

LIBRARIES = [
    Library("variants", GA, "babi/ga_gru"),
    Library("variants", GA, "wikihop/ga_gru"),
    Library("narrativeqa_variants", NARRATIVEQA, "narrativeqa/baseline_qanet"),
    Library("qanet_variants", QANET, "quoref/baseline_qanet"),
]

FOR_HEADS = ("views.", "heads_in_all_blocks", "join_unannotated")
"""The beginnings of fields of variants that need DASSA's heads. Other encoders do not have them."""

SAME = [("torch_gru",), ("record_authors_budget({})",)]
"""Variants that change nothing: the first is what the bases have, on NarrativeQA another encoder."""

NO_MORE = [{"use_authors_budget", "batches_of_at_most(4)"}]
"""The authors' batches are of four questions anyway."""

each_library = pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.base)

# WikiHop's are those of bAbI, and Quoref's are a part of NarrativeQA's.
IN_PAIRS = [LIBRARIES[0], LIBRARIES[2]]
each_library_in_pairs = pytest.mark.parametrize("library", IN_PAIRS, ids=lambda library: library.base)


def combine(library, first, second):
    """Whether two variants are meant to combine."""
    fields = {library.fields[first], library.fields[second]}
    return not (
        "qanet" in library.base and "encoder" in fields and any(f.startswith(FOR_HEADS) for f in fields)
    )


@lru_cache(maxsize=None)
def alone(library):
    return library.evaluate([(), *((variant,) for variant in library.fields)])


@lru_cache(maxsize=None)
def pairs(library):
    return library.evaluate([pair for pair in permutations(library.fields, 2) if combine(library, *pair)])


def flat(value, key=""):
    """The values in an experiment, by dotted key."""
    if not isinstance(value, (dict, list)):
        return {key: value}
    items = value.items() if isinstance(value, dict) else enumerate(value)
    return {
        name: leaf for part, inner in items for name, leaf in flat(inner, f"{key}.{part}".lstrip(".")).items()
    }


def changes(values, base):
    """The keys that differ between two experiments, with their values in the first of them."""
    values, base = flat(values), flat(base)
    return {key: values.get(key) for key in values.keys() | base.keys() if values.get(key) != base.get(key)}


def belongs(key, field, library):
    """Whether the page says that a field changes a key."""
    key = key.replace("validation_dataset_reader.", "dataset_reader.", 1)
    patterns = library.keys[field]
    return any(fnmatchcase(key, pattern) or fnmatchcase(key, f"{pattern}.*") for pattern in patterns)


@each_library
def test_the_page_names_all_variants_and_their_fields(library):
    names = evaluate(f"std.objectFieldsAll(import 'lib/{library.file}.libsonnet')")
    assert {variant.partition("(")[0] for variant in library.fields} == set(names)
    assert set(library.fields.values()) == set(library.keys)


@each_library
def test_a_variant_changes_what_it_names_and_nothing_else(library):
    found = alone(library)
    for variant, field in library.fields.items():
        changed = changes(found[(variant,)], found[()])
        wrong = [key for key in changed if not belongs(key, field, library)]
        assert not wrong, f"{variant} changes {wrong}"
        assert changed or (variant,) in SAME, f"{variant} changes nothing"


@each_library_in_pairs
def test_pairs_are_the_same_in_both_orders(library):
    found = pairs(library)
    for first, second in combinations(library.fields, 2):
        if combine(library, first, second) and library.fields[first] != library.fields[second]:
            assert found[first, second] == found[second, first], (first, second)


@each_library_in_pairs
def test_of_two_variants_of_a_field_the_last_one_holds(library):
    for (first, second), values in pairs(library).items():
        if library.fields[first] == library.fields[second]:
            assert values == alone(library)[(second,)], (first, second)


@each_library_in_pairs
def test_no_variant_undoes_another(library):
    """If a variant changes a key that is not the other one's, both together change it in the same way."""
    base = alone(library)[()]
    changed = {variant: changes(alone(library)[(variant,)], base) for variant in library.fields}

    def others(variant, field):
        return {key: value for key, value in changed[variant].items() if not belongs(key, field, library)}

    left = {pair: others(*pair) for pair in product(library.fields, library.keys)}
    for (first, second), values in pairs(library).items():
        if library.fields[first] != library.fields[second]:
            together = flat(values)
            for one, other in ((first, second), (second, first)):
                for key, value in left[one, library.fields[other]].items():
                    assert together.get(key) == value, f"{first} + {second}: {key}"
                if (other,) not in SAME and {one, other} not in NO_MORE:
                    assert values != alone(library)[(one,)], f"{other} is lost in {first} + {second}"


@each_library
def test_one_variant_of_each_field_at_once(library):
    chosen = {field: variant for variant, field in library.fields.items()}
    if "qanet" in library.base:
        del chosen["encoder"]
    chosen = list(chosen.values())
    shuffled = [tuple(random.Random(seed).sample(chosen, len(chosen))) for seed in range(5)]
    first, *others = library.evaluate([tuple(chosen), tuple(reversed(chosen)), *shuffled]).values()
    assert all(other == first for other in others)


def test_variants_for_heads_are_refused_beside_other_encoders():
    library = LIBRARIES[2]
    refused = [pair for pair in permutations(library.fields, 2) if not combine(library, *pair)]
    assert len(refused) == 2 * 10 * 5
    # One of each field will do, in both orders.
    by_fields = {tuple(library.fields[variant] for variant in pair): pair for pair in refused}
    for pair in by_fields.values():
        with pytest.raises(RuntimeError, match="a modelling layer without heads .* leave one of the two out"):
            evaluate(
                f"local variants = import 'lib/{library.file}.libsonnet'; {library.experiment(*pair)}.random_seed"
            )


def test_the_authors_budget_has_to_be_recorded():
    with pytest.raises(RuntimeError, match="Found no budget of the authors in this config"):
        evaluate(
            "local variants = import 'lib/narrativeqa_variants.libsonnet'; "
            "(import 'lib/narrativeqa.libsonnet') + variants.use_authors_budget"
        )
