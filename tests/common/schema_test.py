from typing import Annotated, Optional, Union

import pytest
from pydantic import ConfigDict, Field, model_validator

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.json_objects import read_json_objects
from allennlp_coref_rc.common.schema import InvalidValue, Schema, one_of, read_yaml, validated


class Head(Schema):
    name: str
    size: Annotated[int, Field(ge=1)] = 1
    kind: Optional[Annotated[str, one_of(("gru", "coref"))]] = None
    ends: list[int] = []

    @model_validator(mode="after")
    def _check_ends(self) -> "Head":
        for i, end in enumerate(self.ends):
            if end > self.size:
                raise InvalidValue(f"an integer up to {self.size}", "ends", i)
        return self


class Reader(Schema):
    heads: dict[str, Head]
    more: list[Head] = []
    weights: dict[str, Union[float, list[float]]] = {}


class Lenient(Schema):
    model_config = ConfigDict(extra="ignore")

    name: str


GOOD = {
    "heads": {"a": {"name": "first", "size": 3, "kind": "gru", "ends": [1, 3]}},
    "weights": {"a": 1, "b": [0.5]},
}


def test_good_values_have_their_types():
    reader = validated(Reader, GOOD)
    assert reader.heads["a"] == Head(name="first", size=3, kind="gru", ends=[1, 3])
    assert reader.weights == {"a": 1.0, "b": [0.5]} and reader.more == []
    assert validated(list[int], [1, 2]) == [1, 2]
    assert validated(Lenient, {"name": "a", "other": 1}).name == "a"


def head(**values):
    return {"heads": {"a": {"name": "", **values}}}


def more(*heads):
    return {"heads": {}, "more": list(heads)}


@pytest.mark.parametrize(
    "value, message",
    [
        ({}, "found {}, expected the key 'heads'"),
        ({"heads": {"a": 3}}, "found 3 at heads.a, expected an object"),
        (head(size="1"), 'found "1" at heads.a.size, expected an integer'),
        (head(size=0), "found 0 at heads.a.size, expected a number greater than or equal to 1"),
        (head(kind="x"), 'found "x" at heads.a.kind, expected one of gru, coref'),
        (head(sizes=1), 'found the unknown key "sizes" at heads.a, expected one of name, size, kind, ends'),
        (more({"name": ""}, {"name": None}), "found null at more[1].name, expected a string"),
        (more({"name": "", "ends": [1, 2]}), "found 2 at more[0].ends[1], expected an integer up to 1"),
        ({"heads": {}, "weights": {"a": float("nan")}}, "found NaN at weights.a, expected a finite number"),
    ],
)
def test_errors_name_the_path_and_the_value(value, message):
    with pytest.raises(ConfigurationError) as raised:
        validated(Reader, value, "F")
    assert str(raised.value) == f"F: {message}"


def test_lines_of_json(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"name": "a"}\n{"name": 3}\n')
    objects = read_json_objects(str(tmp_path / "a.jsonl"))
    assert validated(Head, *reversed(next(objects))).name == "a"
    with pytest.raises(ConfigurationError, match=r"a.jsonl, object 2: found 3 at name, expected a string"):
        validated(Head, *reversed(next(objects)))


@pytest.mark.parametrize(
    "text, message",
    [
        ("heads:\n  a:\n    size: 2\n    name: 3\n", "line 4: found 3 at heads.a.name, expected a string"),
        ("heads:\n\n  a: {name: a}\nmore:\n- name: b\n- 3\n", "line 6: found 3 at more[1], expected an obj"),
        ("heads:\n  1: {name: a}\n  2: {nam: b}\n", 'line 3: found the unknown key "nam" at heads.2'),
        ("heads: {a: 1, a: 2}", "found the key 'a' twice"),
        ("heads: {a", "line 1"),
        ("heads: !!bool x", ""),
    ],
)
def test_errors_in_yaml_name_the_line(tmp_path, text, message):
    path = tmp_path / "a.yaml"
    path.write_text(text)
    with pytest.raises(ConfigurationError) as raised:
        read_yaml(str(path), Reader)
    assert str(path) in str(raised.value) and message in str(raised.value)


def test_keys_that_a_mapping_merges_have_lines(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("heads:\n  a: &a\n    name: a\n  b:\n    <<: *a\n    size: 2\n    ends: [1, 3]\n")
    with pytest.raises(ConfigurationError, match=r"line 7: found 3 at heads\.b\.ends\[1\], expected"):
        read_yaml(str(path), Reader)
    path.write_text(path.read_text().replace("3]", "2]"))
    assert read_yaml(str(path), Reader).heads["b"] == Head(name="a", size=2, ends=[1, 2])
