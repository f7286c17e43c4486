"""Fuzzes files that are stored: archives, checkpoints and the compiled recurrence."""

import hashlib
import io
import random
import tarfile
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch
from allennlp.common import Params
from allennlp.data import DatasetReader, Vocabulary
from allennlp.models import Model

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.modules.recurrence import _library
from allennlp_coref_rc.safe_archives.archives import load
from allennlp_coref_rc.training.exact_checkpointer import ExactCheckpointer
from tests.fuzz.kinds import Files, Kind
from tests.fuzz.mutations import SHAPES, mutated
from tests.training_config.configs import CONFIGS, load_small

LINKS = ("../outside", "/tmp/outside", "vocabulary/../../outside", "config.json", "weights.th")


@lru_cache(maxsize=None)
def archive() -> Files:
    """Of a small reader that is not trained."""
    params = load_small(CONFIGS / "babi" / "bi_gru.jsonnet")
    reader = DatasetReader.from_params(params.duplicate()["dataset_reader"])
    torch.manual_seed(0)
    model = Model.from_params(
        params.duplicate()["model"], vocab=Vocabulary.from_instances(reader.read("train"))
    )
    with tempfile.TemporaryDirectory() as folder:
        Params(params.as_dict(quiet=True)).to_file(f"{folder}/config.json")
        model.vocab.save_to_files(f"{folder}/vocabulary")
        torch.save(model.state_dict(), f"{folder}/weights.th")
        paths = [path for path in sorted(Path(folder).rglob("*")) if path.is_file()]
        members = {str(path.relative_to(folder)): path.read_bytes() for path in paths}
    return {"model.tar.gz": _pack([(tarfile.TarInfo(name), content) for name, content in members.items()])}


def _pack(members: list[Any]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as tar:
        for info, content in members:
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content) if info.isfile() else None)
    # The time of packing, which would make a different case each time.
    return packed.getvalue()[:4] + bytes(4) + packed.getvalue()[8:]


def _members(rng: random.Random, content: bytes) -> bytes:
    """Damages a file in an archive, or its name, or puts a link or a second file in its place."""
    try:
        with tarfile.open(fileobj=io.BytesIO(content)) as tar:
            members = [(info, tar.extractfile(info).read()) for info in tar if info.isfile()]
    except Exception:
        return content
    number = rng.randrange(len(members))
    info, inside = members[number]
    kind = rng.randrange(8)
    if kind <= 3:
        shape = {"config.json": "json", "weights.th": "bytes"}.get(info.name, "lines")
        members[number] = info, mutated(rng, inside, shape)
    elif kind == 4:
        info.name = rng.choice([*LINKS, info.name.upper(), "", "a" * 300])
    elif kind == 5:
        info.type, info.linkname = rng.choice([tarfile.SYMTYPE, tarfile.LNKTYPE]), rng.choice(LINKS)
        members[number] = info, b""
    elif kind == 6:
        del members[number]
    else:
        members.append((tarfile.TarInfo(info.name), mutated(rng, inside, "bytes")))
    return _pack(members)


def use_archive(path: str) -> None:
    """Loads it; nothing appears beside it."""
    before = sorted(Path(path).parent.parent.rglob("*"))
    try:
        model = load(path, trust=False).model
        assert isinstance(model, Model)
    finally:
        assert sorted(Path(path).parent.parent.rglob("*")) == before and not Path("/tmp/outside").exists()


def _state(epoch: int) -> dict[str, dict[str, Any]]:
    generator = torch.Generator().manual_seed(epoch)
    random_states = {"cpu": torch.Generator().manual_seed(epoch).get_state(), "cuda": None}
    tracker = {"is_best_so_far": False, "best_epoch": 0}
    state = {"epochs_completed": epoch, "metric_tracker": tracker, "random_states": random_states}
    return {"model": {"weight": torch.randn(20, 5, generator=generator)}, "training": state}


@lru_cache(maxsize=None)
def checkpoints() -> Files:
    files: Files = {}
    with tempfile.TemporaryDirectory() as folder:
        for epoch in (2, 1):
            for name, state in _state(epoch).items():
                torch.save(state, f"{folder}/a")
                files[f"{name}_state_e{epoch}_b0.th"] = Path(f"{folder}/a").read_bytes()
    # Mostly the one that training resumes from is damaged.
    names = sorted(files, key=lambda name: (not name.startswith("model"), "e1" not in name))
    return {name: files[name] for name in names}


def use_checkpoints(path: str) -> None:
    """What is loaded is one of the checkpoints, to the last bit."""
    state = torch.get_rng_state()
    try:
        loaded = ExactCheckpointer(str(Path(path).parent), keep_most_recent_by_count=2).load_checkpoint()
    finally:
        torch.set_rng_state(state)
    assert loaded is not None
    epoch = loaded.trainer_state["epochs_completed"]
    assert epoch in (1, 2)
    expected = _state(epoch)
    assert loaded.model_state.keys() == expected["model"].keys()
    assert torch.equal(loaded.model_state["weight"], expected["model"]["weight"])


LIBRARY = bytes(range(256)) * 20


def library() -> Files:
    return {"recurrence.so": LIBRARY + hashlib.sha256(LIBRARY).digest()}


def use_library(path: str) -> None:
    """It is loaded if it is as it was compiled; otherwise it would be compiled again."""
    whole = _library.is_whole(Path(path))
    assert whole == (Path(path).read_bytes() == library()["recurrence.so"])
    if not whole:
        raise ConfigurationError("found a damaged library, which is compiled again")


SHAPES["archive"] = [*SHAPES["bytes"][:4], *[_members] * 12]

STORED: list[Kind] = [
    Kind("archive", "archive", archive, use_archive, lines=False, packed=False),
    Kind("checkpoint", "bytes", checkpoints, use_checkpoints, lines=False, packed=False),
    Kind("compiled library", "bytes", library, use_library, named=False, packed=False),
]
