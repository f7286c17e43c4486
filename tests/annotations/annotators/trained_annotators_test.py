"""The annotators that load archives, on models that overfit the fixtures."""

import re
from dataclasses import replace

import pytest
from allennlp.commands.train import train_model
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.annotators import TrainedSrl
from allennlp_coref_rc.annotations.formats.conllu import read_conllu_sentences
from allennlp_coref_rc.data.dataset_readers.propbank_conllu import frames
from tests.shared import PROJECT
from tests.training_config.configs import FIXTURES, load

pytestmark = pytest.mark.slow

PROPBANK = FIXTURES / "annotators" / "up_english_ewt" / "dev.conllu"

BY_HEART = {
    "trainer.num_epochs": 40,
    "trainer.patience": None,
    "trainer.optimizer.lr": 0.01,
    "data_loader.batch_sampler.batch_size": 4,
    "vocabulary.min_count": {"tokens": 1},
    "model.dropout": None,
    "dataset_reader.fold": None,
    "validation_dataset_reader.fold": None,
}


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    folder = tmp_path_factory.mktemp("archives")
    found = {}
    for name in ("srl_predicates", "srl_roles"):
        config = PROJECT / "training_config" / "annotators" / f"{name}.jsonnet"
        # The model of predicates has no dropout of its own.
        more = {key: value for key, value in BY_HEART.items() if (name, key) != ("srl_predicates", "model.dropout")}
        train_model(load(config, more=more), str(folder / name))
        found[name] = str(folder / name / "model.tar.gz")
    return found


@pytest.fixture(scope="module")
def srl(archives):
    return TrainedSrl(archives["srl_predicates"], archives["srl_roles"], batch_size=3)


def propbank():
    """Two texts of several sentences, with the frames of the corpus."""
    sentences = list(read_conllu_sentences(str(PROPBANK)))
    parts = [AnnotatedText([word.form for word in sentence.words], frames=frames(sentence)) for sentence in sentences]
    return [AnnotatedText.concatenate(*parts[:4]), AnnotatedText.concatenate(*parts[4:])]


def in_order(text):
    return [(frame.predicate, sorted(frame.arguments)) for frame in text.frames]


def test_frames_of_every_sentence(srl):
    gold = propbank()
    annotated = srl.annotate_batch([replace(text, frames=[]) for text in gold])
    assert [in_order(text) for text in annotated] == [in_order(text) for text in gold]
    assert sum(len(text.frames) for text in gold) == 9


def test_a_batch_of_texts_gives_what_single_ones_give(srl):
    texts = propbank()
    assert srl.annotate_batch(texts) == [srl.annotate(text) for text in texts]


def test_what_is_annotated_stays_and_empty_texts_are_left(srl):
    text = propbank()[0]
    assert len(srl.annotate(text).frames) == 2 * len(text.frames)
    assert srl.annotate(text).frames[: len(text.frames)] == text.frames
    assert srl.annotate_batch([]) == []
    assert srl.annotate(AnnotatedText([])) == AnnotatedText([])


def test_mixed_up_archives_are_named(archives):
    annotator = TrainedSrl(archives["srl_roles"], archives["srl_predicates"])
    with pytest.raises(ConfigurationError, match="the task 'roles', .*'predicates'"):
        annotator.annotate(AnnotatedText(["He", "ran"]))


def test_archives_are_loaded_when_first_used_and_missing_ones_named(tmp_path):
    annotator = TrainedSrl(str(tmp_path / "none.tar.gz"), str(tmp_path / "none.tar.gz"))
    with pytest.raises(ConfigurationError, match=re.escape(f"{tmp_path}/none.tar.gz: no such archive")):
        annotator.annotate(AnnotatedText("He ran because it rained".split()))
    (tmp_path / "none.tar.gz").write_text("nothing")
    with pytest.raises(ConfigurationError, match=re.escape(f"{tmp_path}/none.tar.gz: found a damaged archive")):
        annotator.annotate(AnnotatedText("He ran because it rained".split()))


def test_mistaken_settings_are_named():
    with pytest.raises(ConfigurationError, match="batch_size is 0, expected 1 or more"):
        TrainedSrl("a", "b", batch_size=0)
