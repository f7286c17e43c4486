import gzip
import json
import random
import re
import tracemalloc

import pytest
from allennlp.common.checks import ConfigurationError
from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.common import json_objects
from allennlp_coref_rc.common.json_objects import read_json_objects, read_listed_objects

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
objects = st.lists(st.dictionaries(st.text(max_size=4), values, max_size=4), min_size=1, max_size=5)
layouts = st.sampled_from(["list", "indented list", "lines", "lines with blank ones"])


def write(items, layout, ascii=True):
    if layout == "list":
        return json.dumps(items, ensure_ascii=ascii)
    if layout == "indented list":
        return "\n " + json.dumps(items, indent=1, ensure_ascii=ascii) + "\n\n"
    lines = [json.dumps(item, ensure_ascii=ascii) for item in items]
    return "\n".join(lines) if layout == "lines" else "\n\n".join(["", *lines, " "])


def read(path):
    return [item for _, item in read_json_objects(str(path))]


def refusal(path):
    with pytest.raises(ConfigurationError) as error:
        read(path)
    assert str(error.value).startswith(f"{path}, ")
    return str(error.value)[len(f"{path}, ") :]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.json"


@settings(derandomize=True, deadline=None, max_examples=60)
@given(items=objects, layout=layouts, ascii=st.booleans(), piece=st.sampled_from([1, 2, 3, 7, 1000]))
def test_the_objects_are_those_of_the_file_however_it_is_read(tmp_path_factory, items, layout, ascii, piece):
    path = tmp_path_factory.mktemp("a") / "a.json"
    path.write_text(write(items, layout, ascii), encoding="utf-8", newline="")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_objects, "PIECE", piece)
        assert read(path) == items


def test_a_byte_order_mark_is_left_out(path):
    path.write_text('\ufeff[{"a": "\ufeff"}]', encoding="utf-8")
    assert read(path) == [{"a": "\ufeff"}]


def test_each_object_has_its_place(path):
    path.write_text('[{"a":\n1}, {},\n\n{"b": "\\n"}\n]')
    expected = [f"{path}, object {number}" for number in (1, 2, 3)]
    assert [place for place, _ in read_json_objects(str(path))] == expected


def test_compressed_files(tmp_path):
    path = tmp_path / "a.json.gz"
    whole = gzip.compress(json.dumps([{"a": i} for i in range(1000)]).encode())
    path.write_bytes(whole)
    assert len(read(path)) == 1000
    path.write_bytes(whole[: len(whole) // 2])
    assert "damaged data" in refusal(path)


def test_a_long_list_is_not_held_in_memory(path, monkeypatch):
    monkeypatch.setattr(json_objects, "PIECE", 10_000)
    path.write_text(json.dumps([{"text": "a" * 1000, "number": i} for i in range(3000)]))
    tracemalloc.start()
    try:
        assert sum(item["number"] for _, item in read_json_objects(str(path))) == sum(range(3000))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < path.stat().st_size / 5


def test_a_damaged_line_costs_itself(tmp_path):
    path, errors = tmp_path / "a.jsonl", []
    lines = ['{"a": 1}', '{"a": "b', '{"a": 2}', '{"a": [1,', '{"a": 3}', "x", '{"a": "\\ud800"}']
    lines += ['{"a": 4}', '{"a"']
    path.write_text("\n".join(lines))
    found = list(read_json_objects(str(path), errors.append))
    assert [value for _, value in found] == [{"a": number} for number in (1, 2, 3, 4)]
    assert [str(error).split(":")[0] for error in errors] == [f"{path}, object {i}" for i in (2, 4, 6, 7, 9)]


def test_a_file_that_cannot_be_read_to_its_end_is_refused(path, monkeypatch):
    """Objects over several lines: what is read is not read again after the error."""
    monkeypatch.setattr(json_objects, "PIECE", 1000)
    lines = "".join(json.dumps({"a": i}, indent=1) + "\n" for i in range(1000)).encode()
    path.write_bytes(lines[:8000] + b"\xe9" + lines[8000:])
    errors, found = [], []
    with pytest.raises(ConfigurationError, match="found the byte 0xe9"):
        found.extend(read_json_objects(str(path), errors.append))
    assert not errors


MALFORMED = [
    ("", "object 1: found the end of the file, expected an object"),
    ("[\n{}", "object 1: found the end of the file, expected ',' or ']'"),
    ("[{}\n,\n]", "object 2: found ']', expected an object"),
    ("[{}{}]", "object 1: found '{}]', expected ',' or ']'"),
    ("[{}]\n{}", "object 1: found '{}', expected nothing after ']'"),
    ("[[{}]]", "object 1: found '[{}]]', expected an object"),
    ("{}\nnull", "object 2: found 'null', expected an object"),
    (" \ufeff[{}]", r"object 1: found '\ufeff[{}]', expected an object"),
    ('[{"a": 1},\n{"b" 2}]', "object 2: found damaged JSON (Expecting ':' delimiter in "),
    ('{"a":\n\n"\\x"}', "object 1: found damaged JSON (Invalid \\escape in "),
    ('{"a": ' + "9" * 5000 + "}", "object 1: found damaged JSON (Exceeds the limit"),
    ('{"a": ' + "[" * 100_000, "object 1: found damaged JSON ("),
]


@pytest.mark.parametrize("piece", [1, 5, 2**20])
@pytest.mark.parametrize("content, expected", MALFORMED, ids=range(len(MALFORMED)))
def test_what_is_wrong_and_where(path, content, expected, piece, monkeypatch):
    monkeypatch.setattr(json_objects, "PIECE", max(piece, len(content) // 100))
    path.write_text(content, encoding="utf-8")
    message = refusal(path)
    assert message.startswith(expected if piece > 5 else expected[: expected.index(":")])
    assert "expected" in message and len(message) < 250


def test_files_cut_off_anywhere_are_refused(path):
    items = [{"id": "ü", "list": ["a", 1.5, None, True, "\\"]}, {"id": "\ud83d\ude00", "n": -1e9}]
    whole = json.dumps(items)
    for length in range(len(whole)):
        path.write_text(whole[:length])
        assert re.match("object [12]: found ", refusal(path))


def test_a_quotation_mark_lost_early_in_a_long_file_is_found_at_once(path, monkeypatch):
    monkeypatch.setattr(json_objects, "PIECE", 1000)
    rng = random.Random(0)
    items = [{"id": f"Q{rng.random()}", "text": "some words"} for _ in range(2000)]
    path.write_text(json.dumps(items).replace('"id', "id", 1))
    fills = []
    fill = json_objects._Text._fill
    monkeypatch.setattr(json_objects._Text, "_fill", lambda text: fills.append(1) or fill(text))
    assert refusal(path).startswith("object 1: found damaged JSON (Expecting property name")
    assert len(fills) < 3


class TestListedObjects:
    def test_the_objects_under_the_key_and_their_places(self, path):
        path.write_text('{"version": 1.1, "data": [{"a":\n1}, {},\n{"b": 2}], "data2": []}')
        expected = [(f"{path}, data[{number}]", item) for number, item in enumerate([{"a": 1}, {}, {"b": 2}])]
        assert list(read_listed_objects(str(path))) == expected

    @pytest.mark.parametrize(
        "text, message",
        [
            ("{}", ": found {}, expected a list of objects under 'data'"),
            ('{"data": {}}', ": found {\"data\": {}}, expected a list of objects under 'data'"),
            ('{"data": [{}, 3]}', ", data[1]: found 3, expected an object"),
            ('{"data": [{}]', ", object 1: found damaged JSON (Expecting ',' delimiter"),
        ],
    )
    def test_damage_is_named(self, path, text, message):
        path.write_text(text)
        with pytest.raises(ConfigurationError) as error:
            list(read_listed_objects(str(path)))
        assert str(error.value).startswith(f"{path}{message}")
