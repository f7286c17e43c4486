import tempfile

import pytest

from tests.safe_archives.crafted import make_folder


@pytest.fixture(scope="package")
def folder(tmp_path_factory):
    return make_folder(tmp_path_factory.mktemp("archives") / "run")


@pytest.fixture
def outside(tmp_path, monkeypatch):
    """A folder that does not belong to an archive, beside those into which it is unpacked."""
    for name in ("temporary", "cache", "outside"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setattr("allennlp.common.file_utils.CACHE_DIRECTORY", str(tmp_path / "cache"))
    return tmp_path / "outside"
