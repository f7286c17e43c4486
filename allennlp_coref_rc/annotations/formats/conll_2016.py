import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate
from typing import Optional

from allennlp_coref_rc.annotations.alignment import UNKNOWN, normalized
from allennlp_coref_rc.annotations.annotated_text import (
    RELATION_TYPES,
    AnnotatedText,
    DiscourseRelation,
    Span,
)
from allennlp_coref_rc.annotations.tokenization import spans_of
from allennlp_coref_rc.common.json_value import JsonValue, read_json
from allennlp_coref_rc.common.malformed import LeaveOut, kept, refuse
from allennlp_coref_rc.common.schema import String

PARSES = "parses.json"

MAX_TOKENS = 1_000_000
"""The most tokens of a document. A damaged number must not fill the memory."""


def read_conll_2016(path: str, leave_out: LeaveOut = refuse) -> Iterator[AnnotatedText]:
    """
    The documents of a `relations.json` of the CoNLL-2015 and CoNLL-2016 shared tasks (Xue et al., 2016):
    shallow discourse relations by `DocID`. A relation with several senses becomes several relations.

    Tokens and sentences come from the `parses.json` beside this file. Without a `parses.json`, the text ends
    with the last token that a relation mentions. A token is then known only from an argument whose `RawText`
    splits into as many words as the argument has tokens; all other tokens are `UNKNOWN`. Such a text is
    aligned by the positions of its tokens.
    """
    texts: dict[str, AnnotatedText] = {}
    parses = os.path.join(os.path.dirname(path), PARSES)
    known = os.path.exists(parses)
    if known:
        documents = [document for parse in read_json(parses) for document in parse.items()]
        texts.update(kept(lambda document: _text(*document), documents, leave_out))

    def add(relation: JsonValue) -> None:
        document, senses = relation["DocID"], relation["Sense"]
        id = document.to(String)
        if not senses.to(list[String]):
            raise senses.error("one or more senses")
        if known and id not in texts:
            raise document.error(f"the name of a document in {parses}")
        text = texts.setdefault(id, AnnotatedText([], id=id))
        parts = relation["Arg1"], relation["Arg2"]
        arg1, arg2 = (_part(part, text, known) for part in parts)
        for part, spans in zip(parts, (arg1, arg2)):
            if not spans:
                raise part.error("an argument with a TokenList that is not empty")
        connective = _part(relation.get("Connective"), text, known)
        kind = relation["Type"].choice(RELATION_TYPES)
        text.relations.extend(
            DiscourseRelation(kind, sense, arg1, arg2, connective) for sense in senses.to(list[String])
        )

    for _ in kept(add, read_json(path), leave_out):
        pass
    for text in texts.values():
        # Checks a text without parses that has grown, and makes it one sentence.
        yield (text if known else AnnotatedText(text.tokens, relations=text.relations, id=text.id)).checked()


def _text(id: str, document: JsonValue) -> tuple[str, AnnotatedText]:
    sentences = [
        [_word(word) for word in sentence["words"].list()] for sentence in document["sentences"].list()
    ]
    return id, replace(AnnotatedText.of_sentences(list(filter(None, sentences))), id=id)


def _word(word: JsonValue) -> str:
    values = word.list()
    if not values:
        raise word.error("a list that begins with a word")
    return values[0].to(String)


def _part(part: Optional[JsonValue], text: AnnotatedText, known: bool) -> list[Span]:
    """The spans of an argument or a connective. Without parses, this writes its tokens into the text."""
    tokens = part.get("TokenList") if part else None
    if part is None or tokens is None:
        return []
    places = {_place(token, len(text) - 1 if known else MAX_TOKENS - 1): token for token in tokens.list()}
    ordered = sorted(places)
    if ordered and not known:
        text.tokens.extend([UNKNOWN] * (ordered[-1] + 1 - len(text)))
        for place, word in zip(ordered, _words(part, [places[place] for place in ordered])):
            before = text.tokens[place]
            if UNKNOWN not in (before, word) and normalized(before) != normalized(word):
                raise part.error(
                    f"the token {place} to be {before[:30]!r}, as in another relation, not {word[:30]!r}"
                )
            text.tokens[place] = before if word == UNKNOWN else word
    return spans_of(ordered)


def _place(token: JsonValue, limit: int) -> int:
    """
    A token's index, given alone or in a list [first character, last, index, sentence, index in the sentence].
    """
    if isinstance(token.value, list):
        values = token.list()
        if len(values) != 5:
            raise token.error("a number or a list of 5 numbers")
        token = values[2]
    return token.integer(maximum=limit)


def _words(part: JsonValue, tokens: list[JsonValue]) -> list[str]:
    text = part.get("RawText")
    words = text.to(String).split() if text else []
    if all(isinstance(token.value, list) for token in tokens):
        # No token contains white space, so their lengths say where each begins.
        lengths = [token.list()[1].integer() - token.list()[0].integer() for token in tokens]
        characters, ends = "".join(words), list(accumulate(lengths))
        if min(lengths) > 0 and ends[-1] == len(characters):
            return [characters[end - length : end] for end, length in zip(ends, lengths)]
    return words if len(words) == len(tokens) else [UNKNOWN] * len(tokens)
