import logging
import sys

import pytest


@pytest.fixture(autouse=True)
def logging_as_before():
    """Training gives the root logger handlers, and Python another hook for exceptions."""
    handlers, hook = list(logging.getLogger().handlers), sys.excepthook
    yield
    logging.getLogger().handlers[:] = handlers
    sys.excepthook = hook
