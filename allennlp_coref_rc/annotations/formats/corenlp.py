import os
import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import Optional

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Edge, Span
from allennlp_coref_rc.annotations.formats.json_value import JsonValue, read_json

SUFFIX = re.compile(r"(\.(txt|jsonl?|gz|bz2|xz))*$")


def read_corenlp(path: str) -> Iterator[AnnotatedText]:
    """
    The documents of a file in CoreNLP's JSON (Manning et al., ACL 2014), in the order of the file: tokens, sentences,
    coreference chains, and dependencies as edges. The file is a single object, or has an object on each line. A token
    is its `originalText` or, if there is none, its `word`.

    Dependencies are `basicDependencies`. As in `spacy_dependencies`, an edge leads from the head of a token to the
    token, and roots have no edge. Enhanced dependencies, trees, entities, quotations and triples are not read.

    The id is the `docId`. If there is none, a file with a single document gives its name, up to `.json`, as the id;
    otherwise there is no id.
    """
    values = read_json(path)
    first = list(islice(values, 2))
    name = SUFFIX.sub("", os.path.basename(path)) if len(first) == 1 else None
    for document in chain(first, values):
        yield _document(document, name)


def _document(document: JsonValue, name: Optional[str]) -> AnnotatedText:
    tokens: list[str] = []
    sentences: list[Span] = []
    edges: list[Edge] = []
    for sentence in document["sentences"].list():
        start = len(tokens)
        tokens.extend(_word(token) for token in sentence["tokens"].list())
        sentences.append((start, len(tokens)))
        edges.extend(_edges(sentence.listed("basicDependencies"), start, len(tokens)))
    corefs = document.get("corefs")
    clusters = [
        sorted(_mention(mention, sentences) for mention in mentions.list())
        for _, mentions in (corefs.items() if corefs else [])
    ]
    id = document.get("docId")
    return AnnotatedText(
        tokens,
        [(start, stop) for start, stop in sentences if start < stop],
        [cluster for cluster in clusters if cluster],
        edges=edges,
        id=id.string() if id else name,
    )


def _word(token: JsonValue) -> str:
    original = token.get("originalText")
    return (original.string() if original else "") or token["word"].string()


def _edges(dependencies: list[JsonValue], start: int, stop: int) -> Iterator[Edge]:
    """Tokens of the sentence [start, stop) are counted from 1; 0 is the head of its root."""
    for dependency in dependencies:
        head = start + dependency["governor"].integer(0, stop - start) - 1
        token = start + dependency["dependent"].integer(1, stop - start) - 1
        if head >= start:
            yield Edge(dependency["dep"].string(), (head, head + 1), (token, token + 1))


def _mention(mention: JsonValue, sentences: list[Span]) -> Span:
    """Sentences and tokens are counted from 1; the end is excluded."""
    start, stop = sentences[mention["sentNum"].integer(1, len(sentences)) - 1]
    first = mention["startIndex"].integer(1, stop - start)
    return start + first - 1, start + mention["endIndex"].integer(first + 1, stop - start + 1) - 1
