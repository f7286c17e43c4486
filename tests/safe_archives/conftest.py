import tempfile

import pytest


@pytest.fixture
def outside(tmp_path, monkeypatch):
    """A folder that does not belong to an archive, beside those into which it is unpacked."""
    for name in ("temporary", "cache", "outside"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setattr("allennlp.common.file_utils.CACHE_DIRECTORY", str(tmp_path / "cache"))
    return tmp_path / "outside"
