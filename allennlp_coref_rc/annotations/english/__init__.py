"""
The English pipeline of this package, by spaCy: tags, morphology, lemmas, dependencies, and types of entities.
Its weights lie beside this file; CARD.md says what they were trained on. Annotators that need a parse call
`parse`. `structure.tar.gz` beside it is the model of roles and discourse relations, see `StructureModel`.
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Optional, Union

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.tokenization import MOST_STRINGS, Span
from allennlp_coref_rc.common.errors import ConfigurationError

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

MODEL = str(Path(__file__).parent / "model")
"""The folder of the pipeline of this package."""

LONGEST_SENTENCE = 400
"""
In tokens. A longer one, which has lost its full stops, is parsed in pieces: trees of any depth would take too
long.
"""

BATCH = 64
"""Texts that the pipeline gets at once. Larger batches are not faster on a CPU."""


@lru_cache(maxsize=2)
def load_pipeline(spacy_model: str) -> "Language":
    """A pipeline by its name or folder. Each process loads it once."""
    import numpy as np
    import spacy

    try:
        pipeline = spacy.load(spacy_model)
    # Components raise errors of their own if something is missing or does not fit.
    except Exception as error:
        raise ConfigurationError(
            f"spacy_model is {spacy_model!r}, which can't be loaded: {error!r} (if it is spaCy's, install it with "
            f"python -m spacy download {spacy_model})"
        ) from error
    # The weights of this package are float16 on disk.
    models = [model for _, component in pipeline.components if (model := getattr(component, "model", None))]
    for node in [node for model in models for node in model.walk()]:
        for name in filter(node.has_param, node.param_names):
            node.set_param(name, node.get_param(name).astype(np.float32))
    return pipeline


class Parsed(NamedTuple):
    """A parsed text: its list of tokens, what was in it, its sentences and white space, and the doc."""

    text_tokens: list[str]
    tokens: list[str]
    sentences: list[Span]
    spaced: list[bool]
    doc: "Doc"


_parsed: dict[str, dict[int, Parsed]] = {}
"""
The texts that each pipeline parsed last, by the id of their list of tokens, so that several annotators of one
text share its parse.
"""


def parse(texts: Sequence[AnnotatedText], spacy_model: Optional[str] = None) -> list["Doc"]:
    """
    The texts as docs of spaCy with the texts' own tokens and sentences (but see `LONGEST_SENTENCE`), parsed
    by the pipeline of this package, or by another one by its name or folder. They have no lemmas, which take
    a third of the time. A text that was among the last ones is not parsed again. So callers share docs, and
    must not change them. Raises a `ConfigurationError` if the pipeline has no parser, or splits or merges
    tokens.
    """
    spacy_model = spacy_model or MODEL
    pipeline = load_pipeline(spacy_model)
    last = _parsed.get(spacy_model, {})

    def known_doc(text: AnnotatedText) -> Optional["Doc"]:
        known = last.get(id(text.tokens))
        own = text.tokens, text.sentences, text.spaced
        return known.doc if known and (known.tokens, known.sentences, known.spaced) == own else None

    known_docs = [known_doc(text) for text in texts]
    bare = [
        _bare(text, pipeline.vocab, spacy_model == MODEL)
        for text, doc in zip(texts, known_docs)
        if doc is None
    ]
    fresh = pipeline.pipe(bare, batch_size=BATCH, disable=["lemmatizer"])
    docs = [next(fresh) if doc is None else doc for doc in known_docs]
    for text, doc in zip(texts, docs):
        if len(doc) != len(text):
            raise ConfigurationError(
                f"spacy_model is {spacy_model!r}, which found other tokens in the text {text.id!r} than before: one of "
                "its components splits or merges tokens"
            )
        if len(doc) and not doc.has_annotation("DEP"):
            raise ConfigurationError(f"spacy_model is {spacy_model!r}, which has no parser")
    _parsed[spacy_model] = {
        id(text.tokens): Parsed(text.tokens, text.tokens[:], text.sentences[:], text.spaced, doc)
        for text, doc in zip(texts, docs)
    }
    if len(pipeline.vocab.strings) > MOST_STRINGS:
        load_pipeline.cache_clear()
    return docs


def _bare(text: AnnotatedText, vocab: "Vocab", names: bool) -> "Doc":
    """A doc that is not parsed yet. With `names`, the names of companies and couples are entities already."""
    from spacy.tokens import Doc
    from spacy.tokens import Span as Entity

    from allennlp_coref_rc.annotations.annotators.coref.sieve.name_spans import compound_names
    from allennlp_coref_rc.annotations.annotators.lexicon import TITLES

    starts = {piece for start, stop in text.sentences for piece in range(start, stop, LONGEST_SENTENCE)}
    is_start: list[Union[bool, int, None]] = [i in starts for i in range(len(text))]
    # spaCy refuses empty words.
    words, spaces = [token or "_" for token in text.tokens], [*text.spaced[1:], True][: len(text)]
    doc = Doc(vocab, words=words, spaces=spaces, sent_starts=is_start)
    if names:
        compounds = compound_names(text.tokens, text.sentences)
        labels = ("person" if doc[start].lower_ in TITLES else "organization" for start in compounds)
        doc.set_ents(
            [Entity(doc, *span, label) for span, label in zip(compounds.items(), labels)], default="missing"
        )
    return doc
