"""The annotator `roles` with a model that overfits the fixture."""

import re
from dataclasses import replace

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.annotators import Roles
from allennlp_coref_rc.annotations.formats import read_conll_2012
from tests.scripts.scripts import load_script
from tests.shared import PROJECT
from tests.training_config.configs import FIXTURES, load

pytestmark = pytest.mark.slow

PROPBANK = FIXTURES / "annotators" / "propbank_ewt" / "train" / "texts.conll"

BY_HEART = {
    "trainer.num_epochs": 40,
    "trainer.learning_rate_scheduler": None,
    "data_loader.batch_sampler.batch_size": 4,
    "model.network.dropout": 0.0,
    "model.network.feature_dropout": 0.0,
}


@pytest.fixture(scope="module")
def training(tmp_path_factory):
    """The folder of a training."""
    folder = str(tmp_path_factory.mktemp("training") / "roles")
    train_model(load(PROJECT / "training_config" / "annotators" / "roles.jsonnet", more=BY_HEART), folder)
    return folder


@pytest.fixture(scope="module")
def srl(training):
    return Roles(f"{training}/model.tar.gz", batch_tokens=30)


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


def test_a_batch_of_texts_gives_what_single_ones_give(srl):
    texts = propbank()
    assert srl.annotate_batch(texts) == [srl.annotate(text) for text in texts]


def test_what_is_annotated_stays_and_empty_texts_are_left(srl):
    text = propbank()[0]
    assert len(srl.annotate(text).frames) == 2 * len(text.frames)
    assert srl.annotate(text).frames[: len(text.frames)] == text.frames
    assert srl.annotate_batch([]) == []
    assert srl.annotate(AnnotatedText([])) == AnnotatedText([])


def test_a_model_of_another_kind_is_named(tmp_path):
    (tmp_path / "config.json").write_text('{"dataset_reader": {"type": "srl"}, "model": {"type": "srl"}}')
    torch.save({}, tmp_path / "weights.th")
    with pytest.raises(ConfigurationError, match="'srl', .*'role_labeller'"):
        Roles(str(tmp_path)).annotate(AnnotatedText(["He", "ran"]))


def test_the_folder_of_a_training_is_an_archive_too_and_its_weights_may_have_fewer_bits(training, tmp_path):
    load_script("pack_roles").pack(training, str(tmp_path))
    assert (tmp_path / "weights.th").stat().st_size < 2.2e6
    for text in propbank():
        for archive in (training, str(tmp_path)):
            assert in_order(Roles(archive).annotate(replace(text, frames=[]))) == in_order(text)


def test_archives_are_loaded_when_first_used_and_missing_ones_named(tmp_path):
    annotator = Roles(str(tmp_path / "none.tar.gz"))
    with pytest.raises(ConfigurationError, match=re.escape(f"{tmp_path}/none.tar.gz: no such archive")):
        annotator.annotate(AnnotatedText("He ran because it rained".split()))
    (tmp_path / "none.tar.gz").write_text("nothing")
    with pytest.raises(
        ConfigurationError, match=re.escape(f"{tmp_path}/none.tar.gz: found a damaged archive")
    ):
        annotator.annotate(AnnotatedText("He ran because it rained".split()))
