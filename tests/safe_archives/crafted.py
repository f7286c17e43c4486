"""Archives as a stranger may have made them."""

import gzip
import io
import json
import shutil
import tarfile

import pytest
import torch

from allennlp_coref_rc.__main__ import main
from allennlp_coref_rc.common.error_message import user_message
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.safe_archives.archives import load as load_archive
from tests.models.ga_reader_test import BABI, build
from tests.training_config.configs import BABI as FILES
from tests.training_config.configs import load

DATA = str(FILES / "qa2_test.txt")

MEMBERS = ("config.json", "weights.th", "vocabulary")


def make_folder(folder):
    """What training leaves, of a small reader of stories."""
    torch.manual_seed(1)
    model, _, _ = build("bi_gru")
    folder.mkdir()
    load(BABI / "bi_gru.jsonnet").to_file(str(folder / "config.json"))
    model.vocab.save_to_files(str(folder / "vocabulary"))
    torch.save(model.state_dict(), folder / "weights.th")
    return folder


def changed(folder, copy, changes):
    """A copy of a folder, with values in its config by dotted keys, of which numbers count items."""
    shutil.copytree(folder, copy)
    config = json.loads((copy / "config.json").read_text())
    for key, value in changes.items():
        *keys, last = key.split(".")
        inner = config
        for name in keys:
            inner = inner[int(name)] if isinstance(inner, list) else inner.setdefault(name, {})
        inner[last] = value
    (copy / "config.json").write_text(json.dumps(config))
    return copy


def pack(folder, path, members=MEMBERS):
    with tarfile.open(path, "w:gz") as archive:
        for name in members:
            archive.add(folder / name, arcname=name)
    return path


def pack_with(folder, path, *infos):
    """An archive with more in it: pairs of a `TarInfo` and its content."""
    with tarfile.open(path, "w:gz") as archive:
        for name in MEMBERS:
            archive.add(folder / name, arcname=name)
        for info, content in infos:
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


def entry(name, kind=tarfile.REGTYPE, target=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


ESCAPES = {
    "prefix": [("../pathtest_q/written", tarfile.REGTYPE, "")],
    "chained links": [
        ("../pathtest_q", tarfile.DIRTYPE, ""),
        ("l1", tarfile.SYMTYPE, "../pathtest_q"),
        ("l2", tarfile.SYMTYPE, "l1/.."),
        ("l3", tarfile.SYMTYPE, "l2/.."),
        ("l3/outside/written", tarfile.REGTYPE, ""),
    ],
    "links within": [
        ("l1", tarfile.SYMTYPE, "cnn/questions"),
        ("l2", tarfile.SYMTYPE, "l1/../../../.."),
        ("l2/outside/written", tarfile.REGTYPE, ""),
    ],
}
"""
Names, kinds and targets that the package cached_path takes for harmless. It unpacks into a folder of its
cache, which is beside the folder `outside`.
"""


def escaping_tar(path, name, folder=None, mode="w:gz"):
    """A data archive of a folder that also writes elsewhere."""
    with tarfile.open(path, mode) as archive:
        if folder:
            archive.add(folder, "cnn/questions")
        for info in [entry(*member) for member in ESCAPES[name]]:
            content = b"written" if info.isreg() else b""
            info.size, info.mode = len(content), 0o755
            archive.addfile(info, io.BytesIO(content))
    return path


def bomb(path, size):
    """A small archive of a file of zeros."""
    info = entry("weights.th")
    info.size = size
    with gzip.open(path, "wb", compresslevel=9) as file:
        file.write(info.tobuf())
        for _ in range(size // 2**20):
            file.write(bytes(2**20))
        file.write(bytes(2 * tarfile.BLOCKSIZE))
    return path


def run(capsys, *words):
    """The exit status of a command, what it printed, and what it said on the screen of errors."""
    status = 0
    try:
        main([str(word) for word in words])
    except SystemExit as error:
        status = error.code or 0
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def refusal(capsys, *words):
    """The line by which a command refuses what it was given."""
    status, _, err = run(capsys, *words)
    assert status == 2, err
    assert "Traceback" not in err and err.count("\n") == 1 and len(err) < 1000, err
    return err.removeprefix("coref-rc: ")


def load_refusal(archive):
    """The same of `load`, which the commands call."""
    with pytest.raises(ConfigurationError) as error:
        load_archive(archive)
    message = user_message(error.value)
    assert "\n" not in message and len(message) < 1000, message
    return message
