import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Optional

import torch
from allennlp.data import DatasetReader, Instance
from allennlp.data.fields import MetadataField, TensorField

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Frame, shift_by
from allennlp_coref_rc.annotations.annotators.roles.features import Sentence, sentences
from allennlp_coref_rc.annotations.english import parse
from allennlp_coref_rc.annotations.formats import FORMATS
from allennlp_coref_rc.common.files import known_as, local_path

if TYPE_CHECKING:
    from spacy.tokens import Doc

logger = logging.getLogger(__name__)

PIECES = "arguments outside of a long sentence's piece"


@DatasetReader.register("propbank")
class PropBankReader(DatasetReader):
    """
    Reads PropBank's frames from files in CoNLL-2012's columns, for `role_labeller`. The English pipeline
    parses the texts; the files' own trees are not read. An instance is a sentence, with the arrays of
    `Sentence` and, as metadata, its frames. Long sentences are divided (see `MAX_LENGTH`): arguments that lie
    in other pieces than their predicate are left out, and counted as skipped. A data path is a file, a
    folder, a pattern such as `train/*.conll`, or a URL.

    Registered as a `DatasetReader` with name "propbank". It also takes the parameters of AllenNLP's
    `DatasetReader`.

    # Parameters

    spacy_model : `str`, optional (default = `None`)
        Name or folder of another pipeline of spaCy, with Universal Dependencies. By default this package's
        own.
    """

    def __init__(self, spacy_model: Optional[str] = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._spacy_model = spacy_model
        self.skipped: Counter = Counter()
        """By cause, how much the last reading left out."""

    def _read(self, file_path: Any) -> Iterable[Instance]:
        self.skipped = Counter()
        conll_2012 = FORMATS["conll_2012"]
        for path in conll_2012.list_files(str(file_path)):
            local = local_path(path)
            with known_as(path, local):
                texts = list(conll_2012.read_all(local))
                for text, doc in zip(texts, parse(texts, self._spacy_model)):
                    yield from self.to_instances(text, doc)
        for cause, number in sorted(self.skipped.items()):
            logger.warning("%s: %d skipped: %s", file_path, number, cause)

    def to_instances(self, text: AnnotatedText, doc: "Doc") -> Iterator[Instance]:
        """The instances of a parsed text, one for each sentence."""
        for sentence in sentences(text, doc):
            start, stop = sentence.start, sentence.start + len(sentence.heads)
            frames = []
            for frame in text.frames:
                if start <= frame.predicate[0] < stop:
                    inside = [
                        (role, span) for role, span in frame.arguments if start <= span[0] and span[1] <= stop
                    ]
                    if len(inside) < len(frame.arguments):
                        self.skipped[PIECES] += len(frame.arguments) - len(inside)
                    frames.append(Frame(frame.predicate, inside).moved(shift_by(-start)))
            yield self.text_to_instance(sentence, frames)

    def text_to_instance(self, sentence: Sentence, frames: Optional[Sequence[Frame]] = None) -> Instance:
        """The instance of a sentence. Its gold `frames`, with positions in the sentence, are optional."""
        arrays = {name: TensorField(getattr(sentence, name)) for name in ("features", "heads", "vectors")}
        lengths = TensorField(torch.tensor(len(sentence.heads)))
        return Instance({**arrays, "lengths": lengths, "frames": MetadataField(frames)})

    def apply_token_indexers(self, instance: Instance) -> None:
        """Does nothing: the features are hashes."""
