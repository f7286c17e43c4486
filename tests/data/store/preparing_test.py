"""Stores that are made, found again, damaged, stopped and shared."""

import json
import os
import threading
from importlib import import_module

import numpy as np
import pytest
from allennlp.common import Params, Registrable
from allennlp.data import DatasetReader

from allennlp_coref_rc.__main__ import main
from allennlp_coref_rc.annotations.annotators import Annotator
from allennlp_coref_rc.annotations.annotators.exact_match_coref import ExactMatchCoref
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.named_files import named_content
from allennlp_coref_rc.data.store import fingerprint, preparing
from tests.data.dataset_readers.reader_assertions import write
from tests.stops import fork, stopping

QUESTIONS = 7


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ALLENNLP_CACHE_ROOT", str(tmp_path / "cache"))
    monkeypatch.setattr(preparing, "CHUNK", 2)
    return tmp_path / "cache" / "prepared"


@pytest.fixture
def path(tmp_path):
    def line(i):
        word = f"own{i}" * (1 + i % 3)
        question = {
            "passage": f"@entity{i} met @entity1 , {word} .",
            "question": "who met @placeholder",
            "answer": "@entity1",
        }
        return json.dumps(
            {**question, "candidates": [f"@entity{i}", "@entity1"]} if i != 3 else {"passage": ""}
        )

    return write(tmp_path / "questions.jsonl", "".join(line(i) + "\n" for i in range(2, 2 + QUESTIONS)))


def build(**config):
    return DatasetReader.from_params(
        Params({"type": "annotated_cloze", "annotation_layers": {"coref": "coref_edges"}, **config})
    )


def content(path, **config):
    """Everything that is in the columns. The bytes of equal metadata may differ."""
    table, rows = preparing.prepared(build(**config), path)
    names = [name for name in sorted(table._arrays) if not name.startswith("metadata.")]
    arrays = {name: np.asarray(table.array(name)).tolist() for name in names}
    arrays["metadata"] = [table.columns["metadata"].metadata(row) for row in range(table.size)]
    return table.names, rows.tolist(), arrays


def in_memory(path):
    """The same without a store."""
    names, _, arrays = content(path, max_instances=100)
    return names, arrays


def test_a_store_has_what_is_read(path, cache, caplog):
    names, rows, arrays = content(path)
    assert rows == list(range(QUESTIONS - 1))
    expected_names, expected = in_memory(path)
    assert {key: list(of_key) for key, of_key in names.items()} == expected_names
    assert {name: arrays[name] for name in expected} == expected and arrays["item"] == [0, 2, 3, 4, 5, 6]
    assert caplog.text.count("1 of 7 questions skipped: malformed") == 2
    made = sorted(os.listdir(cache))
    reads = DatasetReader.by_name("annotated_cloze").read_items
    try:
        DatasetReader.by_name("annotated_cloze").read_items = None
        assert content(path) == (names, rows, arrays)
    finally:
        DatasetReader.by_name("annotated_cloze").read_items = reads
    # It warns each time.
    assert sorted(os.listdir(cache)) == made and caplog.text.count("1 of 7 questions skipped: malformed") == 3


def test_whatever_changes_the_result_has_a_store_of_its_own(path, cache, monkeypatch, tmp_path):
    def number():
        return len([folder for folder in cache.iterdir() if folder.is_dir()])

    content(path)
    content(path, token_indexers={"words": {"type": "single_id"}})
    assert number() == 1
    content(path, wrap_question=False)
    assert number() == 2
    other = build().with_annotator(ExactMatchCoref(entities=["met"]))
    table, _ = preparing.prepared(other, path)
    of_config, _ = preparing.prepared(build(), path)
    places = "passage_annotations.coref.antecedents.values"
    assert number() == 2 and table.array(places).tolist() != of_config.array(places).tolist()
    monkeypatch.setenv("HOME", str(tmp_path))
    changes = {str(tmp_path / "named"): "named", str(tmp_path / "nam*"): "named", "~/named": "named"}
    changes |= {"~/[ab].ann": "b.txt", str(tmp_path / "relations.json"): "parses.json"}
    for name in ("named", "b.ann", "b.txt", "relations.json", "parses.json"):
        (tmp_path / name).write_text("a")
    for name, changed in changes.items():
        config = json.dumps({"file": name})
        first = fingerprint.fingerprint(config, path, [path])
        (tmp_path / changed).write_text(name)
        assert fingerprint.fingerprint(config, path, [path]) != first
    with open(path, "a") as file:
        file.write("\n")
    content(path)
    assert number() == 3
    monkeypatch.setattr(fingerprint, "_code", lambda: "another version")
    content(path)
    assert number() == 4


def test_weights_without_an_ending_are_part_of_the_fingerprint_and_pipes_are_not(tmp_path):
    own = {file.relative_to(fingerprint.PACKAGE).as_posix() for file in fingerprint._own_files()}
    # Annotators run models, and NarrativeQA's spans are chosen by a metric.
    assert own >= {"models/structure/roles.py", "modules/scopes.py", "metrics/lcs.py"}
    assert any(
        name.startswith("annotations/english/model/") and "." not in name.rsplit("/")[-1] for name in own
    )
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "nowhere").symlink_to("missing")
    names = ["/", ".", "..", str(tmp_path / "pipe"), str(tmp_path / "folder")]
    assert [*named_content({"names": names})] == [str(tmp_path / "folder")]
    assert fingerprint.fingerprint(json.dumps(names), "", [])


@pytest.mark.parametrize("is_included", [True, False])
def test_code_of_users_packages_is_part_of_the_fingerprint(is_included, tmp_path, monkeypatch):
    """This is so for packages that --include-package names, and for those that plugins or a script import."""
    package = f"own_package_{is_included}"
    (tmp_path / package).mkdir()
    code = tmp_path / package / "__init__.py"
    code.write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    if is_included:
        monkeypatch.setattr(fingerprint, "INCLUDED", {package: None})
    else:
        own = type("Own", (Annotator,), {"__module__": f"{package}.annotators"})
        monkeypatch.setitem(Registrable._registry[Annotator], "own", (own, None))
    import_module(package)
    config = json.dumps({"annotator": {"type": "compose", "annotators": ["own"]}})
    first = fingerprint.fingerprint(config, "", [])
    code.write_text("NUMBER = 1\n")
    assert fingerprint.fingerprint(config, "", []) != first


def damaged_copies(folder):
    """Damages each file of a store in turn, in its first, its middle and its last byte, and removes it."""
    for file in sorted(folder.iterdir()):
        whole = file.read_bytes()
        for place in (0, len(whole) // 2, len(whole) - 1):
            file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
            yield
        file.write_bytes(whole[:-1])
        yield
        file.unlink()
        yield


def test_a_damaged_store_is_made_again(path, cache, caplog):
    expected = content(path)
    (folder,) = (folder for folder in cache.iterdir() if folder.is_dir())
    number = 0
    for _ in damaged_copies(folder):
        caplog.clear()
        assert content(path) == expected
        assert "it is made again" in caplog.text
        number += 1
    assert number > 50


@pytest.mark.slow
def test_killed_at_any_moment_and_started_again_it_is_the_same(path, tmp_path, monkeypatch):
    expected = content(path)
    moments, killed = 0, True
    while killed:
        monkeypatch.setenv("ALLENNLP_CACHE_ROOT", str(tmp_path / str(moments)))

        def prepare(at=moments):
            with stopping("kill", at):
                content(path)

        killed = fork(prepare)
        assert content(path) == expected, moments
        assert not list((tmp_path / str(moments) / "prepared").glob("*.parts")), moments
        moments += 1
    assert moments > 40


def test_a_full_disk_ends_it_and_what_was_done_is_kept(path, tmp_path, monkeypatch):
    expected = content(path)
    moments, stopped = 0, True
    while stopped:
        monkeypatch.setenv("ALLENNLP_CACHE_ROOT", str(tmp_path / str(moments)))
        with stopping("full", moments) as disk:
            try:
                found = content(path)
            except OSError as error:
                assert str(tmp_path) in str(error.filename)
            else:
                assert found == expected
        stopped = disk.stopped
        assert content(path) == expected
        moments += 1
    assert moments > 20


def test_a_folder_that_cannot_be_written_to_is_replaced_for_this_run(path, tmp_path, monkeypatch, caplog):
    expected = content(path)
    (tmp_path / "file").touch()
    monkeypatch.setenv("ALLENNLP_CACHE_ROOT", str(tmp_path / "file"))
    assert content(path) == expected
    assert "is prepared for this run alone" in caplog.text


def test_two_at_once_prepare_once(path, cache, monkeypatch):
    made, results = [], []
    make = preparing._make

    def slowly(*arguments):
        made.append(1)
        second.start()
        make(*arguments)

    monkeypatch.setattr(preparing, "_make", slowly)
    second = threading.Thread(target=lambda: results.append(content(path)))
    results.append(content(path))
    second.join()
    assert made == [1] and results[0] == results[1]


def test_several_processes_pack_what_one_packs(path, cache, monkeypatch):
    expected = content(path)
    main(["data", "prepared", "--remove", "all"])
    # Other tests include packages that are there for them alone.
    monkeypatch.setattr(preparing, "INCLUDED", {})
    two = preparing.Workers
    monkeypatch.setattr(preparing, "Workers", lambda preload: two(2, preload=preload))
    assert content(path) == expected


def test_a_file_that_changes_while_it_is_read_is_refused(path, cache, monkeypatch):
    make = preparing._make

    def and_change(*arguments):
        make(*arguments)
        with open(path, "a") as file:
            file.write("\n")

    monkeypatch.setattr(preparing, "_make", and_change)
    with pytest.raises(ConfigurationError, match="changed while it was read"):
        content(path)
    assert not [folder for folder in cache.iterdir() if folder.is_dir()]


def test_a_file_without_a_good_question_is_refused(tmp_path, cache):
    path = write(tmp_path / "bad.jsonl", "{}\n" * 3)
    with pytest.raises(ConfigurationError, match="object 1"):
        content(path)


def test_a_chunk_may_have_nothing_good(path, cache):
    """The third and the fourth question, which are a chunk, are well-formed, but have no placeholder."""
    with open(path) as file:
        lines = file.read().splitlines()
    lines[2:4] = [line.replace("@placeholder", "it") for line in lines[4:6]]
    with open(path, "w") as file:
        file.write("\n".join(lines))
    expected = [instance["metadata"]["id"] for instance in build().read(path)]
    _, rows, arrays = content(path)
    assert [arrays["metadata"][row]["id"] for row in rows] == expected and len(expected) == QUESTIONS - 3


def test_the_command_lists_and_removes(path, cache, capsys):
    content(path)
    content(path, wrap_question=False)
    main(["data", "prepared"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3 and f"6 questions of {path}, annotated_cloze" in lines[0]
    main(["data", "prepared", "--remove", lines[0].split()[0]])
    assert [folder.name for folder in cache.iterdir() if folder.is_dir()] == [lines[1].split()[0]]
    with pytest.raises(SystemExit):
        main(["data", "prepared", "--remove", "other"])
