import json
import socket
import stat
from pathlib import Path

import pytest

from allennlp_coref_rc.__main__ import main
from allennlp_coref_rc.api.load import BUNDLED
from allennlp_coref_rc.common.files import named_paths
from allennlp_coref_rc.playground import server
from tests.safe_archives.crafted import pack, refusal


@pytest.fixture
def served(monkeypatch):
    """What would be served."""
    calls = []
    monkeypatch.setattr(server, "serve", lambda *arguments: calls.append(arguments))
    return calls


def test_archives_have_the_names_of_their_folders_unless_others_are_given(tmp_path):
    arguments = [
        f"{tmp_path}/gru/model.tar.gz",
        f"mine={tmp_path}/gru/model.tar.gz",
        f"{tmp_path}/other.tar.gz",
    ]
    assert list(named_paths(arguments)) == ["gru", "mine", "other"]


def test_archives_and_options_are_handed_on(tmp_path, served):
    # Nothing but the config is read before the page opens.
    (tmp_path / "config.json").write_text(json.dumps({"dataset_reader": {}, "model": {}}))
    archive = pack(tmp_path, tmp_path / "model.tar.gz", ["config.json"])
    main(["demo", f"mine={archive}", "--port", "8765", "--headless", "--trust"])
    assert served == [({"mine": str(archive)}, True, 8765, True)]


def test_without_an_archive_it_has_those_of_the_package(served):
    main(["demo"])
    assert served == [(BUNDLED, False, None, False)]


def test_a_port_that_is_taken_is_said(capsys):
    pytest.importorskip("streamlit")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert f"--port {port}: found it taken" in refusal(capsys, "demo", "--port", port)
    assert "--port 70000" in refusal(capsys, "demo", "--port", 70000)


def test_it_listens_on_this_machine_alone_at_an_address_that_nobody_knows(monkeypatch):
    """Every user of a machine can reach its ports."""
    bootstrap = pytest.importorskip("streamlit.web.bootstrap")
    started = []
    monkeypatch.setattr(bootstrap, "load_config_options", started.append)
    monkeypatch.setattr(bootstrap, "run", lambda *arguments: None)
    for _ in range(2):
        server.serve({}, False, None, True)
    assert len({options["server_baseUrlPath"] for options in started}) == 2
    for options in started:
        assert options["server_address"] == options["browser_serverAddress"] == "127.0.0.1"
        assert options["client_showErrorDetails"] == "none" and len(options["server_baseUrlPath"]) >= 32
        assert options["browser_gatherUsageStats"] is False and options["server_headless"] is True


def test_the_key_is_only_in_a_private_file_that_the_browser_opens(monkeypatch):
    """Every user of a machine can list the arguments of its programs."""
    bootstrap = pytest.importorskip("streamlit.web.bootstrap")
    address, opened = "http://127.0.0.1:8501/0123456789abcdef", []

    def start(words, **options):
        file = Path(words[-1].removeprefix("file://"))
        opened.append(
            (words, file, stat.S_IMODE(file.stat().st_mode), stat.S_IMODE(file.parent.stat().st_mode))
        )
        assert f"url={address}" in file.read_text()

    monkeypatch.setattr(bootstrap, "load_config_options", lambda options: None)
    monkeypatch.setattr(bootstrap, "run", lambda *arguments: bootstrap.cli_util.open_browser(address))
    monkeypatch.setattr("streamlit.env_util.is_executable_in_path", lambda name: True)
    monkeypatch.setattr("subprocess.Popen", start)
    server.serve({}, False)
    ((words, file, mode, folder_mode),) = opened
    assert not any("0123456789abcdef" in word for word in words) and (mode, folder_mode) == (0o600, 0o700)
    assert not file.exists()
