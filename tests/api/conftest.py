import pytest

import allennlp_coref_rc
from tests.archives import untrained_archive


@pytest.fixture(scope="session")
def archive(tmp_path_factory):
    return untrained_archive(tmp_path_factory.mktemp("archives") / "model", config="ga_coref_gru")


@pytest.fixture(scope="session")
def reader(archive):
    return allennlp_coref_rc.load(archive)
