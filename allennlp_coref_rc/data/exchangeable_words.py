"""
Finds words that can be exchanged in a data set without changing it, such as the names of people in bAbI's stories, from
its questions alone. Not in the papers; `exchangeable_words` says how.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple, Optional

import numpy as np
from allennlp.data import Instance
from numpy.typing import NDArray

from allennlp_coref_rc.data.fields import metadata_of

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

SENTENCE_ENDS = (".", "!", "?")

SENTENCE, WINDOW, ASKED, FACTS, NEXT_FACTS, FACT_ANSWER, FACT_ASKED, FACTS_ANSWER = range(8)
KINDS = (
    "a sentence",
    "three words",
    "question and answer",
    "two sentences that share words",
    "two sentences, one after the other",
    "sentence and answer",
    "sentence, question and answer",
    "two sentences and answer",
)

Numbers = NDArray[np.int64]
Swap = tuple[int, int]
Part = tuple[tuple[int, ...], list[int]]


class AskedQuestion(NamedTuple):
    """A question of the training data. All words are in lower case."""

    passage: tuple[str, ...]
    question: tuple[str, ...]
    answer: tuple[str, ...]


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
    """Groups of names that can stand for each other, each a list of forms, as `EntitySubstitution` takes them."""
    exchanges: list[Exchange]
    """All exchanges that were tested."""


class _Test(NamedTuple):
    p: float
    covered: float
    why: str


def asked_questions(instances: Iterable[Instance]) -> list[AskedQuestion]:
    """The questions of a dataset reader's instances whose answers are known."""
    questions = []
    for metadata in map(metadata_of, instances):
        if metadata.get("answer") is not None:
            texts = metadata["passage_tokens"], metadata["question_tokens"], re.findall(r"[^\s,]+", metadata["answer"])
            questions.append(AskedQuestion(*(tuple(word.lower() for word in words) for words in texts)))
    return questions


def exchangeable_words(questions: Sequence[AskedQuestion]) -> ExchangeableWords:
    """
    Finds groups of words that can be exchanged in a data set. An exchange, such as that of two names, is consistent in
    the passage, the question and the answer. It is refused if it changes how often any context occurs.

    Contexts are the sentences of a passage; three words in a row; a question with its answer; two sentences that share
    words, or that follow each other; a sentence with an answer, with or without the question; and a sentence with the
    rarest words of the question, another sentence, and the answer. They say which of their words are in several of
    their parts. The words that are exchanged stand for themselves in them. Other words stand for themselves; for their
    class; for their class, but for the words of one class; or all words are the same.

    Questions about one passage, or about beginnings of it, are a group, which is independent of other groups. If the
    exchange changes nothing, the difference that it makes to the number of times that a group has a context is as
    likely to be positive as negative. So the sum of all differences, over the root of the sum of their squares, has
    about a standard normal distribution (a sign-flip test). The level is `LEVEL`, corrected for the number of contexts
    (Bonferroni).

    Classes are found first, by sentences, three words, and questions with answers. A group has words whose exchanges
    are all accepted. Words of one class that are in no group may still be exchanged together with words of another
    class, such as "north" and "south" with "n" and "s": these are tested two by two. Words that are in answers alone
    are exchanged in no other way. Words that are too rare to be tested are left out.

    It is deterministic.

    # Parameters

    questions : `Sequence[AskedQuestion]`
        In the order of the file.
    """
    if not questions:
        return ExchangeableWords([], [])
    contexts = _Contexts(questions)
    classes = _classes(contexts)
    alike = contexts.numbers(classes)
    levels = [alike, np.zeros_like(alike), np.arange(len(alike))]
    for names in classes:
        levels.append(alike.copy())
        levels[-1][names] = names
    found: dict[tuple[Swap, ...], _Test] = {}

    def accepts(*swaps: Swap) -> bool:
        if swaps not in found:
            found[swaps] = contexts.test(swaps, levels)
        return found[swaps].p >= LEVEL and found[swaps].covered >= MIN_COVERED

    pairs = [pair for pair in contexts.candidates(alike) if all(contexts.in_texts[word] for word in pair)]
    groups = _cliques({pair: found[pair,].p for pair in pairs if accepts(pair)})
    exchanged = {word for group in groups for word in group}
    refused = {word for swaps in found if found[swaps].covered >= MIN_COVERED for pair in swaps for word in pair}
    tied = [
        [word for word in names if word not in exchanged and (word in refused or not contexts.in_texts[word])]
        for names in classes
    ]
    named = [[[word] for word in group] for group in groups]
    for first, second in combinations(tied, 2):
        named += _tied_forms(first, second, accepts)
    exchanges = [
        Exchange(
            [(contexts.words[a], contexts.words[b]) for a, b in swaps],
            test.p if test.covered >= MIN_COVERED else 0.0,
            test.why if test.covered >= MIN_COVERED else "too few of their sentences are alike to test it",
        )
        for swaps, test in found.items()
    ]
    words = [[[contexts.words[word] for word in forms] for forms in group] for group in named]
    return ExchangeableWords(words, exchanges)


class _Contexts:
    """All contexts of all questions, each a row of words with marks, and the tests on them."""

    def __init__(self, questions: Sequence[AskedQuestion]) -> None:
        self.words = list(dict.fromkeys(word for question in questions for part in question for word in part))
        self._index = {word: i for i, word in enumerate(self.words)}
        self.in_texts = np.zeros(len(self.words), dtype=bool)
        self._words: list[int] = []
        self._marks: list[int] = []
        self._lengths: list[int] = []
        self._kinds: list[int] = []
        self._of_group: list[int] = []
        self._num_groups = 0
        for group in _groups_of_questions(questions):
            self._add_group(group)
            self._num_groups += 1
        self._finish()

    # Contexts are added group by group.

    def _add_group(self, questions: Sequence[AskedQuestion]) -> None:
        facts = list(map(self._numbered, _sentences(questions[-1].passage)))
        last: dict[int, int] = {}
        for i, fact in enumerate(facts):
            self.in_texts[list(fact)] = True
            self._add(SENTENCE, (fact, [0] * len(fact)))
            for start in range(len(fact) - 2):
                self._add(WINDOW, (fact[start : start + 3], [0] * 3))
            earlier = dict.fromkeys(last[word] for word in fact if word in last)
            if i:
                earlier.setdefault(i - 1)
            for j in earlier:
                parts = _marked(facts[j], fact)
                self._add(NEXT_FACTS if j == i - 1 else FACTS, *parts)
            last.update(dict.fromkeys(fact, i))
        for passage, asked, answer in questions:
            question, answers = self._numbered(asked), self._numbered(answer)
            self.in_texts[list(question)] = True
            self._add(ASKED, *_marked(question, answers))
            known = facts[: len(_sentences(passage))]
            key = _key_fact(known, question)
            for fact in dict.fromkeys(known):
                parts = _marked(fact, question, answers)
                self._add(FACT_ASKED, *parts)
                self._add(FACT_ANSWER, parts[0], parts[2])
                if key is not None:
                    self._add(FACTS_ANSWER, *_marked(key, fact, question, answers)[:2], _marked(answers, fact, key)[0])

    def _numbered(self, words: Iterable[str]) -> tuple[int, ...]:
        return tuple(self._index[word] for word in words)

    def _add(self, kind: int, *parts: Part) -> None:
        for i, (words, marks) in enumerate(parts):
            self._words.extend(words)
            self._marks.extend(8 * mark + i for mark in marks)
        self._lengths.append(sum(len(words) for words, _ in parts))
        self._kinds.append(kind)
        self._of_group.append(self._num_groups)

    def _finish(self) -> None:
        """Contexts become numbers: the sum over their words of a random number of the word, times one of its place."""
        vocab_size = len(self.words)
        self._word = np.array(self._words, dtype=np.int64)
        self._kind, self._group = np.array(self._kinds), np.array(self._of_group)
        lengths = np.array(self._lengths)
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        self._start, self._length = starts, lengths
        self._context = np.repeat(np.arange(len(lengths)), lengths)
        generator = np.random.Generator(np.random.PCG64(0))

        def random(number: int) -> NDArray[np.uint64]:
            return generator.integers(1, 2**63, number, dtype=np.uint64) * np.uint64(2) + np.uint64(1)

        self._code = random(2 * vocab_size)
        self._place = random(int(lengths.max()))[np.arange(len(self._word)) - starts[self._context]]
        known_marks, mark = np.unique(self._marks, return_inverse=True)
        marks = random(len(known_marks))[mark]
        self._constant = np.add.reduceat(marks * self._place, starts) + random(len(KINDS))[self._kind]
        order = np.argsort(self._word, kind="stable")
        bounds = np.searchsorted(self._word[order], np.arange(vocab_size + 1))
        self._places_of = [order[bounds[i] : bounds[i + 1]] for i in range(vocab_size)]
        self._sentence = np.isin(self._kind, (SENTENCE, ASKED))
        self._keys: dict[bytes, NDArray[np.uint64]] = {}

    def numbers(self, classes: Sequence[Sequence[int]]) -> Numbers:
        """The class of each word, by the number of its first word."""
        numbers = np.arange(len(self.words))
        for names in classes:
            numbers[list(names)] = names[0]
        return numbers

    # Tests.

    def candidates(self, classes: Numbers, overlap: float = MIN_OVERLAP) -> list[Swap]:
        """Pairs of words with the same neighbours."""
        neighbours: dict[int, Counter] = {}
        groups: dict[int, dict[int, None]] = {}
        for context in np.flatnonzero(self._sentence):
            start, length = self._start[context], self._length[context]
            words = self._word[start : start + length]
            kind = -1 - int(self._kind[context])
            around = [kind, *classes[words].tolist(), kind]
            for i, word in enumerate(words.tolist()):
                neighbours.setdefault(word, Counter())[around[i], around[i + 2]] += 1
                groups.setdefault(word, {})[int(self._group[context])] = None
        words_of: dict[tuple[int, int], list[int]] = {}
        totals = {word: sum(neighbours[word].values()) for word in neighbours if len(groups[word]) >= MIN_QUESTIONS}
        for word in sorted(totals):
            for pair in neighbours[word]:
                words_of.setdefault(pair, []).append(word)
        common: Counter = Counter()
        for pair, sharing in words_of.items():
            for a, b in combinations(sharing, 2):
                common[a, b] += min(neighbours[a][pair], neighbours[b][pair])
        return sorted((a, b) for (a, b), count in common.items() if count >= overlap * max(totals[a], totals[b]))

    def test(self, swaps: Sequence[Swap], levels: Sequence[Numbers], kinds: Optional[Sequence[int]] = None) -> _Test:
        """Tests the exchange at each level of abstraction, until it is refused at one."""
        tests = []
        for classes in levels:
            test = self._test(swaps, classes, kinds)
            tests.append(test._replace(p=min(1.0, test.p * len(levels))))
            if tests[-1].p < CLASS_LEVEL:
                break
        covered = max(test.covered for test in tests)
        return min(tests, key=lambda test: test.p)._replace(covered=covered)

    def _test(self, swaps: Sequence[Swap], classes: Numbers, kinds: Optional[Sequence[int]]) -> _Test:
        places = np.sort(np.concatenate([self._places_of[word] for pair in swaps for word in pair]))
        if kinds is not None:
            places = places[np.isin(self._kind[self._context[places]], kinds)]
        if not len(places):
            return _Test(1.0, 0.0, "")
        vocab_size = len(self.words)
        becomes = np.arange(vocab_size)
        for a, b in swaps:
            becomes[a], becomes[b] = b, a
        contexts, starts = np.unique(self._context[places], return_index=True)
        words = self._word[places]

        def keys(new_words: Numbers) -> NDArray[np.uint64]:
            change = self._code[vocab_size + new_words] - self._code[classes[words]]
            return self._all_keys(classes)[contexts] + np.add.reduceat(change * self._place[places], starts)

        _, key = np.unique(np.concatenate([keys(words), keys(becomes[words])]), return_inverse=True)
        num = len(contexts)
        in_group, index = np.unique(key * self._num_groups + np.tile(self._group[contexts], 2), return_inverse=True)
        difference = np.bincount(index, np.repeat([1.0, -1.0], num))
        of_key = in_group // self._num_groups
        total, squares = np.bincount(of_key, difference), np.bincount(of_key, difference**2)
        testable = np.bincount(of_key, difference != 0) >= MIN_GROUPS
        sentence = self._sentence[contexts]
        covered = (np.bincount(of_key) >= MIN_GROUPS)[key[:num]][sentence].mean() if sentence.any() else 0.0
        if not testable.any():
            return _Test(1.0, float(covered), "")
        z = np.where(testable, np.abs(total) / np.sqrt(np.maximum(squares, 1)), 0)
        # A context and the one that it becomes are one.
        num_tests = (testable.sum() + 1) // 2
        p = math.erfc(float(z.max()) / math.sqrt(2)) * int(num_tests)
        # Of a context and the one that it becomes, the one that is more frequent.
        worst = int(np.argmax(np.where(z == z.max(), total, -np.inf)))
        example = contexts[np.flatnonzero(key == worst)[0] % num]
        return _Test(min(1.0, p), float(covered), self._described(example))

    def _all_keys(self, classes: Numbers) -> NDArray[np.uint64]:
        """The number of each context, without an exchange."""
        name = classes.tobytes()
        if name not in self._keys:
            code = self._code[classes]
            self._keys[name] = np.add.reduceat(code[self._word] * self._place, self._start) + self._constant
        return self._keys[name]

    def _described(self, context: int) -> str:
        start, length = self._start[context], self._length[context]
        words = " ".join(self.words[word] for word in self._word[start : start + length])
        return f"{KINDS[self._kind[context]]}: {words}"


def _groups_of_questions(questions: Sequence[AskedQuestion]) -> list[list[AskedQuestion]]:
    groups: list[list[AskedQuestion]] = []
    for question in questions:
        before = groups[-1][-1].passage if groups else None
        if before and question.passage[: len(before)] == before:
            groups[-1].append(question)
        else:
            groups.append([question])
    return groups


def _sentences(words: Sequence[str]) -> list[tuple[str, ...]]:
    ends = [i + 1 for i, word in enumerate(words) if word in SENTENCE_ENDS]
    if not ends or ends[-1] < len(words):
        ends.append(len(words))
    return [tuple(words[start:end]) for start, end in zip([0, *ends], ends)]


def _marked(*parts: tuple[int, ...]) -> list[Part]:
    """Marks each word by where it first is in the other parts."""
    marked = []
    for part in parts:
        places = [{word: i + 1 for i, word in reversed([*enumerate(other)])} for other in parts if other is not part]
        marked.append((part, [sum(1000**i * at.get(word, 0) for i, at in enumerate(places)) for word in part]))
    return marked


def _key_fact(facts: Sequence[tuple[int, ...]], question: tuple[int, ...]) -> Optional[tuple[int, ...]]:
    """The last sentence with the word of the question that is in the fewest sentences, the first of such words."""
    counts = {word: sum(word in fact for fact in facts) for word in question}
    shared = [word for word in counts if counts[word]]
    if not shared:
        return None
    rarest = min(shared, key=lambda word: counts[word])
    return next(fact for fact in reversed(facts) if rarest in fact)


def _classes(contexts: _Contexts) -> list[list[int]]:
    """
    Words that seem to be the same, from sentences, three words, and questions with answers alone. The more words are
    known to be the same, the more contexts are.
    """
    classes: list[list[int]] = []
    seen = []
    while classes not in seen:
        seen.append(classes)
        alike = contexts.numbers(classes)
        tests = {pair: contexts.test([pair], [alike], (SENTENCE, WINDOW, ASKED)) for pair in contexts.candidates(alike)}
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


def _tied_forms(first: Sequence[int], second: Sequence[int], accepts: Callable[..., bool]) -> list[list[list[int]]]:
    """Groups of names with two forms, one of each class, which are exchangeable only together."""
    names = [(a, b) for a in first for b in second]
    groups = []
    while names:
        best: list[Swap] = []
        for name in names:
            group = [name]
            for other in names:
                if all(_are_exchangeable(other, each, accepts) for each in group):
                    group.append(other)
            if len(group) > max(1, len(best)):
                best = group
        if not best:
            break
        groups.append([list(name) for name in best])
        used = {word for name in best for word in name}
        names = [name for name in names if not used & set(name)]
    return groups


def _are_exchangeable(name: Swap, other: Swap, accepts: Callable[..., bool]) -> bool:
    if name[0] == other[0] or name[1] == other[1]:
        return False
    (a, b), (c, d) = sorted([name[0], other[0]]), sorted([name[1], other[1]])
    return accepts((a, b), (c, d))
