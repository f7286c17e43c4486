"""
`ConfigurationError` is an error that the user can fix. It is AllenNLP's own class, but this module does not import
AllenNLP, which takes seconds. If AllenNLP is not imported yet, this module defines the class, and a patch makes it
AllenNLP's.
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
