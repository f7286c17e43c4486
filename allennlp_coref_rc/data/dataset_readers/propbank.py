from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Optional

import torch
from allennlp.data import DatasetReader, Instance
from allennlp.data.fields import MetadataField, TensorField

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Frame, shift_by
from allennlp_coref_rc.annotations.annotators.roles.features import Sentence, sentences
from allennlp_coref_rc.annotations.english import parse
from allennlp_coref_rc.annotations.formats.conll_2012 import read_conll_2012
from allennlp_coref_rc.data.corpora.corpus_reader import CorpusReader

if TYPE_CHECKING:
    from spacy.tokens import Doc


@DatasetReader.register("propbank")
class PropBankReader(CorpusReader):
    """
    Reads PropBank's frames from files in CoNLL-2012's columns, for `role_labeller`. The English pipeline parses the
    texts; the files' own trees are not read. An instance is a sentence, with the arrays of `Sentence` and, as metadata,
    its frames. Long sentences are divided (see `MAX_LENGTH`): arguments that lie in other pieces than their predicate
    are left out, and counted as skipped.

    Registered as a `DatasetReader` with name "propbank". It also takes the parameters of `CorpusReader`.

    # Parameters

    spacy_model : `str`, optional (default = `None`)
        Name or folder of another pipeline of spaCy, with Universal Dependencies. By default this package's own.
    """

    suffixes = ("conll",)

    def __init__(self, spacy_model: Optional[str] = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._spacy_model = spacy_model

    def read_items(self, path: str) -> Iterator[tuple[str, tuple[AnnotatedText, "Doc"]]]:
        texts = list(read_conll_2012(path))
        for text, doc in zip(texts, parse(texts, self._spacy_model)):
            yield text.id or path, (text, doc)

    def to_instances(self, item: tuple[AnnotatedText, "Doc"]) -> Iterator[Instance]:
        text, doc = item
        for sentence in sentences(text, doc):
            start, stop = sentence.start, sentence.start + len(sentence.heads)
            frames = []
            for frame in text.frames:
                if start <= frame.predicate[0] < stop:
                    inside = [(role, span) for role, span in frame.arguments if start <= span[0] and span[1] <= stop]
                    if len(inside) < len(frame.arguments):
                        self.skipped["arguments outside of a long sentence's piece"] += len(frame.arguments) - len(
                            inside
                        )
                    frames.append(Frame(frame.predicate, inside).moved(shift_by(-start)))
            yield self.text_to_instance(sentence, frames)

    def text_to_instance(self, sentence: Sentence, frames: Optional[Sequence[Frame]] = None) -> Instance:
        """The instance of a sentence. Its gold `frames`, with positions in the sentence, are optional."""
        fields: dict[str, Any] = {
            name: TensorField(getattr(sentence, name)) for name in ("features", "heads", "vectors")
        }
        fields["lengths"] = TensorField(torch.tensor(len(sentence.heads)))
        fields["frames"] = MetadataField(frames)
        return Instance(fields)

    def apply_token_indexers(self, instance: Instance) -> None:
        """Does nothing: the features are hashes."""
