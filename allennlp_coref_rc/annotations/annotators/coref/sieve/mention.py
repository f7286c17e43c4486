from dataclasses import dataclass
from typing import Optional

from allennlp_coref_rc.annotations.annotated_text import Span

PRONOUN, NAME, NOMINAL = "pronoun", "name", "nominal"


@dataclass(eq=False, slots=True)
class Mention:
    """
    A phrase that may name an entity. `words` are the lower-cased words after the determiner, up to the head; for a
    name, only the words of the name. `determiner` is its last determiner, or "'s" after a possessor.
    """

    start: int
    stop: int
    head: int
    kind: str
    gender: int
    number: int
    words: tuple[str, ...]
    determiner: str = ""
    possessor: Optional["Mention"] = None
    is_person: bool = False
    sentence: int = 0
    is_subject: bool = False

    @property
    def span(self) -> Span:
        return self.start, self.stop
