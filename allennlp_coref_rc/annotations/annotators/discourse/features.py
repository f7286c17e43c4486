"""Features of connectives and of pairs of sentences."""

from collections.abc import Iterable, Iterator, Sequence
from zlib import crc32

from allennlp_coref_rc.annotations.annotated_text import Span
from allennlp_coref_rc.annotations.annotators.parse import FINITE, Parse

RELATION_ROWS, EXPLICIT_ROWS, IMPLICIT_ROWS = 1 << 15, 1 << 11, 1 << 12
"""The numbers of rows of the models' weights, over which features are hashed."""

OF_CLAUSES = frozenset("nsubj nsubj:pass aux cop mark advcl ccomp obj expl conj cc advmod discourse".split())


def connective_features(parse: Parse, sentence: Span, span: Span, syntax: bool = True) -> Iterator[str]:
    """
    The features of a connective in a sentence: those of Lin et al. (2014), the words and tags around it, and
    those of Pitler & Nenkova (2009) with dependencies in place of constituents: how the connective is
    attached, what its head and the head's head are and whether they have a subject and a finite verb, and
    what stands to the left and right of it. Without `syntax` only the words around it.
    """
    (first, last), (start, stop) = sentence, span
    word, tag, pos, labels, heads = parse.words, parse.tags, parse.pos, parse.labels, parse.heads
    before = [word[i] if i >= first else "<s>" for i in (start - 1, start - 2)]
    after = [word[i] if i < last else "</s>" for i in (stop, stop + 1)]
    yield f"-1={before[0]}"
    yield f"+1={after[0]}"
    yield f"-2={before[1]},{before[0]}"
    yield f"+2={after[0]},{after[1]}"
    yield f"place={min(start - first, 3)},{stop >= last - 1}"
    if not syntax:
        return

    before = [tag[i] if i >= first else "<s>" for i in (start - 1, start - 2)]
    tags = [tag[i] if i < last else "</s>" for i in (stop, stop + 1)]
    yield f"t-1={before[0]}"
    yield f"t+1={tags[0]}"
    yield f"t-2={before[1]},{before[0]}"
    yield f"t+2={tags[0]},{tags[1]}"
    yield f"t-1+1={before[0]},{tags[0]}"
    yield f"wt={after[0]},{tags[1]}"
    yield f"t={' '.join(tag[start:stop])}"
    left = next((i for i in range(start - 1, first - 1, -1) if pos[i] == "PUNCT"), first - 1)
    right = next((i for i in range(stop, last) if pos[i] == "PUNCT"), last)
    verb_left, verb_right = (not FINITE.isdisjoint(tag[i:j]) for i, j in ((left + 1, start), (stop, right)))
    yield f"verbs={verb_left},{verb_right}"
    yield f"verb-right={verb_right}"
    yield f"verb-left={verb_left}"
    yield f"verb-before={not FINITE.isdisjoint(tag[first:start])}"
    yield f"verb-after={not FINITE.isdisjoint(tag[stop:last])}"
    yield f"room={min(right - stop, 4)}"

    head = parse.head_of(span)
    label, up = labels[head], heads[head]
    upper = heads[up]
    side = ">" if up >= stop else "<" if up < start else "="
    kind, upper_kind = parse.kind(up), parse.kind(upper)
    yield f"d={label}"
    for i in range(start, stop):
        if i != head:
            yield f"d{i - start}={labels[i]}"
    yield f"up={pos[up]},{label}"
    yield f"up-tag={tag[up]}"
    yield f"up-d={labels[up]},{label}"
    yield f"up-kind={kind},{label}"
    yield f"up-far={side}{min(abs(up - head).bit_length(), 4)},{label}"
    yield f"up-word={word[up]}"
    yield f"upper={pos[upper]},{labels[up]}"
    yield f"upper-kind={upper_kind},{labels[up]}"
    yield f"upper-d={side},{labels[up]},{labels[upper]},{'<' if upper < up else '>'}"
    yield f"kinds={kind},{side},{labels[up]}"
    if label == "cc" and labels[up] == "conj":
        yield f"conj={pos[upper]},{pos[up]}"
        yield f"conj-tags={tag[upper]},{tag[up]}"
        yield f"conj-kinds={upper_kind},{kind}"
    below = {
        labels[child] for i in range(start, stop) for child in parse.children[i] if not start <= child < stop
    }
    yield f"below={','.join(sorted(below))}"
    path = [label]
    for i in parse.ancestors(head):
        path.append(labels[i])
    yield f"path={'/'.join(path[:4])}"
    siblings = [child for child in parse.children[up] if child != head]
    yield f"left={next((labels[i] for i in reversed(siblings) if i < start), '')}"
    yield f"right={next((labels[i] for i in siblings if i >= stop), '')}"
    yield f"siblings={','.join(sorted(OF_CLAUSES.intersection(labels[i] for i in siblings)))}"
    yield f"marks={','.join(word[i] for i in siblings if labels[i] in ('mark', 'cc'))}"
    yield f"d+1={labels[stop] if stop < last else ''}"
    yield f"d-1={labels[start - 1] if start > first else ''}"


def pair_features(first: Sequence[str], second: Sequence[str]) -> Iterator[str]:
    """The features of two sentences, as words in lower case, that no connective links."""
    for name, words in (("1", first), ("2", second)):
        yield f"first{name}={' '.join(words[:1])}"
        yield f"firsts{name}={' '.join(words[:2])}"
        yield f"three{name}={' '.join(words[:3])}"
        yield f"last{name}={' '.join(words[-1:])}"
        yield f"length{name}={len(words).bit_length()}"
        for word in set(words):
            yield f"{name}={word}"
    yield f"firsts={' '.join(first[:1])},{' '.join(second[:1])}"
    yield f"lasts={' '.join(first[-1:])},{' '.join(second[-1:])}"
    yield f"common={min(len(set(first) & set(second)), 8)}"


def connective_rows(words: str, features: Sequence[str]) -> list[int]:
    """The rows of a connective: its words, its features, and each feature together with the words."""
    return _rows([words, *features, *(f"{words}|{feature}" for feature in features)], RELATION_ROWS)


def sense_rows(words: str, features: Sequence[str]) -> list[int]:
    """
    The rows of a connective for its sense. The words, which say most, count five times, so that their weights
    are less regularized.
    """
    few = [feature for feature in features if feature.startswith(("d=", "place=", "up-kind="))]
    return _rows([words] * 5 + few + [f"{words}|{feature}" for feature in few], EXPLICIT_ROWS)


def pair_rows(first: Sequence[str], second: Sequence[str]) -> list[int]:
    """The rows of two sentences."""
    return _rows(pair_features(first, second), IMPLICIT_ROWS)


def _rows(names: Iterable[str], number: int) -> list[int]:
    return [crc32(name.encode()) % number for name in names]
