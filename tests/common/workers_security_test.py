"""Who can reach the processes that work on documents and runs."""

import os
import socket
import ssl
import urllib.error
import urllib.request
from functools import partial

import dask
import psutil
import pytest
from allennlp.common.checks import ConfigurationError
from distributed import Client, LocalCluster
from distributed.security import Security

from allennlp_coref_rc.common import workers
from allennlp_coref_rc.common.workers import Chunk, Workers


def doubled(items):
    return [2 * value for _, value in items]


@pytest.fixture(scope="module")
def running():
    with Workers(2) as processes:
        yield processes


@pytest.fixture(scope="module")
def listening(running):
    """The addresses at which this process and those that it has begun listen."""
    this = psutil.Process()
    return [
        connection.laddr
        for process in [this, *this.children(recursive=True)]
        for connection in process.net_connections(kind="inet")
        if connection.status == psutil.CONN_LISTEN
    ]


@pytest.mark.slow
def test_workers_work(running):
    found = running.map(doubled, [Chunk(i, [("place", i)]) for i in range(5)], 5)
    assert sorted((chunk.number, values) for chunk, values in found) == [(i, [2 * i]) for i in range(5)]
    assert running.call(os.getpid) != os.getpid()


def test_they_listen_on_this_machine_alone(listening):
    assert len(listening) > 3 and {address.ip for address in listening} == {"127.0.0.1"}


def test_nobody_else_on_this_machine_has_the_key(running):
    address = running._client.scheduler.address
    assert address.startswith("tls://127.0.0.1:")
    with pytest.raises((OSError, TypeError)):
        Client(address.replace("tls://", "tcp://"), timeout=2)
    with pytest.raises(OSError):
        Client(address, security=Security.temporary(), timeout=2)
    host, port = address.removeprefix("tls://").split(":")
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with (
        pytest.raises(OSError),
        socket.create_connection((host, int(port)), timeout=5) as plain,
        context.wrap_socket(plain) as connection,
    ):
        # With this version of TLS, a client is told that it is not known when it reads.
        connection.sendall(b"x")
        assert connection.recv(1) == b""
        raise OSError("closed")


def test_no_pages_are_shown(listening):
    for address in listening:
        for page in ("/info/main/workers.html", "/metrics", "/json/counts.json", "/health", "/status"):
            with pytest.raises((urllib.error.HTTPError, OSError)):
                urllib.request.urlopen(f"http://{address.ip}:{address.port}{page}", timeout=2)


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
    with pytest.raises(ConfigurationError, match=f"--scheduler {address}: .*distributed.comm.tls"), Workers(0, address):
        pass
    unencrypted = address.replace("tls://", "tcp://")
    with (
        dask.config.set({**settings, "distributed.comm.require-encryption": True}),
        pytest.raises(ConfigurationError, match=f"--scheduler {unencrypted}: .*an address that begins with tls://"),
        Workers(0, unencrypted),
    ):
        pass
