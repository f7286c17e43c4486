import hashlib
import io
import random
import tarfile
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from allennlp_coref_rc.__main__ import main
from allennlp_coref_rc.data import downloads

DataSet, DownloadError, File = downloads.DataSet, downloads.DownloadError, downloads.File

CHUNK = downloads.CHUNK
CONTENT = random.Random(1).randbytes(1_000_000)


class Server(ThreadingHTTPServer):
    """Serves `files`. Its attributes say what else it does."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = {"/a.bin": CONTENT}
        self.ranges = True
        self.breaks = []  # after how many bytes of the body each of the next answers ends
        self.statuses = []  # of the next answers
        self.length = True
        self.other_part = False
        self.requests = []

    def url(self, path="/a.bin"):
        return f"http://127.0.0.1:{self.server_address[1]}{path}"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        asked = self.headers.get("Range")
        server.requests.append((self.path, asked))
        status = server.statuses.pop(0) if server.statuses else None
        body = server.files.get(self.path)
        if status or body is None:
            self.send_error(status or 404)
            return
        start = 0
        if asked and server.ranges:
            start = int(asked.removeprefix("bytes=").removesuffix("-"))
            if start >= len(body):
                self.send_error(416)
                return
            start -= server.other_part
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        else:
            self.send_response(200)
        if server.length:
            self.send_header("Content-Length", str(len(body) - start))
        self.end_headers()
        end = start + server.breaks.pop(0) if server.breaks else len(body)
        self.wfile.write(body[start:end])

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server():
    server = Server()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def file(server, content=CONTENT, path="/a.bin", **options):
    values = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest(), **options}
    return File(name=path.rsplit("/", 1)[-1], url=server.url(path), **values)


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr(downloads, "RETRIES", downloads.RETRIES.new(backoff_factor=0))


def resume(made, path, breaks=0):
    """Downloads a file by the command's way: it is given again each time that the connection breaks."""
    for _ in range(breaks):
        with pytest.raises(DownloadError, match="run this again to resume"):
            downloads.download(made, path)
    downloads.download(made, path)


def everything(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


class TestDownload:
    def test_goes_on_where_the_connection_broke(self, server, tmp_path):
        server.breaks = [4 * CHUNK, CHUNK // 2, 3 * CHUNK]
        resume(file(server), tmp_path / "a.bin", breaks=3)
        assert (tmp_path / "a.bin").read_bytes() == CONTENT and everything(tmp_path) == ["a.bin"]
        starts = [4 * CHUNK, 4 * CHUNK, 7 * CHUNK]
        assert [asked for _, asked in server.requests] == [None, *(f"bytes={start}-" for start in starts)]

    def test_begins_anew_where_the_server_knows_no_ranges(self, server, tmp_path):
        server.ranges = False
        server.breaks = [5 * CHUNK]
        resume(file(server), tmp_path / "a.bin", breaks=1)
        assert [asked for _, asked in server.requests] == [None, f"bytes={5 * CHUNK}-"]
        assert (tmp_path / "a.bin").read_bytes() == CONTENT

    def test_begins_anew_where_the_server_sends_another_part(self, server, tmp_path):
        server.breaks, server.other_part = [5 * CHUNK], True
        resume(file(server), tmp_path / "a.bin", breaks=2)
        assert [asked for _, asked in server.requests] == [None, f"bytes={5 * CHUNK}-", None]
        assert (tmp_path / "a.bin").read_bytes() == CONTENT

    @pytest.mark.parametrize("size", [len(CONTENT), None])
    def test_begins_anew_where_the_part_is_too_long(self, server, tmp_path, size):
        (tmp_path / "a.bin.part").write_bytes(CONTENT + b"more")
        with pytest.raises(DownloadError, match="found 1,000,004 bytes" if size else "it is removed"):
            downloads.download(file(server, size=size), tmp_path / "a.bin")
        assert everything(tmp_path) == []
        downloads.download(file(server, size=size), tmp_path / "a.bin")
        assert (tmp_path / "a.bin").read_bytes() == CONTENT

    def test_a_part_that_is_complete_is_not_fetched_again(self, server, tmp_path):
        (tmp_path / "a.bin.part").write_bytes(CONTENT)
        downloads.download(file(server), tmp_path / "a.bin")
        assert not server.requests and everything(tmp_path) == ["a.bin"]

    def test_a_server_that_does_not_say_the_length(self, server, tmp_path):
        server.length = False
        downloads.download(file(server, size=None), tmp_path / "a.bin")
        assert (tmp_path / "a.bin").read_bytes() == CONTENT
        server.breaks = [1000]
        with pytest.raises(DownloadError, match="found the SHA-256"):
            downloads.download(file(server, size=None), tmp_path / "b.bin")
        server.breaks = [1000]
        resume(file(server), tmp_path / "b.bin", breaks=1)
        assert (tmp_path / "b.bin").read_bytes() == CONTENT

    def test_passing_troubles_of_the_server(self, server, tmp_path):
        server.statuses = [503, 429, 500, 503]
        downloads.download(file(server), tmp_path / "a.bin")
        assert (tmp_path / "a.bin").read_bytes() == CONTENT
        server.statuses = [503] * 5
        with pytest.raises(DownloadError, match="503"):
            downloads.download(file(server), tmp_path / "b.bin")
        assert not server.statuses and everything(tmp_path) == ["a.bin"]

    def test_a_server_that_is_not_there(self, server, tmp_path):
        made = file(server)
        server.shutdown()
        server.server_close()
        with pytest.raises(DownloadError, match="run this again"):
            downloads.download(made, tmp_path / "a.bin")

    @pytest.mark.parametrize("status", [403, 404, 410])
    def test_refusals_are_not_asked_again(self, server, tmp_path, status):
        server.statuses = [status]
        with pytest.raises(DownloadError) as error:
            downloads.download(file(server), tmp_path / "a.bin")
        assert f"{server.url()}: the server answers {status}" in str(error.value)
        assert len(server.requests) == 1 and everything(tmp_path) == []

    def test_a_wrong_checksum_or_size(self, server, tmp_path):
        sha256 = hashlib.sha256(CONTENT).hexdigest()
        for made, found in (
            (file(server, sha256="0" * 64), f"the SHA-256 {sha256}, expected {'0' * 64}"),
            (file(server, size=999_999), "1,000,000 bytes, expected 999,999"),
            (file(server, size=1_000_001), "1,000,000 bytes, expected 1,000,001"),
        ):
            with pytest.raises(DownloadError) as error:
                downloads.download(made, tmp_path / "a.bin")
            message = str(error.value)
            assert message.startswith(server.url()) and f"found {found}" in message
            assert "run this again" in message
            assert everything(tmp_path) == []


def tar_of(files, mode="w:gz"):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as opened:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            opened.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def zip_of(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as opened:
        for name, content in files.items():
            opened.writestr(name, content)
    return buffer.getvalue()


FILES = {
    "top/in/one.txt": b"one",
    "top/in/deep/two.txt": b"two" * 1000,
    "top/other.txt": b"no",
    "READ": b"no",
}


def data_set(*archives, files=(), contents=("one.txt", "deep/two.txt"), **options):
    values = dict(name="words", holds="some words", licence="CC BY", page="https://example.org/words")
    return DataSet(**{**values, **options}, contents=contents, files=files, archives=archives)


class TestGet:
    @pytest.mark.parametrize("name, pack", [("a.tar.gz", tar_of), ("a.tgz", tar_of), ("a.zip", zip_of)])
    def test_an_archive_is_fetched_unpacked_and_removed(self, server, tmp_path, name, pack):
        server.files[f"/{name}"] = content = pack(FILES)
        made = data_set(file(server, content, f"/{name}", folder="top/in"))
        downloads.get(made, tmp_path)
        assert everything(tmp_path) == ["words/deep/two.txt", "words/one.txt"]
        assert (tmp_path / "words" / "deep" / "two.txt").read_bytes() == b"two" * 1000
        assert len(server.requests) == 1
        downloads.get(made, tmp_path)
        assert len(server.requests) == 1, "what is complete is not fetched again"

    def test_files_of_their_own(self, server, tmp_path):
        server.files |= {"/x/one.txt": b"one", "/x/two.txt": b"two"}
        files = (file(server, b"one", "/x/one.txt"), File("deep/two.txt", server.url("/x/two.txt"), 3))
        made = data_set(files=files)
        downloads.get(made, tmp_path)
        assert everything(tmp_path) == ["words/deep/two.txt", "words/one.txt"]
        (tmp_path / "words" / "deep" / "two.txt").unlink()
        downloads.get(made, tmp_path)
        assert [path for path, _ in server.requests] == ["/x/one.txt", "/x/two.txt", "/x/two.txt"]
        (tmp_path / "words" / "one.txt").write_bytes(b"on")
        with pytest.raises(DownloadError, match="one.txt: found 2 bytes, expected 3. Remove it"):
            downloads.get(made, tmp_path)

    def test_the_next_mirror_is_tried(self, server, tmp_path):
        server.files |= {"/b.zip": zip_of({"x": b"x"}), "/c.zip": zip_of(FILES)}
        archives = [File(f"{name}.zip", server.url(f"/{name}.zip"), folder="top/in") for name in "abc"]
        downloads.get(data_set(*archives), tmp_path)
        assert [path for path, _ in server.requests] == ["/a.zip", "/b.zip", "/c.zip"]
        assert "words/one.txt" in everything(tmp_path)
        with pytest.raises(DownloadError) as error:
            downloads.get(data_set(*archives[:2], name="others"), tmp_path)
        assert "a.zip: the server answers 404" in str(error.value)
        assert "b.zip: found no top/in/one.txt in it" in str(error.value)

    def test_what_is_got_by_hand(self, tmp_path):
        content = zip_of(FILES)
        archive = File("a.zip", None, len(content), hashlib.sha256(content).hexdigest(), "top/in")
        made = data_set(archive, by_hand="Only people may fetch it")
        path = tmp_path / "downloads" / "a.zip"
        with pytest.raises(DownloadError) as error:
            downloads.get(made, tmp_path)
        assert f"Only people may fetch it.\nPut the file at {path} and run this again." in str(error.value)
        path.parent.mkdir()
        path.write_bytes(content[:-1] + b"x")
        with pytest.raises(DownloadError, match="a.zip: found the SHA-256 .* Remove it and run this again"):
            downloads.get(made, tmp_path)
        path.write_bytes(content)
        downloads.get(made, tmp_path)
        assert everything(tmp_path) == ["downloads/a.zip", "words/deep/two.txt", "words/one.txt"], "it stays"

    def test_what_is_made_by_hand(self, tmp_path):
        made = data_set(by_hand="Make it yourself")
        with pytest.raises(DownloadError) as error:
            downloads.get(made, tmp_path)
        expected = "Make it yourself (https://example.org/words). Put these into "
        assert str(error.value) == f"{expected}{tmp_path}/words: one.txt, deep/two.txt"
        (tmp_path / "words" / "deep").mkdir(parents=True)
        for name in made.contents:
            (tmp_path / "words" / name).write_text("x")
        downloads.get(made, tmp_path)


class TestUnpack:
    @staticmethod
    def unpack(tmp_path, name, content, **options):
        path = tmp_path / name
        path.write_bytes(content)
        folder = tmp_path / "data"
        folder.mkdir(exist_ok=True)
        downloads.unpack(data_set(**options), File(name, folder="top/in"), path, folder)
        return everything(tmp_path)

    @pytest.mark.parametrize("suffix, pack", [(".tar.gz", tar_of), (".zip", zip_of)])
    def test_nothing_is_unpacked_elsewhere(self, tmp_path, suffix, pack):
        with pytest.raises(DownloadError, match="outside of the archive"):
            self.unpack(tmp_path, f"a{suffix}", pack({**FILES, "top/in/../evil": b"evil"}))
        assert everything(tmp_path) == [f"a{suffix}"]

    @pytest.mark.parametrize("suffix, pack", [(".tar.gz", tar_of), (".zip", zip_of)])
    def test_damaged_archives_leave_nothing(self, tmp_path, suffix, pack):
        whole = pack({**FILES, "top/in/noise": CONTENT})
        flipped = bytearray(whole)
        flipped[len(whole) // 2] ^= 1
        for content in (whole[: len(whole) // 2], b"", b"no archive", bytes(flipped)):
            with pytest.raises(DownloadError, match="found a damaged archive"):
                self.unpack(tmp_path, f"a{suffix}", content)
            assert everything(tmp_path) == [f"a{suffix}"]

    @pytest.mark.parametrize("offset, value", [(20, b"\0\0\1\0" * 2), (8, b"\1"), (10, b"\x63")])
    def test_an_archive_whose_list_of_files_is_damaged_leaves_nothing(self, tmp_path, offset, value):
        """Lengths beyond the end of the file, a password, and an unknown compression, as the list says."""
        content = bytearray(zip_of(FILES))
        entry = content.index(b"PK\1\2")
        content[entry + offset : entry + offset + len(value)] = value
        with pytest.raises(DownloadError, match="found a damaged archive .* Remove it and run this again"):
            self.unpack(tmp_path, "a.zip", bytes(content))
        assert everything(tmp_path) == ["a.zip"]

    def test_half_a_folder_is_not_overwritten(self, tmp_path):
        (tmp_path / "data" / "words" / "deep").mkdir(parents=True)
        (tmp_path / "data" / "words" / "deep" / "mine.txt").write_text("mine")
        with pytest.raises(DownloadError, match="words/deep: .*not complete: move it away"):
            self.unpack(tmp_path, "a.zip", zip_of(FILES))
        assert everything(tmp_path) == ["a.zip", "data/words/deep/mine.txt"]

    def test_what_else_is_in_the_folder_stays(self, tmp_path):
        (tmp_path / "data" / "words").mkdir(parents=True)
        (tmp_path / "data" / "words" / "annotated.jsonl").write_text("mine")
        self.unpack(tmp_path, "a.zip", zip_of(FILES))
        names = ["annotated.jsonl", "deep/two.txt", "one.txt"]
        assert everything(tmp_path / "data" / "words") == names


def status(*arguments):
    """The exit status of `coref-rc data download`."""
    try:
        main(["data", "download", *arguments])
    except SystemExit as stop:
        return stop.code
    return 0


class TestMain:
    def test_the_table(self, capsys, tmp_path):
        assert status("--list", "--folder", str(tmp_path)) == 0
        listed = capsys.readouterr().out
        for made in downloads.DATA_SETS:
            assert f"{made.name}: " in listed and made.licence in listed and made.page in listed
            files = made.files + made.archives
            assert bool(made.by_hand) != (bool(files) and all(file.url for file in files))
            assert made.missing(tmp_path) == list(made.contents) and made.contents
            assert {file.name for file in made.files} <= set(made.contents)
            for file in files:
                assert file.sha256 is None or len(file.sha256) == 64
                assert not Path(file.name).is_absolute()
        assert "334.5 MB; automatic; CC BY 4.0" in listed and "339.8 MB; by hand" in listed
        assert len({made.name for made in downloads.DATA_SETS}) == len(downloads.DATA_SETS) == 10
        assert everything(tmp_path) == []

    def test_the_list_says_what_is_here(self, tmp_path):
        made = data_set()
        found = []
        for name in ("", "one.txt", "deep/two.txt"):
            if name:
                (tmp_path / "words" / name).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / "words" / name).touch()
            found.append(downloads.describe(made, tmp_path).rpartition("; ")[2])
        assert found == ["not here", "incomplete", "complete"]

    def test_sets_by_name(self, server, tmp_path, capsys, monkeypatch):
        server.files["/a.zip"] = zip_of(FILES)
        good = data_set(File("a.zip", server.url("/a.zip"), folder="top/in"))
        bad = data_set(name="secrets", by_hand="Ask")
        monkeypatch.setattr(downloads, "DATA_SETS", (bad, good))
        folder = tmp_path / "new"
        assert status("words", "--folder", str(folder)) == 0
        assert f"words: complete in {folder}/words" in capsys.readouterr().out
        assert status("all", "--folder", str(folder)) == 1
        printed = capsys.readouterr().out
        assert "secrets: incomplete. Ask" in printed and "words: complete" in printed
        assert len(server.requests) == 1
        with pytest.raises(SystemExit) as error:
            main(["data", "download", "word"])
        assert error.value.code == 2
        assert "found the data set 'word', expected some of secrets, words, or all" in capsys.readouterr().err
