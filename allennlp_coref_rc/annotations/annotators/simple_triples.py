import re
from collections.abc import Iterator, Sequence

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Edge, Span
from allennlp_coref_rc.annotations.annotators import lexicon
from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.annotators.coref.sieve.name_spans import compound_names

BE = frozenset("am are be been being is was were 's 're 'm".split())

SIDES = frozenset("back bottom east edge end front left middle north right side south top west".split())
"""Nouns that make a preposition together with "of": "to the left of"."""

PRONOUNS = (lexicon.SUBJECTS | lexicon.NEVER_SUBJECTS | frozenset(["it", "you"])) - frozenset(
    "his its my our their your".split()
)

NEGATIONS = frozenset("not n't never no".split())

CLASSES = (
    ("v", NEGATIONS),
    ("b", BE),
    ("d", frozenset("did do does".split())),
    ("x", lexicon.AUXILIARIES),
    ("o", frozenset(["of"])),
    ("t", frozenset(["than"])),
    ("i", frozenset(["a", "an"])),
    ("s", SIDES),
    ("p", lexicon.PREPOSITIONS),
    ("v", lexicon.ADVERBS | lexicon.INTENSIFIERS),
    ("c", lexicon.CONJUNCTIONS | frozenset(["and", "there"])),
    ("h", frozenset(["her"])),
    ("n", PRONOUNS),
    ("e", lexicon.DETERMINERS | lexicon.POSSESSIVES),
)
"""The classes of words, each with a letter. The first that has a word counts."""

LETTERS = {word: letter for letter, known in reversed(CLASSES) for word in known}

NAME, WORD, BREAK = "m", "w", "c"
"""The letters of a capitalised word, of any other word, and of what ends a clause, such as a comma."""

HER, HER_DOG = "h", re.compile("h(?=[ws])")
"""The letter of "her", which begins a noun phrase ("her dog") or is one, and where it begins one."""

OF = "(?:o[ie]*[wsm]+)?"

PATTERNS = [
    re.compile(pattern.format(subject=f"(?P<subject>m+|n|[ie]+[wsm]+?{OF}|[wse])", of=OF))
    for pattern in (
        # Is the sphere to the left of the square? Is the office east of the hallway? Is the box below the
        # chest?
        "b{subject}v*(?P<more>p[ie]*so|so|p)(?P<object>m+|n|[ie]*[ws]+{of})",
        # Is Gertrude afraid of wolves? Is the box bigger than the chest?
        "b{subject}v*(?P<more>w[ot])(?P<object>m+|n|[ie]*[ws]+{of})",
        # Does the box fit in the chest? Did John love Mary? Did they have a dog? Did he do the work?
        "d{subject}v*(?P<verb>w)(?P<more>p+)(?P<object>m+|n|[ie]*[ws]+{of})",
        "d{subject}v*(?P<verb>[wxd])(?P<object>m+|n|[ie]+[ws]+{of})",
        # The sphere is to the left of the square. Gertrude is afraid of wolves. She is in the garden.
        "v*{subject}x*(?P<verb>b)v*(?P<more>p[ie]*so|so|w?[pto]+)(?P<object>m+|n|[ie]*[ws]+{of})",
        # Lily is a frog. The captain is my brother.
        "v*{subject}x*(?P<verb>b)v*(?P<object>[ie]+[ws]+{of})",
        # Lily is green. The man is Brown.
        "v*{subject}x*(?P<verb>b)v*(?P<object>w+|m+)$",
        # The box fits inside the chest. Mary has often gone to the garden. She did not go to the garden.
        "v*{subject}[xd]*v*(?P<verb>w)v*(?P<more>p+)(?P<object>m+|n|[ie]*[ws]+{of})",
        # She took the milk. John does not love Mary. The brothers have a dog. He did the work.
        "v*{subject}[xd]*v*(?P<verb>[wxd])v*(?P<object>m+|n|[ie]+[ws]+{of})",
    )
]
"""The clauses that are understood, from their beginning, in letters of `CLASSES`, one for each token."""


@Annotator.register("simple_triples")
class SimpleTriples(Annotator):
    """
    Triples of subject, verb phrase and object, found by patterns of function words, without a model: "Lily is
    a frog" gives an edge of the type `is_a` from "Lily" to "a frog". Each clause gives at most one edge.
    Clauses that fit no pattern give none. Relative clauses and coordinated phrases are not handled.

    The type of an edge is the verb phrase in lower case without determiners, adverbs and auxiliaries, with
    `is` for all forms of "be". If the clause is negated, `not` stands before it: `is`, `is_to_left_of`,
    `is_bigger_than`, `not_gone_to`. "No" negates a clause too, as in "John is no thief".

    Registered as an `Annotator` with name "simple_triples".

    # Example

    ```jsonnet
    {"type": "compose", "annotators": [{"type": "exact_match_coref"}, {"type": "simple_triples"}]}
    ```
    """

    def annotate(self, text: AnnotatedText) -> AnnotatedText:
        words = [token.lower().replace("’", "'") for token in text.tokens]
        letters = list(map(_letter, text.tokens, words))
        for start, stop in compound_names(text.tokens, text.sentences).items():
            letters[start:stop] = NAME * (stop - start)
        edges = [edge for sentence in text.sentences for edge in _triples(words, letters, sentence)]
        return text.with_more(edges=edges)


def _triples(words: Sequence[str], letters: Sequence[str], sentence: Span) -> Iterator[Edge]:
    start, stop = sentence
    sentence_letters = HER_DOG.sub("e", "".join(letters[start:stop])).replace(HER, "n")
    for clause in re.finditer(f"[^{BREAK}]+", sentence_letters):
        match = next(filter(None, (pattern.match(clause[0]) for pattern in PATTERNS)), None)
        if match:
            begin = start + clause.start()
            source, target = (
                (begin + a, begin + b) for a, b in (match.span("subject"), match.span("object"))
            )
            yield Edge(_type(words[begin : start + clause.end()], match), source, target)


def _letter(token: str, word: str) -> str:
    if not word[:1].isalnum() and word not in lexicon.AUXILIARIES:
        return BREAK
    letter = LETTERS.get(word, WORD)
    if letter == WORD and token[:1].isupper():
        return NAME
    return "v" if letter == WORD and word.endswith("ly") and len(word) > 4 else letter


def _type(words: Sequence[str], match: "re.Match[str]") -> str:
    def said(part: str) -> list[str]:
        start, stop = match.span(part) if part in match.groupdict() else (0, 0)
        return [words[i] for i in range(start, stop) if match.string[i] not in "ie"]

    verb = ["is" if word in BE else word for word in said("verb") or ["is"]]
    article = ["a"] if verb == ["is"] and match["object"][0] == "i" and not said("more") else []
    negation = ["not"] if NEGATIONS.intersection(words[: match.start("object")]) else []
    return "_".join(negation + verb + said("more") + article)
