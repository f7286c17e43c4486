"""Runs that are killed, and go on when the same command is given again."""

import json
import multiprocessing
import os
import sys
import time

import psutil
import pytest
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.__main__ import main
from allennlp_coref_rc.annotation_runs import run
from allennlp_coref_rc.annotation_runs.run import PRELOADED, AnnotationRun
from allennlp_coref_rc.annotations import read_documents, read_header
from allennlp_coref_rc.common.workers import chunks
from tests.commands import annotators  # noqa: F401  registers one
from tests.stops import fork, stopping

pytestmark = pytest.mark.slow

NAMES = ["Mary", "Bill", "Ann", "Bob"]


def write_texts(path, number):
    path.write_text(
        "".join(f"{NAMES[i % 4]} saw {NAMES[i % 3]} . {NAMES[i % 4]} left {i} .\n" for i in range(number))
    )
    return str(path)


def contents(folder):
    return {
        os.path.join(place, name): read(os.path.join(place, name))
        for place, _, names in os.walk(folder)
        for name in names
    }


def annotate_and_die(arguments, at):
    """
    Annotates in a process of its own. It is killed, without a chance to tidy up, at the `at`th moment before
    or after an operation on files. Returns whether it came that far.
    """

    def annotate():
        with stopping("kill", at):
            AnnotationRun(**arguments).run()

    return fork(annotate)


@pytest.mark.parametrize("force", [False, True])
def test_killed_at_any_moment_and_given_again_the_command_gives_the_same_files(tmp_path, force):
    texts = write_texts(tmp_path / "texts.txt", 5)
    arguments = {
        "input": texts,
        "annotator": {"type": "troubled_coref", "fail": "Ann"},
        "workers": 0,
        "chunk_size": 3,
        "force": force,
    }
    (tmp_path / "whole").mkdir()
    AnnotationRun(output=str(tmp_path / "whole" / "out.jsonl.gz"), **arguments).run()
    undisturbed = {os.path.basename(path): content for path, content in contents(tmp_path / "whole").items()}
    assert sorted(undisturbed) == ["out.jsonl.gz", "out.jsonl.gz.failed.jsonl"]
    moments, killed = 0, True
    while killed:
        folder = tmp_path / str(moments)
        folder.mkdir()
        output = str(folder / "out.jsonl.gz")
        if force:
            (folder / "out.jsonl.gz").write_text("old")
        killed = annotate_and_die({**arguments, "output": output}, moments)
        if killed:
            try:
                AnnotationRun(output=output, **arguments).run()
            except ConfigurationError as error:
                assert "out.jsonl.gz is there already" in str(error)
        found = {os.path.relpath(path, folder): content for path, content in contents(folder).items()}
        assert found == undisturbed, moments
        moments += 1
    assert moments > 40


PACKAGES = ["tests.commands.annotators"]


def test_kill_9_in_the_middle_of_two_workers_then_the_same_command(tmp_path):
    texts, output = write_texts(tmp_path / "texts.txt", 60), tmp_path / "out.jsonl"
    parts = tmp_path / "out.jsonl.unfinished"
    stay = tmp_path / "stay"
    # Not a regular file, whose content would be a part of the plan.
    os.mkfifo(stay)
    annotator = {"type": "troubled_coref", "fail": "Bob", "stay": "30", "file": str(stay)}
    options = "--annotator", json.dumps(annotator), "--chunk-size", "4", "--include-package", PACKAGES[0]
    words = ["annotate", "--workers", "2", *options, texts, str(output)]
    # A fork of a process that has imported everything. The command starts in it as in a new process.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["distributed", PRELOADED])
    process = context.Process(target=main, args=(words,))
    process.start()
    while process.is_alive() and len(list(parts.glob("0*[0-9].jsonl"))) < 3:
        time.sleep(0.02)
    children = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.join()
    stay.unlink()
    finished = list(parts.glob("0*[0-9].jsonl"))
    assert 3 <= len(finished) < 15 and not output.exists()
    assert len(children) >= 2
    assert not psutil.wait_procs(children, timeout=60)[1], "processes outlive the one that was killed"

    AnnotationRun(texts, str(output), annotator, workers=0, chunk_size=4, packages=PACKAGES).run()
    whole = tmp_path / "whole.jsonl"
    AnnotationRun(texts, str(whole), annotator, workers=0, packages=PACKAGES).run()
    for suffix in ("", ".failed.jsonl"):
        assert read(f"{output}{suffix}") == read(f"{whole}{suffix}")
    assert read_header(str(output))["documents"] == 45 and not parts.exists()


def test_two_workers_go_on_with_a_run_and_set_aside_what_kills_them(tmp_path, monkeypatch):
    texts, output, whole = (
        write_texts(tmp_path / "texts.txt", 24),
        tmp_path / "out.jsonl",
        tmp_path / "whole.jsonl",
    )
    annotator = {"type": "troubled_coref", "fail": "3", "die": "13"}
    options = {"chunk_size": 2, "packages": PACKAGES}
    with monkeypatch.context() as patch, pytest.raises(SystemExit):
        patch.setattr(os, "_exit", sys.exit)
        AnnotationRun(texts, str(output), annotator, workers=0, **options).run()
    assert len(list((tmp_path / "out.jsonl.unfinished").glob("0*.jsonl"))) == 6
    alone = []

    def chunks_and_record(items, size):
        if size == 1:
            alone.extend(place for place, _ in items)
        return chunks(items, size)

    with monkeypatch.context() as patch:
        patch.setattr(run, "chunks", chunks_and_record)
        AnnotationRun(texts, str(output), annotator, workers=2, **options).run()
    # Only the documents of the chunk on which a process died are annotated one by one.
    assert alone == [f"{texts}, line 13", f"{texts}, line 14"]

    def fail(status):
        raise RuntimeError

    monkeypatch.setattr(os, "_exit", fail)
    AnnotationRun(texts, str(whole), annotator, workers=0, **options).run()
    assert read(output) == read(whole)
    one, other = ([d for _, d in read_documents(f"{path}.failed.jsonl")] for path in (output, whole))
    assert [d.text for d in one] == [d.text for d in other]
    assert [d.text.id for d in one] == ["texts.txt:4", "texts.txt:14"]
    assert one[0].data == other[0].data
    place = f"{texts}, line 14"
    expected = {"failure": {"place": place, "error": "the process that annotated it died", "traceback": []}}
    assert one[1].data == expected


def read(path):
    with open(path, "rb") as file:
        return file.read()
