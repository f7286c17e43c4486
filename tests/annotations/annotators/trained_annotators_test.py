"""The annotators that load archives, on models that overfit the fixtures."""

import re
from dataclasses import replace

import pytest
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.annotators import Annotator, ConnectiveDiscourse, Roles
from allennlp_coref_rc.annotations.annotators.trained_discourse_senses import TrainedDiscourseSenses
from allennlp_coref_rc.annotations.formats import read_conll_2012
from allennlp_coref_rc.data.corpora.discourse_corpora import read_rels_texts
from allennlp_coref_rc.data.dataset_readers.discourse_senses import found_relations
from tests.scripts.scripts import load_script
from tests.shared import PROJECT
from tests.training_config.configs import FIXTURES, load

pytestmark = pytest.mark.slow

STORIES = FIXTURES / "annotators" / "gdtb" / "stories.rels"
PROPBANK = FIXTURES / "annotators" / "propbank_ewt" / "train" / "texts.conll"

BY_HEART = {
    "discourse_senses": {
        "trainer.num_epochs": 40,
        "trainer.patience": None,
        "trainer.optimizer.lr": 0.01,
        "data_loader.batch_sampler.batch_size": 4,
        "vocabulary.min_count": {"tokens": 1},
        "model.dropout": None,
        "dataset_reader.fold": None,
        "validation_dataset_reader.fold": None,
    },
    "roles": {
        "trainer.num_epochs": 40,
        "trainer.learning_rate_scheduler": None,
        "data_loader.batch_sampler.batch_size": 4,
        "model.network.dropout": 0.0,
        "model.network.feature_dropout": 0.0,
    },
}


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    folder = tmp_path_factory.mktemp("archives")
    archives = {}
    for name, options in BY_HEART.items():
        config = PROJECT / "training_config" / "annotators" / f"{name}.jsonnet"
        train_model(load(config, more=options), str(folder / name))
        archives[name] = str(folder / name / "model.tar.gz")
    return archives


@pytest.fixture(scope="module")
def srl(archives):
    return Roles(archives["roles"], batch_tokens=30)


@pytest.fixture(scope="module")
def senses(archives):
    return TrainedDiscourseSenses(archives["discourse_senses"], batch_size=3)


def propbank():
    """Two texts of several sentences, with the frames of the corpus."""
    return list(read_conll_2012(str(PROPBANK)))


def in_order(text):
    return [(frame.predicate, sorted(frame.arguments)) for frame in text.frames]


def test_frames_of_every_sentence(srl):
    gold = propbank()
    annotated = srl.annotate_batch([replace(text, frames=[]) for text in gold])
    assert [in_order(text) for text in annotated] == [in_order(text) for text in gold]
    assert sum(len(text.frames) for text in gold) == 8


def test_a_batch_of_texts_gives_what_single_ones_give(srl, senses):
    for annotator, texts in ((srl, propbank()), (senses, list(read_rels_texts(str(STORIES))))):
        assert annotator.annotate_batch(texts) == [annotator.annotate(text) for text in texts]


def test_what_is_annotated_stays_and_empty_texts_are_left(srl, senses):
    text = propbank()[0]
    assert len(srl.annotate(text).frames) == 2 * len(text.frames)
    assert srl.annotate(text).frames[: len(text.frames)] == text.frames
    for annotator in (srl, senses):
        assert annotator.annotate_batch([]) == []
        assert annotator.annotate(AnnotatedText([])) == AnnotatedText([])
        assert annotator.annotate(AnnotatedText(["Hello"])).relations == []


def test_explicit_relations_have_the_senses_of_the_corpus_and_others_are_dropped(senses):
    kept = dropped = 0
    for text in read_rels_texts(str(STORIES)):
        bare = replace(text, relations=[])
        candidates = ConnectiveDiscourse(exclude=[]).annotate(bare).relations
        labels = [relation.label for relation in found_relations(text, "")]
        found = {tuple(relation.connective): relation.sense for relation in senses.annotate(bare).relations}
        for candidate, label in zip(candidates, labels):
            if label == "NoRelation":
                dropped += 1
                assert tuple(candidate.connective) not in found
            else:
                kept += 1
                assert tuple(candidate.connective) in found
    assert kept >= 15 and dropped >= 1


def test_implicit_relations_have_a_sense_too(senses):
    (text,) = (text for text in read_rels_texts(str(STORIES)) if text.id == "FIX_winter")
    found = senses.annotate(replace(text, relations=[])).relations
    assert [relation.sense for relation in found if relation.type == "Implicit"] == ["Expansion.Conjunction"] * 2


def test_candidates_are_another_annotator_s(archives):
    annotator = Annotator.from_params(
        Params(
            {
                "type": "trained_discourse_senses",
                "archive": archives["discourse_senses"],
                "candidates": {"type": "connective_discourse", "connectives": {"because": "x"}},
            }
        )
    )
    text = next(read_rels_texts(str(STORIES)))
    (relation,) = annotator.annotate(replace(text, relations=[])).relations
    assert relation.sense == "Contingency.Cause.Reason"


def test_mixed_up_archives_are_named(archives):
    with pytest.raises(ConfigurationError, match="'basic_classifier', .*'role_labeller'"):
        Roles(archives["discourse_senses"]).annotate(AnnotatedText(["He", "ran"]))


def test_the_folder_of_a_training_is_an_archive_too_and_its_weights_may_have_fewer_bits(archives, tmp_path):
    folder = archives["roles"].removesuffix("model.tar.gz")
    load_script("pack_roles").pack(folder, str(tmp_path))
    assert (tmp_path / "weights.th").stat().st_size < 2e6
    for text in propbank():
        assert in_order(Roles(folder).annotate(replace(text, frames=[]))) == in_order(text)
        assert in_order(Roles(str(tmp_path)).annotate(replace(text, frames=[]))) == in_order(text)


def test_archives_are_loaded_when_first_used_and_missing_ones_named(tmp_path):
    annotator = TrainedDiscourseSenses(str(tmp_path / "none.tar.gz"))
    assert annotator.annotate(AnnotatedText(["Hello"])).relations == []
    with pytest.raises(ConfigurationError, match=re.escape(f"{tmp_path}/none.tar.gz: no such archive")):
        annotator.annotate(AnnotatedText("He ran because it rained".split()))
    (tmp_path / "none.tar.gz").write_text("nothing")
    with pytest.raises(ConfigurationError, match=re.escape(f"{tmp_path}/none.tar.gz: found a damaged archive")):
        annotator.annotate(AnnotatedText("He ran because it rained".split()))


def test_nothing_is_left_out_if_so_wanted(archives):
    annotator = TrainedDiscourseSenses(archives["discourse_senses"], ConnectiveDiscourse(exclude=[]), no_relation=1.0)
    for text in read_rels_texts(str(STORIES)):
        bare = replace(text, relations=[])
        found = annotator.annotate(bare).relations
        assert len(found) == len(ConnectiveDiscourse(exclude=[]).annotate(bare).relations)
        assert "NoRelation" not in {relation.sense for relation in found}


def test_mistaken_settings_are_named():
    with pytest.raises(ConfigurationError, match="no_relation is 2.0, expected 0 to 1"):
        TrainedDiscourseSenses("a", no_relation=2.0)
    with pytest.raises(ConfigurationError, match="batch_tokens is 0, expected 1 or more"):
        Roles(batch_tokens=0)
