import re
from collections.abc import Iterator
from html.entities import html5
from typing import Any, NamedTuple, Optional, Union
from xml.parsers import expat

from allennlp.data import DatasetReader

from allennlp_coref_rc.annotations import Document
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import open_text
from allennlp_coref_rc.data.dataset_readers.cloze_dataset_reader import ClozeDatasetReader
from allennlp_coref_rc.data.dataset_readers.reading_comprehension_reader import PLACEHOLDER

PARENTS = {
    "ROOT": None,
    **dict.fromkeys(("mc",), "ROOT"),
    **dict.fromkeys(("question", "contextart", "choice"), "mc"),
    **dict.fromkeys(("leftcontext", "leftblank", "blank", "rightblank", "rightcontext"), "question"),
}
"""The elements of a file, and the element in which each of them has to be."""

REMOVED = frozenset({"leftblank", "blank", "rightblank"})
"""The elements that contain the name that the question asks for. Their text is never read."""

TEXTS = frozenset({"leftcontext", "rightcontext", "contextart", "choice"})

_ENTITY_REFERENCE = re.compile(r"&([A-Za-z][A-Za-z0-9]*);")
_XML_ENTITIES = frozenset({"amp", "lt", "gt", "quot", "apos"})


class WhoDidWhatQuestion(NamedTuple):
    """A question of Who-did-What, between the texts to the left and to the right of the removed name."""

    left: str
    right: str
    passage: str
    choices: list[str]
    correct: Optional[int]
    """The index of the correct choice, if it is known."""
    question_id: str
    """The id of the article that the question comes from."""
    passage_id: str
    line: int
    """The line of the file where the question begins, from 1."""


def read_who_did_what(path: str) -> Iterator[Union[WhoDidWhatQuestion, ConfigurationError]]:
    """
    The questions of a file of Who-did-What (Onishi et al. 2016), or the errors of malformed ones, read piece
    by piece. HTML's entities, such as `&nbsp;`, are read as in HTML; a document type declaration, which could
    declare others, is refused.
    """
    parser = _Parser(path)
    with open_text(path) as lines:
        for content in lines:
            yield from parser.read(content)
    yield from parser.read("", last=True)


class _Parser:
    def __init__(self, path: str) -> None:
        self._path = path
        self._open: list[str] = []
        self._text: list[str] = []
        self._questions: list[Union[WhoDidWhatQuestion, ConfigurationError]] = []
        self._problem: Optional[ConfigurationError] = None
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.StartDoctypeDeclHandler = self._doctype

    def read(self, content: str, last: bool = False) -> list[Union[WhoDidWhatQuestion, ConfigurationError]]:
        """The questions that end in the next piece of the file."""
        try:
            self._parser.Parse(_ENTITY_REFERENCE.sub(_character_references, content), last)
        except expat.ExpatError as error:
            found = f"{self._path}, line {error.lineno}: found {expat.ErrorString(error.code)}"
            raise ConfigurationError(f"{found}, expected well-formed XML") from error
        questions, self._questions = self._questions, []
        return questions

    def _error(self, found: str, expected: str) -> ConfigurationError:
        return ConfigurationError(
            f"{self._path}, line {self._parser.CurrentLineNumber}: found {found}, expected {expected}"
        )

    def _note(self, found: str, expected: str) -> None:
        self._problem = self._problem or self._error(found, expected)

    def _doctype(self, *declaration: Any) -> None:
        raise self._error("a document type declaration", "none")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        parent = self._open[-1] if self._open else None
        if tag not in PARENTS or PARENTS[tag] != parent:
            expected = [f"<{name}>" for name, its_parent in PARENTS.items() if its_parent == parent]
            inside = f" in <{parent}>" if parent else ""
            raise self._error(f"<{tag[:60]}>{inside}", " or ".join(expected) or f"text{inside}")
        if tag == "mc":
            self._line = self._parser.CurrentLineNumber
            self._values: dict[str, str] = {}
            self._choices: list[str] = []
            self._correct: list[Optional[bool]] = []
        elif tag == "choice":
            correct = attributes.get("correct")
            if correct not in (None, "true", "false"):
                self._note(f'correct="{correct[:60]}"', '"true" or "false"')
            self._correct.append(None if correct is None else correct == "true")
        elif parent == "mc":
            self._store(f"{tag} id", attributes.get("id", ""))
        self._open.append(tag)
        self._text = []

    def _store(self, name: str, value: str) -> None:
        if name in self._values:
            self._note(f"a second <{name.split()[0]}>", "one")
        self._values[name] = value

    def _characters(self, text: str) -> None:
        if self._open[-1] in TEXTS:
            self._text.append(text)
        elif self._open[-1] not in REMOVED and text.strip():
            self._note(f"the text {text.strip()[:60]!r} in <{self._open[-1]}>", "elements only")
            if self._problem and "mc" not in self._open:
                raise self._problem

    def _end(self, tag: str) -> None:
        self._open.pop()
        text = "".join(self._text).strip()
        if tag == "choice":
            if not text:
                self._note("an empty <choice>", "a name")
            self._choices.append(text)
        elif tag in TEXTS:
            self._store(tag, text)
        elif tag == "mc":
            self._finish()

    def _finish(self) -> None:
        for name in ("leftcontext", "rightcontext", "contextart"):
            if name not in self._values:
                self._note(f"the end of the question that begins on line {self._line}", f"a <{name}> in it")
        if not self._values.get("contextart"):
            self._note("an empty <contextart>", "a passage")
        if len(self._choices) < 2:
            self._note(f"{len(self._choices)} choices", "2 to 5")
        num_correct = self._correct.count(True)
        is_labelled = any(flag is not None for flag in self._correct)
        if num_correct != (1 if is_labelled else 0):
            self._note(f"{num_correct} correct choices", 'one, or choices without "correct"')
        if self._problem:
            self._questions.append(self._problem)
            self._problem = None
            return
        left, right, passage = (self._values[name] for name in ("leftcontext", "rightcontext", "contextart"))
        correct = self._correct.index(True) if True in self._correct else None
        question_id, passage_id = (self._values.get(f"{name} id", "") for name in ("question", "contextart"))
        question = WhoDidWhatQuestion(
            left, right, passage, self._choices, correct, question_id, passage_id, self._line
        )
        self._questions.append(question)


def _character_references(match: re.Match) -> str:
    # Character numbers cannot be mistaken for markup, and do not change the line count.
    characters = "" if match.group(1) in _XML_ENTITIES else html5.get(f"{match.group(1)};", "")
    return "".join(f"&#{ord(character)};" for character in characters) or match.group()


@DatasetReader.register("annotated_who_did_what")
class AnnotatedWhoDidWhatReader(ClozeDatasetReader):
    """
    Reads Who-did-What (Onishi et al. 2016). A passage from one article tells which person is missing in a
    sentence of another article. The question is that sentence, with `@placeholder` for the name. The removed
    name is never read. The candidates are the choices, whose names are looked up in the passage.

    The two settings differ only in the training file: `Strict/train.xml`, or the larger and noisier
    `Relaxed/train.xml`. `val.xml` and `test.xml` are the same in both folders. The files are made from LDC's
    English Gigaword, which needs a licence.

    Passages are raw text, so by default everything is tokenised by `BlankSpacyTokenizer`. `bag_of_tokens`
    does what the GA Reader's code does. The parameters are those of `ClozeDatasetReader` and
    `ReadingComprehensionReader`.

    Registered as a `DatasetReader` with name "annotated_who_did_what".
    """

    metadata_keys = ("passage_id",)

    def read_items(
        self, path: str, name: str
    ) -> Iterator[tuple[str, Union[WhoDidWhatQuestion, ConfigurationError]]]:
        for question in read_who_did_what(path):
            # The message of an error begins with its place.
            yield (
                f"{path}, line {question.line}" if isinstance(question, WhoDidWhatQuestion) else path,
                question,
            )

    def to_document(self, item: WhoDidWhatQuestion) -> Document:
        data = {
            "candidates": item.choices,
            "answer": None if item.correct is None else item.choices[item.correct],
            "passage_id": item.passage_id,
        }
        question = f"{item.left} {PLACEHOLDER} {item.right}"
        # An article may have several questions, so its id does not identify them.
        return self.document(item.passage, [question], [data], f"{item.question_id}:{item.line}")
