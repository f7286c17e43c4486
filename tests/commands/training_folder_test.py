import errno
import json
import os
from unittest.mock import Mock

import psutil
import pytest

from allennlp_coref_rc.allennlp_runtime.folder_lock import FolderInUse, cleanup_failed_start
from allennlp_coref_rc.common.errors import ConfigurationError
from tests.stops import status_of
from tests.training_config.configs import CONFIGS, load_small


def refused(folder, names, error=ConfigurationError, text=""):
    """What is left in a folder when a training that has written such files ends with an error."""
    with pytest.raises(error), cleanup_failed_start(str(folder)):
        for name in names:
            folder.mkdir(exist_ok=True)
            (folder / name).touch()
        raise error(text)
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else None


@pytest.mark.parametrize(
    "names", [[], ["meta.json", "config.json", "out.log"], ["out_worker0.log", "vocabulary"]]
)
def test_nothing_is_left_of_a_training_that_has_not_begun(names, tmp_path):
    assert refused(tmp_path / "run", names) is None


@pytest.mark.parametrize("name", ["metrics_epoch_0.json", "model_state_e0_b0.th", "mine.txt"])
def test_a_training_that_has_begun_is_kept(name, tmp_path):
    assert refused(tmp_path / "run", ["config.json", name]) == ["config.json", name]


def test_a_folder_that_was_there_is_kept(tmp_path):
    assert refused(tmp_path, ["config.json"]) == ["config.json"]


def test_the_log_of_another_error_is_kept(tmp_path):
    assert refused(tmp_path / "run", ["out.log"], RuntimeError) == ["out.log"]


def test_values_may_be_mistakes_too(tmp_path):
    assert refused(tmp_path / "run", ["out.log"], ValueError, "nan loss encountered") is None
    assert refused(tmp_path / "run", ["out.log"], ValueError, "a fault of the program") == ["out.log"]


def test_the_folder_of_another_training_is_kept(tmp_path):
    assert refused(tmp_path / "run", ["config.json"], FolderInUse) == ["config.json"]


def test_nothing_is_left_of_a_training_that_begins_on_a_full_disk(tmp_path, monkeypatch, capsys):
    """An empty config.json could not be recovered from, so the advice is not to add `--recover`."""
    write = Mock(side_effect=OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    monkeypatch.setattr("allennlp.common.Params.to_file", write)
    (tmp_path / "small.json").write_text(
        json.dumps(load_small(CONFIGS / "babi" / "bi_gru.jsonnet").as_dict(quiet=True))
    )
    assert status_of(["train", tmp_path / "small.json", "-s", tmp_path / "run"]) == 2
    message = "no space is left on the disk; free space, then give the command again\n"
    assert capsys.readouterr().err == f"coref-rc: {tmp_path / 'run'}: {message}"
    assert write.called and not (tmp_path / "run").exists()


@pytest.mark.skipif(
    not os.path.isdir("/proc/self/fd"), reason="Linux alone lists a process's open files here"
)
def test_a_training_and_an_evaluation_leave_no_file_open_and_no_process(tmp_path):
    (tmp_path / "small.json").write_text(
        json.dumps(load_small(CONFIGS / "babi" / "bi_gru.jsonnet").as_dict(quiet=True))
    )
    before = set(psutil.Process().children(recursive=True))
    assert status_of(["train", tmp_path / "small.json", "-s", tmp_path / "run"]) == 0
    assert status_of(["evaluate", tmp_path / "run" / "model.tar.gz", "test"]) == 0
    assert {*psutil.Process().children(recursive=True)} <= before
    assert not [file.path for file in psutil.Process().open_files() if file.path.startswith(str(tmp_path))]
