"""
The questions of training data, and their contexts, in which `exchangeable_words` tests exchanges of words.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Optional

from allennlp.data import Instance

from allennlp_coref_rc.data.fields import metadata_of

SENTENCE, WINDOW, ASKED = "a sentence", "three words", "question and answer"
FACTS, NEXT_FACTS = "two sentences that share words", "two sentences, one after the other"
ASKED_FACT = "sentence, question and answer"
FACT_ANSWER, FACTS_ANSWER = "sentence and answer", "two sentences and answer"

WHOLE = (SENTENCE, ASKED)
SIMPLE = (SENTENCE, WINDOW, ASKED)
KINDS = (*SIMPLE, FACTS, NEXT_FACTS, FACT_ANSWER, ASKED_FACT, FACTS_ANSWER)
"""The kinds of contexts."""

SENTENCE_ENDS = (".", "!", "?")

Words = tuple[str, ...]


class AskedQuestion(NamedTuple):
    """A question of the training data. All words are in lower case."""

    passage: Words
    question: Words
    answer: Words


class Context(NamedTuple):
    kind: str
    parts: list[Words]
    others: list[Words] = []
    """Texts that are no part of it, but whose words are marked in its parts."""

    def marked_words(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """
        Each word, with its part and the places at which each other text of the context first has it, from 1.
        """
        firsts = [
            {word: i for i, word in reversed([*enumerate(text, 1)])} for text in self.parts + self.others
        ]
        for i, part in enumerate(self.parts):
            elsewhere = firsts[:i] + firsts[i + 1 :]
            for word in part:
                yield word, (i, *(first.get(word, 0) for first in elsewhere))


def asked_questions(instances: Iterable[Instance]) -> list[AskedQuestion]:
    """The questions of a dataset reader's instances whose answers are known."""
    questions = []
    for metadata in map(metadata_of, instances):
        if metadata.get("answer") is not None:
            texts = (
                metadata["passage_tokens"],
                metadata["question_tokens"],
                re.findall(r"[^\s,]+", metadata["answer"]),
            )
            questions.append(AskedQuestion(*(tuple(word.lower() for word in words) for words in texts)))
    return questions


def numbered_contexts(questions: Sequence[AskedQuestion]) -> Iterator[tuple[int, Context]]:
    """All contexts, each with the number of its group of questions."""
    return (
        (number, context) for number, group in enumerate(_groups(questions)) for context in contexts_of(group)
    )


def contexts_of(questions: Sequence[AskedQuestion]) -> Iterator[Context]:
    """
    The contexts of a group of questions: the sentences of a passage; three words in a row; a question with
    its answer; two sentences that share words, or that follow each other; a sentence with an answer, with or
    without the question; and a sentence with the rarest words of the question, another sentence, and the
    answer.
    """
    facts = _sentences(questions[-1].passage)
    last: dict[str, int] = {}
    for i, fact in enumerate(facts):
        yield Context(SENTENCE, [fact])
        for start in range(len(fact) - 2):
            yield Context(WINDOW, [fact[start : start + 3]])
        earlier = dict.fromkeys(last[word] for word in fact if word in last)
        if i:
            earlier.setdefault(i - 1)
        for j in earlier:
            yield Context(NEXT_FACTS if j == i - 1 else FACTS, [facts[j], fact])
        last.update(dict.fromkeys(fact, i))
    for passage, question, answer in questions:
        yield Context(ASKED, [question, answer])
        known = facts[: len(_sentences(passage))]
        key = _key_fact(known, question)
        for fact in dict.fromkeys(known):
            yield Context(ASKED_FACT, [fact, question, answer])
            yield Context(FACT_ANSWER, [fact, answer], [question])
            if key is not None:
                yield Context(FACTS_ANSWER, [key, fact, answer], [question])


def _groups(questions: Sequence[AskedQuestion]) -> list[list[AskedQuestion]]:
    """Questions about one passage, or about beginnings of it, which follow one another."""
    groups: list[list[AskedQuestion]] = []
    for question in questions:
        before = groups[-1][-1].passage if groups else None
        if before and question.passage[: len(before)] == before:
            groups[-1].append(question)
        else:
            groups.append([question])
    return groups


def _sentences(words: Words) -> list[Words]:
    ends = [i + 1 for i, word in enumerate(words) if word in SENTENCE_ENDS]
    if not ends or ends[-1] < len(words):
        ends.append(len(words))
    return [words[start:end] for start, end in zip([0, *ends], ends)]


def _key_fact(facts: Sequence[Words], question: Words) -> Optional[Words]:
    """
    The last sentence with the word of the question that is in the fewest sentences, the first of such words.
    """
    counts = {word: sum(word in fact for fact in facts) for word in question}
    rarest = min(filter(counts.get, counts), key=counts.__getitem__, default=None)
    return next((fact for fact in reversed(facts) if rarest in fact), None)
