"""
The site's search in pages that are opened from a folder, where browsers start no worker.
"""

import pytest

from tests.pages.browser import opened
from tests.shared import PROJECT

PAGE = """
<html><body><script src="{shim}"></script><script>
const worker = new Worker("worker.js");
worker.addEventListener("message", (event) => {{ document.title = event.data; }});
worker.postMessage({{ word: "found" }});
</script></body></html>
"""

WORKER = """
addEventListener("message", async (event) => {
  await importScripts(new URL("more.js", parent.document.baseURI));
  postMessage(prefix + event.data.word);
});
"""


@pytest.mark.slow
def test_a_frame_takes_the_place_of_a_worker(tmp_path):
    shim = (PROJECT / "docs" / "assets" / "iframe-worker.js").as_uri()
    (tmp_path / "index.html").write_text(PAGE.format(shim=shim))
    (tmp_path / "worker.js").write_text(WORKER)
    (tmp_path / "more.js").write_text("var prefix = 'it is ';")
    with opened(tmp_path / "index.html") as page:
        page.wait_for_function("document.title == 'it is found'")
        assert page.evaluate("new Worker('worker.js') instanceof IFrameWorker")
