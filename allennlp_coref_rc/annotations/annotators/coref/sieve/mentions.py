"""Finds the mentions of a text."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, Optional

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span
from allennlp_coref_rc.annotations.annotators import lexicon
from allennlp_coref_rc.annotations.annotators.coref.sieve.entities import NAME, NOMINAL, PRONOUN, Mention
from allennlp_coref_rc.annotations.annotators.coref.sieve.name_spans import name_spans
from allennlp_coref_rc.annotations.annotators.lexicon import NEUTER, PERSON, PLURAL, SINGULAR

MAX_WORDS = 8
"""The most words of a noun phrase up to its head, and of each of its possessors."""

MAX_OF = 2
"""The most phrases with "of" inside one another."""

NONE = -1

BEFORE_NAMES = frozenset("poor old dear young little good sweet dearest great".split())
"""Adjectives that stand before a name, or a noun, without a determiner."""

ADJECTIVE_ENDINGS = tuple("ous ive ful ent ant al ed less ish ble ic ly est y late er".split())


class _Text(NamedTuple):
    """
    A text whose names are known. `name_spans` maps the first token of each to the token after its last one.
    """

    tokens: Sequence[str]
    words: Sequence[str]
    name_spans: dict[int, int]


class _NounPhrase:
    """
    Reads the noun phrase that begins at `start`, in a sentence that ends at `stop`: a determiner or
    possessor, modifiers and a head, which is a name or a listed noun (persons, groups, places, vehicles,
    animals), or, with `any_head`, any word that may be a noun. It includes a phrase with "of" after the head.
    A `possessor` that is a pronoun is given. Positions that it has not found are `NONE`.
    """

    def __init__(
        self, text: _Text, start: int, stop: int, possessor: Optional[Mention], any_head: bool, depth: int = 0
    ) -> None:
        self._text = text
        self._words = text.words
        self._start = self._position = start
        self._sentence_stop = stop
        self._stop = min(stop, start + MAX_WORDS)
        self._possessor = possessor
        self._any_head = any_head
        self._depth = depth
        self._determiner = ""
        self.owners: list[Mention] = []
        """The possessors, such as "Anne" of "Anne 's sister"."""
        self.resume = start
        """The position to go on from if there is no noun phrase."""
        self._first = start
        self._head = self._name = self._other = NONE
        self._kind = NOMINAL

    def read(self) -> Optional[Mention]:
        if not self._read_determiners():
            self.resume = self._position
            return None
        self._begin()
        while self._position < self._stop and self._read_word():
            pass
        if self._head == NONE and self._any_head and self._determiner:
            self._head = self._any_noun()
        if self._head == NONE:
            if self._possessor:
                self.resume = self._first
            return None
        if self._kind == NOMINAL and not self._determiner and not self._may_be_bare():
            self.resume = self._position
            return None
        return self._mention()

    def _begin(self) -> None:
        """Begins the words of the phrase, after determiners or a possessor."""
        self._first = self._position
        self._head = self._name = self._other = NONE
        self._kind = NOMINAL

    def _read_determiners(self) -> bool:
        """Goes past determiners and "very". False if a "that" begins a clause and so is not a determiner."""
        words = self._words
        if self._possessor:
            self._determiner = words[self._start]
            self._position += 1
        while self._position < self._stop and words[self._position] in lexicon.DETERMINERS:
            if self._determiner == "that":
                return False
            self._determiner = words[self._position]
            self._position += 1
        if self._determiner == "that" and self._position in self._text.name_spans:
            return False
        while (
            self._determiner and self._position < self._stop and words[self._position] in lexicon.INTENSIFIERS
        ):
            self._position += 1
        return True

    def _read_word(self) -> bool:
        """Reads one word, name or possessive mark; false where the phrase ends."""
        word, position = self._words[self._position], self._position
        is_person = self._head != NONE and (
            self._kind == NAME or lexicon.NOUNS[self._words[self._head]].is_person
        )
        if position in self._text.name_spans and (self._head == NONE or is_person and self._kind != NAME):
            return self._read_name()
        if word in lexicon.NOUNS and (self._determiner if self._kind == NAME else not is_person):
            self._head, self._kind = position, NOMINAL
        elif word in lexicon.POSSESSIVE_MARKS and position > self._first:
            return self._read_possessive()
        elif is_person:
            return False
        elif self._head != NONE:
            # A place before another noun: "the garden gate" is not a garden.
            if not self._may_be_noun(position):
                return False
            self._other, self._head = position, NONE
        elif word in lexicon.CLOSED or not word[:1].isalpha():
            if not self._joins_adjectives(position):
                return False
        elif (
            word in lexicon.VERBS
            and not word.endswith(("ed", "en"))
            or not self._determiner
            and word not in BEFORE_NAMES
        ):
            return False
        else:
            self._other = position
        self._position += 1
        return True

    def _read_name(self) -> bool:
        if self._other != NONE and not self._may_be_adjective(self._position - 1):
            # "The question Anne asked": the name stands for itself.
            self._head = NONE
            self._any_head = False
            self.resume = self._position
            return False
        end = self._text.name_spans[self._position]
        self._name, self._head, self._kind = self._position, end - 1, NAME
        self._position = end
        self._stop = min(self._sentence_stop, max(self._stop, end + MAX_WORDS // 2))
        return True

    def _read_possessive(self) -> bool:
        after = self._position + 1
        if after >= self._stop or not self._goes_on(after):
            return False
        owner = None
        if self._head != NONE:
            owner = self._mention(with_of=False)
            self.owners.append(owner)
        self._possessor, self._determiner = owner, "'s"
        self._position = after
        self._begin()
        return True

    def _goes_on(self, position: int) -> bool:
        """Whether a noun phrase may continue after a possessive mark."""
        word = self._words[position]
        if word in lexicon.INTENSIFIERS:
            return True
        return word not in lexicon.CLOSED and word[:1].isalpha() and word not in lexicon.VERBS

    def _may_be_noun(self, position: int) -> bool:
        word = self._words[position]
        return (
            word[:1].isalpha()
            and word not in lexicon.CLOSED
            and word not in lexicon.VERBS
            and word not in lexicon.SPEECH_VERBS
            and not word.endswith(("ed", "ing", "ly"))
            and not self._text.tokens[position][0].isupper()
        )

    def _joins_adjectives(self, position: int) -> bool:
        """Whether this is the comma of "the tall , thin man" or the "and" of "the old and poor man"."""
        if self._words[position] not in (",", "and") or not self._determiner or position + 1 >= self._stop:
            return False
        return self._other == position - 1 >= self._first and self._words[position + 1] not in lexicon.CLOSED

    def _may_be_adjective(self, position: int) -> bool:
        word = self._words[position]
        return word in BEFORE_NAMES or word in lexicon.NOUNS or word.endswith(ADJECTIVE_ENDINGS)

    def _may_be_bare(self) -> bool:
        """
        Whether the head may stand without a determiner: persons in the plural, and relatives ("mother").
        """
        word = self._words[self._head]
        return word in lexicon.KIN or lexicon.NOUNS[word].is_person and lexicon.NOUNS[word].number == PLURAL

    def _any_noun(self) -> int:
        """The last word that looks like a noun."""
        for position in range(self._other, self._first - 1, -1):
            word = self._words[position]
            if word not in lexicon.CLOSED and word[:1].isalpha() and not word.endswith(("ed", "ing", "ly")):
                return position
        return NONE

    def _mention(self, with_of: bool = True) -> Mention:
        words, stop = self._words, self._head + 1
        if self._kind == NAME:
            own = tuple(words[self._name : stop])
            gender, number, is_person = name_attributes(own)
            if self._determiner in ("the", "these", "those") and own[-1].endswith("s") and not is_person:
                number = lexicon.ANY_NUMBER
        else:
            own = tuple(words[self._first : stop])
            thing = lexicon.Noun(NEUTER, PLURAL if own[-1].endswith("s") else SINGULAR, False)
            gender, number, is_person = lexicon.NOUNS.get(own[-1], thing)
            if with_of and self._depth < MAX_OF and words[stop : stop + 1] == ["of"]:
                stop = self._after_of(stop + 1) or stop
        return Mention(
            self._start,
            stop,
            self._head,
            self._kind,
            gender,
            number,
            own,
            self._determiner,
            self._possessor,
            is_person,
        )

    def _after_of(self, position: int) -> int:
        """The end of the noun phrase after "of", whatever its head; 0 if there is none."""
        if position >= self._sentence_stop:
            return 0
        word, owner = self._words[position], None
        if word in lexicon.PRONOUNS:
            owner = Mention(position, position + 1, position, PRONOUN, 0, 0, (word,))
            if word not in lexicon.POSSESSIVES:
                return position + 1
        mention = _NounPhrase(self._text, position, self._sentence_stop, owner, True, self._depth + 1).read()
        return mention.stop if mention else 0


def name_attributes(name: Sequence[str]) -> tuple[int, int, bool]:
    """The genders and numbers that a name may have, and whether it certainly names a person."""
    first, last = name[0], name[-1]
    gender = PERSON
    if first in lexicon.TITLES and not {"&", "and"}.isdisjoint(name):
        return PERSON, PLURAL, True
    if last in lexicon.COMPANY_ENDINGS or any("&" in word or word == "and" for word in name):
        return NEUTER, lexicon.ANY_NUMBER, False
    titles = [lexicon.TITLES[word] for word in name[:-1] if word in lexicon.TITLES]
    for title in titles:
        gender = gender & title or gender
    if titles:
        return gender, SINGULAR, True
    if "of" in name and first not in lexicon.GIVEN_NAMES:
        return NEUTER, SINGULAR, False
    if len(name) > 1 and (last in lexicon.PLACE_HEADS or last in lexicon.GROUP_HEADS):
        return NEUTER, lexicon.ANY_NUMBER, False
    if first in lexicon.GIVEN_NAMES and not (len(name) == 1 and first in lexicon.PLACE_NAMES):
        return lexicon.GIVEN_NAMES[first], SINGULAR, True
    if last in lexicon.TITLES:
        return lexicon.TITLES[last], SINGULAR, True
    if any(word in lexicon.PLACE_NAMES for word in name):
        return NEUTER, SINGULAR, False
    if last in lexicon.PLACE_HEADS or last in lexicon.GROUP_HEADS:
        return NEUTER, lexicon.ANY_NUMBER, False
    return lexicon.ANY_GENDER, SINGULAR, False


HEADINGS = frozenset(
    "chapter part book volume act scene section canto letter prologue adventure story".split()
)


class MentionFinder:
    """
    Finds the mentions of a text with word lists and capital letters: pronouns, names and common noun phrases,
    also inside one another. With `all_nouns` any word may be the head of a noun phrase, otherwise only listed
    words. With `acting_names` unknown words that do something are names at the beginning of a sentence too.
    `persons` are the spans of more names, which are persons'. No mention begins with one of the `greetings`.
    """

    def __init__(
        self,
        text: AnnotatedText,
        all_nouns: bool,
        acting_names: bool,
        persons: Iterable[Span] = (),
        greetings: Collection[int] = frozenset(),
    ) -> None:
        self.words = [token.lower().replace("’", "'") for token in text.tokens]
        self._sentences = text.sentences
        self._persons, self._greetings = dict(persons), greetings
        names = name_spans(text, self.words, acting_names) | self._persons
        self._text = _Text(text.tokens, self.words, names)
        self._all_nouns = all_nouns
        self._mentions: list[Mention] = []
        self._stop = 0

    def find(self) -> list[Mention]:
        """The mentions in order of their beginnings; if these are equal, the shortest first."""
        for number, (start, stop) in enumerate(self._sentences):
            self._stop = stop
            first, position = len(self._mentions), start
            while position < self._stop:
                position = self._find_at(position)
            for mention in self._mentions[first:]:
                mention.sentence = number
                mention.is_subject = self._is_subject(mention, start)
        return sorted(self._mentions, key=lambda mention: mention.span)

    def _find_at(self, position: int) -> int:
        """Adds the mentions that begin at a token, and returns the position to continue from."""
        word = self.words[position]
        mention = None
        if position in self._greetings:
            return position + 1
        if word in lexicon.PRONOUNS and not (word == "i" and self._is_numeral(position)):
            _, gender, number = lexicon.PRONOUNS[word]
            mention = Mention(position, position + 1, position, PRONOUN, gender, number, (word,))
            self._mentions.append(mention)
            if word not in lexicon.POSSESSIVES:
                return position + 1
        phrase = _NounPhrase(self._text, position, self._stop, mention, self._all_nouns)
        whole = phrase.read()
        self._mentions.extend(phrase.owners)
        if whole is None:
            return max(phrase.resume, position + 1)
        if position in self._persons:
            whole.is_person, whole.gender = True, whole.gender & PERSON or PERSON
        self._mentions.append(whole)
        return whole.head + 1

    def _is_numeral(self, position: int) -> bool:
        """Whether "I" counts a chapter."""
        before = self.words[position - 1] if position else ""
        return before in HEADINGS or before == "i" or self.words[position + 1 : position + 2] == ["."]

    def _is_subject(self, mention: Mention, start: int) -> bool:
        """Whether a verb follows, and no preposition stands before."""
        words = self.words
        if mention.kind == PRONOUN and words[mention.start] not in ("it", "you"):
            return words[mention.start] in lexicon.SUBJECTS
        if mention.start > start and words[mention.start - 1] in lexicon.PREPOSITIONS:
            return False
        after = mention.stop
        while after < len(words) and words[after] in lexicon.ADVERBS:
            after += 1
        if after == len(words) or words[after] in lexicon.POSSESSIVE_MARKS:
            return False
        word = words[after]
        return word in lexicon.AUXILIARIES or word in lexicon.VERBS or word.endswith("ed")
