"""What the screen says of an error that the user can mend."""

from typing import Optional

from allennlp_coref_rc.common.errors import ConfigurationError


def message_of(error: BaseException) -> Optional[str]:
    """A paragraph about an error; `None` if it is none of the user's."""
    return str(error) if isinstance(error, (ConfigurationError, OSError)) else None
