import logging
import os
import signal

import pytest
import torch

if not torch.cuda.is_available():
    # Kernels then run in Triton's interpreter, on the CPU. Triton reads this when it is imported.
    os.environ.setdefault("TRITON_INTERPRET", "1")

import allennlp_coref_rc  # noqa: F401  registers what configs name, as a plugin is imported

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Tests in the background of a shell ignore Ctrl-C, and so would the processes that they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser):
    parser.addoption("--every-cell", action="store_true", help="test every encoder in every reader on every data set")


@pytest.fixture(autouse=True)
def no_logs_of_other_tests():
    """A training leaves a handler that writes into its folder, which may be gone when another test logs something."""
    yield
    for logger in (logging.getLogger(), logging.getLogger("tqdm")):
        for handler in list(logger.handlers):
            if isinstance(handler, logging.FileHandler):
                logger.removeHandler(handler)
                handler.close()
