import atexit
import gc
import logging
import os
import signal

import pytest

from tests.command_line import command_line

# Imports leave no garbage, and searching for it takes seconds, so it is never searched for.
gc.disable()
atexit.register(gc.freeze)

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Tests in the background of a shell ignore Ctrl-C, and so would the processes that they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config):
    if config.getoption("numprocesses", None):
        # Other processes run the tests.
        return
    import torch

    if not torch.cuda.is_available():
        # Kernels then run in Triton's interpreter, on the CPU. Triton reads this when it is imported.
        os.environ.setdefault("TRITON_INTERPRET", "1")

    import allennlp_coref_rc  # noqa: F401  registers what configs name, as a plugin is imported


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


def pytest_addoption(parser):
    parser.addoption(
        "--every-cell", action="store_true", help="test every encoder in every reader on every data set"
    )


LONGEST = """
    configs_test wheel_test allennlp_test reproduce_test annotate_killed_test triton_test stopped_test
    distributed_test browser_test variants_test grid_test pretended_gpu_test
""".split()
"""Files that take longest. They come first, so that two processes end at about the same time."""


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: LONGEST.index(item.path.stem) if item.path.stem in LONGEST else len(LONGEST))


@pytest.fixture(scope="session")
def run_command():
    """A function that runs a command in a process of its own (see `command_line`)."""
    with command_line() as run:
        yield run


@pytest.fixture(autouse=True)
def no_logs_of_other_tests():
    """A training leaves handlers that write into its folder and to its screen, which end with the test."""
    yield
    for logger in (logging.getLogger(), logging.getLogger("tqdm")):
        for handler in list(logger.handlers):
            # Those of pytest are of other classes.
            if type(handler) in (logging.FileHandler, logging.StreamHandler):
                logger.removeHandler(handler)
                handler.close()


@pytest.fixture(scope="module")
def transformer_folders(tmp_path_factory):
    """The folders of tiny transformers, by architecture."""
    from tests import tiny_transformers

    folder = tmp_path_factory.mktemp("transformers")
    return {name: tiny_transformers.make(name, folder / name) for name in tiny_transformers.ARCHITECTURES}
