from dataclasses import dataclass
from typing import Dict, List, Optional, Sequence, Set, Tuple

from allennlp_coref_rc.annotations.annotated_text import Span
from allennlp_coref_rc.annotations.sieve import function_words, names, nouns
from allennlp_coref_rc.annotations.sieve.lexicon import (
    ANY_GENDER,
    ANY_NUMBER,
    CLOSED,
    GIVEN_NAMES,
    NEUTER,
    NOUNS,
    PERSON,
    PLURAL,
    PRONOUNS,
    SINGULAR,
    TITLES,
    Noun,
)

PRONOUN, NAME, NOMINAL = "pronoun", "name", "nominal"

OPENING = frozenset(["``", "“", "‘", '"', "'", "--", "—", ":", "(", "[", "_", "*"])
"""Signs after which a sentence may begin in the middle of one."""

INSIDE_NAMES = frozenset("of de du la le van von der den del di da the 's d'".split())

BEFORE_NAMES = frozenset("poor old dear young little good sweet dearest great".split())

ADJECTIVE_ENDINGS = ("ous", "ive", "ful", "ent", "ant", "al", "ed", "less", "ish", "ble", "ic", "ly", "est", "y", "late", "er")

HEADINGS = frozenset("chapter part book volume act scene section canto letter prologue adventure story".split())

MAX_WORDS = 8
"""Of a noun phrase up to its head."""


@dataclass(eq=False, slots=True)
class Mention:
    """A phrase that may name an entity. `words` are its lower-cased words from the first modifier to the head."""

    start: int
    stop: int
    head: int
    kind: str
    gender: int
    number: int
    words: Tuple[str, ...]
    determiner: str = ""
    possessor: "Optional[Mention]" = None
    is_person: bool = False
    sentence: int = 0
    is_subject: bool = False

    @property
    def span(self) -> Span:
        return self.start, self.stop


class MentionFinder:
    """
    Finds the mentions of a text with word lists and capital letters: pronouns, names and common noun phrases.

    A noun phrase is a determiner or possessor, modifiers and a head; a phrase with "of" belongs to it. Its head is a
    noun of the lists (persons, groups, places, vehicles, animals), or, with `all_nouns`, any word that may be one.
    """

    def __init__(self, tokens: Sequence[str], sentences: Sequence[Span], all_nouns: bool = False) -> None:
        self.tokens = tokens
        self.sentences = sentences
        self.words = [token.lower().replace("’", "'") for token in tokens]
        self.all_nouns = all_nouns
        self.names = self._name_runs()
        self.mentions: List[Mention] = []

    def find(self) -> List[Mention]:
        """The mentions in order; of those that begin together the shortest first."""
        for number, (start, stop) in enumerate(self.sentences):
            first = len(self.mentions)
            self._stop = stop
            position = start
            while position < stop:
                position = self._mentions_at(position)
            for mention in self.mentions[first:]:
                mention.sentence = number
                mention.is_subject = self._is_subject(mention, start)
        self.mentions.sort(key=lambda mention: mention.span)
        return self.mentions

    # Names

    def _name_runs(self) -> Dict[int, int]:
        """By the start of a name its end."""
        words, tokens = self.words, self.tokens
        capital = [token[:1].isupper() for token in tokens]
        if sum(capital) * 100 < len(tokens):
            return self._lower_cased_names()
        lower = {token for token in tokens if token.islower()}
        starts = {start for start, _ in self.sentences}
        opens = [i in starts or tokens[i - 1] in OPENING for i in range(len(tokens))]
        inside = {words[i] for i in range(len(tokens)) if capital[i] and not opens[i] and not _is_heading(tokens[i])}
        good = [capital[i] and self._is_name_word(i, opens[i], lower, inside) for i in range(len(tokens))]
        runs: Dict[int, int] = {}
        for start, stop in self.sentences:
            i = start
            while i < stop:
                if not good[i]:
                    i += 1
                    continue
                end = i + 1
                while end < stop:
                    if good[end] or words[end] == "." and len(words[end - 1]) == 1 and end + 1 < stop and good[end + 1]:
                        end += 1
                    elif words[end] in INSIDE_NAMES and (after := self._after_particles(end, stop, good)):
                        end = after
                    else:
                        break
                runs[i] = end
                i = end
        return runs

    def _after_particles(self, position: int, stop: int, good: Sequence[bool]) -> int:
        """Where a name goes on after "of", "of the", "de la" or the like, past one word; 0 if it does not."""
        words, end = self.words, position
        while end < stop and end - position < 2 and words[end] in INSIDE_NAMES:
            end += 1
        if end >= stop or not good[end] or words[position] == "the":
            return 0
        if words[position] == "'s":
            return end + 1 if words[end] in names.PLACE_HEADS or words[end] == "inn" else 0
        return end + 1

    def _is_name_word(self, i: int, opens: bool, lower: Set[str], inside: Set[str]) -> bool:
        word = self.words[i]
        if word in names.NOT_NAMES or word in CLOSED or not word[0].isalpha():
            return False
        if word in TITLES:
            return True
        if opens or _is_heading(self.tokens[i]):
            known = word in GIVEN_NAMES or word in names.PLACE_NAMES or word in inside
            return known and (word not in lower or word in inside) and word not in function_words.VERBS
        return len(word) > 1 or self.words[i + 1 : i + 2] == ["."]

    def _lower_cased_names(self) -> Dict[int, int]:
        """Text without capital letters: given names, what follows a title, and unknown words that speak."""
        words = self.words
        runs: Dict[int, int] = {}
        speakers: Set[str] = set()
        for i, word in enumerate(words[:-1]):
            after = words[i + 1]
            if after in function_words.SPEECH_VERBS and self._may_be_name(word):
                speakers.add(word)
            elif word in function_words.SPEECH_VERBS and words[i - 1] in ("''", '"', "”") and self._may_be_name(after):
                speakers.add(after)
        i = 0
        while i < len(words):
            word, end = words[i], i
            if word in TITLES and word not in NOUNS and i + 1 < len(words) and self._may_be_name(words[i + 1]):
                end = i + 2
            elif word in GIVEN_NAMES and word not in names.ALSO_WORDS or word in speakers:
                end = i + 1
            elif word in names.PLACE_NAMES and word not in NOUNS and word not in names.ALSO_WORDS:
                end = i + 1
            if end > i:
                runs[i] = end
            i = max(end, i + 1)
        return runs

    @staticmethod
    def _may_be_name(word: str) -> bool:
        return (
            word.isalpha()
            and len(word) > 2
            and word not in CLOSED
            and word not in NOUNS
            and word not in function_words.VERBS
            and word not in function_words.SPEECH_VERBS
            and not word.endswith(("ly", "ing", "ed", "s"))
        )

    # Noun phrases

    def _mentions_at(self, position: int) -> int:
        """Adds the mentions that begin at a token and says where to look on."""
        word = self.words[position]
        pronoun = PRONOUNS.get(word)
        mention = None
        if pronoun and not (word == "i" and self._is_numeral(position)):
            mention = Mention(
                position, position + 1, position, PRONOUN, pronoun.gender, pronoun.number, (word,), is_person=False
            )
            self.mentions.append(mention)
            if word not in function_words.POSSESSIVES:
                return position + 1
        phrase = self._phrase(position, mention, add=True)
        if phrase is None:
            return position + 1
        if isinstance(phrase, int):
            return max(phrase, position + 1)
        self.mentions.append(phrase)
        return phrase.head + 1

    def _is_numeral(self, position: int) -> bool:
        """Whether "I" counts a chapter."""
        before = self.words[position - 1] if position else ""
        return before in HEADINGS or before == "i" or self.words[position + 1 : position + 2] == ["."]

    def _phrase(self, start: int, possessor: Optional[Mention], add: bool, depth: int = 0):
        """
        The noun phrase that begins at a token; where there is none that counts, where to look on, or `None`. With `add`
        the possessors in it become mentions.
        """
        words, stop = self.words, min(self._stop, start + MAX_WORDS)
        position, determiner = start, ""
        while position < stop and (words[position] in function_words.DETERMINERS or position == start and possessor):
            if determiner == "that" and words[position] in function_words.DETERMINERS:
                # A conjunction.
                return position
            determiner = words[position]
            position += 1
        if determiner == "that" and position in self.names:
            return position
        while position < stop and words[position] in function_words.INTENSIFIERS and determiner:
            position += 1
        first, head, kind, other = position, -1, NOMINAL, -1
        while position < stop:
            word = words[position]
            if position in self.names and (head < 0 or kind == NAME or NOUNS[words[head]].is_person):
                if other >= 0 and not self._may_be_adjective(position - 1):
                    return position
                end = self.names[position]
                head, kind, name = end - 1, NAME, position
                position = end
                stop = min(self._stop, max(stop, end + 4))
            elif word in NOUNS and (head < 0 or not NOUNS[words[head]].is_person if kind == NOMINAL else True):
                head, kind = position, NOMINAL
                position += 1
            elif word in ("'s", "'") and (head >= 0 or other >= 0) and position + 1 < stop:
                if head < 0 and not self._goes_on(position + 1):
                    break
                owner = None
                if head >= 0:
                    owner = self._mention(start, head, kind, determiner, first, possessor, 0)
                if not self._goes_on(position + 1):
                    break
                if owner and add:
                    self.mentions.append(owner)
                possessor, determiner, head, other, kind = owner, "'s", -1, -1, NOMINAL
                position += 1
                first = position
            elif head >= 0 and (kind == NAME or NOUNS[words[head]].is_person):
                break
            elif head >= 0:
                # A place before another noun: "the garden gate" is no garden.
                if not self._may_be_noun(position):
                    break
                other, head = position, -1
                position += 1
            elif word in CLOSED or not word[0].isalpha():
                joins = word in (",", "and") and other == position - 1 and position + 1 < stop
                if not joins or words[position + 1] in CLOSED or not determiner or other < first:
                    break
                position += 1
            elif word in function_words.VERBS and not word.endswith(("ed", "en")):
                break
            elif not determiner and word not in BEFORE_NAMES:
                break
            else:
                other = position
                position += 1
        if head < 0 and self.all_nouns and other >= first and determiner and words[other] not in CLOSED:
            head = other
        if head >= 0 and kind == NOMINAL and not determiner and possessor is None and not self._may_be_bare(head):
            return position
        if head < 0:
            return None if possessor is None or position <= start + 1 else first
        return self._mention(start, head, kind, determiner, first, possessor, depth)

    def _may_be_bare(self, head: int) -> bool:
        """Whether a noun may stand without a determiner: a plural, or a relative ("mother")."""
        word = self.words[head]
        return word in nouns.KIN or bool(NOUNS[word].number == PLURAL and NOUNS[word].is_person)

    def _may_be_adjective(self, position: int) -> bool:
        word = self.words[position]
        return word in BEFORE_NAMES or word in NOUNS or word.endswith(ADJECTIVE_ENDINGS)

    def _goes_on(self, position: int) -> bool:
        """Whether a noun phrase may go on after a possessive mark."""
        word = self.words[position]
        return (
            (word not in CLOSED or word in function_words.INTENSIFIERS)
            and word[0].isalpha()
            and word not in function_words.VERBS
        )

    def _may_be_noun(self, position: int) -> bool:
        word = self.words[position]
        return (
            word[0].isalpha()
            and word not in CLOSED
            and word not in function_words.VERBS
            and word not in function_words.SPEECH_VERBS
            and not word.endswith(("ed", "ing", "ly"))
            and not self.tokens[position][0].isupper()
        )

    def _mention(
        self, start: int, head: int, kind: str, determiner: str, first: int, possessor: Optional[Mention], depth: int
    ) -> Mention:
        words = self.words
        stop = head + 1
        if kind == NAME:
            name = next(i for i in range(head, first - 1, -1) if i in self.names)
            gender, number, is_person = name_attributes(words[name:stop])
            if determiner in ("the", "these", "those") and words[head].endswith("s") and not is_person:
                number = ANY_NUMBER
            own = tuple(words[name:stop])
        else:
            noun = NOUNS.get(words[head]) or Noun(NEUTER, PLURAL if words[head].endswith("s") else SINGULAR, False)
            gender, number, is_person = noun
            own = tuple(words[first:stop])
        if determiner in function_words.SINGULAR_DETERMINERS and number & SINGULAR:
            number = SINGULAR
        if kind == NOMINAL and depth < 2 and words[stop : stop + 1] == ["of"] and stop + 1 < self._stop:
            phrase = self._phrase_after_of(stop + 1, depth + 1)
            if phrase:
                stop = phrase
        return Mention(start, stop, head, kind, gender, number, own, determiner, possessor, is_person)

    def _phrase_after_of(self, position: int, depth: int) -> int:
        """The end of the noun phrase after "of", 0 if there is none."""
        word = self.words[position]
        if word in PRONOUNS and word not in function_words.POSSESSIVES:
            return position + 1
        owner = Mention(position, position + 1, position, PRONOUN, 0, 0, (word,)) if word in PRONOUNS else None
        everything, self.all_nouns = self.all_nouns, True
        phrase = self._phrase(position, owner, add=False, depth=depth)
        self.all_nouns = everything
        return phrase.stop if isinstance(phrase, Mention) else 0

    def _is_subject(self, mention: Mention, start: int) -> bool:
        """Whether a verb follows and none of what makes an object stands before."""
        words = self.words
        if mention.kind == PRONOUN and words[mention.start] in function_words.SUBJECTS:
            return True
        if mention.kind == PRONOUN and words[mention.start] not in ("it", "you"):
            return False
        if mention.start > start and words[mention.start - 1] in function_words.PREPOSITIONS:
            return False
        after = mention.stop
        while after < len(words) and words[after] in function_words.ADVERBS:
            after += 1
        if after >= len(words):
            return False
        word = words[after]
        if word in function_words.POSSESSIVE_MARKS:
            return False
        return word in function_words.AUXILIARIES or word in function_words.VERBS or word.endswith("ed")


def _is_heading(token: str) -> bool:
    return len(token) > 1 and token.isupper() and not token.endswith(".")


def name_attributes(name: Sequence[str]) -> Tuple[int, int, bool]:
    """The genders and numbers that a name may have, and whether it is a person's."""
    gender = PERSON
    is_person = False
    for word in name[:-1]:
        if word in TITLES:
            gender &= TITLES[word] or gender
            is_person = True
    if is_person:
        return gender or PERSON, SINGULAR, True
    first, last = name[0], name[-1]
    if "of" in name and first not in GIVEN_NAMES and first not in TITLES:
        return NEUTER, SINGULAR, False
    if len(name) > 1 and (last in names.PLACE_HEADS or last in names.GROUP_HEADS):
        return NEUTER, ANY_NUMBER, False
    if first in GIVEN_NAMES and not (len(name) == 1 and first in names.PLACE_NAMES):
        return GIVEN_NAMES[first], SINGULAR, True
    if last in TITLES:
        return TITLES[last], SINGULAR, True
    if any(word in names.PLACE_NAMES for word in name):
        return NEUTER, SINGULAR, False
    if len(name) == 1 and (last in names.PLACE_HEADS or last in names.GROUP_HEADS):
        return NEUTER, ANY_NUMBER, False
    return ANY_GENDER, SINGULAR, False
