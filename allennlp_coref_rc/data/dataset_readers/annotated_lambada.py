import os
import re
from collections.abc import Iterator, Sequence
from typing import Any, Optional, Union

from allennlp.data import DatasetReader
from allennlp.data.tokenizers import WhitespaceTokenizer

from allennlp_coref_rc.annotations import Document
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import open_text
from allennlp_coref_rc.common.json_objects import parse_json
from allennlp_coref_rc.common.json_value import JsonValue
from allennlp_coref_rc.common.schema import String
from allennlp_coref_rc.data.dataset_readers.cloze_dataset_reader import ClozeDatasetReader
from allennlp_coref_rc.data.dataset_readers.document_reader import Text, candidate_names
from allennlp_coref_rc.data.dataset_readers.reading_comprehension_reader import PLACEHOLDER

_OBJECT = re.compile(r'\s*\{\s*"')

NO_CONTEXT = "the text has no sentence before the question"

ABSENT_ANSWER = "the answer is not one of the candidates"


@DatasetReader.register("annotated_lambada")
class AnnotatedLambadaReader(ClozeDatasetReader):
    """
    Reads LAMBADA (Paperno et al. 2016) as reading comprehension (Chu et al. 2017). Each line of a file is a
    tokenised text, or an object `{"text": …}`, and its last word is to be predicted. Blank lines are passed
    over. The end of the text, after the last token ".", is the question, with `@placeholder` for the last
    word. The text before it is the passage. The candidates are the different words of the passage: tokens
    with a letter or a digit, or all tokens if there are no such tokens. No annotator sees the answer.

    A question whose answer is not a candidate is skipped. In the development data these are 919 of 4,869.
    With `keep_skipped` they count in `accuracy_official`, which is "overall" in the papers; `accuracy` counts
    only questions whose answer is in the context. (The authors' code of Coref-GRU says that it keeps 3,951.
    In the published file, the same rule keeps 3,950.)

    A text with nothing before the question is skipped too (7 in the development data). If it is kept, the
    passage is the text without the answer, and the question is only the placeholder.

    Registered as a `DatasetReader` with name "annotated_lambada". It also takes the parameters of
    `ClozeDatasetReader` and `ReadingComprehensionReader`. The default tokenizer splits at blanks.
    """

    default_tokenizer = WhitespaceTokenizer()
    metadata_keys = ("answer_in_context",)
    columns = ("text",)

    def read_items(self, path: str, name: str) -> Iterator[tuple[str, tuple[str, str]]]:
        with open_text(path) as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield f"{path}, line {number}", (f"{os.path.basename(name)}:{number}", line)

    def to_document(self, item: tuple[str, Union[str, JsonValue]]) -> Document:
        id, line = item
        if isinstance(line, str):
            line = JsonValue(parse_json(line) if _OBJECT.match(line) else {"text": line})
        text = line["text"].to(String)
        context, _, answer = " ".join(text.split()).rpartition(" ")
        tokens = self.tokenize(context)
        if not tokens:
            raise ConfigurationError(f"found {answer[:80]!r}, expected a text of two words or more")
        # The number of tokens in the passage. A period is not a sentence by itself.
        start = max((i + 1 for i, token in enumerate(tokens) if token == "." and i > 0), default=0)
        passage = self.split(tokens[:start] or tokens).located(context)
        question = tokens[start:] if start else []
        if passage.offsets:
            passage.text = context[: passage.offsets[-1][1]]
        is_candidate = _is_word(answer) and answer.lower() in map(str.lower, passage.tokens)
        data = {"answer": answer, "answer_in_context": start > 0 and is_candidate}
        if not start:
            data["no_context"] = True
        return self.document(passage, [question + [PLACEHOLDER]], [data], id)

    def find_candidates(self, passage: Sequence[str]) -> list[Text]:
        words = list(filter(_is_word, passage)) or passage
        first = {word.lower(): word for word in reversed(words)}
        return [[first[word]] for word in dict.fromkeys(map(str.lower, words))]

    def cause_to_skip(
        self, data: dict[str, Any], candidates: Sequence[Text], passage: Sequence[str]
    ) -> Optional[str]:
        if data.get("no_context"):
            return NO_CONTEXT
        answer = data.get("answer")
        names = {name.lower() for name in candidate_names(candidates)}
        return None if answer is None or (_is_word(answer) and answer.lower() in names) else ABSENT_ANSWER


def _is_word(token: str) -> bool:
    return any(map(str.isalnum, token))
