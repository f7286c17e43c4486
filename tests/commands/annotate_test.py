import argparse
import gzip
import json
import os
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import Mock

import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader
from distributed import LocalCluster

from allennlp_coref_rc.annotation_runs.run import AnnotationRun
from allennlp_coref_rc.annotations import read_documents, read_header, write_documents
from allennlp_coref_rc.annotations.file_report import report_on_file
from allennlp_coref_rc.annotations.formats import FORMATS
from allennlp_coref_rc.commands import annotate as annotate_command
from allennlp_coref_rc.common.version import VERSION
from allennlp_coref_rc.data.token_indexers import word_pieces
from tests.annotations.formats.conll_2012_test import STORY
from tests.commands import annotators
from tests.shared import PROJECT

FIXTURES = PROJECT / "tests" / "fixtures" / "babi"
EXACT = {"type": "exact_match_coref"}
TROUBLED = {"type": "troubled_coref"}
BABI = {"type": "annotated_babi", "annotation_layers": {"coref": {"type": "coref_edges"}}}
NAMES = ["Mary", "Bill", "Ann", "Bob", "Zoë"]
HEADER = '{"annotated_documents": 1}'


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text(
        "".join(f"{NAMES[i % 5]} saw {NAMES[i % 3]} . {NAMES[i % 5]} left {i} .\n" for i in range(23))
    )
    return path


def annotate(given, output, annotator=EXACT, reader=None, **options):
    return AnnotationRun(str(given), str(output), annotator, reader, **{"workers": 0, **options}).run()


def test_an_annotator_reads_files_that_have_changed(tmp_path):
    given, output, own = (tmp_path / name for name in ("in.txt", "out.jsonl", "own.jsonlines"))
    given.write_text("Mary met Bob . She left .\n")
    tokens = given.read_text().split()
    for first in (0, 2):
        own.write_text(json.dumps({"sentences": [tokens], "clusters": [[[first, first], [4, 4]]]}))
        annotator = {"type": "precomputed", "path": str(own), "format": "e2e_coref"}
        annotate(given, output, annotator, force=True)
        assert texts_of(output)[0].clusters == [[(first, first + 1), (4, 5)]]


def documents_of(path):
    return [document for _, document in read_documents(str(path))]


def texts_of(path):
    return [document.text for document in documents_of(path)]


def command(*arguments):
    """What the command line does without workers, and its exit status."""
    parser = argparse.ArgumentParser()
    annotate_command.add_arguments(parser)
    workers = [] if "--check" in arguments else ["--workers", "0"]
    args = parser.parse_args([*map(str, arguments), *workers])
    try:
        annotate_command.run(args)
    except SystemExit as stop:
        return int(stop.code)
    return 0


def test_annotated_text_with_a_header(tmp_path, texts, capsys):
    output = tmp_path / "out.jsonl"
    assert command(texts, output, "--annotator", json.dumps(EXACT)) == 0
    lines = texts.read_text().splitlines()
    documents = documents_of(output)
    assert [document.text.tokens for document in documents] == [line.split() for line in lines]
    assert [document.text.id for document in documents] == [f"texts.txt:{i}" for i in range(1, 24)]
    # Only names occur twice, and at least one name does: that of the subjects.
    assert all(len(cluster) > 1 for document in documents for cluster in document.text.clusters)
    assert documents[1].text.clusters == [[(0, 1), (2, 3), (4, 5)]]
    header = read_header(str(output))
    versions = header["annotators"][0].pop("versions")
    assert versions["allennlp_coref_rc"] == VERSION
    assert set(versions) == {"allennlp_coref_rc", "allennlp", "spacy", "torch"}
    mentions = sum(len(cluster) for document in documents for cluster in document.text.clusters)
    clusters = sum(len(document.text.clusters) for document in documents)
    counts = {"tokens": 23 * 8, "sentences": 46, "clusters": clusters, "mentions": mentions}
    counts.update(dict.fromkeys(["frames", "relations", "edges"], 0))
    assert header == {
        "annotated_documents": 1,
        "documents": 23,
        "reader": None,
        "failed": 0,
        "lost_questions": 0,
        "annotators": [{"config": EXACT, "together": True}],
        "counts": counts,
    }
    assert sorted(os.listdir(tmp_path)) == ["out.jsonl", "texts.txt"]
    assert f"23 documents, 184 tokens, 46 sentences, {clusters} clusters" in capsys.readouterr().out
    assert report_on_file(str(output)).num_errors == 0


@pytest.mark.parametrize("together", [True, False])
def test_a_reader_makes_the_same_instances_of_annotated_documents(tmp_path, together):
    """The documents that the command annotates are those that the reader would annotate itself."""
    data, output = str(FIXTURES / "qa2_train.txt"), str(tmp_path / "out.jsonl.gz")
    config = {**BABI, "annotate_together": together}
    annotate(data, output, EXACT, config, batch_size=3, chunk_size=4)
    assert read_header(output)["annotators"][0]["together"] is together

    def instances(path, config):
        reader = DatasetReader.from_params(Params(json.loads(json.dumps(config))))
        return [instance.fields for instance in reader.read(path)]

    itself = instances(data, {**config, "annotator": EXACT})
    assert instances(output, {**config, "task": 2}) == itself and len(itself) > 4
    assert itself != instances(data, {**config, "annotator": {**EXACT, "min_mentions": 3}})
    assert itself != instances(data, {**config, "annotator": EXACT, "annotate_together": not together})
    with pytest.raises(ConfigurationError, match="documents of the reader 'annotated_babi', expected"):
        instances(output, {"type": "annotated_wikihop"})
    plain = tmp_path / "plain.jsonl"
    write_documents(str(plain), [], {"reader": None})
    with pytest.raises(ConfigurationError, match="documents of plain text"):
        instances(str(plain), BABI)


def test_a_further_layer_is_added(tmp_path, texts):
    first, second = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    annotate(texts, first, {**EXACT, "entities": ["Mary"]})
    annotate(first, second, {**EXACT, "entities": ["Bill"]})
    both, header = texts_of(second), read_header(str(second))
    assert [run["config"]["entities"] for run in header["annotators"]] == [["Mary"], ["Bill"]]
    for text, (_, one) in zip(both, read_documents(str(first))):
        assert text.clusters[: len(one.text.clusters)] == one.text.clusters
        assert [[text.tokens[start] for start, _ in cluster] for cluster in text.clusters] == [
            [name] * text.tokens.count(name) for name in ("Mary", "Bill") if text.tokens.count(name) > 1
        ]


def test_what_other_tools_have_annotated_becomes_documents(tmp_path, capsys):
    folder, output = PROJECT / "tests" / "fixtures" / "formats", tmp_path / "out.jsonl"
    sizes = {
        "brat": "1 documents, 23 tokens, 3 sentences, 3 clusters, 7 mentions, 0 frames, 0 relations, 2 edges",
        "conll_2016": "2 documents, 16 tokens, 4 sentences, 0 clusters, 0 mentions, 0 frames, 4 relations",
    }
    for name, expected in sizes.items():
        assert command(folder / name, output, "--format", name, "--force") == 0
        assert expected in capsys.readouterr().out
        found = texts_of(output)
        assert found == list(FORMATS[name].read_all(folder / name))
    parts = tmp_path / "a.v4_gold_conll"
    parts.write_text(STORY)
    command(parts, output, "--format", "conll_2012", "--annotator", "exact_match_coref", "--force")
    texts = texts_of(output)
    assert [text.id for text in texts] == ["nw/made/00/made_0001_0", "nw/made/00/made_0001_1"]
    assert [text.clusters for text in texts] == [[[(0, 3), (7, 8), (10, 11)], [(7, 9)]], [[(0, 1)]]]


def test_what_other_tools_have_annotated_is_not_taken_for_prose(tmp_path):
    for name in ("a.v4_gold_conll", "a.ann.gz"):
        (tmp_path / name).write_bytes(gzip.compress(b"a") if name.endswith(".gz") else b"a")
        with pytest.raises(ConfigurationError, match=f"{name}: .*annotations.*--format"):
            command(tmp_path / name, tmp_path / "out.jsonl", "--annotator", "exact_match_coref")
    relations = (PROJECT / "tests" / "fixtures" / "formats" / "conll_2016" / "relations.json").read_bytes()
    (tmp_path / "relations.json").write_bytes(relations)
    with pytest.raises(ConfigurationError, match="document 1: found no tokens, expected a file parses.json"):
        command(tmp_path / "relations.json", tmp_path / "out.jsonl", "--format", "conll_2016")


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_the_same_bytes_whatever_the_chunks(tmp_path, texts, suffix):
    found = set()
    for batch_size, chunk_size in [(8, None), (1, 5), (4, 23), (100, 100)]:
        output = tmp_path / f"{batch_size}.jsonl{suffix}"
        annotate(texts, output, batch_size=batch_size, chunk_size=chunk_size)
        found.add(output.read_bytes())
    assert len(found) == 1


def test_failing_documents_are_kept_aside_and_can_be_annotated_later(tmp_path, texts, capsys):
    names = "out.jsonl", "out.jsonl.failed.jsonl", "later.jsonl", "whole.jsonl"
    output, failed, later, whole = (tmp_path / name for name in names)
    troubled = json.dumps({"type": "troubled_coref", "fail": "Ann"})
    assert command(texts, output, "--annotator", troubled, "--batch-size", 4) == 0
    lines = list(enumerate(texts.read_text().splitlines(), start=1))
    good, bad = ([(n, line) for n, line in lines if ("Ann" in line) == failing] for failing in (False, True))
    number = len(bad)
    printed = capsys.readouterr().err
    assert 5 < number < 23 and f"{number} documents or parts of documents failed" in printed
    assert printed.endswith("; the first error: ValueError: cannot stand 'Ann' in <object object at 0x…>\n")
    documents = documents_of(output)
    expected = [(f"texts.txt:{n}", line.split()) for n, line in good]
    assert [(d.text.id, d.text.tokens) for d in documents] == expected
    assert (read_header(str(output))["documents"], read_header(str(output))["failed"]) == (len(good), number)

    aside = documents_of(failed)
    expected = [(f"texts.txt:{n}", line.split()) for n, line in bad]
    assert [(d.text.id, d.text.tokens) for d in aside] == expected
    reason = aside[0].data["failure"]
    assert reason["place"] == f"{texts}, line {bad[0][0]}"
    assert reason["error"] == "ValueError: cannot stand 'Ann' in <object object at 0x…>"
    assert reason["traceback"][-1] == reason["error"]
    assert any("raise ValueError" in line for line in reason["traceback"])
    assert not any(document.text.clusters for document in aside)

    annotate(failed, later, {"type": "troubled_coref"})
    annotate(texts, whole)
    joined = documents + documents_of(later)
    assert sorted(joined, key=lambda d: int(d.text.id.split(":")[1])) == documents_of(whole)


def test_failed_questions_stay_apart_from_their_passage(tmp_path):
    data, first, second, last = (tmp_path / name for name in ("squad.json", "1.jsonl", "2.jsonl", "3.jsonl"))
    question = {"id": "q", "question": "Who saw Ann?", "answers": [{"text": "Bill", "answer_start": 0}]}
    data.write_text(json.dumps({"data": [{"paragraphs": [{"context": "Bill saw Ann.", "qas": [question]}]}]}))
    troubled = {"type": "troubled_coref", "fail": "Ann"}
    annotate(data, first, troubled, {"type": "annotated_squad"})
    annotate(f"{first}.failed.jsonl", second, troubled)
    annotate(f"{second}.failed.jsonl", last)
    assert read_header(str(last))["annotators"][0]["together"] is False
    assert [document.text.clusters for _, document in read_documents(str(last))] == [[]]


def test_when_all_documents_fail_there_is_no_output(tmp_path, texts, capsys):
    output = tmp_path / "out.jsonl"
    assert command(texts, output, "--annotator", '{"type": "troubled_coref", "fail": "saw"}') == 1
    assert capsys.readouterr().out == ""
    assert sorted(os.listdir(tmp_path)) == ["out.jsonl.failed.jsonl", "texts.txt"]
    assert read_header(str(tmp_path / "out.jsonl.failed.jsonl"))["documents"] == 23
    assert command(texts, output, "--annotator", "troubled_coref") == 0
    assert sorted(os.listdir(tmp_path)) == ["out.jsonl", "texts.txt"]


class Stop(BaseException):
    """Stands in for what ends a process from outside."""


SIZES = {"batch_size": 1, "chunk_size": 4}


def record(monkeypatch, most=100):
    """The texts that are annotated from now on. After so many of them annotating ends."""
    done = []

    def annotate_text(self, text):
        if len(done) == most:
            raise Stop
        done.append(text)
        return text

    monkeypatch.setattr(annotators.TroubledCoref, "annotate", annotate_text)
    return done


def annotate_some(number, given, output, annotator=TROUBLED):
    """A run that ends after so many texts."""
    with pytest.MonkeyPatch.context() as patch, pytest.raises(Stop):
        record(patch, number)
        annotate(given, output, annotator, **SIZES)


def test_finished_chunks_are_not_done_again(tmp_path, texts, monkeypatch):
    output = tmp_path / "out.jsonl"
    annotate_some(14, texts, output)
    assert not output.exists() and (tmp_path / "out.jsonl.unfinished").exists()
    done = record(monkeypatch)
    annotate(texts, output, TROUBLED, **SIZES)
    assert [text.id for text in done] == [f"texts.txt:{i}" for i in range(13, 24)]
    assert [text.id for text in texts_of(output)] == [f"texts.txt:{i}" for i in range(1, 24)]


@pytest.mark.parametrize(
    "change, message",
    [
        ({"annotator": EXACT}, 'annotator: found {"type": "troubled_coref"}, expected {"type"'),
        ({"chunk_size": 5}, "chunk_size: found 4, expected 5"),
        ({"given": FIXTURES / "qa2_train.txt", "reader": {"type": "annotated_babi"}}, "reader: found null"),
        ({}, 'input: found {"documents": 23, "sha256": '),
    ],
)
def test_another_run_does_not_go_on_with_the_parts(tmp_path, texts, change, message):
    output, parts = tmp_path / "out.jsonl", tmp_path / "out.jsonl.unfinished"
    arguments = {"given": texts, "output": output, "annotator": TROUBLED, **SIZES}
    annotate_some(9, texts, output)
    kept = {path: path.read_bytes() for path in parts.iterdir()}
    if not change:
        texts.write_text(texts.read_text().replace("Bill", "Jill"))
    with pytest.raises(ConfigurationError) as error:
        annotate(**{**arguments, **change})
    assert message in str(error.value) and "start over with --force" in str(error.value)
    assert {path: path.read_bytes() for path in kept} == kept
    annotate(**{**arguments, **change}, force=True)
    assert not parts.exists() and report_on_file(str(output)).num_errors == 0


def test_nor_does_one_whose_annotator_reads_another_file(tmp_path, texts):
    output, given = tmp_path / "out.jsonl", tmp_path / "given.jsonl"
    annotate(texts, given, EXACT)
    annotator = {
        "type": "compose",
        "annotators": [{"type": "precomputed", "format": "annotated", "path": str(given)}, TROUBLED],
    }
    annotate_some(9, texts, output, annotator)
    given.write_text(given.read_text() + "\n")
    with pytest.raises(ConfigurationError, match="files: found .*given.jsonl"):
        annotate(texts, output, annotator, **SIZES)


def test_a_damaged_part_is_made_again(tmp_path, texts):
    output, whole = tmp_path / "out.jsonl", tmp_path / "whole.jsonl"
    annotate(texts, whole, TROUBLED, **SIZES)
    annotate_some(14, texts, output)
    for number, content in enumerate([b"", b"{}\n", b'{"documents": 4, "failed": 0}\n\xff']):
        (tmp_path / "out.jsonl.unfinished" / f"{number:06}.jsonl").write_bytes(content)
    annotate(texts, output, TROUBLED, **SIZES)
    assert output.read_bytes() == whole.read_bytes()


def test_an_output_is_not_replaced_unless_asked_for(tmp_path, texts):
    output = tmp_path / "out.jsonl"
    output.write_text("precious")
    with pytest.raises(ConfigurationError, match="out.jsonl is there already; --force replaces it"):
        annotate(texts, output)
    with pytest.raises(ConfigurationError, match="expected an object with a 'type'"):
        command(texts, output, "--annotator", "{}", "--force")
    assert output.read_text() == "precious" and sorted(os.listdir(tmp_path)) == ["out.jsonl", "texts.txt"]
    assert command(texts, output, "--annotator", "exact_match_coref", "--force") == 0
    assert report_on_file(str(output)).num_errors == 0
    with pytest.raises(ConfigurationError, match="the same file as INPUT and OUTPUT"):
        annotate(output, output, force=True)


def test_input_without_a_good_line_ends_the_run_before_anything_is_written(tmp_path):
    bad = tmp_path / "bad.jsonl"
    for content in ("{\n{\n", "{\n" * 100 + '{"text": "a"}\n'):
        bad.write_text(content)
        with pytest.raises(ConfigurationError, match=f"{bad}, line 1: "):
            annotate(bad, tmp_path / "out.jsonl")
        assert os.listdir(tmp_path) == ["bad.jsonl"]
    bad.write_text("")
    with pytest.raises(ConfigurationError, match="bad.jsonl: found no document"):
        annotate(bad, tmp_path / "out.jsonl")


TEXTS = [json.dumps({"text": f"Mary {i} Mary"}) for i in range(9)]

ANNOTATED = [json.dumps({"tokens": ["Mary"], "id": name}) for name in "ab"]

CLOZE = {"id": "1", "query": "country x", "answer": "a", "candidates": ["a", "b"], "supports": ["A b ."]}

ASKED = [
    {"question": "Where?", "answers": [{"text": "Nice", "answer_start": 18}]},
    {"question": 5},
    {"question": "Who?", "answers": "Ann"},
]
SQUAD = {"data": [{"paragraphs": [{"context": "Anna Lee lives in Nice.", "qas": ASKED}]}]}

PARSE = {"sentences": [{"tokens": ["Ann", "left", "."]}]}
PARSED = [{"question_parse": PARSE}, {"question_parse": PARSE, "answer2": 5}, {"answer1": "Ann"}]
DASSA = {"document_id": "d", "summary_parse": PARSE, "questions": PARSED}


@pytest.mark.parametrize(
    "reader, lines, kept, lost, reasons",
    [
        (None, ["{", "", *TEXTS], (9, 0), 1, ["line 1: "]),
        (None, [*TEXTS, '{"tokens": ["a"], "clusters": [[[5, 6]]]}'], (9, 0), 1, ["line 10: "]),
        (None, [HEADER, *ANNOTATED, '{"tokens": 5}', *ANNOTATED], (4, 0), 1, ["line 4: found 5 at tokens"]),
        ("annotated_wikihop", [CLOZE, {**CLOZE, "supports": 5}, CLOZE], (2, 2), 1, ["object 2: found 5 at"]),
        ("annotated_squad", [SQUAD], (1, 1), 0, ["qas[1]", "qas[2]"]),
        ("annotated_narrativeqa", [DASSA], (1, 1), 0, ["questions[1].answer2", "questions[2]"]),
    ],
)
def test_what_is_malformed_costs_itself_and_is_named(tmp_path, capsys, reader, lines, kept, lost, reasons):
    path, output = tmp_path / "a.jsonl", str(tmp_path / "out.jsonl")
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    words = ["--reader", reader] if reader else []
    assert command(path, output, *words, "--annotator", "exact_match_coref") == 0
    documents = documents_of(output)
    questions = [question for each in documents for question in each.data.get("questions", ())]
    assert (len(documents), len(questions)) == kept
    header = read_header(output)
    assert (header["failed"], header["lost_questions"]) == (len(reasons), lost)
    assert f"{len(reasons)} documents or parts of documents failed" in capsys.readouterr().err
    aside = [document.data["failure"] for document in documents_of(f"{output}.failed.jsonl")]
    for failure, reason in zip(aside, reasons, strict=True):
        assert failure["error"].startswith(f"{path}, ") and reason in failure["error"]
        assert failure["place"].startswith(f"{path}, ")
    with pytest.raises(ConfigurationError, match="found no document"):
        command(f"{output}.failed.jsonl", tmp_path / "again.jsonl", "--annotator", "exact_match_coref")


def test_what_is_malformed_in_a_format_costs_itself_and_is_said_once(tmp_path, run_command):
    path, output = tmp_path / "a.conllu", tmp_path / "out.jsonl"
    rows = ["1\tAnn\t_\tX\t_\t_\t2\tnsubj\t_\tEntity=(person)", "2\tleft\t_\tX\t_\t_\tx\troot\t_\t_"]
    lines = ["# newdoc id = a", "# global.Entity = etype", *rows, "", "# newdoc id = b", "1\tx", "", ""]
    path.write_text("\n".join(lines))
    words = ["annotate", path, output, "--format", "conllu", "--workers", 0]
    run = run_command("allennlp_coref_rc", *words, folder=tmp_path)
    assert run.stderr.count("mentions left out, as # global.Entity has none of eid, GRP") == 1
    ((_, document),) = read_documents(str(output))
    assert document.text.clusters == [] and [edge.type for edge in document.text.edges] == ["nsubj"]
    reasons = [aside.data["failure"]["error"] for _, aside in read_documents(f"{output}.failed.jsonl")]
    expected = [f"{path}, line 4: found the head 'x'", f"{path}, line 7: found 2 columns"]
    assert [reason.split(", expected")[0] for reason in reasons] == expected


@pytest.mark.parametrize(
    "annotator, missing",
    [
        ({"type": "coref", "spacy_model": "en_none"}, "spacy_model is 'en_none'"),
        ({"type": "spacy_dependencies", "spacy_model": "en_none"}, "spacy_model is 'en_none'"),
        ({"type": "spacy_pipeline", "spacy_model": "en_none"}, "spacy_model is 'en_none'"),
        ({"type": "fastcoref"}, "fastcoref can't be imported"),
        ({"type": "maverick"}, "maverick can't be imported"),
        ({"type": "coreferee"}, "coreferee can't be imported"),
        ({"type": "allennlp_coref", "archive": "none.tar.gz"}, "none.tar.gz: no such archive"),
        ({"type": "allennlp_srl", "archive": "none", "predicates": "words"}, "none: no such archive"),
        ({"type": "structure_model", "archive": "none.tar.gz"}, "none.tar.gz: no such archive"),
        ({"type": "precomputed", "path": "none.conll", "format": "conll_2012"}, "none.conll"),
        ({"type": "corrupted_coref", "annotator": {"type": "fastcoref"}}, "fastcoref can't be imported"),
        ({"type": "roles"}, "found no encoder .* installs it"),
    ],
)
def test_what_an_annotator_needs_and_is_missing_is_one_error(
    tmp_path, texts, monkeypatch, annotator, missing
):
    for package in ("fastcoref", "maverick", "coreferee"):
        monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr(word_pieces, "find_spec", lambda package: None)
    no_network = Mock(side_effect=OSError("no network"))
    monkeypatch.setattr("transformers.AutoTokenizer.from_pretrained", no_network)
    composed = {"type": "compose", "annotators": [EXACT, annotator]}
    with pytest.raises(ConfigurationError, match=missing):
        annotate(texts, tmp_path / "out.jsonl", composed)
    assert os.listdir(tmp_path) == ["texts.txt"]


def test_configs_are_names_texts_files_or_experiments(tmp_path, texts):
    experiment = PROJECT / "training_config" / "babi" / "ga_coref_gru.jsonnet"
    reader = {"type": "annotated_babi", "annotator": {**EXACT, "min_mentions": 3}}
    (tmp_path / "reader.json").write_text(json.dumps({"dataset_reader": reader}))
    named = {"dataset_reader": {"type": "annotated_babi", "annotator": "exact_match_coref"}}
    (tmp_path / "named.json").write_text(json.dumps(named))
    (tmp_path / "annotator.jsonnet").write_text('local n = 4; {type: "exact_match_coref", min_mentions: n}')
    data, found = FIXTURES / "qa2_train.txt", []
    for annotator, reader in (
        ("exact_match_coref", "annotated_babi"),
        ('{type: "exact_match_coref", min_mentions: 1 + 1}', tmp_path / "reader.json"),
        (None, tmp_path / "reader.json"),
        (tmp_path / "annotator.jsonnet", '{"type": "annotated_babi"}'),
        (None, tmp_path / "named.json"),
        (tmp_path / "named.json", "annotated_babi"),
        (experiment, "annotated_babi"),
    ):
        words = ["--annotator", annotator] if annotator else []
        assert command(data, tmp_path / "out.jsonl", *words, "--reader", reader, "--force") == 0
        header = read_header(str(tmp_path / "out.jsonl"))
        assert header["reader"] == "annotated_babi"
        found.append(header["annotators"][0]["config"])
    wanted = Params.from_file(str(experiment)).as_dict(quiet=True)["dataset_reader"]["annotator"]
    assert found == [
        EXACT,
        *({**EXACT, "min_mentions": number} for number in (2, 3, 4)),
        EXACT,
        EXACT,
        wanted,
    ]


def test_check_prints_statistics_and_errors(tmp_path, texts, capsys):
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    annotate(texts, good)
    lines = good.read_text().splitlines(keepends=True)
    bad.write_text("".join(lines[:3]) + '{"tokens": ["a"], "clusters": [[[0, 2]]]}\n' + "".join(lines[4:]))
    capsys.readouterr()
    assert command("--check", good) == 0
    printed = capsys.readouterr().out
    assert "documents                         23" in printed and printed.endswith("  0 errors\n")
    assert command("--check", good, bad) == 1
    printed = capsys.readouterr().out
    assert f"error: {bad}, line 4: mention of cluster 0 [0, 2): expected 0 <= start < end <= 1" in printed
    assert f"error: {bad}: found 176 tokens, the header says 184" in printed


def test_nothing_annotated_is_said_loudly(tmp_path, texts, capsys, caplog, monkeypatch):
    monkeypatch.setattr("allennlp_coref_rc.annotation_runs.run.EXPECTED_BY", 8)
    output = tmp_path / "out.jsonl"
    nothing = '{"type": "exact_match_coref", "entities": ["nobody"]}'
    assert command(texts, output, "--annotator", nothing, "--chunk-size", 5) == 0
    assert "WARNING: NOTHING IS ANNOTATED" in capsys.readouterr().err
    assert "None of 10 documents so far got any annotation" in caplog.text


def test_a_cluster_gives_the_same_bytes(tmp_path, texts):
    alone, cluster = str(tmp_path / "alone.jsonl"), str(tmp_path / "cluster.jsonl")
    annotate(texts, alone, {**TROUBLED, "fail": "Ann"})
    # Threads of this process stand in for its workers.
    with LocalCluster(n_workers=2, threads_per_worker=2, processes=False, dashboard_address=None) as dask:
        arguments = {"scheduler": dask.scheduler_address, "chunk_size": 2, "workers": None}
        annotate(texts, cluster, {**TROUBLED, "fail": "Ann"}, **arguments)
        with pytest.raises(ConfigurationError, match="min_mentions is 0"):
            annotate(texts, tmp_path / "x", {**EXACT, "min_mentions": 0}, **arguments)
        with pytest.raises(ConfigurationError, match="bad.jsonl, line 1: "):
            (tmp_path / "bad.jsonl").write_text("{}\n")
            annotate(tmp_path / "bad.jsonl", tmp_path / "x", **arguments)
    for suffix in ("", ".failed.jsonl"):
        assert Path(alone + suffix).read_text() == Path(cluster + suffix).read_text()
    assert not [name for name in os.listdir(tmp_path) if name.startswith("x")]


NO_ANSWER = r"no scheduler answers \(tried for 1 seconds\), expected the address that `dask sched"


@pytest.mark.parametrize(
    "address, what", [("tcp://127.0.0.1:1", NO_ANSWER), ("nonsense", "found no address")]
)
def test_a_scheduler_that_does_not_answer_is_named(tmp_path, texts, monkeypatch, address, what):
    monkeypatch.setattr("allennlp_coref_rc.common.workers.PATIENCE", 1)
    with pytest.raises(ConfigurationError, match=f"--scheduler {address}: {what}"):
        annotate(texts, tmp_path / "x", scheduler=address, workers=None)
    assert os.listdir(tmp_path) == ["texts.txt"]


def test_a_server_that_is_no_scheduler_is_named(tmp_path, texts, monkeypatch):
    monkeypatch.setattr("allennlp_coref_rc.common.workers.PATIENCE", 1)
    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor(1) as pool:

        def serve():
            connection, _ = server.accept()
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n" * 9)
            return connection

        connection = pool.submit(serve)
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(ConfigurationError, match=f"--scheduler {address}: .*is not a Dask scheduler"):
            annotate(texts, tmp_path / "out", scheduler=address, workers=None)
        connection.result().close()


def test_a_small_input_is_annotated_by_the_process_itself(tmp_path, monkeypatch, capsys):
    texts = tmp_path / "texts.txt"
    texts.write_text("Bill saw Ann .\n" * 20)
    monkeypatch.setattr("allennlp_coref_rc.common.workers.Workers._start", None)
    annotate(texts, tmp_path / "out.jsonl", workers=None)
    assert sum(1 for _ in read_documents(str(tmp_path / "out.jsonl"))) == 20
    assert capsys.readouterr().err == ""


def test_pipes(tmp_path, run_command):
    """Plain text by dashes, with a pipe as output too; JSON by names of devices, with a file as output."""
    options = ["--annotator", "exact_match_coref", "--workers", "0"]
    words = [sys.executable, "-m", "allennlp_coref_rc", "annotate", "-", "-", *options]
    text = "Zoë left. She slept."
    piped = subprocess.run(words, input=f"{text}\n", capture_output=True, encoding="utf-8", cwd=tmp_path)
    words = ["annotate", "/dev/stdin", "/dev/stdout", *options]
    named = run_command("allennlp_coref_rc", *words, folder=tmp_path, input=f'{{"text": "{text}"}}\n')
    for done, output in ((piped, "piped.jsonl"), (named, "named.jsonl")):
        assert done.returncode == 0, done.stderr
        (tmp_path / output).write_text(done.stdout)
        ((_, document),) = read_documents(str(tmp_path / output))
        assert document.text.text == text and document.text.id.startswith("stdin")
    assert sorted(os.listdir(tmp_path)) == ["named.jsonl", "piped.jsonl"]


def test_documents_keep_their_characters(tmp_path):
    (tmp_path / "mail.txt").write_text("> Ann  can't\n> sleep.\n\nShe's \U0001f634!\n")
    command(tmp_path, tmp_path / "out.jsonl", "--annotator", "exact_match_coref")
    ((_, document),) = read_documents(str(tmp_path / "out.jsonl"))
    text = document.text
    assert text.text == "> Ann  can't\n> sleep.\n\nShe's \U0001f634!\n"
    assert [text.text[slice(*place)] for place in text.offsets] == text.tokens


def test_another_encoding(tmp_path):
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_bytes("Zoë left.\n".encode("latin-1"))
    words = [tmp_path / "out.jsonl", "--annotator", "exact_match_coref"]
    with pytest.raises(ConfigurationError, match="a.txt, line 1: found the byte 0xeb, which is not UTF-8"):
        command(tmp_path, *words)
    (tmp_path / "c").write_text("\ufeffZoë left.\n")
    assert command(tmp_path / "c", *words, "--encoding", "utf-8") == 0
    assert texts_of(words[0])[0].tokens[0] == "Zoë"
    for given, expected in ((tmp_path, 2), (tmp_path / "a.txt", 1)):
        assert command(given, *words, "--encoding", "latin-1", "--force") == 0
        assert [text.tokens[0] for text in texts_of(words[0])] == ["Zoë"] * expected
    with pytest.raises(ConfigurationError, match="found --encoding and --reader"):
        command(tmp_path, *words, "--encoding", "latin-1", "--reader", "annotated_lambada")


def test_annotating_twice_adds_nothing(tmp_path, texts):
    outputs = [tmp_path / name for name in ("once.jsonl", "twice.jsonl")]
    for given, output in zip([texts, *outputs], outputs):
        assert command(given, output, "--annotator", "exact_match_coref") == 0
    once, twice = (texts_of(output) for output in outputs)
    assert once == twice and any(text.clusters for text in once)


def test_an_input_that_changes_during_the_run(tmp_path, texts, monkeypatch):
    annotate_chunks = AnnotationRun.run.__globals__["_annotate_chunks"]

    def edited(*arguments):
        annotate_chunks(*arguments)
        texts.write_text(texts.read_text().replace("Mary", "Anne"))

    monkeypatch.setattr("allennlp_coref_rc.annotation_runs.run._annotate_chunks", edited)
    with pytest.raises(ConfigurationError, match=f"{texts}: it changed while it was read"):
        annotate(texts, tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()
