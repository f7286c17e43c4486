"""
The English pipeline of this package: tags, morphology, dependencies and types of entities, by spaCy. Its weights lie
beside this file; CARD.md says what they were trained on. Annotators that build on a parse call `parse`.
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Optional

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

MODEL = Path(__file__).parent / "model"


@lru_cache(maxsize=2)
def load_pipeline(spacy_model: Optional[str] = None) -> "Language":
    """
    The pipeline of this package, or another one by its name or folder. Each process loads it once.
    """
    import numpy as np
    import spacy

    pipeline = spacy.load(spacy_model or MODEL)
    # The weights of this package are float16 on disk.
    for _, component in pipeline.components:
        model = getattr(component, "model", None)
        for node in model.walk() if model else ():
            for name in node.param_names:
                if node.has_param(name):
                    node.set_param(name, np.asarray(node.get_param(name), np.float32))
    return pipeline


_parsed: dict[Optional[str], list[tuple[AnnotatedText, "Doc"]]] = {}
"""The texts that each pipeline parsed last, so that several annotators of one text share its parse."""


def parse(texts: Sequence[AnnotatedText], spacy_model: Optional[str] = None) -> list["Doc"]:
    """
    The texts as docs of spaCy, with the texts' own tokens and sentences, parsed by the pipeline of this package, or by
    another one by its name or folder. The docs are shared: they must not be changed.
    """
    from spacy.tokens import Doc

    pipeline = load_pipeline(spacy_model)
    known = {id(text.tokens): (text, doc) for text, doc in _parsed.get(spacy_model, [])}

    def is_known(text: AnnotatedText) -> bool:
        return id(text.tokens) in known and known[id(text.tokens)][0].sentences == text.sentences

    def bare(text: AnnotatedText) -> "Doc":
        starts = {start for start, _ in text.sentences}
        return Doc(pipeline.vocab, words=text.tokens, sent_starts=[i in starts for i in range(len(text))])

    fresh = pipeline.pipe([bare(text) for text in texts if not is_known(text)])
    docs = [known[id(text.tokens)][1] if is_known(text) else next(fresh) for text in texts]
    _parsed[spacy_model] = list(zip(texts, docs))
    return docs
