import pytest

from tests.playground.trained_archive import train_archive


@pytest.fixture(scope="package")
def archive(tmp_path_factory):
    """A reader whose answers depend on clusters alone."""
    return str(train_archive(tmp_path_factory.mktemp("trained") / "follows_clusters"))
