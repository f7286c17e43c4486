import os
import re
from collections.abc import Iterator
from functools import partial
from itertools import chain, islice
from typing import Optional

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Edge, Span
from allennlp_coref_rc.common.json_value import JsonValue, read_json
from allennlp_coref_rc.common.malformed import LeaveOut, kept, refuse
from allennlp_coref_rc.common.schema import String

SUFFIX = re.compile(r"(\.(txt|jsonl?|gz|bz2|xz))*$")

DEPENDENCIES = ("basicDependencies", "basic-dependencies")
"""
The keys of the dependencies that are read: that of today's CoreNLP, and that of version 3.6 and those before.
"""


def read_corenlp(path: str, leave_out: LeaveOut = refuse) -> Iterator[AnnotatedText]:
    """
    The documents of a file in CoreNLP's JSON (Manning et al., ACL 2014), in the order of the file: tokens,
    sentences, coreference chains, and dependencies as edges. The file is a single object, or has an object on
    each line. A token is its `originalText` or, if there is none, its `word`.

    Dependencies are `basicDependencies`, or `basic-dependencies` as CoreNLP 3.6 writes. A sentence with none
    but collapsed or enhanced ones is malformed. As in `spacy_dependencies`, an edge leads from the head of a
    token to the token, and roots have no edge. Trees, entities, quotations and triples are not read.

    The id is the `docId`. If there is none, a file with a single document gives its name, up to `.json`, as
    the id; otherwise there is no id.
    """
    values = read_json(path)
    first = list(islice(values, 2))
    name = SUFFIX.sub("", os.path.basename(path)) if len(first) == 1 else None
    return kept(lambda document: _document(document, name, leave_out), chain(first, values), leave_out)


def _document(document: JsonValue, name: Optional[str], leave_out: LeaveOut) -> AnnotatedText:
    tokens: list[str] = []
    sentences: list[Span] = []
    edges: list[Edge] = []
    for sentence in document["sentences"].list():
        words = [_word(token) for token in sentence["tokens"].list()]
        sentences.append((len(tokens), len(tokens) + len(words)))
        tokens.extend(words)
        make = partial(_edge, sentence=sentences[-1])
        edges.extend(filter(None, kept(make, _dependencies(sentence, leave_out), leave_out)))
    corefs = document.get("corefs")
    clusters = [
        sorted(kept(lambda mention: _mention(mention, sentences), mentions.list(), leave_out))
        for _, mentions in (corefs.items() if corefs else [])
    ]
    id = document.get("docId")
    return AnnotatedText(
        tokens,
        [(start, stop) for start, stop in sentences if start < stop],
        [cluster for cluster in clusters if cluster],
        edges=edges,
        id=id.to(String) if id else name,
    )


def _word(token: JsonValue) -> str:
    original = token.get("originalText")
    return (original.to(String) if original else "") or token["word"].to(String)


def _dependencies(sentence: JsonValue, leave_out: LeaveOut) -> list[JsonValue]:
    given = {key: value for key, value in sentence.items() if key.lower().endswith("dependencies")}
    for key in DEPENDENCIES:
        if key in given:
            return sentence.listed(key)
    for value in islice(given.values(), 1):
        leave_out(value.error(f"also {DEPENDENCIES[0]}, which alone are read"))
    return []


def _edge(dependency: JsonValue, sentence: Span) -> Optional[Edge]:
    """Tokens of the sentence are counted from 1; 0 is the head of its root, which has no edge."""
    start, stop = sentence
    head = start + dependency["governor"].integer(0, stop - start) - 1
    token = start + dependency["dependent"].integer(1, stop - start) - 1
    kind = dependency["dep"].to(String)
    return Edge(kind, (head, head + 1), (token, token + 1)) if head >= start else None


def _mention(mention: JsonValue, sentences: list[Span]) -> Span:
    """Sentences and tokens are counted from 1; the end is excluded."""
    start, stop = sentences[mention["sentNum"].integer(1, len(sentences)) - 1]
    first = mention["startIndex"].integer(1, stop - start)
    return start + first - 1, start + mention["endIndex"].integer(first + 1, stop - start + 1) - 1
