"""
`ConfigurationError` is an error that the user can fix: AllenNLP's own class. As importing AllenNLP takes
seconds, the class is defined here if that has not happened yet, and a patch makes it AllenNLP's.
"""

import sys
from typing import TYPE_CHECKING

CHECKS = "allennlp.common.checks"

if TYPE_CHECKING or CHECKS in sys.modules:
    from allennlp.common.checks import ConfigurationError
else:

    class ConfigurationError(Exception):
        """Says what was found, what was expected, and where."""

        def __init__(self, message: str) -> None:
            super().__init__(message)
            self.message = message
