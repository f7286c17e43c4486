"""Compares NarrativeQA's experiments with what the authors have published about theirs."""

import json
from itertools import combinations

import pytest
from allennlp.commands.train import train_model
from allennlp.data import DatasetReader, Vocabulary
from allennlp.models import Model

from allennlp_coref_rc.annotations import AnnotatedText
from tests.training_config.configs import CONFIGS, configs, evaluate, load, load_text

pytestmark = pytest.mark.slow

FOLDER = CONFIGS / "narrativeqa"

PUBLISHED = {
    # Heads that see annotations; batch, accumulation, epochs, patience of training and of the learning rate.
    "baseline_bidaf": (0, 8, 4, 70, 10, 4),
    "baseline_qanet": (0, 4, 8, 70, 10, 4),
    "dassa_sdp_exp": (2, 1, 4, 70, 20, 8),
    "dassa_sdp_ne": (2, 2, 16, 70, 20, 8),
    "dassa_sdp_exp_nonexp": (4, 2, 16, 70, 20, 8),
    "dassa_sdp_exp_nosense": (2, 2, 16, 70, 20, 8),
    "dassa_sdp_ne_nosense": (2, 2, 16, 70, 20, 8),
    "dassa_sentspan3": (3, 2, 16, 70, 20, 8),
    "dassa_srl_3verbs": (3, 2, 16, 50, 10, 8),
    "dassa_srl_4verbs": (4, 2, 16, 50, 10, 8),
    "dassa_coref_feats": (3, 2, 16, 70, 20, 8),
    "dassa_multi_srl_sdp_exp": (5, 2, 16, 70, 20, 8),
    "dassa_multi_srl_sdp_nonexp": (5, 2, 16, 70, 20, 8),
    "dassa_multi_srl_sdp_exp_nonexp": (7, 2, 16, 70, 20, 8),
    "dassa_multi_srl_sdp_exp_coref_feats": (6, 2, 16, 70, 20, 8),
}


def experiments(names, *variants, more=""):
    """Experiments by name, with variants; together, since the library then is read once."""
    added = "".join(f" + variants.{variant}" for variant in variants)
    fields = ", ".join(f"{name}: (import 'narrativeqa/{name}.jsonnet'){added} {{ {more} }}" for name in names)
    return evaluate(f"local variants = import 'lib/narrativeqa_variants.libsonnet'; {{ {fields} }}")


def experiment(name, *variants, more=""):
    return experiments([name], *variants, more=more)[name]


def budget(values):
    trainer = values["trainer"]
    batch_size = values["data_loader"]["batch_sampler"]["batch_size"]
    accumulation, scheduler = trainer["num_gradient_accumulation_steps"], trainer["learning_rate_scheduler"]
    return batch_size, accumulation, trainer["num_epochs"], trainer["patience"], scheduler["patience"]


def test_heads_and_budgets_are_the_published_ones():
    for name, values in experiments(PUBLISHED, "use_authors_budget").items():
        heads, *expected = PUBLISHED[name]
        layer = values["model"].get("modeling_layer", {})
        assert sum(layer.get("heads", {}).values()) == heads, name
        # Each head has a layer of views, and where there are views there are annotations.
        assert set(layer.get("heads", {})) == set(values["dataset_reader"].get("annotation_layers", {})), name
        assert budget(values) == tuple(expected), name


SUMMARY = """
Scrooge, a cold-hearted miser, keeps a counting house in London and pays his clerk, Bob Cratchit, so little that
the family can hardly buy coal. On Christmas Eve his nephew Fred invites him to dinner, but Scrooge refuses
because he thinks that Christmas is a humbug. That night the ghost of Marley, who was once his partner, drags his
chains through the house, warns him and tells him that three spirits will come. The first one shows Scrooge his
lonely school days. Then he sees Belle, whom he loved before he began to care only for gold. The second spirit
takes him to the Cratchits, where Tiny Tim, a lame boy, sings although he is very ill. Scrooge asks if Tim will
live. The last spirit, however, never speaks. It points at a neglected grave, and Scrooge reads his own name on
the stone. He wakes in his bed, laughs, dances, sends the Cratchits a turkey and raises Bob's wages. Tiny Tim does
not die.
"""
"""Of a novel, in our words."""


@pytest.fixture(scope="module")
def views():
    """
    By config the views of each head of a passage that sees some. Labels are numbers in the order in which
    they occur, as a model has to learn what they mean.
    """
    found = {}
    for name in [name for name in PUBLISHED if name != "baseline_bidaf"]:
        params = load(FOLDER / f"{name}.jsonnet")["dataset_reader"]
        instance = DatasetReader.from_params(params).text_to_instance(SUMMARY, "Who warns Scrooge?")
        layers = instance["passage_annotations"].layers if "passage_annotations" in instance else {}
        found[name] = []
        for layer in layers.values():
            numbers = {}
            labels = [
                [numbers.setdefault(label, len(numbers)) if label else None for label in token]
                for token in layer["labels"]
            ]
            found[name] += list(zip(zip(*labels), zip(*layer["scopes"])))
    return found


def test_rows_that_the_paper_tells_apart_see_different_views(views):
    for one, other in combinations(views, 2):
        assert views[one] != views[other], f"{one} and {other} see the same views"


def test_roles_are_those_of_verbs():
    params = load(FOLDER / "dassa_srl_3verbs.jsonnet")["dataset_reader"]
    text = AnnotatedText("The refusal of Fred 's invitation is final ; he was leaving .".split())
    frames = DatasetReader.from_params(params).annotator.annotate(text).frames
    assert [text.tokens[frame.predicate[0]] for frame in frames] == ["leaving"]


def test_budgets_are_equal_unless_the_published_ones_are_asked_for():
    names = [
        path.stem for path in configs("narrativeqa") if not path.stem.startswith("structured_transformer")
    ]
    assert set(names) > set(PUBLISHED)
    assert set(map(budget, experiments(names).values())) == {(32, 1, 70, 20, 8)}
    assert set(map(budget, experiments(names, "batches_of_at_most(4)").values())) == {(4, 8, 70, 20, 8)}
    for encoder in ("gru", "coref_gru", "mage_gru(16)"):
        assert budget(experiment("baseline_qanet", encoder)) == (32, 1, 70, 20, 8)


def test_small_batches_of_the_published_budgets_make_the_same_updates():
    for name, values in experiments(PUBLISHED, "use_authors_budget", "batches_of_at_most(4)").items():
        _, batch_size, accumulation, *rest = PUBLISHED[name]
        small = min(4, batch_size)
        assert budget(values) == (small, batch_size * accumulation // small, *rest), name


@pytest.mark.parametrize("name, number", [("baseline_qanet", 1_459_127), ("baseline_bidaf", 2_581_494)])
def test_models_have_as_many_parameters_as_the_authors(name, number):
    """But for the table of words."""
    params = load(FOLDER / f"{name}.jsonnet")
    vocab = Vocabulary.from_instances(
        DatasetReader.from_params(params["dataset_reader"]).read(params["train_data_path"])
    )
    model = Model.from_params(params["model"], vocab=vocab)
    found = {name: p.numel() for name, p in model.named_parameters() if not name.endswith("_tokens.weight")}
    assert sum(found.values()) == number


def test_limits_of_length_are_for_training():
    values = experiment("dassa_sdp_exp")
    assert values["dataset_reader"]["max_passage_length"] == 800
    assert "max_passage_length" not in values["validation_dataset_reader"]
    assert values["dataset_reader"]["annotator"] == values["validation_dataset_reader"]["annotator"]


def test_data():
    swapped = experiment("dassa_sdp_exp", "train_on_test_questions")
    assert swapped["train_data_path"].endswith("/test") and swapped["validation_data_path"].endswith("/valid")
    assert swapped["dataset_reader"]["text"] == "tokenized" and "test_data_path" not in swapped
    theirs = experiment("dassa_sdp_exp", "authors_annotated_files", "join_unannotated")
    assert theirs["train_data_path"].endswith("summaries_annotated.jsonl.train")
    assert "annotator" not in theirs["dataset_reader"]
    assert theirs["model"]["modeling_layer"]["join_unannotated"]


def test_vectors_of_a_file_are_for_all_words_that_it_has():
    assert experiment("baseline_qanet")["datasets_for_vocab_creation"] == ["train"]
    values = experiment("baseline_qanet", more="pretrained_file:: 'glove.txt'")
    assert values["datasets_for_vocab_creation"] == ["train", "validation", "test"]
    words = values["model"]["text_field_embedder"]["token_embedders"]["tokens"]
    assert words["pretrained_file"] == "glove.txt" and not words["trainable"]


def test_trains_with_a_moving_average_and_accumulated_batches(tmp_path):
    text = """
        local variants = import 'lib/narrativeqa_variants.libsonnet';
        (import 'lib/narrativeqa_development.libsonnet') + variants.explicit() + variants.coref()
        + variants.moving_average + variants.batches_of_at_most(2)
    """
    params = load_text(text, "narrativeqa")
    assert params["trainer"]["num_gradient_accumulation_steps"] == 8
    assert params["data_loader"]["batch_sampler"]["batch_size"] == 2
    for key in ("train_data_path", "validation_data_path"):
        params[key] = params["train_data_path"]
    for reader in ("dataset_reader", "validation_dataset_reader"):
        params[reader]["text"] = "raw"
    train_model(params, str(tmp_path / "run"))
    metrics = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert 0 <= metrics["best_validation_rouge_l"] <= 1 and metrics["training_loss"] > 0
