"""Who can reach the processes that work on documents and runs."""

import os
import sys
from functools import partial

import dask
import psutil
import pytest
from allennlp.common.checks import ConfigurationError
from distributed import LocalCluster
from distributed.security import Security

from allennlp_coref_rc.common import workers
from allennlp_coref_rc.common.workers import Chunk, Workers


def doubled(items):
    return [2 * value for _, value in items]


@pytest.fixture(scope="module")
def running():
    with Workers(2) as processes:
        yield processes


@pytest.mark.slow
def test_workers_work(running):
    found = running.map(doubled, [Chunk(i, [("place", i)]) for i in range(5)], 5)
    assert sorted((chunk.number, values) for chunk, values in found) == [(i, [2 * i]) for i in range(5)]
    assert running.call(os.getpid) != os.getpid()


def test_workers_listen_to_no_network(running):
    this = psutil.Process()
    processes = [this, *this.children(recursive=True)]
    assert len(processes) > 2
    assert not [each for process in processes for each in process.net_connections(kind="inet")]


@pytest.fixture
def encrypted(tmp_path):
    """A cluster that asks for certificates, and the settings of who has one."""
    security = Security.temporary()
    paths = {}
    for name in ("tls_ca_file", "tls_client_cert", "tls_client_key"):
        paths[name] = str(tmp_path / name)
        (tmp_path / name).write_text(getattr(security, name))
    settings = {
        "distributed.comm.tls.ca-file": paths["tls_ca_file"],
        "distributed.comm.tls.client.cert": paths["tls_client_cert"],
        "distributed.comm.tls.client.key": paths["tls_client_key"],
    }
    options = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with LocalCluster(security=security, protocol="tls://", **options) as cluster:
        yield cluster.scheduler_address, settings


def test_a_cluster_with_certificates(encrypted):
    address, settings = encrypted
    assert address.startswith("tls://")
    with dask.config.set(settings), Workers(0, address) as processes:
        assert processes.call(partial(max, 1, 2)) == 2
        assert [values for _, values in processes.map(doubled, [Chunk(0, [("place", 4)])], 1)] == [[8]]


def test_a_cluster_without_certificates_is_explained(encrypted, monkeypatch):
    monkeypatch.setattr(workers, "PATIENCE", 1)
    address, settings = encrypted
    with (
        pytest.raises(ConfigurationError, match=f"--scheduler {address}: .*distributed.comm.tls"),
        Workers(0, address),
    ):
        pass
    unencrypted = address.replace("tls://", "tcp://")
    with (
        dask.config.set({**settings, "distributed.comm.require-encryption": True}),
        pytest.raises(ConfigurationError, match=f"--scheduler {unencrypted}: .*tls://"),
        Workers(0, unencrypted),
    ):
        pass


def test_without_dask_the_command_that_installs_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(ConfigurationError, match="--scheduler: .* install .*distributed>="),
        Workers(0, "tcp://127.0.0.1:1"),
    ):
        pass
