import logging
from functools import cached_property

from allennlp_coref_rc.annotations.alignment import UNKNOWN, normalized, transfer
from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.formats import FORMATS
from allennlp_coref_rc.common.checks import check_choice
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import known_as, local_path

logger = logging.getLogger(__name__)

Texts = dict[str, tuple[str, AnnotatedText]]
"""Each text with its file."""


@Annotator.register("precomputed")
class PrecomputedAnnotator(Annotator):
    """
    Annotations that another tool or person made, read from files. A text gets the annotations of the text
    with the same `id` in the files, if it has the same characters; otherwise those of any text with the same
    characters. Tokens may differ (see `Alignment`).

    Where a reader has passages and questions annotated separately, the ids of the questions are that of the
    document with `##000`, `##001`, … after it. If the files have only passages, set `missing` to `"ignore"`.

    Each process reads the files when it annotates its first text.

    Registered as an `Annotator` with name "precomputed".

    # Parameters

    path : `str`
        A file, a URL, a folder, or a pattern like `"parses/*.json"`.
    format : `str`
        `"conll_2012"`, `"conllu"`, `"corenlp"`, `"brat"`, `"conll_2016"`, `"dassa"`, `"e2e_coref"`, `"gap"`,
        or `"annotated"` (this package's own). See `annotations/formats`.
    missing : `str`, optional (default = `"error"`)
        What to do with a text that is not in the files: `"error"`, or `"ignore"`, to leave it as it is.
    ignore_case : `bool`, optional (default = `False`)
        Upper and lower case may differ between the files and the text, as for LAMBADA.
    beginning : `bool`, optional (default = `False`)
        Texts in the files may end earlier, for example if they are passages without their questions. Such
        texts are found only by their `id`.
    sentences : `bool`, optional (default = `False`)
        Also replace the text's sentences by those in the files.

    # Example

    ```jsonnet
    {"type": "precomputed", "path": "corenlp/*.json", "format": "corenlp", "ignore_case": true}
    ```
    """

    def __init__(
        self,
        path: str,
        format: str,
        missing: str = "error",
        ignore_case: bool = False,
        beginning: bool = False,
        sentences: bool = False,
    ) -> None:
        check_choice("precomputed", "format", format, FORMATS)
        check_choice("precomputed", "missing", missing, ("error", "ignore"))
        self._path = path
        self._format = FORMATS[format]
        self._missing = missing
        self._ignore_case = ignore_case
        self._beginning = beginning
        self._sentences = sentences

    def annotate(self, text: AnnotatedText) -> AnnotatedText:
        by_id, by_characters = self._texts
        match = None if text.id is None else by_id.get(text.id)
        characters = self._characters(text)
        if match is None or self._characters(match[1]) != characters:
            match = by_characters.get(characters, match)
        if match is None:
            name = "a text without an id" if text.id is None else f"the text {text.id!r}"
            message = f"precomputed: {self._path}: found no annotation of {name} or of its characters"
            if self._missing == "error":
                raise ConfigurationError(
                    f'{message}; set missing to "ignore" to leave such texts as they are'
                )
            logger.info(message)
            return text
        file, source = match
        try:
            return transfer(source, text, self._ignore_case, self._beginning, self._sentences)
        except ConfigurationError as error:
            raise ConfigurationError(f"{file}, the text {source.id!r}: {error}") from error

    @cached_property
    def _texts(self) -> tuple[Texts, Texts]:
        """The texts by their ids, and by their characters."""
        by_id: Texts = {}
        by_characters: Texts = {}
        number = 0
        try:
            files = [(file, local_path(file)) for file in self._format.list_files(self._path)]
        except ConfigurationError as error:
            raise ConfigurationError(f"precomputed: path is {self._path!r}: {error}") from error
        for file, local in files:
            with known_as(file, local):
                for text in self._format.read_all(local):
                    number += 1
                    if text.id in by_id:
                        raise ConfigurationError(
                            f"{file}: found {text.id!r}, which {by_id[text.id][0]} has already"
                        )
                    if text.id is not None:
                        by_id[text.id] = file, text
                    if UNKNOWN not in text.tokens:
                        by_characters.setdefault(self._characters(text), (file, text))
        logger.info("%s: annotations of %d texts", self._path, number)
        return by_id, by_characters

    def _characters(self, text: AnnotatedText) -> str:
        return "".join(normalized(token, self._ignore_case) for token in text.tokens)
