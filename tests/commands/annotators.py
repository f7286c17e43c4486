"""Annotators that take their time, fail or kill the process they are in; for `--include-package`."""

import os
import time
from typing import Optional

from allennlp_coref_rc.annotations import Annotator, ExactMatchCoref


@Annotator.register("troubled_coref")
class TroubledCoref(ExactMatchCoref):
    """Exact match, but that it may sleep before each text, raise an error over a word, or end the process over one."""

    def __init__(self, seconds: float = 0.0, fail: Optional[str] = None, die: Optional[str] = None) -> None:
        super().__init__()
        self._seconds = seconds
        self._fail = fail
        self._die = die

    def annotate(self, text):
        time.sleep(self._seconds)
        if self._fail in text.tokens:
            raise ValueError(f"cannot stand {self._fail!r} in {object()}")
        if self._die in text.tokens:
            os._exit(9)
        return super().annotate(text)
