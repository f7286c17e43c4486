import logging
import os
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Optional, cast

import torch
from allennlp.data import DatasetReader, Instance, Token, TokenIndexer
from allennlp.data.fields import MetadataField, TextField
from more_itertools import always_iterable, interleave_evenly
from torch import Tensor

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Cluster, Span
from allennlp_coref_rc.annotations.annotators.coref.sieve.entities import NAME, PRONOUN
from allennlp_coref_rc.annotations.annotators.coref.sieve.quotes import find_quotes
from allennlp_coref_rc.annotations.annotators.coref.sieve.sieve_coref import SieveCoref
from allennlp_coref_rc.annotations.annotators.lexicon import (
    CLOSED,
    FEMALE,
    GIVEN_NAMES,
    MALE,
    PERSON,
    PRONOUNS,
)
from allennlp_coref_rc.annotations.annotators.parse import Parse
from allennlp_coref_rc.annotations.english import parse
from allennlp_coref_rc.annotations.formats import FORMATS
from allennlp_coref_rc.annotations.formats.conllu import entity_spans, read_conllu_sentences
from allennlp_coref_rc.common.checks import check_choice
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import known_as, local_path
from allennlp_coref_rc.data.corpora.discourse_corpora import FOLDS, in_fold

logger = logging.getLogger(__name__)

GUIDELINES = ("ontogum", "litbank")
CORPORA = (*GUIDELINES, "gap")

TYPES = "abstract animal event object organization person place plant substance time".split()
"""GUM's types of entities."""

# The lists of the lexicon are sets, whose order differs from process to process.
NAMES_OF = {g: sorted(name for name, own in GIVEN_NAMES.items() if own == g) for g in (FEMALE, MALE)}

RULES = SieveCoref(all_nouns=True)
"""The rules whose entities are features."""

NAME_PARTS = 4
"""How many words of a name are compared, beside its head."""


class Mention(NamedTuple):
    """A mention by the word that is its head, and its span. `cluster` is the number of its entity."""

    head: int
    cluster: int
    start: int
    stop: int


@dataclass
class CoreferenceText:
    """
    What the head `coreference` knows of a text beside its word vectors, and the gold clusters, if there are
    any.
    """

    guideline: int
    """The place of the guideline in `GUIDELINES`."""
    sentences: Tensor
    """The number of each word's sentence. *Shape:* (words,)"""
    quotes: Tensor
    """The number, from 1, of the quotation that each word is in, or 0. *Shape:* (words,)"""
    names: Tensor
    """
    Numbers of words, the same for equal words: the word itself, and for a capitalised one those beside it that
    are capitalised too; or -1. *Shape:* (words, 1 + NAME_PARTS)
    """
    rules: Tensor
    """
    What `sieve_coref` knows of the mention that each word is the head of, or, in a name, a part of: the number of
    its entity, or -1; its possible genders, those of its entity, and its possible numbers, as bits, or 0. By
    OntoGUM's guideline "he", "she", "it" and "they" have no entity here, as rules prefer names of men; LitBank
    is what the rules are made for. *Shape:* (words, 4)
    """
    corpus: str = ""
    """One of `CORPORA`, for a text with gold clusters."""
    gold: Optional[AnnotatedText] = None
    """The text with its gold clusters, without singletons except GAP's."""
    mentions: list[Mention] = field(default_factory=list)
    """
    The mentions of the gold clusters, with different heads. Of GAP's passages the pronoun and the names are the
    only ones known.
    """
    types: Optional[Tensor] = None
    """
    The type of the entity that a word is the head of, by its place in `TYPES` from 1, or 0; with GUM alone, which
    has singletons too. *Shape:* (words,)
    """

    def to_json(self) -> dict[str, Any]:
        """AllenNLP writes the instances of predictions with this."""
        gold = None if self.gold is None else self.gold.to_json()
        return {"guideline": GUIDELINES[self.guideline], "corpus": self.corpus, "gold": gold}


def describe(text: AnnotatedText, guideline: str) -> CoreferenceText:
    """A text, without gold clusters."""
    sentences, quotes = torch.zeros(2, len(text), dtype=torch.long)
    for number, (start, stop) in enumerate(text.sentences):
        sentences[start:stop] = number
    for number, quote in enumerate(find_quotes(text), start=1):
        quotes[quote.start : quote.stop] = number
    words = [token.lower() for token in text.tokens]
    numbers: dict[str, int] = {}
    ids = [numbers.setdefault(word, len(numbers)) for word in words]
    names = torch.full((len(text), 1 + NAME_PARTS), -1)
    is_name = [token[:1].isupper() and word not in CLOSED for token, word in zip(text.tokens, words)]
    for start, stop in text.sentences:
        for i in range(start, stop):
            first = last = i
            while is_name[i] and first > start and is_name[first - 1]:
                first -= 1
            while is_name[i] and last + 1 < stop and is_name[last + 1]:
                last += 1
            beside = sorted((j for j in range(first, last + 1) if j != i), key=lambda j: abs(j - i))
            row = [ids[i], *(ids[j] for j in beside[:NAME_PARTS])]
            names[i, : len(row)] = torch.tensor(row)
    return CoreferenceText(GUIDELINES.index(guideline), sentences, quotes, names, _by_rules(text, guideline))


def _by_rules(text: AnnotatedText, guideline: str) -> Tensor:
    known = torch.tensor([-1, 0, 0, 0]).repeat(len(text), 1)
    mentions = [
        (mention, number, entity)
        for number, entity in enumerate(RULES.resolve(text).entities)
        for mention in entity.mentions
    ]
    # Shorter mentions are inside of longer ones.
    for mention, number, entity in sorted(mentions, key=lambda found: found[0].start - found[0].stop):
        is_third_person = mention.kind == PRONOUN and PRONOUNS[mention.words[-1]].person == 3
        is_unknown = is_third_person and guideline != "litbank"
        row = [-1 if is_unknown else number, mention.gender, entity.gender, mention.number]
        places = slice(*mention.span) if mention.kind == NAME else mention.head
        known[places] = torch.tensor(row)
    return known


def with_other_names(text: AnnotatedText, seed: Optional[str]) -> AnnotatedText:
    """
    A text in which each given name is another one of the same gender, by the seed, and no two are the same; or as
    it is without one.
    """
    if seed is None:
        return text
    choice, others = random.Random(seed), dict[str, str]()
    taken = set(map(str.lower, text.tokens))

    def other(token: str) -> str:
        gender = GIVEN_NAMES.get(token.lower(), PERSON)
        if not token[:1].isupper() or gender == PERSON:
            return token
        if token.lower() not in others:
            name = choice.choice([name for name in NAMES_OF[gender] if name not in taken])
            taken.add(name)
            others[token.lower()] = name
        name = others[token.lower()]
        return name.upper() if token.isupper() else name.title()

    return replace(text, tokens=[other(token) for token in text.tokens])


class Tree(NamedTuple):
    """
    The position of the head of each word (a root is its own), and the labels of the dependencies; of GUM, also
    the spans of entities, shorter ones first, and their types.
    """

    heads: Sequence[int]
    labels: Sequence[str]
    entities: Sequence[tuple[Span, str]] = ()

    def head_of(self, span: Span) -> int:
        """The first word of a span whose head is outside of it."""
        inside = range(*span)
        return next((i for i in inside if self.heads[i] not in inside or self.heads[i] == i), span[0])

    def heads_of(self, span: Span) -> Iterator[int]:
        """
        The head of a span, then the conjunctions of what is coordinated with it: "and" is the head of "Ann and
        Bob" if "Ann" is a mention too (D'Oosterlinck et al., CAW-coref, CRAC 2023).
        """
        head = self.head_of(span)
        yield head
        for i in range(*span):
            if self.labels[i] == "cc" and self.heads[self.heads[i]] == head:
                yield i

    def mentions(self, clusters: Sequence[Cluster]) -> list[Mention]:
        """The mentions of clusters, without those whose heads all are heads of shorter ones."""
        numbered = [(span, number) for number, cluster in enumerate(clusters) for span in cluster]
        found: dict[int, Mention] = {}
        for span, number in sorted(numbered, key=lambda pair: pair[0][1] - pair[0][0]):
            head = next((head for head in self.heads_of(span) if head not in found), None)
            if head is not None:
                found[head] = Mention(head, number, *span)
        return list(found.values())


@DatasetReader.register("coreference")
class CoreferenceReader(DatasetReader):
    """
    Reads corpora of coreference for the head `coreference` of the structure model. A data path is a mapping
    from "ontogum" or "litbank" (CoNLL-2012's columns; the name is also the guideline) or "gap" (GAP's TSV, by
    OntoGUM's guideline) to a file, a folder, a pattern such as `train/*.conll`, a URL, or a list of these. An
    instance is a whole document or passage, with the fields `words` and `coreference`.

    A mention is known by its head, the word that depends on one outside of it. Of two mentions with the same
    head, the shorter one has it. The longer one may be known by a conjunction; if not, it is left out, which
    only training notices.

    Registered as a `DatasetReader` with name "coreference". It also takes the parameters of AllenNLP's
    `DatasetReader`.

    # Parameters

    token_indexers : `dict[str, TokenIndexer]`
        `word_pieces` under the name "transformer".
    folder : `str`, optional (default = `None`)
        A folder with the dependencies of OntoGUM's documents, files of GUM in CoNLL-U with the same names.
        Other texts are parsed by the English pipeline of this package.
    fold : `str`, optional (default = `None`)
        Of LitBank and GAP, which have no development part of their own, only documents of the fold "train" or
        "valid", a fifth of them (see `in_fold`).
    repeats : `dict[str, int]`, optional (default = `{}`)
        How often the documents of a corpus are read.
    exchange_names : `bool`, optional (default = `False`)
        Whether repeated documents have other given names, of the same gender, each time.
    guideline : `str`, optional (default = `"ontogum"`)
        The guideline for texts that are not from these corpora.
    """

    def __init__(
        self,
        token_indexers: dict[str, TokenIndexer],
        folder: Optional[str] = None,
        fold: Optional[str] = None,
        repeats: Optional[dict[str, int]] = None,
        exchange_names: bool = False,
        guideline: str = GUIDELINES[0],
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if fold is not None:
            check_choice("coreference", "fold", fold, FOLDS)
        check_choice("coreference", "guideline", guideline, GUIDELINES)
        self._token_indexers = token_indexers
        self._folder = folder
        self._fold = fold
        self._repeats = repeats or {}
        self._exchange_names = exchange_names
        self._guideline = guideline
        self.skipped: Counter = Counter()
        """By corpus, how many mentions the last reading left out, as their heads are those of others."""

    def _read(self, file_path: Any) -> Iterable[Instance]:
        if not isinstance(file_path, Mapping):
            raise ConfigurationError(f"coreference: found the data path {file_path!r}, expected a mapping")
        # Not before: a model that annotates needs no folder.
        if self._folder is not None and not os.path.isdir(self._folder):
            raise ConfigurationError(
                f"coreference: folder is {self._folder}, expected that of files in CoNLL-U"
            )
        self.skipped = Counter()
        # A loader mixes only instances that are near each other.
        yield from interleave_evenly([list(self._corpus(*corpus)) for corpus in file_path.items()])

    def _corpus(self, corpus: str, paths: str | Sequence[str]) -> Iterator[Instance]:
        check_choice("coreference", "the corpus of a data path", corpus, CORPORA)
        form = FORMATS["gap" if corpus == "gap" else "conll_2012"]
        for file in [file for path in always_iterable(paths) for file in form.list_files(path)]:
            local = local_path(file)
            with known_as(file, local):
                texts = list(form.read_all(local))
            if self._fold and corpus != "ontogum":
                texts = [text for text in texts if in_fold(str(text.id), self._fold)]
            for text, tree in zip(texts, self._parsed(file, texts, corpus)):
                for number in range(self._repeats.get(corpus, 1)):
                    seed = f"{text.id} {number}" if self._exchange_names and number else None
                    instance = self.text_to_instance(with_other_names(text, seed), corpus, tree)
                    yield instance
                known = cast(MetadataField, instance["coreference"]).metadata
                self.skipped[corpus] += sum(len(c) for c in known.gold.clusters) - len(known.mentions)
        if self.skipped[corpus]:
            logger.warning(
                "%s: %d mentions skipped, whose heads are those of others", corpus, self.skipped[corpus]
            )

    def _parsed(self, file: str, texts: Sequence[AnnotatedText], corpus: str) -> Iterator[Tree]:
        beside = os.path.basename(file).replace(".conll", ".conllu")
        path = os.path.join(self._folder, beside) if self._folder and corpus == "ontogum" else ""
        if not path:
            for doc in parse(texts):
                tree = Parse(doc)
                yield Tree(tree.heads, tree.labels)
            return
        heads: list[int] = []
        labels: list[str] = []
        miscellanea: list[str] = []
        for sentence in read_conllu_sentences(path):
            start = len(heads)
            for i, word in enumerate(sentence.words, start):
                heads.append(start + int(word.columns[6]) - 1 if word.columns[6] != "0" else i)
                labels.append(word.columns[7])
                miscellanea.append(word.columns[9])
        if [len(text) for text in texts] != [len(heads)]:
            raise ConfigurationError(f"{path}: found {len(heads)} words, expected as many as {file} has")
        entities = [(span, type) for span, (type, *_) in entity_spans(miscellanea)]
        yield Tree(heads, labels, sorted(entities, key=lambda entity: entity[0][1] - entity[0][0]))

    def text_to_instance(
        self, text: AnnotatedText, corpus: Optional[str] = None, tree: Optional[Tree] = None
    ) -> Instance:
        """The instance of a text. If its corpus and its dependencies are given, its clusters are gold ones."""
        guideline = corpus or self._guideline
        described = describe(text, guideline if guideline in GUIDELINES else GUIDELINES[0])
        if corpus and tree:
            kept = [cluster for cluster in text.clusters if len(cluster) > 1 or corpus == "gap"]
            described.corpus, described.gold = corpus, replace(text, clusters=kept)
            described.mentions = tree.mentions(kept)
            if tree.entities:
                described.types = torch.zeros(len(text), dtype=torch.long)
                for span, type in reversed(tree.entities):
                    described.types[tree.head_of(span)] = TYPES.index(type) + 1
        words = TextField([Token(token) for token in text.tokens])
        return Instance({"words": words, "coreference": MetadataField(described)})

    def apply_token_indexers(self, instance: Instance) -> None:
        instance.fields["words"].token_indexers = self._token_indexers  # type: ignore[attr-defined]
