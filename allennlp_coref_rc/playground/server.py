"""Serves the playground. Other machines cannot reach it."""

import json
import secrets
import socket
from collections.abc import Callable
from functools import partial
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Optional
from unittest.mock import patch

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.extras import install_command

ADDRESS = "127.0.0.1"

APP = Path(__file__).resolve().parent / "_app.py"

OPTIONS = {
    "server.address": ADDRESS,
    "browser.serverAddress": ADDRESS,
    "browser.gatherUsageStats": False,
    "server.fileWatcherType": "none",
    "client.toolbarMode": "minimal",
    "client.showErrorDetails": "none",
    "theme.light.primaryColor": "#14788c",
    "theme.dark.primaryColor": "#14788c",
    "global.developmentMode": False,
}
"""Streamlit's options. They take precedence over its config files and environment variables."""


def serve(archives: dict[str, str], trust: bool, port: Optional[int] = None, headless: bool = False) -> None:
    """
    Serves the page for these readers until Ctrl-C, at a `port` or, by default, 8501 or the next one that is
    free. The page's address ends in a new secret key, because other users of this machine can reach the port
    too. A browser, if not `headless`, is not given the address, which `ps` would show, but a private file
    that leads there. `trust` is for the archives and for annotators' configs on the page.
    """
    try:
        from streamlit import cli_util
        from streamlit.web import bootstrap
    except ImportError as error:
        raise ConfigurationError(
            f"the playground needs Streamlit, which can't be imported ({error}); install it with "
            + install_command("demo")
        ) from error
    options = {**OPTIONS, "server.headless": headless, "server.baseUrlPath": secrets.token_hex(16)}
    if port is not None:
        _check_free(port)
        options["server.port"] = port
    # Streamlit's command line passes them on with these names.
    options = {name.replace(".", "_"): value for name, value in options.items()}
    bootstrap.load_config_options(options)
    with TemporaryDirectory() as folder:
        private = partial(_open_browser, cli_util.open_browser, Path(folder, "playground.html"))
        with patch.object(cli_util, "open_browser", private):
            bootstrap.run(str(APP), False, [json.dumps({"archives": archives, "trust": trust})], options)


def _open_browser(open_browser: Callable[[str], None], redirect: Path, url: str) -> None:
    redirect.touch(mode=0o600)
    redirect.write_text(f'<meta http-equiv="refresh" content="0; url={escape(url)}">', "utf-8")
    open_browser(redirect.as_uri())


def _check_free(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((ADDRESS, port))
        except (OSError, OverflowError) as error:
            raise ConfigurationError(
                f"--port {port}: found it taken, expected one that is free ({error})"
            ) from error
