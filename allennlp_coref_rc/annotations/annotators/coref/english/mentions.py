"""The mentions of a parsed text: what each of them is, and the features that a network sees of it."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from enum import IntEnum
from itertools import count
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from allennlp_coref_rc.annotations.annotators import lexicon
from allennlp_coref_rc.annotations.annotators.coref.english import words
from allennlp_coref_rc.annotations.annotators.coref.english.noun_phrases import NounPhrase, find_noun_phrases
from allennlp_coref_rc.annotations.annotators.coref.sieve import entities as sieve
from allennlp_coref_rc.annotations.annotators.coref.sieve import quotes
from allennlp_coref_rc.annotations.annotators.coref.sieve.mentions import name_attributes
from allennlp_coref_rc.annotations.annotators.coref.sieve.sieve_coref import SieveCoref
from allennlp_coref_rc.annotations.annotators.coref.sieve.turns import find_turns
from allennlp_coref_rc.annotations.annotators.parse import Parse

EntityType = IntEnum(
    "EntityType",
    "NONE PERSON PLACE ORGANIZATION OBJECT EVENT TIME SUBSTANCE ANIMAL PLANT ABSTRACT",
    start=0,
)
ENTITY_TYPES = {kind.name.lower(): kind for kind in EntityType}

Role = IntEnum(
    "Role",
    "SUBJECT OBJECT INDIRECT_OBJECT OBLIQUE MODIFIER POSSESSOR APPOSITION ROOT COMPOUND VOCATIVE CLAUSE "
    "PASSIVE_SUBJECT OTHER",
    start=0,
)
SUBJECTS = (Role.SUBJECT, Role.PASSIVE_SUBJECT)

CLAUSES = frozenset("ROOT ccomp xcomp advcl acl csubj parataxis".split())
"""Relations of the heads of clauses."""

ROLES: dict[str, Role] = {
    **dict.fromkeys(CLAUSES, Role.CLAUSE),
    **dict(zip("nsubj obj iobj obl nmod nmod:poss appos ROOT compound vocative".split(), Role)),
    "nsubj:pass": Role.PASSIVE_SUBJECT,
}

CONTENT = frozenset("NOUN PROPN ADJ NUM VERB X".split())
"""Parts of speech of the words by which noun phrases are compared."""

ARTICLES = (words.Determiner.DEFINITE, words.Determiner.INDEFINITE, words.Determiner.DEMONSTRATIVE)
SPEAKING = tuple(words.PronounGroup[group] for group in ("I", "WE", "HE", "THEY"))
"""Groups of pronouns that speakers have."""

BITS = 61
"""How many `bits` there are. Words with equal ones rarely have equal `more_bits`, too."""

WIDTH = 128
"""The width of the pipeline's network."""


class Mention:
    """
    A noun phrase, and what is known about it. `gender` and `number` are the sets (bits) that it allows,
    `listed_gender` the one that a list has for a given name. `name_stop` is the end of the name, or of the
    words up to the head. `clause` is the head of its clause. `turn` numbers the turn of a quotation, or is
    -1; `speaker` and `listener` are the places of those mentions in the text, which names them beside the
    turn if it `is_labelled`. `ruled` is the number of the cluster that `sieve_coref` has for the mention, or
    -1.

    `text`, `last_word`, `governor_word` and `acronym` are numbers that are equal for equal words. `bits` and
    `more_bits` have a bit for each word by which noun phrases are compared. The bits depend on the order in
    which words are numbered, so the model has to be trained again if that changes.
    """

    is_quoted = is_labelled = False
    turn = speaker = listener = ruled = -1

    def __init__(
        self, parse: Parse, clauses: Sequence[int], numbers: dict[object, int], phrase: NounPhrase
    ) -> None:
        self.parse = parse
        self.start, self.stop, self.head, self.is_coordination = phrase
        self.word, self.children = parse.words[self.head], parse.children[self.head]
        self.relations = {parse.bases[child] for child in self.children}
        self.is_single = self.stop == self.start + 1
        self.pronoun = lexicon.PRONOUNS.get(self.word) if self.is_single else None
        is_proper = parse.pos[self.head] == "PROPN"
        group = words.PRONOUN_GROUPS.get(self.word) if self.is_single and not is_proper else None
        self.is_pronoun = group is not None
        self.group = words.PronounGroup.NONE if group is None else group
        self.name_parts = [
            child
            for child in self.children
            if parse.bases[child] == "flat" and parse.pos[child] == "PROPN" and self.head < child < self.stop
        ]
        self.is_name = not self.is_pronoun and (is_proper or bool(self.name_parts))
        self.is_nominal = not self.is_pronoun and not self.is_name
        self.name_stop = self._name_stop()
        # Pronouns of one group are one word.
        self.singular, self.classes = (
            (str(int(self.group)), words.UNKNOWN) if self.is_pronoun else words.singular(self.word)
        )
        self.type = self._type()
        self.determiner = self._determiner()
        self.listed_gender = self._listed_gender()
        self.gender, self.number = self._gender(), self._number()
        if self.head in parse.compounds:
            self.gender, self.number, _ = name_attributes(parse.words[self.head : parse.compounds[self.head]])
        if self.is_coordination:
            self.gender = self.gender | lexicon.PERSON if self.gender & lexicon.PERSON else self.gender
            self.number = lexicon.PLURAL
        self.sure_gender = self._sure_gender()
        self.has_sex = self.gender in (lexicon.MALE, lexicon.FEMALE)
        sex = self.gender if self.has_sex else self.listed_gender
        self.sex = sex if sex in (lexicon.MALE, lexicon.FEMALE) else 0
        self._find_syntax(clauses)
        self._number_words(numbers)

    def _name_stop(self) -> int:
        last = self.parse.right[self.name_parts[-1]] if self.name_parts else self.head
        stop = min(last + 1, self.stop)
        while self.is_name and stop < self.stop and self.parse.pos[stop] == "PROPN":
            stop += 1
        return stop

    def _name(self, tokens: list[str]) -> list[str]:
        return tokens[self.start : self.name_stop]

    def _type(self) -> EntityType:
        if self.pronoun:
            return EntityType.NONE if self.pronoun.gender & lexicon.NEUTER else EntityType.PERSON
        return ENTITY_TYPES.get(self.parse.entities[self.head], EntityType.NONE)

    def _determiner(self) -> words.Determiner:
        first = words.DETERMINERS.get(self.parse.words[self.start]) if not self.is_single else None
        has_possessor = any(self.parse.labels[child] == "nmod:poss" for child in self.children)
        return first or (words.Determiner.POSSESSOR if has_possessor else words.Determiner.NONE)

    def _listed_gender(self) -> int:
        if self.pronoun or not self.is_name or self.is_coordination:
            return lexicon.ANY_GENDER
        genders = map(lexicon.GIVEN_NAMES.get, self._name(self.parse.words))
        return next(filter(None, genders), lexicon.ANY_GENDER)

    def _gender(self) -> int:
        if self.pronoun:
            return self.pronoun.gender
        if self.is_pronoun:
            return lexicon.NEUTER
        is_person = self.type == EntityType.PERSON
        if self.is_name:
            titles = map(lexicon.TITLES.get, self._name(self.parse.words))
            return next(filter(None, titles), lexicon.PERSON if is_person else lexicon.ANY_GENDER)
        if self.word in lexicon.NOUNS:
            return lexicon.NOUNS[self.word].gender
        if self.classes.male:
            return lexicon.MALE
        if self.classes.female:
            return lexicon.FEMALE
        if self.classes.person == 3 or is_person:
            return lexicon.PERSON
        return lexicon.NEUTER if self.classes.noun and not self.classes.person else lexicon.ANY_GENDER

    def _sure_gender(self) -> int:
        """As `gender`, but a name is a person's only if the lists say so."""
        if not self.is_name or self.gender not in (lexicon.PERSON, lexicon.ANY_GENDER):
            return self.gender
        first = self.name_stop - 1
        while first > self.start and self.parse.pos[first - 1] == "PROPN":
            first -= 1
        is_person = name_attributes(self.parse.words[first : self.name_stop])[2]
        return lexicon.PERSON if is_person and not self.is_coordination else lexicon.ANY_GENDER

    def _number(self) -> int:
        if self.pronoun:
            return self.pronoun.number
        if self.is_pronoun:
            return lexicon.PLURAL if self.word in ("these", "those") else lexicon.ANY_NUMBER
        is_plural = self.parse.tags[self.head] in ("NNS", "NNPS")
        if self.type == EntityType.ORGANIZATION or (self.is_name and is_plural):
            return lexicon.ANY_NUMBER
        number = lexicon.PLURAL if is_plural else lexicon.SINGULAR
        if self.is_nominal and self.word in lexicon.NOUNS:
            number |= lexicon.NOUNS[self.word].number
        return number

    def _first_conjunct(self) -> int:
        top = self.head
        while self.parse.bases[top] == "conj" and self.parse.heads[top] != top:
            top = self.parse.heads[top]
        return top

    def _find_syntax(self, clauses: Sequence[int]) -> None:
        """Role, governor and clause. Those of a conjunct are of the first one."""
        parse = self.parse
        top = self._first_conjunct()
        self.is_conjunct = top != self.head
        self.role = ROLES.get(parse.labels[top], ROLES.get(parse.bases[top], Role.OTHER))
        self.is_subject = self.role in SUBJECTS
        self.governor = parse.heads[top]
        self.governor_pos = parse.pos[self.governor]
        self.governor_role = ROLES.get(parse.bases[self.governor], Role.OTHER)
        self.is_under_speech_verb = parse.words[self.governor] in lexicon.SPEECH_VERBS
        self.next_word = parse.words[self.stop] if self.stop < len(parse.words) else "."
        self.preposition = next((parse.words[c] for c in parse.children[top] if parse.bases[c] == "case"), "")
        is_of_governor = clauses[self.head] == self.head != parse.heads[self.head]
        self.clause = clauses[self.governor if is_of_governor else self.head]
        clause = parse.children[clauses[self.governor]]
        self.is_negated = any(parse.words[child] in ("not", "n't", "never") for child in clause)
        self.is_in_marked_clause = any(parse.labels[child] == "mark" for child in clause)
        self.is_in_main_clause = parse.bases[clauses[self.governor]] == "ROOT"
        self.is_predicate = not self.relations.isdisjoint(("cop", "nsubj"))
        self.is_reflexive = self.word in lexicon.REFLEXIVES
        self.sentence = int(parse.sentence[self.start])
        self.clause_above = clauses[parse.heads[self.clause]]
        self.clause_first, self.clause_last = parse.left[self.clause], parse.right[self.clause]
        self.governor_first, self.governor_last = parse.left[self.governor], parse.right[self.governor]

    def _number_words(self, numbers: dict[object, int]) -> None:
        parse, content = self.parse, self._content()
        counted = {numbers[words.singular(parse.words[place])[0].rstrip(".")]: None for place in content}
        self.bits = self.more_bits = 0
        for number in counted:
            self.bits |= 1 << number % BITS
            self.more_bits |= 1 << (number * 7 // BITS + number * 3) % BITS
        initials = "".join(token[0] for token in self._name(parse.tokens) if token[:1].isupper()).lower()
        has_initials = len(initials) > 2
        acronym = numbers[initials if has_initials else self.word]
        # Equal to no other, but for mentions of one head, and the first token of the text.
        self.acronym = acronym if has_initials or self.is_single else -self.head
        last_word = parse.words[self.name_stop - 1] if self.is_name else self.singular
        self.last_word = numbers[last_word, self.is_coordination]
        self.text = numbers[self._text(content), self.is_coordination]
        self.governor_word = numbers[parse.words[self.governor]]
        self.searched = set() if self.is_pronoun else {self.last_word, acronym}
        if self.is_name:
            self.searched.update(counted)

    def _content(self) -> list[int]:
        """The places of the words by which noun phrases are compared."""
        parse = self.parse
        # Of "director Sophie Consagra", where the name depends on the noun, only the name counts.
        before_name = self.is_name and self.name_parts and parse.pos[self.head] == "NOUN"
        start = self.head + 1 if before_name else self.start
        return [
            place
            for place in range(start, self.stop if self.is_coordination else self.name_stop)
            if parse.pos[place] in CONTENT and parse.words[place] not in lexicon.TITLES
        ]

    def _text(self, content: Sequence[int]) -> object:
        """Equal for equal names, and for noun phrases that differ only in articles."""
        if self.is_pronoun:
            return self.singular
        if self.is_nominal:
            return tuple(self.parse.words[self.start + (self.determiner in ARTICLES) : self.stop])
        is_compound = self.head in self.parse.compounds
        first = self.head if is_compound else min([self.name_stop - 1, *content])
        return tuple(self.parse.words[first : self.name_stop])

    @property
    def may_speak(self) -> bool:
        if self.is_coordination:
            return False
        if self.is_name:
            return self.type in (EntityType.NONE, EntityType.PERSON)
        if self.is_nominal:
            return not self.gender & lexicon.NEUTER
        return self.group in SPEAKING


Category = tuple[str, int, Callable[[Mention], int]]


def place_in(values: Sequence[object], value: object) -> int:
    """The place of a value among some that are told apart, or their number for any other."""
    return values.index(value) if value in values else len(values)


PREPOSITIONS = ("", "of", "by", "with", "to", "in", "for", "as")
FOLLOWING = ("and", ",", ".", "'s", "(")
GENDERS = {lexicon.MALE: 1, lexicon.FEMALE: 1, lexicon.PERSON: 2, lexicon.NEUTER: 3}
GOVERNORS = ("VERB", "AUX", "NOUN", "ADJ", "PROPN")

CATEGORIES: list[Category] = [
    ("pronoun, name or nominal", 3, lambda mention: mention.is_name + 2 * mention.is_nominal),
    ("group of pronouns", 8, lambda mention: mention.group),
    ("role", 13, lambda mention: mention.role),
    ("type of entity", 11, lambda mention: mention.type),
    ("determiner", 7, lambda mention: mention.determiner),
    ("gender", 4, lambda mention: GENDERS.get(mention.gender, 0)),
    ("number", 4, lambda mention: mention.number),
    ("listed gender", 3, lambda mention: GENDERS.get(mention.listed_gender, 0)),
    ("reflexive", 2, lambda mention: mention.is_reflexive),
    ("coordination", 2, lambda mention: mention.is_coordination),
    ("predicate", 2, lambda mention: mention.is_predicate),
    ("conjunct", 2, lambda mention: mention.is_conjunct),
    ("words", 6, lambda mention: min(mention.stop - mention.start, 5)),
    ("depth", 6, lambda mention: min(mention.parse.depth[mention.head], 5)),
    *((f"class {name}", 4, attrgetter(f"classes.{name}")) for name in words.WordClasses._fields[:12]),
    *(
        (f"has {relation}", 2, lambda mention, relation=relation: relation in mention.relations)
        for relation in ("acl", "nmod", "amod", "nummod", "appos", "det")
    ),
    ("expletive", 2, lambda mention: mention.parse.labels[mention.head] == "expl"),
    ("role of the governor", 13, lambda mention: mention.governor_role),
    ("part of speech of the governor", 6, lambda mention: place_in(GOVERNORS, mention.governor_pos)),
    ("under a verb of speaking", 2, lambda mention: mention.is_under_speech_verb),
    ("after a preposition of places", 2, lambda mention: mention.preposition in lexicon.PLACE_PREPOSITIONS),
    ("preposition", 9, lambda mention: place_in(PREPOSITIONS, mention.preposition)),
    ("next word", 6, lambda mention: place_in(FOLLOWING, mention.next_word)),
    ("in the main clause", 2, lambda mention: mention.is_in_main_clause),
    ("clause has a conjunction", 2, lambda mention: mention.is_in_marked_clause),
    ("clause is negated", 2, lambda mention: mention.is_negated),
    ("capitalised", 2, lambda mention: mention.parse.tokens[mention.head][:1].isupper()),
    ("in capitals", 2, lambda mention: mention.parse.tokens[mention.head].isupper()),
]
"""
Kinds of categories, in the order of the network's weights: how many there are, and which one a mention is in.
"""

COLUMNS = (
    "start stop head sentence is_pronoun is_name is_nominal group gender sure_gender has_sex "
    "listed_gender sex number type determiner role is_subject is_reflexive is_coordination is_predicate "
    "is_conjunct governor governor_first governor_last clause clause_first clause_last clause_above "
    "text last_word governor_word acronym bits more_bits is_quoted is_labelled turn speaker listener "
    "ruled"
).split()


class Mentions:
    """The mentions of a text in order. Each of `COLUMNS`, of all `Mention`s, is an array."""

    def __init__(self, columns: dict[str, np.ndarray]) -> None:
        self.__dict__ |= columns

    @classmethod
    def of(cls, mentions: Sequence[Mention]) -> "Mentions":
        rows = {name: [getattr(mention, name) for mention in mentions] for name in COLUMNS}
        kinds = {name: bool if name.startswith(("is_", "has_")) else np.int64 for name in COLUMNS}
        return cls({name: np.array(row, kinds[name]) for name, row in rows.items()})

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> np.ndarray: ...

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, rows: np.ndarray) -> "Mentions":
        return Mentions({name: column[rows] for name, column in vars(self).items()})


class Document:
    """
    The `mentions` of a parsed text. For each, `searched` has the numbers of the words with which more
    mentions are found farther back, and `scores` tells how likely it is annotated (log-odds).
    """

    def __init__(self, parse: Parse, litbank: bool, has_tensor: bool = True) -> None:
        self.litbank = litbank
        clauses = find_clauses(parse)
        numbers: dict[object, int] = defaultdict(count().__next__)
        found = [Mention(parse, clauses, numbers, phrase) for phrase in find_noun_phrases(parse, litbank)]
        find_speakers(parse, found)
        find_ruled(parse, found)
        self.mentions = Mentions.of(found)
        self.searched = [mention.searched for mention in found]
        self.scores = np.zeros(len(found))
        categories = {
            name: (size, np.array([category(mention) for mention in found], np.int64))
            for name, size, category in CATEGORIES
        }
        categories |= self.categories_in_text(len(parse.sentences))
        self._one_hot = np.concatenate(
            [codes[:, None] == np.arange(size) for size, codes in categories.values()], axis=1
        )
        self._tensor = np.zeros((len(found), WIDTH), np.float32)
        if has_tensor and parse.tensor.shape == (len(parse.words), WIDTH):
            tensor = parse.tensor[self.mentions.head]
            scale = np.sqrt(np.square(tensor).mean(axis=1, keepdims=True)).clip(min=1e-6)
            self._tensor = 0.3 * tensor / scale * ~self.mentions.is_pronoun[:, None]

    def categories_in_text(self, sentences: int) -> dict[str, tuple[int, np.ndarray]]:
        """Further categories, each with its size and that of each mention."""
        mentions, everywhere = self.mentions, np.ones(len(self.mentions), np.int64)
        narrator = (mentions.group == words.PronounGroup.I) & ~mentions.is_quoted
        first_in_sentence = np.searchsorted(mentions.sentence, mentions.sentence)
        is_known = everywhere.copy()
        is_known[np.unique(mentions.last_word, return_index=True)[1]] = 0
        quarter = (mentions.sentence + 1) * 4 // (sentences + 1)
        return {
            "mentions with its last word": (6, np.minimum(times(mentions.last_word), 5)),
            "mentions with its text": (6, np.minimum(times(mentions.text), 5)),
            "last word is known": (2, is_known),
            # Of three, the last never occurs.
            "quoted": (3, mentions.is_quoted.astype(int)),
            "has a narrator": (2, everywhere * int(narrator.sum() > 0.03 * len(mentions))),
            "place in sentence": (5, np.minimum(np.arange(len(mentions)) - first_in_sentence, 4)),
            "quarter of the text": (4, np.minimum(quarter, 3)),
            "sentence": (4, np.minimum(mentions.sentence, 3)),
            "guideline": (2, everywhere * int(self.litbank)),
        }

    def vectors(self) -> np.ndarray:
        """The features of single mentions. Shape: (mentions, features)"""
        likely = [self.scores / 3, self.scores > -1, self.scores > 0, self.scores > 1]
        return np.concatenate(
            [self._one_hot, np.stack(likely, axis=1), self._tensor], axis=1, dtype=np.float32
        )

    def keep(self, scores: np.ndarray) -> None:
        """Keeps only the mentions that are likely enough to be annotated, by the scores of all."""
        kept = scores >= LEAST_SCORE[self.litbank]
        # A label is a mention, whatever the network says.
        for talkers in (self.mentions.speaker, self.mentions.listener):
            kept[talkers[self.mentions.is_labelled & (talkers >= 0)]] = True
        place = np.append(np.where(kept, np.cumsum(kept) - 1, -1), -1)
        mentions = self.mentions[kept]
        vars(mentions).update(speaker=place[mentions.speaker], listener=place[mentions.listener])
        self.mentions = mentions
        self.searched = [numbers for numbers, stays in zip(self.searched, kept.tolist()) if stays]
        self.scores, self._one_hot, self._tensor = scores[kept], self._one_hot[kept], self._tensor[kept]


LEAST_SCORE = {True: -1.0, False: -3.0}
"""The least score of a mention that is kept, with LitBank's guideline and with that of OntoNotes."""


def times(numbers: np.ndarray) -> np.ndarray:
    """How often each number occurs."""
    return np.bincount(numbers, minlength=1)[numbers]


def find_clauses(parse: Parse) -> list[int]:
    """The head of the clause that each token is in."""
    clauses = list(range(len(parse.words)))
    for token in sorted(clauses, key=parse.depth.__getitem__):
        is_conjunct = parse.bases[token] == "conj" and parse.pos[token] in ("VERB", "AUX")
        if parse.bases[token] not in CLAUSES and not is_conjunct:
            clauses[token] = clauses[parse.heads[token]]
    return clauses


def find_speakers(parse: Parse, mentions: Sequence[Mention]) -> None:
    """Sets the turns of quoted mentions, and who speaks to whom."""
    places: dict[sieve.Mention, int] = {}
    for place, mention in enumerate(mentions):
        if mention.may_speak:
            kind = sieve.PRONOUN if mention.is_pronoun else sieve.NAME
            gender, own_words = (
                mention.gender & lexicon.PERSON,
                tuple(parse.words[mention.start : mention.stop]),
            )
            span = mention.start, mention.stop
            talker = sieve.Mention(*span, mention.head, kind, gender, mention.number, own_words)
            talker.is_subject = mention.is_subject
            places[talker] = place
    turns = find_turns(parse.tokens, [start for start, _ in parse.sentences])
    spoken = quotes.attributed_quotes(parse.text, parse.words, list(places), turns)
    speaking = quotes.speakers_of_turns(spoken)
    first = sorted((quote for quote in spoken if quote.turn is quote), key=attrgetter("start"))
    numbers = {turn: number for number, turn in enumerate(first)}
    turn_of = {place: quote.turn for quote in spoken for place in range(quote.start, quote.stop)}
    for mention in mentions:
        if turn := turn_of.get(mention.start):
            mention.is_quoted, mention.is_labelled = True, turn.is_labelled
            mention.turn = numbers[turn]
            mention.speaker = places[speaking[turn]] if turn in speaking else -1
            others = (places[talker] for talker in quotes.listeners(turn, speaking))
            mention.listener = next((other for other in others if other != mention.speaker), -1)
            if mention.is_labelled and mention.speaker >= 0:
                mentions[mention.speaker].sure_gender = lexicon.PERSON


def find_ruled(parse: Parse, mentions: Sequence[Mention]) -> None:
    """Sets the clusters of `sieve_coref`, whose mentions may start elsewhere but have the same heads."""
    by_span = {(mention.start, mention.stop): mention for mention in mentions}
    by_head = {mention.head: mention for mention in reversed(mentions) if not mention.is_coordination}
    clusters = SieveCoref(all_nouns=True).annotate(parse.text).clusters
    for number, cluster in enumerate(clusters):
        for start, stop in cluster:
            mention = by_span.get((start, stop), by_head.get(stop - 1))
            if mention and mention.ruled < 0:
                mention.ruled = number
