import bz2
import gzip
import lzma
import os
import random
import subprocess
import sys
from contextlib import suppress

import pytest
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.common.files import (
    atomic_write,
    byte_lines,
    decoded,
    open_text,
    partial_path,
    whole_file,
)
from tests.shared import PROJECT

COMPRESS = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def read(path):
    with open_text(str(path)) as lines:
        return list(lines)


def refusal(path):
    with pytest.raises(ConfigurationError) as error:
        read(path)
    return str(error.value)


@pytest.mark.parametrize("suffix", COMPRESS)
def test_lines_of_plain_and_compressed_files(tmp_path, suffix):
    path = tmp_path / f"text.txt{suffix}"
    path.write_bytes(COMPRESS[suffix]("Zoë\r\nb\u2028c\na\rb\r\n\r\nd\r".encode()))
    assert read(path) == ["Zoë\n", "b\u2028c\n", "a\rb\n", "\n", "d\r"]


@pytest.mark.parametrize("suffix", COMPRESS)
def test_a_byte_order_mark_is_no_text(tmp_path, suffix):
    path = tmp_path / f"text.txt{suffix}"
    path.write_bytes(COMPRESS[suffix]("\ufeffZoë\n\ufeffb".encode()))
    assert read(path) == ["Zoë\n", "\ufeffb"]
    with open_text(str(path), encoding="utf-8") as lines:
        assert next(lines) == "\ufeffZoë\n"
    assert decoded(b"\xef\xbb\xbf{}\n") == "{}\n"


@pytest.mark.parametrize("suffix", COMPRESS)
def test_written_files_are_read_back(tmp_path, suffix):
    path = tmp_path / f"text.txt{suffix}"
    with atomic_write(str(path)) as file:
        file.write("Zoë\nb")
        assert not path.exists()
    assert read(path) == ["Zoë\n", "b"]
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("suffix", COMPRESS)
def test_the_same_text_gives_the_same_bytes(tmp_path, suffix, monkeypatch):
    written = []
    for second, name in enumerate(("a", "b")):
        monkeypatch.setattr("time.time", lambda now=1e9 + second: now)
        with atomic_write(str(tmp_path / f"{name}{suffix}")) as file:
            file.write("Zoë\nb")
        written.append((tmp_path / f"{name}{suffix}").read_bytes())
    assert written[0] == written[1]


def test_written_files_have_the_usual_permissions(tmp_path):
    with atomic_write(str(tmp_path / "a")) as file:
        file.write("a")
    (tmp_path / "b").write_text("b")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode


def test_a_failed_write_keeps_the_old_file(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt), atomic_write(str(path)) as file:
        file.write("new")
        raise KeyboardInterrupt
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["text.txt"]


def test_missing_files_and_folders_are_refused(tmp_path):
    assert refusal(tmp_path / "none.txt") == f"{tmp_path}/none.txt: no such file"
    assert refusal(tmp_path) == f"{tmp_path}: found a directory, expected a file"


def test_a_last_character_cut_in_two_is_named(tmp_path):
    path = tmp_path / "text.txt"
    path.write_bytes("a\nb\nZoë".encode()[:-1])
    assert f"{path}, line 3: found the byte 0xc3" in refusal(path)


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
def test_truncated_and_damaged_compressed_files_are_refused(tmp_path, suffix):
    rng = random.Random(1)
    content = "".join(f"{rng.random()} garden\n" for _ in range(2000)).encode()
    whole = COMPRESS[suffix](content)
    path = tmp_path / f"text.txt{suffix}"
    for share in (0.2, 0.6, 0.99):
        path.write_bytes(whole[: int(len(whole) * share)])
        message = refusal(path)
        assert f"{path}, after line " in message and "expected a whole file" in message
    outcomes = set()
    for _ in range(40):
        damaged = bytearray(whole)
        damaged[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
        path.write_bytes(bytes(damaged))
        try:
            # A flip in a header's time stamp harms nothing.
            assert "".join(read(path)).encode() == content
        except ConfigurationError as error:
            outcomes.add(str(path) in str(error))
    assert outcomes == {True}


def test_a_file_that_is_not_compressed_in_spite_of_its_name_is_refused(tmp_path):
    path = tmp_path / "text.txt.gz"
    path.write_text("1 Mary moved.\n")
    assert f"{path}, after line 0: found damaged data" in refusal(path)


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 100])
def test_long_lines_come_in_pieces(tmp_path, limit):
    path = tmp_path / "text.txt"
    content = "Zoë\r\n\nabcdefgh\u2028ij\r\nk"
    path.write_bytes(content.encode())
    with open_text(str(path), limit) as pieces:
        found = list(pieces)
    assert "".join(found) == content.replace("\r\n", "\n")
    assert all(0 < len(piece) <= limit for piece in found)
    assert all("\n" not in piece[:-1] for piece in found)


@pytest.mark.parametrize("limit", [-1, 1, 5, 100_000])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_byte_that_is_no_text_is_found_on_its_line_whatever_the_pieces(tmp_path, limit, ends):
    path = tmp_path / "text.txt"
    # More than a chunk of the decoder, twice.
    path.write_bytes((("a" * 50 + ends) * 400 + "b" * 20_000).encode() + b"\xff" + ends.encode())
    with pytest.raises(ConfigurationError) as error, open_text(str(path), limit) as pieces:
        list(pieces)
    assert str(error.value).startswith(f"{path}, line 401: found the byte 0xff")


def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    """As /dev/stdout and /dev/null are."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with atomic_write(str(path)) as file:
        file.write("whole")
    with partial_path(path) as part, open(part, "w") as file:
        file.write(", partial")
    assert os.read(reader, 100) == b"whole, partial" and path.is_fifo() and os.listdir(tmp_path) == ["pipe"]
    os.close(reader)


WRITE = """
import sys
from allennlp_coref_rc.common.files import partial_path, whole_file
print("before")
with {function}(sys.argv[1]) as part, open(part, "w") as file:
    file.write("written, ")
print("after")
"""


@pytest.mark.parametrize("function, path", [("whole_file", "/dev/fd/1"), ("partial_path", "chain")])
def test_what_is_redirected_is_written_to_where_it_stands(function, path, tmp_path):
    """`chain` is a link to a link to what the shell has opened."""
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "stdout").symlink_to("/proc/self/fd/1")
    (tmp_path / "chain").symlink_to("dev/stdout")
    with open(tmp_path / "log", "w") as log:
        log.write("first, ")
        log.flush()
        place = path if "/" in path else tmp_path / path
        words = [sys.executable, "-c", WRITE.format(function=function), place]
        subprocess.run(words, stdout=log, check=True, cwd=PROJECT)
        log.write("last")
    assert (tmp_path / "log").read_text() == "first, before\nwritten, after\nlast"
    assert os.readlink(tmp_path / "chain") == "dev/stdout"
    assert os.readlink(tmp_path / "dev" / "stdout") == "/proc/self/fd/1"
    assert sorted(os.listdir(tmp_path)) == ["chain", "dev", "log"]
    assert os.listdir(tmp_path / "dev") == ["stdout"]


def test_a_pipe_behind_links_is_written_to(tmp_path):
    (tmp_path / "chain").symlink_to("link")
    (tmp_path / "link").symlink_to("/dev/stdout")
    words = [sys.executable, "-c", WRITE.format(function="whole_file"), tmp_path / "chain"]
    done = subprocess.run(words, stdout=subprocess.PIPE, check=True, cwd=PROJECT, text=True)
    assert "written, " in done.stdout
    assert sorted(os.listdir(tmp_path)) == ["chain", "link"]
    assert os.readlink(tmp_path / "link") == "/dev/stdout"


@pytest.mark.parametrize("exists", [True, False])
@pytest.mark.parametrize("function", [whole_file, partial_path])
def test_a_link_stays_and_what_it_leads_to_is_replaced_at_once(function, exists, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there" / "deep").mkdir(parents=True)
    (tmp_path / "elsewhere").symlink_to("there/deep")
    (tmp_path / "chain").symlink_to("elsewhere/../link")
    (tmp_path / "there" / "link").symlink_to("file")
    target = tmp_path / "there" / "file"
    if exists:
        target.write_text("old")
    with suppress(KeyError), function("chain") as part, open(part, "w") as file:
        file.write("half")
        raise KeyError
    assert target.exists() == exists and (not exists or target.read_text() == "old")
    with function("chain") as part:
        assert os.path.dirname(os.path.realpath(part)) == str(tmp_path / "there")
        with open(part, "w") as file:
            file.write("new")
        assert not exists or target.read_text() == "old"
    assert target.read_text() == "new" and not target.is_symlink()
    assert (tmp_path / "chain").is_symlink() and (tmp_path / "there" / "link").is_symlink()
    assert sorted(os.listdir(tmp_path / "there")) == ["deep", "file", "link"]


def test_standard_output_may_be_closed(tmp_path):
    program = (
        "import os, sys; from allennlp_coref_rc.common.files import destination, is_in_place; os.close(1)\n"
        "sys.exit(is_in_place(sys.argv[1]) or destination(sys.argv[1]) != os.path.realpath(sys.argv[1]))"
    )
    (tmp_path / "out").touch()
    assert subprocess.run([sys.executable, "-c", program, str(tmp_path / "out")]).returncode == 0


def test_a_link_in_the_place_of_the_partial_file_is_not_written_through(tmp_path):
    (tmp_path / "precious").write_text("old")
    (tmp_path / "a.part").symlink_to("precious")
    with partial_path(tmp_path / "a") as part, open(part, "w") as file:
        file.write("new")
    assert (tmp_path / "precious").read_text() == "old"
    assert (tmp_path / "a").read_text() == "new" and not (tmp_path / "a").is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["a", "precious"]


@pytest.mark.parametrize("name", ["a.txt", "a.jsonl", "a"])
def test_what_a_file_is_compressed_by_is_seen_in_it(tmp_path, name):
    path = tmp_path / name
    for compress in (gzip.compress, bz2.compress, lzma.compress):
        path.write_bytes(compress("é\n".encode()))
        assert read(path) == ["é\n"] and list(byte_lines(str(path))) == ["é\n".encode()]
    for beginning, found in ((b"PK\x03\x04", "zip"), (b"\x28\xb5\x2f\xfd", "Zstandard")):
        path.write_bytes(beginning + b"\x00\xff" * 40)
        message = f"{name}, line 1: found {found}, expected .*gzip"
        with pytest.raises(ConfigurationError, match=message), open_text(str(path)) as lines:
            next(lines)
