import numpy as np
import pytest

from allennlp_coref_rc.annotations.annotators.roles import features
from allennlp_coref_rc.annotations.annotators.roles.features import FEATURES
from allennlp_coref_rc.annotations.english import MODEL, load_pipeline
from allennlp_coref_rc.data.dataset_readers import PropBankReader
from tests.shared import SHARED
from tests.training_config.configs import FIXTURES

PROPBANK = FIXTURES / "annotators" / "propbank_ewt" / "train"
EWT = SHARED / "data" / "annotators" / "propbank_ewt" / "dev"


def column(instance, name):
    return instance["features"].tensor[:, FEATURES.index(name)].tolist()


def test_an_instance_is_a_sentence_with_its_frames():
    instances = list(PropBankReader().read(str(PROPBANK)))
    lengths = [12, 3, 8, 6, 6, 6, 9]
    assert [instance["lengths"].tensor.item() for instance in instances] == lengths
    assert [len(instance["frames"].metadata) for instance in instances] == [2, 0, 1, 1, 1, 1, 2]
    for instance, length in zip(instances, lengths):
        assert instance["features"].tensor.shape == (length, len(FEATURES))
        heads = instance["heads"].tensor.tolist()
        assert all(0 <= head < length for head in heads) and any(i == head for i, head in enumerate(heads))
        width = load_pipeline(MODEL).get_pipe("tok2vec").model.get_dim("nO")
        assert instance["vectors"].tensor.shape == (length, width)
    (gave,) = instances[4]["frames"].metadata
    assert gave.predicate == (1, 3) and gave.arguments == [("ARG0", (0, 1)), ("ARG1", (3, 5))]
    (pick,) = instances[5]["frames"].metadata
    assert ("C-V", (3, 4)) in pick.arguments


def test_features_tell_words_their_dependents_and_what_they_begin_and_end_with():
    chased, _, gave, *_, gave_up, _, visit = PropBankReader().read(str(PROPBANK))
    the, cat, *_ = forms = column(chased, "form")
    assert forms[4] == forms[9] == the != cat
    # "in" is the preposition of "barn", "up" the particle of "gave", "to" the preposition of "Rome".
    assert column(chased, "marker")[10] == forms[8] and column(visit, "marker")[3] == column(visit, "form")[2]
    assert column(gave_up, "particle")[1] == column(gave_up, "form")[2]
    assert column(gave, "prefix")[1] == column(gave_up, "prefix")[1]


def test_long_sentences_are_divided(monkeypatch):
    monkeypatch.setattr(features, "MAX_LENGTH", 5)
    reader = PropBankReader()
    instances = list(reader.read(str(PROPBANK)))
    lengths = [instance["lengths"].tensor.item() for instance in instances]
    assert lengths == [5, 5, 2, 3, 5, 3, 5, 1, 5, 1, 5, 1, 5, 4]
    assert [span for _, span in instances[0]["frames"].metadata[0].arguments] == [(0, 2), (2, 3)]
    # "lived" in the second piece, without "the mice" in the first.
    assert instances[1]["frames"].metadata[0].predicate == (2, 3)
    assert sum(reader.skipped.values()) > 2
    heads = instances[2]["heads"].tensor.numpy()
    assert np.all(heads >= 0) and np.all(heads < 2)


@pytest.mark.slow
@pytest.mark.skipif(not EWT.exists(), reason="PropBank is missing")
def test_the_real_corpus():
    frames = [instance["frames"].metadata for instance in PropBankReader(max_instances=500).read(str(EWT))]
    assert len(frames) == 500 and sum(map(len, frames)) == 1210
