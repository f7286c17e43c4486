import logging
import os

import pytest
import torch
from allennlp.common.tqdm import logger as tqdm_logger

if not torch.cuda.is_available():
    # Kernels then run in Triton's interpreter, on the CPU. Triton reads this when it is imported.
    os.environ.setdefault("TRITON_INTERPRET", "1")

import allennlp_coref_rc  # noqa: F401  registers what configs name, as a plugin is imported


@pytest.fixture(autouse=True)
def no_logs_of_other_tests():
    """A training leaves a handler that writes into its folder, which may be gone when another test logs something."""
    yield
    for logger in (logging.getLogger(), tqdm_logger):
        for handler in list(logger.handlers):
            if isinstance(handler, logging.FileHandler):
                logger.removeHandler(handler)
                handler.close()
