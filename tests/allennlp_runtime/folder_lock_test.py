import errno
import fcntl
import multiprocessing
import os
import signal
import time
from types import SimpleNamespace

import pytest

from allennlp_coref_rc.allennlp_runtime.folder_lock import FolderInUse, lock_of, lock_training


def in_use(folder):
    try:
        with lock_of(str(folder)):
            return False
    except FolderInUse as error:
        assert str(error).startswith(f"{folder}: another process trains there")
        return True


def training(work):
    """AllenNLP's module, whose `train_model` does this, with the lock."""
    module = SimpleNamespace(
        train_model=lambda params, serialization_dir, recover=False, force=False, node_rank=0: work(
            serialization_dir, recover, force
        )
    )
    lock_training(module)
    return module.train_model


def test_only_one_trains_in_a_folder(tmp_path):
    folder = tmp_path / "new" / "run"

    def work(*arguments):
        assert in_use(folder)
        with pytest.raises(FolderInUse):
            training(pytest.fail)({}, folder)
        return arguments

    assert training(work)({}, folder, recover=True) == (folder, True, False)
    assert not in_use(folder) and not list(folder.parent.iterdir())


def test_a_folder_that_is_replaced_stays_locked(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    with lock_of(str(folder)), pytest.raises(FolderInUse):
        training(pytest.fail)({}, folder, force=True)

    def work(*arguments):
        folder.rmdir()
        folder.mkdir()
        assert in_use(folder)

    training(work)({}, folder, force=True)


def test_other_nodes_may_share_the_folder_of_the_first(tmp_path):
    with lock_of(str(tmp_path)):
        assert training(lambda *arguments: "trained")({}, tmp_path, node_rank=1) == "trained"


def test_a_killed_training_has_no_lock_even_if_its_forks_live_on(tmp_path):
    def wait():
        os.write(writing, b".")
        time.sleep(600)

    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        with lock_of(str(tmp_path)):
            worker = multiprocessing.get_context("fork").Process(target=wait)
            worker.start()
            os.write(writing, str(worker.pid).encode())
            time.sleep(600)
    worker = b""
    while b"." not in worker or len(worker) == 1:
        worker += os.read(reading, 20)
    try:
        assert in_use(tmp_path)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        assert not in_use(tmp_path)
    finally:
        os.kill(int(worker.replace(b".", b"")), signal.SIGKILL)


def test_a_file_system_without_locks(tmp_path, monkeypatch):
    def flock(descriptor, operation):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", flock)
    folder = tmp_path / "run"
    with lock_of(str(folder)), lock_of(str(folder)):
        pass
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_allennlp_has_it_too(run_command, tmp_path):
    """Whichever is imported first: this package in this process, AllenNLP in that of `run_command`."""
    from allennlp.commands import train

    assert train.train_model._self_wrapper.__name__ == "lock_training"
    script = (
        "import allennlp_coref_rc; from allennlp.commands import train; "
        "print(train.train_model._self_wrapper.__name__)"
    )
    (tmp_path / "later.py").write_text(script)
    found = run_command("later", folder=tmp_path)
    assert found.stdout.strip() == "lock_training", found.stderr
