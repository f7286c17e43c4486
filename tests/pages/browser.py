"""The installed Chromium, for tests of the scripts of pages."""

import shutil
from contextlib import contextmanager

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@contextmanager
def opened(path):
    """A page in a browser. Errors of its scripts fail the test; so does any request but for the file."""
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("needs an installed Chromium")
    errors = []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            page = browser.new_page(viewport={"width": 1200, "height": 700})
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.on("request", lambda request: request.url.startswith("file:") or errors.append(request.url))
            page.goto(path.absolute().as_uri())
            yield page
        finally:
            browser.close()
    assert not errors
