import os
from collections.abc import Iterator
from functools import partial

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span
from allennlp_coref_rc.annotations.tokenization import token_span
from allennlp_coref_rc.common.json_value import JsonValue, read_json
from allennlp_coref_rc.common.malformed import LeaveOut, kept, refuse
from allennlp_coref_rc.common.schema import Name, String

CLUSTERS = ("clusters", "predicted_clusters")


def read_e2e_coref(path: str, leave_out: LeaveOut = refuse) -> Iterator[AnnotatedText]:
    """
    The documents of a file of JSON lines as in e2e-coref (Lee et al., NAACL 2018) and the models after it.
    They have `sentences`, lists of tokens, or all `tokens`, and `clusters` of mentions [first token, last
    token], counted from 0 through the document. A document without any, also in a file of gold ones, has its
    `predicted_clusters`. The id is the `doc_key`. Speakers are not read.

    A document of fastcoref has a `text` in place of tokens, which is tokenised by spaCy's rules, and its
    mentions are [first character, end). A mention's tokens are those that have any of its characters.
    """
    for number, document in enumerate(read_json(path), start=1):
        make = partial(_document, default_id=f"{os.path.basename(path)}:{number}", leave_out=leave_out)
        yield from kept(make, [document], leave_out)


def _document(document: JsonValue, default_id: str, leave_out: LeaveOut) -> AnnotatedText:
    sentences, tokens = map(document.get, ("sentences", "tokens"))
    if document.get("subtoken_map"):
        raise document.error("words, not pieces of words (with a subtoken_map)")
    if sentences is None and tokens is None:
        text = AnnotatedText.of_text(document["text"].to(String))
    else:
        split = (
            [sentence.to(list[String]) for sentence in sentences.list()]
            if sentences
            else [document["tokens"].to(list[String])]
        )
        text = AnnotatedText.of_sentences(list(filter(None, split)))
    id = document.get("doc_key")
    text.id = id.to(Name) if id else default_id
    for cluster in document.listed(CLUSTERS[0]) or document.listed(CLUSTERS[1]):
        mentions = kept(lambda mention: _mention(mention, text), cluster.list(), leave_out)
        if found := sorted(set(mentions)):
            text.clusters.append(found)
    return text.checked()


def _mention(mention: JsonValue, text: AnnotatedText) -> Span:
    if text.text is None:
        ends = [end.integer(maximum=len(text) - 1) for end in mention.list()]
        span = (ends[0], ends[1] + 1) if len(ends) == 2 and ends[0] <= ends[1] else None
        expected = f"[first, last] with 0 <= first <= last < {len(text)}"
    else:
        start, stop = mention.span(len(text.text))
        span = token_span(text.offsets or [], start, stop)
        expected = "characters of a token"
    if span is None:
        raise mention.error(expected)
    return span
