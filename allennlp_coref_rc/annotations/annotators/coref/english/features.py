"""Describes mentions, and pairs of mentions that may belong together."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.annotators import lexicon
from allennlp_coref_rc.annotations.annotators.coref.english import words as w
from allennlp_coref_rc.annotations.annotators.coref.english.mentions import find_spans
from allennlp_coref_rc.annotations.annotators.coref.sieve.mentions import name_attributes
from allennlp_coref_rc.annotations.annotators.coref.sieve.quotes import (
    attributed_quotes,
    listeners,
    speakers_of_turns,
)
from allennlp_coref_rc.annotations.annotators.coref.sieve.sieve_coref import SieveCoref
from allennlp_coref_rc.annotations.annotators.lexicon import (
    ANY_GENDER,
    ANY_NUMBER,
    FEMALE,
    MALE,
    NEUTER,
    PERSON,
    PLURAL,
    SINGULAR,
)
from allennlp_coref_rc.annotations.annotators.parse import Parse

PRONOUN, NAME, NOMINAL = range(3)
ROLES = "nsubj obj iobj obl nmod poss appos ROOT compound vocative clause nsubj:pass other".split()
ROLE = {label: i for i, label in enumerate(ROLES)}
SUBJECT, SUBJECTS = 0, (0, 11)
TYPES = "person place organization object event time substance animal plant abstract".split()
CLAUSES = frozenset("ROOT ccomp xcomp advcl acl csubj parataxis".split())
BITS = 61

WIDTH = 128
"""The width of the pipeline's network."""


class Talker(NamedTuple):
    """A mention as `attributed_quotes` wants it. `number` is its place among the mentions."""

    kind: str
    gender: int
    words: Sequence[str]
    start: int
    stop: int
    is_subject: bool
    number: int


class Mentions:
    """
    The mentions of a text in order, and their properties, each an array with an entry a mention.

    `gender` and `number` are the sets (bits) that each mention allows; `listed` the gender that a list has
    for a given name; `sure` is as `gender`, but a name is a person's only if the lists say so. `text`, `word`
    (the head) and `verb` (its governor) are numbers that are equal for equal words. `bits` and `more_bits`
    have a bit for each word of the noun phrase up to its head. `clause` is the head of the clause, `gov` the
    position of the governor. `turn` numbers the turn of a quotation, or is -1; `speaker` is the mention that
    speaks, `listener` the one that is spoken to. If the turn `is_labelled`, the text names them beside it.
    `ruled` is the number of the cluster that `sieve_coref` has for the
    mention, or -1. `codes` are the features that a network sees, each a number below its entry in `SIZES`.
    """

    COLUMNS = (
        "start stop head kind group gender listed sure number text word verb bits more_bits gov clause role type "
        "determiner reflexive whole predicate conjunct initials"
    ).split()

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> np.ndarray: ...

    def __init__(self, p: Parse, litbank: bool, has_tensor: bool = True) -> None:
        self.litbank = litbank
        size = len(p.words)
        types: dict = {}
        dep = p.bases
        clause = list(range(size))
        for t in sorted(range(size), key=p.depth.__getitem__):
            is_clause = dep[t] in CLAUSES or (dep[t] == "conj" and p.pos[t] in ("VERB", "AUX"))
            if not is_clause and p.heads[t] != t:
                clause[t] = clause[p.heads[t]]
        rows, codes, talkers = [], [], []
        self.keys: list[set[int]] = []
        spans = find_spans(p, litbank)
        for start, stop, head, whole in spans:
            word, kids = p.words[head], p.children[head]
            single = stop == start + 1
            pronoun = lexicon.PRONOUNS.get(word) if single else None
            group = (
                w.PRONOUN_GROUP.get(word, w.NO_PRONOUN) if single and p.pos[head] != "PROPN" else w.NO_PRONOUN
            )
            names = [c for c in kids if dep[c] == "flat" and p.pos[c] == "PROPN" and head < c < stop]
            kind = PRONOUN if group < w.NO_PRONOUN else NAME if p.pos[head] == "PROPN" or names else NOMINAL
            core = min(p.right[names[-1]] + 1, stop) if names else head + 1
            while kind == NAME and core < stop and p.pos[core] == "PROPN":
                core += 1
            noun, classes = w.singular(word) if group == w.NO_PRONOUN else (word, w.UNKNOWN)
            type_ = TYPES.index(p.entities[head]) + 1 if p.entities[head] in TYPES else 0
            gender, listed, number = ANY_GENDER, ANY_GENDER, ANY_NUMBER
            if pronoun:
                gender, number, type_ = (
                    pronoun.gender,
                    pronoun.number,
                    1 if pronoun.gender & NEUTER == 0 else 0,
                )
            elif group < w.NO_PRONOUN:
                gender, number = (
                    NEUTER,
                    PLURAL if word in ("these", "those") else ANY_NUMBER if word[0] == "t" else 3,
                )
            else:
                number = PLURAL if p.tags[head] in ("NNS", "NNPS") else SINGULAR
                entry = lexicon.NOUNS.get(word)
                if kind == NAME:
                    title = next((lexicon.TITLES[x] for x in p.words[start:core] if x in lexicon.TITLES), 0)
                    listed = next(
                        (lexicon.GIVEN_NAMES[x] for x in p.words[start:core] if x in lexicon.GIVEN_NAMES), 7
                    )
                    gender = title or (PERSON if type_ == 1 else ANY_GENDER)
                    number = ANY_NUMBER if number == PLURAL or type_ == 3 else SINGULAR
                elif entry:
                    gender, number = entry.gender, number | entry.number
                elif classes[12] == "1":
                    gender = MALE
                elif classes[13] == "1":
                    gender = FEMALE
                elif classes[4] == "3" or type_ == 1:
                    gender = PERSON
                elif classes[4] == "0" and classes[0] != "0":
                    gender = NEUTER
                if type_ == 3:
                    number = ANY_NUMBER
            if head in p.compounds:
                gender, number, _ = name_attributes(p.words[head : p.compounds[head]])
            if whole:
                gender, listed, number = gender | PERSON if gender & PERSON else gender, ANY_GENDER, PLURAL
            sure = gender
            if kind == NAME and gender in (PERSON, ANY_GENDER):
                first = next((t for t in range(core - 1, start, -1) if p.pos[t - 1] != "PROPN"), start)
                is_person = not whole and name_attributes(p.words[first:core])[2]
                sure = PERSON if is_person else ANY_GENDER
            determiner = w.DETERMINERS.get(p.words[start], 0) if not single else 0
            if not determiner and any(dep[c] == "nmod" and p.labels[c] == "nmod:poss" for c in kids):
                determiner = 6
            own, other, first, content = 0, 0, core - 1, set()
            for t in range(start, stop if whole else core):
                x = p.words[t]
                if p.pos[t] in ("NOUN", "PROPN", "ADJ", "NUM", "VERB", "X") and x not in lexicon.TITLES:
                    if kind == NAME and names and t <= head and p.pos[head] == "NOUN":
                        continue
                    index = types.setdefault(w.singular(x)[0].rstrip("."), len(types))
                    content.add(index)
                    own |= 1 << index % BITS
                    other |= 1 << (index * 7 // BITS + index * 3) % BITS
                    first = min(first, t)
            first = head if head in p.compounds else first
            text: object = tuple(
                p.words[first:core] if kind == NAME else p.words[start + (determiner in (1, 2, 3)) : stop]
            )
            if kind == PRONOUN:
                text = noun = str(group)
            last = p.words[core - 1] if kind == NAME else noun
            initials = "".join(x[0] for x in p.tokens[start:core] if x[:1].isupper()).lower()
            acronym = types.setdefault(initials if len(initials) > 2 else word, len(types))
            number_of = types.setdefault((last, whole), len(types))
            self.keys.append(
                set() if kind == PRONOUN else {number_of, acronym} | (content if kind == NAME else set())
            )
            top, role = head, dep[head]
            while role == "conj" and p.heads[top] != top:
                top = p.heads[top]
                role = dep[top]
            conjunct = top != head
            if p.labels[top] in ("nmod:poss", "nsubj:pass"):
                role = "poss" if role == "nmod" else "nsubj:pass"
            role_number = ROLE.get("clause" if role in CLAUSES and role != "ROOT" else role, len(ROLES) - 1)
            gov = p.heads[top]
            predicate = any(dep[c] in ("cop", "nsubj") for c in kids)
            reflexive = word in lexicon.REFLEXIVES
            case = next((p.words[c] for c in p.children[top] if dep[c] == "case"), "")
            # fmt: off
            rows.append(
                (
                    start, stop, head, kind, group, gender, listed, sure, number,
                    types.setdefault((text, whole), len(types)), number_of,
                    types.setdefault(p.words[gov], len(types)), own, other, gov,
                    clause[head] if clause[head] != head or head == p.heads[head] else clause[gov], role_number, type_,
                    determiner, reflexive, whole, predicate, conjunct,
                    acronym if len(initials) > 2 or single else -head,
                )
            )
            # fmt: on
            after = p.words[stop] if stop < size else "."
            deps = {dep[c] for c in kids}
            up = clause[gov]
            # fmt: off
            codes.append(
                [
                    kind, group, role_number, type_, determiner,
                    {ANY_GENDER: 0, MALE: 1, FEMALE: 1, PERSON: 2, NEUTER: 3}.get(gender, 0), number,
                    (listed in (MALE, FEMALE)) + 2 * (listed == PERSON), reflexive, whole, predicate, conjunct,
                    min(stop - start, 5), min(p.depth[head], 5), *(int(code) for code in classes[:12]),
                    "acl" in deps, "nmod" in deps, "amod" in deps, "nummod" in deps, "appos" in deps, "det" in deps,
                    p.labels[head] == "expl",
                    ROLE.get(dep[gov] if dep[gov] not in CLAUSES else "ROOT" if dep[gov] == "ROOT" else "clause", 12),
                    min(("VERB", "AUX", "NOUN", "ADJ", "PROPN", p.pos[gov]).index(p.pos[gov]), 5),
                    p.words[gov] in lexicon.SPEECH_VERBS, case in lexicon.PLACE_PREPOSITIONS,
                    (0 if not case else 1 + ("of", "by", "with", "to", "in", "for", "as", case).index(case)),
                    ("and", ",", ".", "'s", "(", after).index(after), dep[up] == "ROOT",
                    any(p.labels[c] == "mark" for c in p.children[up]),
                    any(p.words[c] in ("not", "n't", "never") for c in p.children[up]),
                    p.tokens[head][:1].isupper(), p.tokens[head].isupper(),
                ]
            )
            # fmt: on
            is_person = group in (w.I, w.WE, w.PERSON, w.THEY) or (kind == NAME and type_ in (0, 1))
            talks = is_person or (kind == NOMINAL and gender & NEUTER == 0)
            if talks and not whole:
                spoken = "pronoun" if kind == PRONOUN else "name"
                is_subject = role_number in SUBJECTS
                own_words = p.words[start:stop]
                talkers.append(
                    Talker(spoken, gender & PERSON, own_words, start, stop, is_subject, len(rows) - 1)
                )
        columns = np.array(rows, np.int64).reshape(len(rows), len(self.COLUMNS)).T
        self.count = len(rows)
        self.chances = np.zeros(self.count)
        for name, column in zip(self.COLUMNS, columns):
            setattr(self, name, column)
        self.sentence = p.sentence[self.start]
        left, right = np.array(p.left, np.int64), np.array(p.right, np.int64)
        self.left, self.right = left, right
        self.parents = np.array([clause[p.heads[c]] for c in range(size)], np.int64)
        self._find_speakers(p, talkers)
        self._find_ruled(p)
        counts = np.bincount(self.word, minlength=1)[self.word] if rows else self.word
        texts = np.bincount(self.text, minlength=1)[self.text] if rows else self.text
        known = np.ones(len(rows), np.int64)
        known[np.unique(self.word, return_index=True)[1]] = 0
        in_sentence = rank_in_group(self.sentence)
        narrating = int(((self.group == w.I) & (self.turn < 0)).sum() > 0.03 * len(rows))
        total = len(p.sentences)
        # fmt: off
        places = np.stack(
            [
                np.minimum(counts, 5), np.minimum(texts, 5), known,
                (self.turn >= 0) + (self.speaker >= 0) * (self.turn >= 0), np.full(len(rows), narrating),
                np.minimum(in_sentence, 4), np.minimum((self.sentence + 1) * 4 // (total + 1), 3),
                np.minimum(self.sentence, 3), np.full(len(rows), int(litbank)),
            ],
            axis=1,
        )
        # fmt: on
        self.tensor = np.zeros((self.count, WIDTH), np.float32)
        if has_tensor and p.tensor.shape == (size, WIDTH):
            tensor = p.tensor[self.head]
            scale = np.sqrt(np.square(tensor).mean(axis=1, keepdims=True)).clip(min=1e-6)
            self.tensor = 0.3 * tensor / scale * (self.kind != PRONOUN)[:, None]
        self.codes = np.concatenate([np.array(codes, np.int64).reshape(len(rows), OWN), places], axis=1)

    def _find_speakers(self, p: Parse, talkers: list[Any]) -> None:
        quotes = attributed_quotes(p.tokens, p.words, p.sentences, talkers)
        speaking = speakers_of_turns(quotes)
        turns = [quote for quote in quotes if quote.turn is quote]
        number_of = {turn: number for number, turn in enumerate(turns)}
        turn_of = np.full(len(p.words) + 1, -1)
        speakers, spoken_to = np.full((2, len(turns) + 1), -1)
        for quote in quotes:
            turn_of[quote.start : quote.stop] = number_of[quote.turn]
        for turn, number in number_of.items():
            speakers[number] = speaking[turn].number if turn in speaking else -1
            others = (talker.number for talker in listeners(turn, speaking))
            spoken_to[number] = next((other for other in others if other != speakers[number]), -1)
        self.turn = turn_of[self.start]
        self.speaker, self.listener = speakers[self.turn], spoken_to[self.turn]
        self.is_labelled = np.array([*(turn.is_labelled for turn in turns), False])[self.turn]
        self.sure[self.speaker[self.is_labelled & (self.speaker >= 0)]] = PERSON

    def _find_ruled(self, p: Parse) -> None:
        spans = {span: k for k, span in enumerate(zip(self.start.tolist(), self.stop.tolist()))}
        heads = {head: k for k, head in reversed(list(enumerate(self.head.tolist()))) if not self.whole[k]}
        self.ruled = np.full(self.count, -1)
        clusters = SieveCoref(all_nouns=True).annotate(AnnotatedText(p.tokens, p.sentences)).clusters
        for number, cluster in enumerate(clusters):
            for start, stop in cluster:
                k = spans.get((start, stop), heads.get(stop - 1))
                if k is not None and self.ruled[k] < 0:
                    self.ruled[k] = number

    def keep(self, chances: np.ndarray) -> None:
        """
        Keeps only the mentions that are likely enough to be annotated. `chances` are the scores (log-odds) of
        all. The codes stay as they are.
        """
        kept = chances >= LIKELY[self.litbank]
        # A label is a mention, whatever the network says.
        kept[self.speaker[self.is_labelled & (self.speaker >= 0)]] = True
        kept[self.listener[self.is_labelled & (self.listener >= 0)]] = True
        number = np.where(kept, np.cumsum(kept) - 1, -1)
        self.chances = chances[kept]
        others = ("sentence", "turn", "speaker", "listener", "is_labelled", "ruled", "codes", "tensor")
        for name in (*self.COLUMNS, *others):
            setattr(self, name, getattr(self, name)[kept])
        self.keys = [keys for keys, stays in zip(self.keys, kept.tolist()) if stays]
        self.speaker, self.listener = np.append(number, -1)[np.stack([self.speaker, self.listener])]
        self.count = len(self.chances)


LIKELY = {True: -1.0, False: -3.0}
"""The least score of a mention that is kept, with LitBank's guideline and with that of OntoNotes."""

OWN = 44
SIZES = [3, 8, 13, 11, 7, 4, 4, 3, 2, 2, 2, 2, 6, 6, *[4] * 12, *[2] * 7, 13, 6, 2, 2, 9, 6, 2, 2, 2, 2, 2]
SIZES += [6, 6, 2, 3, 2, 5, 4, 4, 2]
OFFSETS = np.cumsum([0, *SIZES[:-1]])


def vectors(m: Mentions) -> np.ndarray:
    """The features of single mentions. Shape: (mentions, features)"""
    result = np.zeros((m.count, sum(SIZES)), np.float32)
    result[np.arange(m.count)[:, None], m.codes + OFFSETS] = 1
    chances = np.stack([m.chances / 3, m.chances > -1, m.chances > 0, m.chances > 1], axis=1)
    return np.concatenate([result, chances, m.tensor], axis=1, dtype=np.float32)


def rank_in_group(key: np.ndarray) -> np.ndarray:
    """How many entries with the same key come before each."""
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    starts = np.r_[0, np.flatnonzero(ordered[1:] != ordered[:-1]) + 1] if len(key) else np.zeros(0, int)
    first = np.zeros(len(key), int)
    first[starts] = starts
    rank = np.empty(len(key), int)
    rank[order] = np.arange(len(key)) - np.maximum.accumulate(first)
    return rank


def previous_with_same(key: np.ndarray) -> np.ndarray:
    """For each entry the last one before it with the same key; -1 if there is none, or if the key is -1."""
    order = np.argsort(key, kind="stable")
    previous = np.full(len(key), -1)
    same = (key[order[1:]] == key[order[:-1]]) & (key[order[1:]] >= 0)
    previous[order[1:][same]] = order[:-1][same]
    return previous


NEAREST, NEAREST_OF_NOUNS = 30, 16
"""The number of earlier mentions that each pronoun, and each other mention, is compared with."""

SIMILAR = 3
"""
The most mentions farther back that have a word in common, for each word of a name and for the head of a
nominal.
"""


def make_pairs(m: Mentions) -> tuple[np.ndarray, np.ndarray]:
    """
    The earlier and the later mention of each pair, in the order of the later ones. A mention is compared with
    the nearest mentions before it, and farther back with some that have a word in common.
    """
    earlier: list[int] = []
    counts = []
    known: dict[int, list[int]] = {}
    for k, (is_pronoun, keys) in enumerate(zip((m.kind == PRONOUN).tolist(), m.keys)):
        nearest = max(0, k - (NEAREST if is_pronoun else NEAREST_OF_NOUNS))
        far: set[int] = set()
        for key in keys:
            before = known.setdefault(key, [])
            far.update(one for one in before[-SIMILAR - 2 :] if one < nearest)
            before.append(k)
        counts.append(len(far) + k - nearest)
        earlier += sorted(far)
        earlier += range(nearest, k)
    return np.array(earlier, int), np.repeat(np.arange(m.count), np.array(counts, int))


BLOCK = 400
"""Mentions whose pairs are described at once."""


def pair_blocks(
    count: int, i: np.ndarray, j: np.ndarray, *describe: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> Iterator[np.ndarray]:
    """
    The features of the pairs of so many mentions, by each function, in blocks of later mentions. All features
    of a long text at once would take a gigabyte.
    """
    bounds = np.searchsorted(j, np.arange(0, count + BLOCK, BLOCK))
    for start, stop in zip(bounds, bounds[1:]):
        yield np.concatenate([features(i[start:stop], j[start:stop]) for features in describe], axis=1)


def agree(m: Mentions, gender: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """Whether the genders, numbers and types of two mentions do not exclude each other."""
    types = (m.type[i] == 0) | (m.type[j] == 0) | (m.type[i] == m.type[j])
    return ((gender[i] & gender[j]) != 0) & ((m.number[i] & m.number[j]) != 0) & types


def one_hot(values: np.ndarray, size: int) -> list[np.ndarray]:
    return [values == k for k in range(size)]


DISTANCES = np.array([1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64])
SENTENCES = np.array([1, 2, 3, 5, 8, 15])
RANKS = np.array([1, 2, 3, 5])


def ranks(j: np.ndarray, counts: np.ndarray, key: np.ndarray) -> np.ndarray:
    """The number of pairs that count, among pairs with the same later mention and a smaller key."""
    order = np.lexsort((key, j))
    counts = counts.astype(int)
    total = np.cumsum(counts[order])
    starts = np.flatnonzero(np.r_[True, j[order][1:] != j[order][:-1]]) if len(j) else np.zeros(0, int)
    base = np.repeat(total[starts] - counts[order][starts], np.diff(np.r_[starts, len(j)]))
    result = np.empty(len(j), int)
    result[order] = total - counts[order] - base
    return result


def pair_features(m: Mentions, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """The features of pairs of an earlier mention i and a later one j. Shape: (pairs, features)"""
    apart = m.sentence[j] - m.sentence[i]
    here = apart == 0
    distance = np.searchsorted(DISTANCES, j - i)
    sentences = np.searchsorted(SENTENCES, apart, side="right")
    gi, gj = m.group[i], m.group[j]
    pi, pj = m.kind[i] == PRONOUN, m.kind[j] == PRONOUN
    ni, nj = m.kind[i] == NAME, m.kind[j] == NAME
    ci, cj = m.kind[i] == NOMINAL, m.kind[j] == NOMINAL
    gender = (m.gender[i] & m.gender[j]) == 0
    known_i, known_j = np.isin(m.gender[i], (MALE, FEMALE)), np.isin(m.gender[j], (MALE, FEMALE))
    listed_i = np.where(known_i, m.gender[i], m.listed[i])
    listed_j = np.where(known_j, m.gender[j], m.listed[j])
    both_listed = np.isin(listed_i, (MALE, FEMALE)) & np.isin(listed_j, (MALE, FEMALE))
    number = (m.number[i] & m.number[j]) == 0
    text = (m.text[i] == m.text[j]) & ~pi & ~pj
    head = (m.word[i] == m.word[j]) & ~pi & ~pj
    bi, bj, di, dj = m.bits[i], m.bits[j], m.more_bits[i], m.more_bits[j]
    common = ((bi & bj) != 0) & ((di & dj) != 0) & ~pi & ~pj
    all_j = ((bj & ~bi) == 0) & ((dj & ~di) == 0) & common
    all_i = ((bi & ~bj) == 0) & ((di & ~dj) == 0) & common
    types = (m.type[i] > 0) & (m.type[j] > 0)
    # Syntax
    hi, hj, vi, vj = m.head[i], m.head[j], m.gov[i], m.gov[j]
    inside_i = (m.start[j] >= m.start[i]) & (m.stop[j] <= m.stop[i])
    inside_j = (m.start[i] >= m.start[j]) & (m.stop[i] <= m.stop[j])
    same_gov = here & (vi == vj)
    ki, kj = m.clause[i], m.clause[j]
    up_i, up_j = m.parents[ki], m.parents[kj]
    over_j = here & (m.left[ki] <= kj) & (kj <= m.right[ki]) & (ki != kj)
    over_i = here & (m.left[kj] <= ki) & (ki <= m.right[kj]) & (ki != kj)
    commands = here & (m.left[vi] <= hj) & (hj <= m.right[vi]) & ~inside_i
    commanded = here & (m.left[vj] <= hi) & (hi <= m.right[vj]) & ~inside_j
    subject_i, subject_j = np.isin(m.role[i], SUBJECTS), np.isin(m.role[j], SUBJECTS)
    same_role = (m.role[i] == m.role[j]) | (subject_i & subject_j)
    refl, poss = m.reflexive[j] > 0, m.role[j] == ROLE["poss"]
    third = pj & (gj >= w.PERSON) & (gj <= w.THEY)
    agrees = agree(m, m.gender, i, j) & (m.conjunct[i] + m.whole[i] < 2) & ~inside_i & ~inside_j
    counts = agrees.astype(int)
    nearer = ranks(j, counts, -i)
    hobbs = ranks(j, counts, apart * 1_000_000 + m.head[i] % 1_000_000)
    subjects = ranks(j, (agrees & subject_i).astype(int), -i)
    listed_counts = (agrees & ~(both_listed & ((listed_i & listed_j) == 0)) & (ni | pi)).astype(int)
    named = ranks(j, listed_counts, -i)
    rest = ranks(j, listed_counts, i)
    # Quotations
    qi, qj = m.turn[i] >= 0, m.turn[j] >= 0
    same_turn = m.turn[i] == m.turn[j]
    next_turn = qi & qj & ~same_turn & (m.turn[j] - m.turn[i] <= 2)
    # fmt: off
    columns = [
        *one_hot(distance, len(DISTANCES) + 1), *one_hot(sentences, len(SENTENCES) + 1), gender,
        gender & (m.gender[i] != NEUTER) & (m.gender[j] != NEUTER), known_i & known_j & ~gender,
        both_listed & ((listed_i & listed_j) == 0), both_listed & ((listed_i & listed_j) != 0), number,
        (m.number[i] == m.number[j]) & (m.number[j] == SINGULAR),
        (m.number[i] == m.number[j]) & (m.number[j] == PLURAL), types & (m.type[i] == m.type[j]),
        types & (m.type[i] != m.type[j]), agrees, text, text & nj, text & cj, head, head & ni & nj, head & ci & cj,
        *(head & cj & (m.determiner[j] == k) for k in (0, 1, 2, 3, 4)),
        head & cj & (m.determiner[i] == m.determiner[j]), common & ~head, common & ni & nj, ni & nj & ~common,
        all_j & nj, all_i & ni, all_j & cj, all_i & ci, head & ~all_j & cj, head & ~all_i & ~all_j,
        (m.initials[i] == m.initials[j]) & ~pj & ~text, (m.verb[i] == m.verb[j]) & ~same_gov,
        (m.verb[i] == m.verb[j]) & same_role & ~same_gov,
        # Syntax
        inside_i, inside_i & pj, inside_i & poss, inside_j, same_gov, same_gov & refl, same_gov & third & ~refl,
        same_gov & subject_i, (vj == hi) & poss, here & (ki == kj), here & (ki == kj) & third & ~refl & ~poss,
        here & (ki == kj) & subject_i & refl, here & (ki == kj) & subject_i & poss, over_j,
        over_j & subject_i & subject_j, here & (up_j == ki) & subject_i & third, over_i, over_i & subject_i & subject_j,
        here & (up_j == up_i) & (ki != kj), here & ~over_i & ~over_j & (ki != kj), commands, commands & third,
        commands & ~pj, commanded, (vj == hi) & (m.role[j] == ROLE["appos"]), (vj == hi) & ~poss,
        (vi == hj) & (m.predicate[j] > 0) & subject_i, (vi == hj) & ~subject_i,
        here & (m.conjunct[i] + m.conjunct[j] > 0) & (vi == vj), (m.whole[i] > 0) & inside_i, same_role,
        subject_i & subject_j, subject_i & subject_j & (apart == 1), subject_i & here, subject_i & (apart == 1),
        same_role & ~subject_i & (apart <= 1), same_role & poss,
        subject_i & (m.clause[i] == m.parents[m.clause[i]]) & (apart <= 1),
        *one_hot(np.searchsorted(RANKS, nearer, side="right"), len(RANKS) + 1),
        *one_hot(np.searchsorted(RANKS, hobbs, side="right"), len(RANKS) + 1), *one_hot(np.minimum(subjects, 2), 3),
        *one_hot(np.minimum(named, 3), 4), *one_hot(np.minimum(rest, 2), 3), (hobbs == 0) & agrees & third,
        (nearer == 0) & agrees & third, (subjects == 0) & agrees & subject_i & third,
        # Quotations
        qi & ~qj, ~qi & qj, ~qi & ~qj, qi & qj & same_turn, next_turn,
        *one_hot(np.where(same_turn & qi, 0, np.where(next_turn, 1, 2)) * 9 + _persons(gi) * 3 + _persons(gj), 27),
        (gi == gj) & pj, pi & pj & (gi != gj), *(pi & pj & (gi == k) & (gj == k) for k in range(7)), ni & pj, ci & pj,
        ni & cj, ci & nj, ci & cj, ni & nj, pi & ~pj, *((m.type[j] == k) & (gi == w.PERSON) for k in (2, 3)),
    ]
    # fmt: on
    return np.stack(columns).T.astype(np.uint8)


def _persons(group: np.ndarray) -> np.ndarray:
    return np.where(group == w.I, 0, np.where(group == w.YOU, 1, 2))


FADING = 0.6
"""The share of an entity's salience that stays after a sentence."""


def salience(weight: np.ndarray, sentence: np.ndarray, entity: np.ndarray) -> np.ndarray:
    """
    How salient the entity of each mention is right after it: a sum over its mentions that fades by sentences.
    """
    sentences, result = sentence.tolist(), weight.tolist()
    for k, before in enumerate(previous_with_same(entity).tolist()):
        if before >= 0:
            result[k] += result[before] * FADING ** (sentences[k] - sentences[before])
    return np.array(result)


class EntityFeatures:
    """
    Features of pairs from a first linking, which has an `entity` for each mention. If both mentions of a pair
    are in one entity, the later one does not count as a part of it.
    """

    def __init__(self, m: Mentions, entity: np.ndarray) -> None:
        self._m, self._entity = m, entity
        size = int(entity.max()) + 1 if len(entity) else 0
        rows = np.arange(m.count)
        traits = np.zeros((m.count, 20), np.float32)
        traits[rows, np.where(m.group < w.NO_PRONOUN, m.group, 7 + (m.kind == NOMINAL))] = 1
        traits[:, 9] = m.gender == MALE
        traits[:, 10] = m.gender == FEMALE
        traits[:, 11] = m.number == SINGULAR
        traits[:, 12] = m.number == PLURAL
        for k, types in enumerate(((1,), (2,), (3,), (4, 7, 8, 9), (5, 6, 10))):
            traits[:, 13 + k] = np.isin(m.type, types) & (m.kind != PRONOUN)
        traits[:, 18] = (m.listed == MALE) & (m.gender != FEMALE)
        traits[:, 19] = (m.listed == FEMALE) & (m.gender != MALE)
        self._traits = traits
        self._totals = np.zeros((size, traits.shape[1]), np.float32)
        np.add.at(self._totals, entity, traits)
        self._order = np.lexsort((rows, entity))
        self._ordered = (entity * m.count + rows)[self._order]
        weight = np.where(np.isin(m.role, SUBJECTS), 1.0, 0.5) * np.where(m.kind == NAME, 1.0, 0.7)
        self._salience = salience(weight * np.where(m.turn >= 0, 0.5, 1), m.sentence, entity)
        names = m.kind == NAME
        self._bits = np.zeros((2, size), np.int64)
        self._heads = np.zeros((2, size), np.int64)
        for row, bits in enumerate((m.bits, m.more_bits)):
            np.bitwise_or.at(self._bits[row], entity[names], bits[names])
            np.bitwise_or.at(self._heads[row], entity[m.kind == NOMINAL], bits[m.kind == NOMINAL])

    def of(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """The features of all pairs with certain later mentions. Shape: (pairs, features)"""
        m, entity = self._m, self._entity
        same = entity[i] == entity[j]
        of_i = self._totals[entity[i]] - np.where(same[:, None], self._traits[j], 0)
        of_j = self._totals[entity[j]]
        count = of_i[:, :9].sum(axis=1)
        pj, nj, cj = m.kind[j] == PRONOUN, m.kind[j] == NAME, m.kind[j] == NOMINAL
        last = self._order[np.searchsorted(self._ordered, entity[i] * m.count + j) - 1]
        gap = m.sentence[j] - m.sentence[last]
        salient = self._salience[last] * FADING ** np.minimum(gap, 20)
        male_i, female_i = (of_i[:, a] + 0.5 * of_i[:, b] for a, b in ((9, 18), (10, 19)))
        male_j, female_j = (of_j[:, a] + 0.5 * of_j[:, b] for a, b in ((9, 18), (10, 19)))
        lean_i, lean_j = np.sign(male_i - female_i), np.sign(male_j - female_j)
        sure_i, sure_j = np.sign(of_i[:, 9] - of_i[:, 10]), np.sign(self._traits[j, 9] - self._traits[j, 10])
        number_i = np.sign(of_i[:, 11] - of_i[:, 12])
        number_j = np.sign(self._traits[j, 11] - self._traits[j, 12])
        agrees = (lean_i * lean_j >= 0) & (number_i * number_j >= 0) & ((m.gender[i] & m.gender[j]) != 0)
        unlike = np.where(agrees, salient, 0)
        starts = np.flatnonzero(np.r_[True, j[1:] != j[:-1]]) if len(j) else np.zeros(0, int)
        sizes = np.diff(np.r_[starts, len(j)])
        most = np.repeat(np.maximum.reduceat(unlike, starts), sizes) if len(j) else salient
        nearest = (
            np.repeat(np.maximum.reduceat(np.where(agrees, last, -1), starts), sizes) if len(j) else last
        )
        other_word = (m.reflexive[j] == 0) & (m.role[j] != ROLE["poss"])
        rival = (m.gov[last] == m.gov[j]) & (gap == 0) & other_word
        near = (m.clause[last] == m.clause[j]) & (gap == 0) & other_word
        once = agrees & (last == i)
        recent = ranks(j, once, -2 * last + once)
        foremost = ranks(j, once, -2 * (salient * 1e4).astype(int) + once)
        bits, more, heads, more_heads = *self._bits, *self._heads
        named_i, named_j = of_i[:, 7] > 0, of_j[:, 7] > 0
        match = ((bits[entity[i]] & m.bits[j]) != 0) & ((more[entity[i]] & m.more_bits[j]) != 0) & ~same
        both = ((bits[entity[i]] & bits[entity[j]]) != 0) & ((more[entity[i]] & more[entity[j]]) != 0)
        noun = ((heads[entity[i]] & m.bits[j]) != 0) & ((more_heads[entity[i]] & m.more_bits[j]) != 0) & ~same
        speaks = (m.speaker[j] >= 0) & (entity[m.speaker[j]] == entity[i])
        spoken = (m.speaker[i] >= 0) & (entity[m.speaker[i]] == entity[j])
        both_speak = (m.turn[i] >= 0) & (m.turn[j] >= 0) & (m.speaker[i] >= 0) & (m.speaker[j] >= 0)
        speaker = both_speak & (entity[m.speaker[i]] == entity[m.speaker[j]])
        other = both_speak & ~speaker
        listens = (m.listener[j] >= 0) & (entity[m.listener[j]] == entity[i])
        heard = (m.listener[i] >= 0) & (entity[m.listener[i]] == entity[j])
        answers = (m.speaker[i] >= 0) & (m.listener[j] >= 0) & (entity[m.speaker[i]] == entity[m.listener[j]])
        answered = (
            (m.listener[i] >= 0) & (m.speaker[j] >= 0) & (entity[m.listener[i]] == entity[m.speaker[j]])
        )
        alike = (m.listener[i] >= 0) & (m.listener[j] >= 0) & (entity[m.listener[i]] == entity[m.listener[j]])
        gi, gj = _persons(m.group[i]), _persons(m.group[j])
        total = np.maximum(of_i[:, 13:18].sum(axis=1), 0.5)[:, None]
        # fmt: off
        columns = [
            rival & pj, rival & ~pj, near & pj,
        *one_hot(np.searchsorted([0.2, 0.5, 1, 1.7, 3], salient), 6), agrees & (salient >= most),
        agrees & (salient >= 0.6 * most), agrees & (last == nearest),
        *one_hot(np.searchsorted([1, 2, 4, 8], gap, side="right"), 5), np.isin(m.role[last], SUBJECTS) & (gap == 0),
        np.isin(m.role[last], SUBJECTS) & (gap == 1), last == i, same, same & (last == i),
        *one_hot(np.searchsorted([1, 2, 4, 8, 16], count), 6), lean_i * lean_j > 0, lean_i * lean_j < 0,
        sure_i * sure_j > 0, sure_i * sure_j < 0, (lean_i != 0) & (lean_j == 0) & (m.gender[j] & NEUTER == 0),
        number_i * number_j > 0, number_i * number_j < 0, *(of_i[:, 13:18] > 0.5 * total).T,
        *((of_i[:, 13:18] > 0.5 * total) & (m.type[j] > 0)[:, None] & (self._traits[j, 13:18] == 0)).T,
        *(of_i[:, :9] > 0).T, *((of_i[:, :8] > 0) & (gj == 0)[:, None])[:, [0, 2, 3, 7]].T, nj & match,
        nj & named_i & ~match & ~same, cj & named_i, cj & noun, pj & named_i, named_i & named_j & both & ~same,
        named_i & named_j & ~both & ~same, *one_hot(np.where(speaks, gj, 3), 3), *one_hot(np.where(spoken, gi, 3), 3),
        *one_hot(np.where(listens, gj, 3), 3), *one_hot(np.where(heard, gi, 3), 3), answers & (gi == 0) & (gj == 1),
        answered & (gi == 1) & (gj == 0), alike & (gi == 1) & (gj == 1), *one_hot(np.minimum(recent, 3), 4),
        *one_hot(np.minimum(foremost, 3), 4), *one_hot(np.where(speaker, gi * 3 + gj, 9), 9),
        *one_hot(np.where(other, gi * 3 + gj, 9), 9),
    ]
        # fmt: on
        return np.stack(columns).T.astype(np.uint8)


def certain_links(m: Mentions) -> np.ndarray:
    """
    For each mention another one of the same entity, or -1. In turns that name speaker and listener, "I" and
    "you" are these, and equal names of speakers are one entity.
    """
    result = np.where(m.is_labelled & (m.group == w.I), m.speaker, -1)
    result = np.where(m.is_labelled & (m.group == w.YOU), m.listener, result)
    first: dict[int, int] = {}
    for k in np.unique(m.speaker[m.is_labelled & (m.speaker >= 0)]).tolist():
        before = first.setdefault(int(m.text[k]), k)
        result[k] = before if before < k else -1
    return result


def first_entities(m: Mentions) -> np.ndarray:
    """
    Names, nominals, "I" and "you" are in the clusters of `sieve_coref`, if they are in any. Otherwise equal
    names are one entity, and "I" in one turn. Other mentions are entities of their own.
    """
    key = np.where((m.kind == NAME) & (m.whole == 0), m.text, -1)
    key = np.where((m.group == w.I) & (m.turn >= 0), m.turn + 10_000_000, key)
    key = np.where((m.group == w.YOU) & (m.turn >= 0), m.turn + 20_000_000, key)
    can_be_ruled = (m.kind != PRONOUN) | np.isin(m.group, (w.I, w.YOU))
    key = np.where((m.ruled >= 0) & can_be_ruled, m.ruled + 30_000_000, key)
    own = np.arange(m.count) + 40_000_000
    return np.unique(np.where(key >= 0, key, own), return_inverse=True)[1].reshape(-1)
