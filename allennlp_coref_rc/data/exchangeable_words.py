"""
Finds words that can be exchanged in a data set without changing it, such as the names of people in bAbI's
stories, from its questions alone. Not in the papers; `exchangeable_words` says how.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from allennlp_coref_rc.data.question_contexts import KINDS, SIMPLE, WHOLE, AskedQuestion, numbered_contexts

LEVEL = 0.001
"""The level of each test of an exchange, after Bonferroni's correction for its contexts."""

CLASS_LEVEL = 1e-5
"""The level at which words are taken for the same while other words are tested."""

MIN_QUESTIONS = 20
"""Words that are in the sentences of fewer groups of questions are left out."""

MIN_GROUPS = 8
"""A context counts if it is in so many groups of questions."""

MIN_COVERED = 0.5
"""The share of a word's sentences that must be such contexts, so that an exchange could be refused."""

MIN_OVERLAP = 0.3
"""The share of neighbouring words that two words have in common, if their exchange is tested."""

Numbers = NDArray[np.int64]
Swap = tuple[int, int]
"""Two words that are exchanged, by their numbers."""


class Exchange(NamedTuple):
    """An exchange that was tested."""

    words: list[tuple[str, str]]
    """The pairs of words that are exchanged together."""
    p: float
    """The smallest p-value of its contexts, times the number of contexts. 0 if it could not be tested."""
    why: str
    """The context that the exchange changes most."""


class ExchangeableWords(NamedTuple):
    groups: list[list[list[str]]]
    """
    Groups of names that can stand for each other, each a list of forms, as `EntitySubstitution` takes them.
    """
    exchanges: list[Exchange]
    """All exchanges that were tested."""


class _Test(NamedTuple):
    p: float
    covered: float
    """The share of the sentences that could refuse the exchange."""
    why: str


class _Level(NamedTuple):
    """For each word the word that stands for its class, and the hash of each context then."""

    classes: Numbers
    hashes: NDArray[np.uint64]


def exchangeable_words(questions: Sequence[AskedQuestion]) -> ExchangeableWords:
    """
    Finds groups of words that can be exchanged in a data set. An exchange, such as that of two names, is
    consistent in the passage, the question and the answer. It is refused if it changes how often any context
    occurs.

    A context (see `contexts_of`) has words that are exchanged as they are. Other words stand for themselves;
    for their class; for their class, but for the words of one class; or all words are the same.

    Questions about one passage, or about beginnings of it, are a group, which is independent of other groups.
    If the exchange changes nothing, the difference that it makes to the number of times that a group has a
    context is as likely to be positive as negative. So the sum of all differences, over the root of the sum
    of their squares, has about a standard normal distribution (a sign-flip test). The level is `LEVEL`,
    corrected for the number of contexts (Bonferroni).

    Classes are found first, by sentences, three words, and questions with answers. A group has words whose
    exchanges are all accepted. Words of one class that are in no group may still be exchanged together with
    words of another class, such as "north" and "south" with "n" and "s": these are tested two by two. Words
    that are in answers alone are exchanged in no other way. Words that are too rare to be tested are left
    out. The result is deterministic.

    # Parameters

    questions : `Sequence[AskedQuestion]`
        In the order of the file.
    """
    if not questions:
        return ExchangeableWords([], [])
    in_texts = {word for each in questions for text in each[:2] for word in text}
    contexts, classes = _Contexts(questions), _classes(_Contexts(questions, SIMPLE))
    words = contexts.words
    alike, itself = _alike(classes, len(words)), np.arange(len(words))
    but_for_one = [np.where(np.isin(itself, names), itself, alike) for names in classes]
    levels = [contexts.level(level) for level in (alike, np.zeros_like(itself), itself, *but_for_one)]
    tests: dict[tuple[Swap, ...], _Test] = {}

    def accepts(*swaps: Swap) -> bool:
        if swaps not in tests:
            test = contexts.test(swaps, levels)
            untested = _Test(0.0, 0.0, "too few of their sentences are alike to test it")
            tests[swaps] = test if test.covered >= MIN_COVERED else untested
        return tests[swaps].p >= LEVEL

    pairs = [pair for pair in contexts.candidates(alike) if all(words[word] in in_texts for word in pair)]
    groups = _cliques({pair: tests[pair,].p for pair in pairs if accepts(pair)})
    exchanged = {word for group in groups for word in group}
    refused = {word for swaps in tests if tests[swaps].covered for pair in swaps for word in pair}
    tied = [
        [word for word in names if word not in exchanged and (word in refused or words[word] not in in_texts)]
        for names in classes
    ]
    forms = [[[word] for word in group] for group in groups]
    for first, second in combinations(tied, 2):
        forms += _tied_forms(first, second, accepts)
    exchanges = [
        Exchange([(words[a], words[b]) for a, b in swaps], test.p, test.why) for swaps, test in tests.items()
    ]
    return ExchangeableWords(
        [[[words[word] for word in name] for name in group] for group in forms], exchanges
    )


class _Contexts:
    """
    The contexts of all questions, and the tests on them.

    Equal contexts are found by their hashes. A hash is the sum, over the places of a context, of a random
    number of the word and its mark times one of the place, plus one of the kind, modulo 2^64. So an exchange
    changes only the terms of the words that are exchanged.
    """

    def __init__(self, questions: Sequence[AskedQuestion], kinds: Sequence[str] = KINDS) -> None:
        self.words = list(dict.fromkeys(word for question in questions for text in question for word in text))
        number_of = {word: i for i, word in enumerate(self.words)}
        marks: dict[tuple[int, ...], int] = {}
        word_of: list[int] = []
        mark_of: list[int] = []
        # For each context, its kind, its group, and where its words begin.
        rows: list[tuple[int, int, int]] = []
        for group, context in numbered_contexts(questions):
            if context.kind in kinds:
                rows.append((KINDS.index(context.kind), group, len(word_of)))
                for word, mark in context.marked_words():
                    word_of.append(number_of[word])
                    mark_of.append(marks.setdefault(mark, len(marks)))
        self._word = np.array(word_of)
        self._kind, self._group, self._start = np.array(rows).T
        self._length = np.diff([*self._start, len(self._word)])
        self._context = np.repeat(np.arange(len(rows)), self._length)
        counts = np.bincount(self._word, minlength=len(self.words))
        self._places_of = np.split(np.argsort(self._word, kind="stable"), np.cumsum(counts)[:-1])
        self._whole = np.isin(self._kind, [KINDS.index(kind) for kind in WHOLE])
        generator = np.random.default_rng(0)

        def random(number: int) -> NDArray[np.uint64]:
            # Odd numbers, as a product with an even one forgets the highest bit.
            return generator.integers(2**63, size=number, dtype=np.uint64) * np.uint64(2) + np.uint64(1)

        self._code, self._code_exchanged = random(len(self.words)), random(len(self.words))
        place = np.arange(len(self._word)) - self._start[self._context]
        self._code_of_place = random(self._length.max())[place]
        marked = np.add.reduceat(random(len(marks))[mark_of] * self._code_of_place, self._start)
        self._hash_of_marks = marked + random(len(KINDS))[self._kind]

    def level(self, classes: Numbers) -> _Level:
        terms = self._code[classes][self._word] * self._code_of_place
        return _Level(classes, np.add.reduceat(terms, self._start) + self._hash_of_marks)

    def candidates(self, classes: Numbers) -> list[Swap]:
        """Pairs of words with the same neighbours, which count by their classes."""
        neighbours: dict[int, Counter] = defaultdict(Counter)
        groups: dict[int, set[int]] = defaultdict(set)
        for context in np.flatnonzero(self._whole):
            words = self._words_of(context)
            end = -1 - int(self._kind[context])
            around = [end, *classes[words].tolist(), end]
            for word, before, after in zip(words.tolist(), around, around[2:]):
                neighbours[word][before, after] += 1
                groups[word].add(self._group[context])
        frequent = sorted(word for word in neighbours if len(groups[word]) >= MIN_QUESTIONS)
        words_between: dict[tuple[int, int], list[int]] = defaultdict(list)
        for word in frequent:
            for pair in neighbours[word]:
                words_between[pair].append(word)
        common: Counter = Counter()
        for pair, sharing in words_between.items():
            for a, b in combinations(sharing, 2):
                common[a, b] += min(neighbours[a][pair], neighbours[b][pair])
        most = {(a, b): max(neighbours[a].total(), neighbours[b].total()) for a, b in common}
        return sorted(pair for pair, count in common.items() if count >= MIN_OVERLAP * most[pair])

    def test(self, swaps: Sequence[Swap], levels: Sequence[_Level]) -> _Test:
        """Tests the exchange at each level of abstraction, until it is refused at one."""
        tests = []
        for level in levels:
            test = self._test(swaps, level)
            tests.append(test._replace(p=min(1.0, test.p * len(levels))))
            if tests[-1].p < CLASS_LEVEL:
                break
        return min(tests, key=lambda test: test.p)._replace(covered=max(test.covered for test in tests))

    def _test(self, swaps: Sequence[Swap], level: _Level) -> _Test:
        """The sign-flip test of all contexts that have a word of the exchange."""
        places = np.sort(np.concatenate([self._places_of[word] for pair in swaps for word in pair]))
        contexts, starts = np.unique(self._context[places], return_index=True)
        words = self._word[places]
        becomes = np.arange(len(self.words))
        for a, b in swaps:
            becomes[[a, b]] = b, a

        def hashes(new: Numbers) -> NDArray[np.uint64]:
            change = self._code_exchanged[new] - self._code[level.classes[words]]
            return level.hashes[contexts] + np.add.reduceat(change * self._code_of_place[places], starts)

        # Which context each one is, as it is and with the exchange.
        _, context = np.unique([hashes(words), hashes(becomes[words])], return_inverse=True)
        context = context.reshape(2, -1)
        # How much the exchange changes the number of times that a group has a context.
        group = np.stack([self._group[contexts]] * 2)
        pairs, pair = np.unique(context * (self._group[-1] + 1) + group, return_inverse=True)
        difference = np.bincount(pair.ravel(), np.repeat([1.0, -1.0], len(contexts)))
        context_of = pairs // (self._group[-1] + 1)
        total, squares = np.bincount(context_of, difference), np.bincount(context_of, difference**2)

        frequent, whole = np.bincount(context_of) >= MIN_GROUPS, self._whole[contexts]
        covered = float(frequent[context[0]][whole].mean()) if whole.any() else 0.0
        testable = np.bincount(context_of, difference != 0) >= MIN_GROUPS
        if not testable.any():
            return _Test(1.0, covered, "")
        z = np.where(testable, np.abs(total) / np.sqrt(np.maximum(squares, 1)), 0)
        # A context and the one that it becomes are one, of which the more frequent one is shown.
        p = math.erfc(float(z.max()) / math.sqrt(2)) * int((testable.sum() + 1) // 2)
        worst = int(np.argmax(np.where(z == z.max(), total, -np.inf)))
        example = contexts[np.argwhere(context == worst)[0][1]]
        why = " ".join(self.words[word] for word in self._words_of(example))
        return _Test(min(1.0, p), covered, f"{KINDS[self._kind[example]]}: {why}")

    def _words_of(self, context: np.integer) -> Numbers:
        return self._word[self._start[context] :][: self._length[context]]


def _alike(classes: Iterable[Sequence[int]], size: int) -> Numbers:
    """For each word the first word of its class, or itself."""
    first = {word: names[0] for names in classes for word in names}
    return np.array([first.get(word, word) for word in range(size)])


def _classes(contexts: _Contexts) -> list[list[int]]:
    """Words that seem to be the same. The more words are known to be the same, the more contexts are."""
    classes: list[list[int]] = []
    seen = []
    while classes not in seen:
        seen.append(classes)
        level = contexts.level(_alike(classes, len(contexts.words)))
        tests = {pair: contexts.test([pair], [level]) for pair in contexts.candidates(level.classes)}
        classes = _cliques({pair: test.p for pair, test in tests.items() if test.p >= CLASS_LEVEL})
    return classes


def _cliques(accepted: Mapping[Swap, float]) -> list[list[int]]:
    """Groups of words that are all exchangeable with each other. The highest p-values come first."""
    group_of: dict[int, list[int]] = {}
    for a, b in sorted(accepted, key=lambda pair: (-accepted[pair], pair)):
        first, second = group_of.setdefault(a, [a]), group_of.setdefault(b, [b])
        if first is not second and all((min(x, y), max(x, y)) in accepted for x in first for y in second):
            first += second
            group_of.update(dict.fromkeys(second, first))
    return sorted({group[0]: sorted(group) for group in group_of.values() if len(group) > 1}.values())


def _tied_forms(
    first: Sequence[int], second: Sequence[int], accepts: Callable[..., bool]
) -> list[list[list[int]]]:
    """Groups of names with two forms, one of each class, which are exchangeable only together."""

    def are_exchangeable(name: Swap, other: Swap) -> bool:
        (a, b), (c, d) = (tuple(sorted(words)) for words in zip(name, other))
        return a != b and c != d and accepts((a, b), (c, d))

    names = [(a, b) for a in first for b in second]
    groups = []
    while names:
        found = [[name] for name in names]
        for group in found:
            for name in names:
                if all(are_exchangeable(name, each) for each in group):
                    group.append(name)
        best = max(found, key=len)
        if len(best) == 1:
            break
        groups.append([list(name) for name in best])
        used = {word for name in best for word in name}
        names = [name for name in names if not used & set(name)]
    return groups
