import errno
import os
from unittest.mock import Mock

import psutil
import pytest

from allennlp_coref_rc.allennlp_runtime.folder_lock import FolderInUse, cleanup_failed_start
from allennlp_coref_rc.common.errors import ConfigurationError
from tests.stops import status_of
from tests.training_config.configs import write_small


def refused(folder, names, error, text=""):
    """What is left in a folder when a training that has written such files ends with an error."""
    with pytest.raises(error), cleanup_failed_start(str(folder)):
        for name in names:
            folder.mkdir(exist_ok=True)
            (folder / name).touch()
        raise error(text)
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else None


@pytest.mark.parametrize(
    "names, error, text, is_kept",
    [
        ([], ConfigurationError, "", False),
        (["meta.json", "config.json", "out.log"], ConfigurationError, "", False),
        (["out_worker0.log", "vocabulary"], ConfigurationError, "", False),
        (["out.log"], ValueError, "nan loss encountered", False),
        # It has begun, or there is something of the user's.
        (["config.json", "metrics_epoch_0.json"], ConfigurationError, "", True),
        (["config.json", "model_state_e0_b0.th"], ConfigurationError, "", True),
        (["config.json", "mine.txt"], ConfigurationError, "", True),
        # The log of a fault of the program, and the folder of another training.
        (["out.log"], RuntimeError, "", True),
        (["out.log"], ValueError, "a fault of the program", True),
        (["config.json"], FolderInUse, "", True),
    ],
)
def test_what_is_left_of_a_training_that_ends_with_an_error(names, error, text, is_kept, tmp_path):
    assert refused(tmp_path / "run", names, error, text) == (names if is_kept else None)


def test_a_folder_that_was_there_is_kept(tmp_path):
    assert refused(tmp_path, ["config.json"], ConfigurationError) == ["config.json"]


def test_nothing_is_left_of_a_training_that_begins_on_a_full_disk(tmp_path, monkeypatch, capsys):
    """An empty config.json could not be recovered from, so the advice is not to add `--recover`."""
    write = Mock(side_effect=OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    small = write_small(tmp_path, "bi_gru")
    monkeypatch.setattr("allennlp.common.Params.to_file", write)
    assert status_of(["train", small, "-s", tmp_path / "run"]) == 2
    message = "no space is left on the disk; free space, then give the command again\n"
    assert capsys.readouterr().err == f"coref-rc: {tmp_path / 'run'}: {message}"
    assert write.called and not (tmp_path / "run").exists()


@pytest.mark.skipif(
    not os.path.isdir("/proc/self/fd"), reason="Linux alone lists a process's open files here"
)
def test_a_training_and_an_evaluation_leave_no_file_open_and_no_process(tmp_path):
    before = set(psutil.Process().children(recursive=True))
    assert status_of(["train", write_small(tmp_path, "bi_gru"), "-s", tmp_path / "run"]) == 0
    assert status_of(["evaluate", tmp_path / "run" / "model.tar.gz", "test"]) == 0
    assert {*psutil.Process().children(recursive=True)} <= before
    assert not [file.path for file in psutil.Process().open_files() if file.path.startswith(str(tmp_path))]
