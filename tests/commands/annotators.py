"""Annotators that wait, fail or kill the process they are in; for `--include-package`."""

import os
import time
from typing import Optional

from allennlp_coref_rc.annotations.annotators import Annotator, ExactMatchCoref


@Annotator.register("troubled_coref")
class TroubledCoref(ExactMatchCoref):
    """Exact match that at texts with a certain word waits while a file is there, fails, or ends it all."""

    def __init__(
        self,
        stay: Optional[str] = None,
        file: Optional[str] = None,
        fail: Optional[str] = None,
        die: Optional[str] = None,
    ) -> None:
        super().__init__()
        self._stay = stay
        self._file = file
        self._fail = fail
        self._die = die

    def annotate(self, text):
        while self._stay in text.tokens and os.path.exists(self._file):
            time.sleep(0.01)
        if self._fail in text.tokens:
            raise ValueError(f"cannot stand {self._fail!r} in {object()}")
        if self._die in text.tokens:
            os._exit(9)
        return super().annotate(text)


@Annotator.register("troubled_by_ann")
class TroubledByAnn(TroubledCoref):
    """The same, with a name that takes no time to read, as JSON does."""

    def __init__(self) -> None:
        super().__init__(fail="Ann")
