"""What is fuzzed: the files of every reader and every format, and the inputs of predictors."""

import inspect
import json
import tempfile
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import spacy
import srsly
from allennlp.common import Params
from allennlp.data import DatasetReader
from allennlp.predictors import Predictor
from thinc.api import ConfigValidationError

from allennlp_coref_rc.annotation_runs.document_sources import document_source
from allennlp_coref_rc.annotations import read_documents, write_documents
from allennlp_coref_rc.annotations.annotated_text import Frame
from allennlp_coref_rc.annotations.annotators import Annotator
from allennlp_coref_rc.annotations.file_report import report_on_file
from allennlp_coref_rc.annotations.formats import FORMATS
from allennlp_coref_rc.annotations.spacy_components import COMPONENTS
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import byte_lines, decoded, open_text
from allennlp_coref_rc.config_check.check import check_experiment
from allennlp_coref_rc.data.corpora.cnn_dailymail import write_json_lines
from allennlp_coref_rc.data.corpora.discourse_corpora import read_rels_texts
from allennlp_coref_rc.reproduction.condition import select
from allennlp_coref_rc.reproduction.condition_files import CONDITIONS, read_conditions
from allennlp_coref_rc.reproduction.report import report
from allennlp_coref_rc.reproduction.results_file import Results, read_lines, result
from tests.annotations.formats.conll_2012_test import STORY
from tests.annotations.spacy_components_test import OPTIONS
from tests.fuzz import checks
from tests.models import ga_reader_test, span_models
from tests.shared import PROJECT
from tests.training_config.configs import CONFIGS, FIXTURES, load_small

Files = dict[str, bytes]

LAYERS: dict[str, Any] = {
    "coref": "coref_edges",
    "clusters": "coref_views",
    "srl": "srl_edges",
    "roles": "srl_views",
    "discourse": "discourse_edges",
    "senses": {"type": "discourse_views", "kind": "explicit"},
    "sentences": "sentence_views",
    "windows": {"type": "window_views", "like": {"type": "discourse_views", "kind": "non_explicit"}},
    "edges": "typed_edges",
}

ANNOTATOR = {"type": "compose", "annotators": ["exact_match_coref", "connective_discourse"]}


@dataclass(frozen=True)
class Kind:
    """
    # Parameters

    name : `str`
    shape : `str`
        Which mutations fit: "bytes", "lines" or "json".
    files : `Callable[[], Files]`
        Makes the files of a folder, by name. The first one is damaged as a rule, and at times another.
    use : `Callable[[str], Any]`
        Uses the first file, whose path it is given, and checks what comes of it.
    named : `bool`, optional (default = `True`)
        A refusal names the file.
    lines : `bool`, optional (default = `True`)
        And a line of it.
    packed : `bool`, optional (default = `True`)
        The file may also be compressed.
    """

    name: str
    shape: str
    files: Callable[[], Files]
    use: Callable[[str], Any] = field(repr=False)
    named: bool = True
    lines: bool = True
    packed: bool = True


def fixtures(*paths: str, folder: str = "") -> Callable[[], Files]:
    """Fixtures by their names, or by their paths in a folder of them."""
    return lambda: {
        str(Path(path).relative_to(folder)) if folder else Path(path).name: (FIXTURES / path).read_bytes()
        for path in paths
    }


def build(name: str, **options: Any) -> DatasetReader:
    return DatasetReader.from_params(Params(deepcopy({"type": name, "annotation_layers": LAYERS, **options})))


def read(name: str, path: str, options: dict[str, Any]) -> None:
    reader = DatasetReader.from_params(Params({"type": name, **options}))
    checks.check_instances(reader, list(reader.read(path)))


def read_rels(path: str) -> None:
    for text in read_rels_texts(path):
        checks.check_text(text)


def raw(
    title: str, name: str, shape: str, files: Callable[[], Files], split: str = "", **options: Any
) -> Kind:
    """Official files; `split` is what the data path ends with where that is no file."""

    def use(path: str) -> None:
        reader = build(name, annotator=ANNOTATOR, **options)
        checks.check_instances(reader, list(reader.read(str(Path(path).parent / split) if split else path)))

    # A .question file holds one question.
    of_lines = not title.endswith(".question")
    return Kind(title, shape, files, use, lines=of_lines, packed=of_lines)


def documents(title: str, name: str, path: str) -> Kind:
    """Annotated documents of a reader."""

    def use(path: str) -> None:
        reader = build(name, keep_skipped=True)
        checks.check_instances(reader, list(reader.read(path)))

    return Kind(title, "json", lru_cache(partial(annotated, name, path)), use)


def annotated(name: str, path: str) -> Files:
    """The first documents of a file, annotated and with a frame each."""
    reader = build(name, annotator=ANNOTATOR)
    found = []
    for _, item in list(reader.read_items(reader.find(str(FIXTURES / path)), str(FIXTURES / path)))[:3]:
        document = reader.annotate(reader.to_document(item))
        frame = Frame((0, 1), [("ARG1", (1, 3)), ("ARGM-LOC", (0, 2))])
        found.append(replace(document, text=replace(document.text, frames=[frame])))
    with tempfile.TemporaryDirectory() as folder:
        write_documents(f"{folder}/a.jsonl", found, {"reader": name})
        return {"documents.jsonl": Path(f"{folder}/a.jsonl").read_bytes()}


@lru_cache
def questions() -> Files:
    with tempfile.TemporaryDirectory() as folder:
        write_json_lines(f"{folder}/a", sorted(map(str, FIXTURES.glob("cnn_dailymail/questions/test/*")))[:3])
        return {"questions.jsonl": Path(f"{folder}/a").read_bytes()}


def format_file(title: str, name: str, shape: str, files: Callable[[], Files]) -> Kind:
    """A file of another tool or of a corpus, as the annotator `precomputed` reads it."""

    def use(path: str) -> None:
        for text in FORMATS[name].read_all(path):
            checks.check_text(text)

    return Kind(title, shape, files, use)


def read_and_report(path: str) -> None:
    """Documents are what their lines say. A file is refused if, and only if, the report on it has errors."""
    report = report_on_file(path)
    try:
        found = list(read_documents(path))
        with open_text(path) as lines:
            for (_, document), line in zip(found, list(lines)[1:], strict=True):
                checks.check_document(document)
                checks.check_written_alike(document, line)
    except ConfigurationError:
        assert report.num_errors, "the report says that there is no error"
        raise


def annotate_input(path: str) -> None:
    """What `annotate` makes of a file before it annotates it."""
    source = document_source(path)
    for _, item in source.items():
        if not isinstance(item, ConfigurationError):
            checks.check_document(source.to_document(item))


@lru_cache(maxsize=None)
def predictor(name: str) -> Predictor:
    if name in ("annotated_narrativeqa", "annotated_quoref"):
        model, reader, _ = span_models.build(span_models.qanet())
        if name != "annotated_narrativeqa":
            reader = DatasetReader.from_params(Params(deepcopy({**span_models.READER, "type": name})))
        return Predictor.by_name("span_reader")(model.eval(), reader)
    model, _, reader = ga_reader_test.build("bi_coref_gru")
    reader = reader if name == "annotated_babi" else build(name, annotator=ANNOTATOR)
    return Predictor.by_name("cloze_reader")(model.eval(), reader)


def inputs(title: str, name: str, values: dict[str, Any]) -> Kind:
    """The input of a predictor, a line of JSON. The command `predict` says which line it was."""

    def use(path: str) -> None:
        for line in byte_lines(path):
            loaded = predictor(name).load_line(decoded(line))
            checks.check_prediction(predictor(name).predict_json(loaded))

    return Kind(
        title, "json", lambda: {"input.jsonl": json.dumps(values).encode()}, use, named=False, packed=False
    )


def results() -> Files:
    """The header of the results of all runs, and some of the runs of a table."""
    header, *lines = (PROJECT / "docs" / "results" / "runs.csv").read_text().splitlines(keepends=True)
    chosen = [line for line in lines if "coref_gru.1." in line][::30]
    return {"runs.csv": "".join([header, *chosen]).encode()}


def report_on_results(path: str) -> None:
    source = Results(path)
    for line in read_lines(path):
        result(line)
    tables = select(read_conditions(CONDITIONS), ["coref_gru.1"], [])
    assert report(tables, [], "runs", "data", source=source)


def config() -> Files:
    params = load_small(CONFIGS / "babi" / "ga_coref_gru.jsonnet").as_dict(quiet=True)
    return {"config.json": json.dumps(params).encode()}


def components() -> Files:
    """Options of the components whose packages every installation has."""
    known = {
        name: options for name, options in OPTIONS.items() if name not in ("fastcoref_annotator", "maverick")
    }
    return {"components.json": json.dumps(known).encode()}


def add_components(path: str) -> None:
    """Each component annotates a text with its options, or is refused with a key or value of them."""
    try:
        components = json.loads(Path(path).read_text())
        # A lone surrogate in a key ends srsly, and the process.
        json.dumps(components, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise ConfigurationError("found no JSON, which spaCy refuses") from error
    nlp = spacy.blank("en")
    for name, options in components.items() if isinstance(components, dict) else ():
        if isinstance(options, dict) and name in COMPONENTS and srsly.is_json_serializable(options):
            try:
                component = nlp.create_pipe(name, config=options)
                component(nlp.make_doc("Mary took the milk. As a result, she left."))
            except (ConfigValidationError, ConfigurationError) as error:
                annotator = Annotator.resolve_class_name(COMPONENTS[name])[0]
                values = [value for value in options.values() if isinstance(value, str) and value]
                named = [*options, *inspect.signature(annotator).parameters, *values]
                assert any(name in str(getattr(error, "text", error)) for name in named), error


CLUSTERS = [[[0, 1], [3, 4]]]

CLOZE = {
    "passage": "@entity1 met @entity2 . @entity1 left",
    "question": "@placeholder left",
    "clusters": CLUSTERS,
}
SPAN = {"passage": "Rain falls. Pip left.", "question": "What?", "clusters": CLUSTERS}
SPAN_OF_TOKENS = {**SPAN, "passage": "Rain falls . Pip left .", "question": "What ?"}
STORY_INPUT = {
    "passage": ["Bill left.", "He is in the park."],
    "question": "Where is Bill?",
    "candidates": ["park", ["Bill"]],
}
SUPPORTS = {"passage": ["a met b.", "c"], "candidates": ["a", "b c"]}

CANDIDATES = {"candidates": ["@entity1", "@entity2"]}

PLAIN_TEXT = "Zoë left the house.\n\nShe had a 'red' hat. Nobody saw her.\n".encode()

JSON_TEXT = b"""{"text": "Zo left.", "id": "a", "n": [1]}
{"tokens": ["a", "b"], "sentences": [[0, 1], [1, 2]], "data": {"x": 1}}
"""

E2E_COREF = b"""{"doc_key": "a", "sentences": [["Ann", "left", "."], ["She", "slept"]], "clusters": [[[0, 0], [3, 3]]]}
{"text": "Ann left. She slept", "clusters": [[[0, 3], [10, 13]]], "clusters_strings": [["Ann", "She"]]}
"""

CANDIDATE_CLOZE = {**CLOZE, **CANDIDATES}
QUESTION = "cnn_dailymail/questions/training/021157c18c97380f639a5be1aac19a94e45668cb.question"
DASSA = "narrativeqa/summaries_annotated.jsonl.train"
FRAMES = {"format": "conll_2012", "token_indexers": {"transformer": {"type": "single_id"}}}
PROPBANK = "annotators/propbank_ewt/train/texts.conll"
CONLL_2016 = "formats/conll_2016/relations.json", "formats/conll_2016/parses.json"
TABLES = "narrativeqa/qaps.csv", "narrativeqa/third_party/wikipedia/summaries.csv"
NARRATIVEQA = fixtures(*TABLES, folder="narrativeqa")
ANNOTATED_BABI = lru_cache(partial(annotated, "annotated_babi", "babi/qa2_train.txt"))
ANNOTATED_NARRATIVEQA = lru_cache(partial(annotated, "annotated_narrativeqa", "narrativeqa/train"))

KINDS: list[Kind] = [
    raw("babi", "annotated_babi", "lines", fixtures("babi/qa2_train.txt")),
    raw("babi classes", "annotated_babi", "lines", fixtures("babi/qa15_train.txt")),
    raw("cnn_dailymail .question", "annotated_cnn_dailymail", "lines", fixtures(QUESTION)),
    raw("cnn_dailymail .jsonl", "annotated_cnn_dailymail", "json", questions, permute_entities=True),
    raw("cloze", "annotated_cloze", "json", lambda: {"cloze.jsonl": json.dumps(CANDIDATE_CLOZE).encode()}),
    raw("lambada", "annotated_lambada", "lines", fixtures("lambada/valid.txt")),
    raw("narrativeqa", "annotated_narrativeqa", "lines", NARRATIVEQA, split="train"),
    raw("narrativeqa of dassa", "annotated_narrativeqa", "json", fixtures(DASSA)),
    raw("quoref", "annotated_quoref", "json", fixtures("quoref/train.json"), tag_answers=True),
    raw("squad", "annotated_squad", "json", fixtures("squad/dev-v2.0.json"), keep_skipped=True),
    raw("who_did_what", "annotated_who_did_what", "lines", fixtures("who_did_what/Strict/test.xml")),
    raw("wikihop", "annotated_wikihop", "json", fixtures("wikihop/train.json")),
    raw("wikihop preprocessed", "annotated_wikihop", "json", fixtures("wikihop/training.json")),
    documents("documents of babi", "annotated_babi", "babi/qa2_train.txt"),
    documents("documents of cnn_dailymail", "annotated_cnn_dailymail", "cnn_dailymail/questions/test"),
    documents("documents of lambada", "annotated_lambada", "lambada/valid.txt"),
    documents("documents of narrativeqa", "annotated_narrativeqa", "narrativeqa/train"),
    documents("documents of quoref", "annotated_quoref", "quoref/train.json"),
    documents("documents of who_did_what", "annotated_who_did_what", "who_did_what/Strict/test.xml"),
    documents("documents of wikihop", "annotated_wikihop", "wikihop/train.json"),
    Kind("discourse relations", "lines", fixtures("annotators/gdtb/stories.rels"), read_rels),
    Kind("propbank", "lines", fixtures(PROPBANK), partial(read, "annotated_texts", options=FRAMES)),
    format_file("format annotated", "annotated", "json", ANNOTATED_BABI),
    format_file("format brat", "brat", "lines", fixtures("formats/brat/story.ann", "formats/brat/story.txt")),
    format_file("format conll_2012", "conll_2012", "lines", lambda: {"a.conll": STORY.encode()}),
    format_file("format conll_2016", "conll_2016", "json", fixtures(*CONLL_2016)),
    format_file("format conll_2016 alone", "conll_2016", "json", fixtures(CONLL_2016[0])),
    format_file("format conllu", "conllu", "lines", fixtures("formats/conllu/viaje.conllu")),
    format_file("format corenlp", "corenlp", "json", fixtures("formats/corenlp/passage-1.txt.json")),
    format_file("format dassa", "dassa", "json", fixtures("formats/dassa.jsonl")),
    format_file("format e2e_coref", "e2e_coref", "json", lambda: {"a.jsonlines": E2E_COREF}),
    Kind("documents and their report", "json", ANNOTATED_NARRATIVEQA, read_and_report),
    Kind("annotate .txt", "lines", lambda: {"a.txt": PLAIN_TEXT}, annotate_input),
    Kind("annotate .jsonl", "json", lambda: {"a.jsonl": JSON_TEXT}, annotate_input),
    Kind("annotate documents", "json", ANNOTATED_BABI, annotate_input),
    Kind("results", "lines", lru_cache(results), report_on_results),
    Kind("config", "json", lru_cache(config), check_experiment, lines=False, packed=False),
    Kind("components", "json", components, add_components, named=False, packed=False),
    inputs("input cloze_reader", "annotated_babi", STORY_INPUT),
    inputs("input cloze_reader cnn", "annotated_cnn_dailymail", CANDIDATE_CLOZE),
    inputs("input cloze_reader lambada", "annotated_lambada", CLOZE),
    inputs("input cloze_reader wikihop", "annotated_wikihop", {**CLOZE, **SUPPORTS}),
    inputs("input span_reader", "annotated_narrativeqa", SPAN_OF_TOKENS),
    inputs("input span_reader quoref", "annotated_quoref", SPAN),
]
