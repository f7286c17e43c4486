from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Optional

from allennlp.data import DatasetReader, Field, Instance, Token
from allennlp.data.fields import LabelField, MetadataField, TextField

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.annotators.connective_discourse import ConnectiveDiscourse
from allennlp_coref_rc.annotations.annotators.senses import NO_RELATION, conll_sense
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.corpora.corpus_reader import CorpusReader
from allennlp_coref_rc.data.corpora.discourse_corpora import (
    CorpusRelation,
    is_conll2016,
    read_discourse_corpus,
    read_rels_texts,
)

MAX_ARGUMENT = 20
"""The most tokens of an argument."""

IMPLICIT = "@implicit"
"""Stands in for the connective of a relation that has none."""

FARTHEST = 5
"""In tokens. Words at this distance from the connective or farther count as equally far."""


@DatasetReader.register("discourse_senses")
class DiscourseSensesReader(CorpusReader):
    """
    Reads discourse relations that are to be classified by sense: DISRPT's `.rels` files (GDTB, TED-MDB, PDTB) and the
    `relations.json` of the CoNLL-2016 shared task. `discourse_corpora.py` describes the pitfalls of the formats, and
    `senses.py` the labels.

    Explicit, implicit and EntRel relations are read. Others are skipped, and so are relations whose sense is none of
    the fifteen, and explicit relations whose connective was not found.

    Instances are what AllenNLP's `basic_classifier` takes: `tokens`, `label` and `metadata`. The tokens are Arg1, the
    connective as one token (`as_a_result`, or `@implicit`), and Arg2. Of an argument, the 20 tokens next to the
    connective are kept. A token's `ent_type_` is "connective", or the
    argument and the distance to the connective. "arg2-1" is the first token of Arg2, and "arg1-5" a token with four or
    more tokens of Arg1 after it. A `single_id` indexer with `ent_type_` as its `feature_name` reads it.

    Registered as a `DatasetReader` with name "discourse_senses". It also takes the parameters of `CorpusReader`.

    # Parameters

    find_connectives : `bool`, optional (default = `False`)
        For `.rels` files, whose relations come with sentences. Replaces the annotated explicit relations by those that
        `connective_discourse` finds in these sentences, with the arguments that it finds. If no relation is annotated
        at a connective, the sense is `NoRelation`. So a model also learns which connectives express a relation.
    """

    suffixes = (".rels", "relations.json")

    def __init__(
        self,
        find_connectives: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._find_connectives = find_connectives

    def read_items(self, path: str) -> Iterator[tuple[str, CorpusRelation]]:
        find = self._find_connectives and not is_conll2016(path)
        for relation in read_discourse_corpus(path):
            if not (find and relation.type == "Explicit"):
                yield relation.document, relation
        if find:
            for text in read_rels_texts(path):
                for relation in found_relations(text, path):
                    yield relation.document, relation

    def to_instances(self, item: CorpusRelation) -> Iterator[Instance]:
        sense = NO_RELATION if item.label == NO_RELATION else conll_sense(item.label)
        if item.masked:
            self.skipped["relations without their text"] += 1
        elif item.type not in ("Explicit", "Implicit", "EntRel"):
            self.skipped[f"relations of the type {item.type!r}"] += 1
        elif item.type == "Explicit" and not item.connective:
            self.skipped["explicit relations whose connective was not found"] += 1
        elif sense is None:
            self.skipped[f"relations of the sense {'.'.join(item.label.split('.')[:2])!r}"] += 1
        elif not item.arg1 or not item.arg2:
            raise ConfigurationError(f"{item.place}: found an empty argument, expected a text")
        else:
            yield self.text_to_instance(item.arg1, item.arg2, item.connective, sense, item.type, item.document)

    def text_to_instance(
        self,
        arg1: Sequence[str],
        arg2: Sequence[str],
        connective: Sequence[str] = (),
        sense: Optional[str] = None,
        type: Optional[str] = None,
        document: Optional[str] = None,
    ) -> Instance:
        """The instance of a relation, whose parts are lists of tokens. An implicit relation has no `connective`."""
        first, second = arg1[-MAX_ARGUMENT:], arg2[:MAX_ARGUMENT]
        words = "_".join(connective)
        tokens = [
            Token(token, ent_type_=f"arg1-{min(i, FARTHEST)}") for i, token in zip(range(len(first), 0, -1), first)
        ]
        tokens.append(Token(words[:1].lower() + words[1:] if words else IMPLICIT, ent_type_="connective"))
        tokens += [Token(token, ent_type_=f"arg2-{min(i, FARTHEST)}") for i, token in enumerate(second, start=1)]
        fields: dict[str, Field] = {
            "tokens": TextField(tokens),
            "metadata": MetadataField({"type": type, "document": document}),
        }
        if sense is not None:
            fields["label"] = LabelField(sense)
        return Instance(fields)


def found_relations(text: AnnotatedText, place: str) -> Iterator[CorpusRelation]:
    """
    The explicit relations of all connectives that are found in a text. Their label is that of the text's relation with
    a token of the connective, or else `NoRelation`.
    """
    labels = {
        token: relation.sense
        for relation in text.relations
        for start, stop in relation.connective
        for token in range(start, stop)
    }
    for relation in ConnectiveDiscourse(exclude=[]).annotate(replace(text, relations=[])).relations:
        arg1, arg2, connective = (
            [token for span in spans for token in range(*span)]
            for spans in (relation.arg1, relation.arg2, relation.connective)
        )
        label = next((labels[token] for token in connective if token in labels), NO_RELATION)
        words1, words2, words = ([text.tokens[token] for token in part] for part in (arg1, arg2, connective))
        yield CorpusRelation(text.id or "", place, "Explicit", label, words1, words2, words)
