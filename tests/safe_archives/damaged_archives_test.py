"""If an archive cannot be loaded, one line says why. It begins with the archive as the user gave it."""

import ast
import gzip
import os
import pickle

import pytest
import torch
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.safe_archives.archives import load
from tests.safe_archives.crafted import DATA, changed, load_refusal, pack, refusal
from tests.shared import PROJECT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def whole(folder, tmp_path_factory):
    return pack(folder, tmp_path_factory.mktemp("whole") / "model.tar.gz").read_bytes()


def of(archive, message):
    """The message without the archive's name, which it must have once, with no other path of this machine."""
    assert message.startswith(f"{archive}: ") and message.count(str(archive)) == 1
    assert "/tmp" not in message.replace(str(archive), "")
    return message.removeprefix(f"{archive}: ")


def cut(share):
    return lambda data: data[: int(len(data) * share)]


def flipped(data):
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 0x55]) + data[middle + 1 :]


FILES = {
    "empty": (lambda data: b"", "found a damaged archive (empty file)"),
    "the first bytes": (lambda data: data[:5], "found a damaged archive ("),
    "a half": (cut(0.5), "found a damaged archive ("),
    "all but the end": (lambda data: data[:-4], "found a damaged archive ("),
    "a flipped byte": (flipped, "found a damaged archive ("),
    "no tar": (lambda data: gzip.compress(b"some text" * 100), "found a damaged archive ("),
    "text": (lambda data: b"<html>404</html>", "found a damaged archive (truncated header"),
}


@pytest.mark.parametrize("case", FILES)
def test_damaged_files(case, whole, tmp_path, capsys):
    damage, message = FILES[case]
    (tmp_path / "model.tar.gz").write_bytes(damage(whole))
    archive = tmp_path / "model.tar.gz"
    assert of(archive, refusal(capsys, "evaluate", archive, DATA)).startswith(message)


def test_no_byte_can_be_changed(whole, tmp_path):
    """Beginnings and ends of archives, where what is compressed has little redundancy, too."""
    archive = tmp_path / "model.tar.gz"
    start = whole.index(b"\0", 10) + 1  # After the name of the file, which nothing depends on.
    for place in [*range(start, start + 30), *range(len(whole) - 40, len(whole))]:
        archive.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            load(archive)
        except Exception as error:
            assert type(error).__name__ == "ConfigurationError" and str(error).startswith(
                f"{archive}: found"
            ), place
        else:
            raise AssertionError(f"byte {place} was changed, and nothing was said")


@pytest.mark.parametrize("name", ["tokens.txt", "non_padded_namespaces.txt"])
def test_no_pipe_is_waited_for(name, folder, tmp_path):
    damaged = changed(folder, tmp_path / "damaged", {})
    (damaged / "vocabulary" / name).unlink()
    os.mkfifo(damaged / "vocabulary" / name)
    with pytest.raises(ConfigurationError) as error:
        load(damaged)
    assert of(damaged, str(error.value)) == f"vocabulary/{name}: found a device or a pipe, expected a file"


class Touch:
    def __reduce__(self):
        return os.system, ("touch touched",)


def write(name, content):
    def damage(folder):
        (folder / name).write_bytes(content)

    return damage


def save(value):
    return lambda folder: torch.save(value, folder / "weights.th")


def cut_weights(folder):
    write("weights.th", cut(0.5)((folder / "weights.th").read_bytes()))(folder)


def smaller(folder):
    state = torch.load(folder / "weights.th", weights_only=True)
    name = min(state)
    torch.save({**state, name: torch.zeros(1)}, folder / "weights.th")


def remove(name):
    return lambda folder: (folder / name).unlink()


NO_JSON = "found a config.json that is not plain JSON"
NO_MODEL = "found no model that can be loaded"
NO_UNKNOWN = "vocabulary/tokens.txt: found no @@UNKNOWN@@, expected a line with it, for unknown words"
NAMESPACES = "vocabulary/non_padded_namespaces.txt"
ONLY_A_READER = b'{"dataset_reader": {"type": "annotated_babi", "folder": "x"}}'

CONTENTS = {
    "no weights": (remove("weights.th"), "found no weights.th or best.th, expected one of coref-rc train"),
    "empty weights": (write("weights.th", b""), "weights.th: found damaged weights"),
    "text for weights": (write("weights.th", b"text"), "weights.th: found damaged weights"),
    "half of the weights": (cut_weights, "weights.th: found damaged weights"),
    "no tensors": (save({"x": "text"}), 'weights.th: found "text" as x'),
    "other weights": (save({"x": torch.zeros(2)}), "found weights of another model"),
    "weights of another size": (smaller, f"{NO_MODEL}: RuntimeError: Error(s) in loading state_dict"),
    "no config": (remove("config.json"), "found a"),
    "empty config": (write("config.json", b""), NO_JSON),
    "half a config": (write("config.json", b'{"dataset_reader": {'), NO_JSON),
    "bytes for a config": (write("config.json", b"\xff\xfe"), NO_JSON),
    "deep config": (write("config.json", b"[" * 10**5), NO_JSON),
    "a list for a config": (write("config.json", b"[]"), "found a config.json of list, expected an object"),
    "no reader": (write("config.json", b'{"model": {}}'), "found no dataset_reader in its config"),
    "no model": (write("config.json", ONLY_A_READER), "found no model in its config"),
    "a meta of other things": (write("meta.json", b"[]"), NO_MODEL),
    "half a meta": (write("meta.json", b"{"), f"{NO_MODEL}: JSONDecodeError"),
    "a vocabulary that is no text": (write("vocabulary/tokens.txt", b"\xff\xfe\x00"), NO_MODEL),
    "no namespaces": (remove(NAMESPACES), f"{NAMESPACES}: no such file"),
    "no unknown word": (write("vocabulary/tokens.txt", b"the\n"), NO_UNKNOWN),
}


@pytest.mark.parametrize("packed", [True, False], ids=["archive", "folder"])
@pytest.mark.parametrize("case", CONTENTS)
def test_damaged_contents(case, packed, folder, tmp_path):
    damage, message = CONTENTS[case]
    copy = changed(folder, tmp_path / "run", {})
    damage(copy)
    members = sorted(os.listdir(copy))
    archive = pack(copy, tmp_path / "model.tar.gz", members) if packed else copy
    assert of(archive, load_refusal(archive)).startswith(message)


def test_a_vocabulary_is_a_folder(folder, tmp_path):
    """AllenNLP would unpack it, wherever its names lead."""
    copy = changed(folder, tmp_path / "run", {})
    pack(folder, tmp_path / "vocabulary.tar.gz", ["vocabulary"]).rename(tmp_path / "packed")
    (copy / "vocabulary").rename(copy / "other")
    (tmp_path / "packed").rename(copy / "vocabulary")
    archive = pack(copy, tmp_path / "model.tar.gz")
    assert of(archive, load_refusal(archive)).startswith("found no folder vocabulary, expected one of")


@pytest.mark.parametrize("command", ["predict", "evaluate"])
@pytest.mark.parametrize("trust", [[], ["--trust"]])
def test_weights_run_no_code(trust, command, folder, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for write_weights in (torch.save, lambda value, path: path.write_bytes(pickle.dumps(value, protocol=2))):
        copy = changed(folder, tmp_path / f"run{len(os.listdir(tmp_path))}", {})
        write_weights({"weight": Touch()}, copy / "weights.th")
        message = refusal(capsys, command, pack(copy, tmp_path / "model.tar.gz"), DATA, *trust)
        assert message.startswith(
            f"{tmp_path}/model.tar.gz: weights.th: found posix.system in the weights, expected"
        )
    assert not (tmp_path / "touched").exists()


def test_weights_that_the_user_names_are_named(folder, tmp_path, capsys):
    (tmp_path / "other.th").write_bytes(b"text")
    archive = pack(folder, tmp_path / "model.tar.gz")
    words = ["predict", archive, DATA, "--weights-file", tmp_path / "other.th"]
    assert f"{tmp_path}/other.th: found damaged weights" in refusal(capsys, *words)
    words[-1] = tmp_path / "none.th"
    assert f"{tmp_path}/none.th: no such file" in refusal(capsys, *words)


def test_nothing_is_left_behind(folder, whole, tmp_path, monkeypatch):
    import tempfile

    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "half.tar.gz").write_bytes(cut(0.5)(whole))
    (tmp_path / "model.tar.gz").write_bytes(whole)
    load_refusal(tmp_path / "half.tar.gz")
    load(tmp_path / "model.tar.gz")
    load(folder)
    assert os.listdir(tmp_path / "temporary") == [] and (folder / "weights.th").exists()


def test_weights_are_read_as_such_wherever_they_are_read():
    found = 0
    for path in [*PROJECT.glob("allennlp_coref_rc/**/*.py"), *PROJECT.glob("scripts/**/*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "torch.load":
                options = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
                assert options.get("weights_only") == "True", f"{path}, line {node.lineno}"
                found += 1
    assert found
