from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import cycle
from typing import Any, Optional

from allennlp.data import DatasetReader, Instance, Token, TokenIndexer
from allennlp.data.fields import MetadataField, TextField
from more_itertools import always_iterable

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span
from allennlp_coref_rc.annotations.formats import FORMATS, Format
from allennlp_coref_rc.common.checks import check_choice, check_number
from allennlp_coref_rc.common.files import known_as, local_path
from allennlp_coref_rc.data.corpora.discourse_corpora import FOLDS, in_fold, read_rels_texts

KINDS = {**FORMATS, "rels": Format(lambda path, _: read_rels_texts(path), "*.rels")}


@DatasetReader.register("annotated_texts")
class AnnotatedTextsReader(DatasetReader):
    """
    Reads texts with their annotations, for heads of a multi-task model such as `roles` and `discourse`. An
    instance is a text: `words` (`TextField`), and as metadata the `AnnotatedText`, as `text` and, if it has
    annotations to learn, as `gold`. A data path is a file, a folder, a pattern such as `train/*.conll`, a URL,
    or a list of these.

    Registered as a `DatasetReader` with name "annotated_texts". It also takes the parameters of AllenNLP's
    `DatasetReader`.

    # Parameters

    format : `str`
        One of the formats of the annotator `precomputed`, or `"rels"`, DISRPT's discourse relations.
    token_indexers : `dict[str, TokenIndexer]`
    max_words : `int | list[int]`, optional (default = `None`)
        The most words of an instance. Longer texts are cut between sentences; with 1, each sentence is an
        instance. With a list, the parts of a text take turns to have these lengths. What links two parts is
        lost, but a relation stays where its connective is, without the words of its arguments that are in
        other parts. By default texts stay whole.
    fold : `str`, optional (default = `None`)
        "train" or "valid": only a part of the texts is read, for corpora without an official split.
    """

    def __init__(
        self,
        format: str,
        token_indexers: dict[str, TokenIndexer],
        max_words: Optional[int | Sequence[int]] = None,
        fold: Optional[str] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(manual_distributed_sharding=True, manual_multiprocess_sharding=True, **kwargs)
        check_choice("annotated_texts", "format", format, KINDS)
        if fold is not None:
            check_choice("annotated_texts", "fold", fold, FOLDS)
        for number in [0] if max_words == [] else always_iterable(max_words):
            check_number("annotated_texts", "max_words", number)
        self._format = KINDS[format]
        self._token_indexers = token_indexers
        self._max_words = max_words
        self._fold = fold

    def _read(self, file_path: Any) -> Iterable[Instance]:
        for text in self.shard_iterable(self._texts(file_path)):
            if text.tokens and (self._fold is None or in_fold(str(text.id), self._fold)):
                for part in self._parts(text):
                    yield self.text_to_instance(part, has_annotations=True)

    def _texts(self, paths: Any) -> Iterator[AnnotatedText]:
        for path in paths if isinstance(paths, list) else [paths]:
            for file in self._format.list_files(str(path)):
                local = local_path(file)
                with known_as(file, local):
                    yield from self._format.read_all(local)

    def _parts(self, text: AnnotatedText) -> Iterator[AnnotatedText]:
        if self._max_words is None:
            yield text
            return
        most = cycle(always_iterable(self._max_words))
        parts: list[Span] = []
        room = 0
        for start, stop in text.sentences:
            if parts and stop - parts[-1][0] <= room:
                parts[-1] = parts[-1][0], stop
            else:
                parts.append((start, stop))
                room = next(most)
        yield from (_cut(text, part) for part in parts)

    def text_to_instance(self, text: AnnotatedText, has_annotations: bool = False) -> Instance:
        """The instance of a text, and whether its annotations are to be learnt."""
        words = TextField([Token(token) for token in text.tokens])
        gold = {"gold": MetadataField(text)} if has_annotations else {}
        return Instance({"words": words, "text": MetadataField(text), **gold})

    def apply_token_indexers(self, instance: Instance) -> None:
        instance.fields["words"].token_indexers = self._token_indexers  # type: ignore[attr-defined]


def _cut(text: AnnotatedText, part: Span) -> AnnotatedText:
    """
    A part of a text. Relations whose argument is in another part have to stay: without them "However" at the
    beginning of a part would be learnt as no connective.
    """

    def inside(spans: Iterable[Span]) -> list[Span]:
        clipped = ((max(start, part[0]), min(stop, part[1])) for start, stop in spans)
        return [(start - part[0], stop - part[0]) for start, stop in clipped if start < stop]

    cut = [
        replace(r, arg1=inside(r.arg1), arg2=inside(r.arg2), connective=inside(r.connective))
        for r in text.relations
        if r.connective and all(part[0] <= start and stop <= part[1] for start, stop in r.connective)
    ]
    return text.select(part).with_more(relations=[r for r in cut if not (r.arg1 and r.arg2)])
