import gzip

import pytest
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.common.csv_rows import read_csv_rows

GOOD = 'id,text,more\n1,"a ""quoted"" word",\n2,"over\ntwo, lines",x\n3,"",y\n'


def rows(path, content, columns=("id", "text")):
    path.write_bytes(content.encode("utf-8"))
    return list(read_csv_rows(str(path), columns))


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_rows_have_the_lines_they_begin_on(tmp_path, line_end):
    found = rows(tmp_path / "a.csv", GOOD.replace("\n", line_end))
    assert found == [
        (2, {"id": "1", "text": 'a "quoted" word', "more": ""}),
        (3, {"id": "2", "text": f"over{line_end}two, lines", "more": "x"}),
        (5, {"id": "3", "text": "", "more": "y"}),
    ]


def test_blank_lines_are_no_rows(tmp_path):
    expected = rows(tmp_path / "a.csv", GOOD)
    assert [row for _, row in rows(tmp_path / "b.csv", GOOD.replace("2,", "\n2,") + "\n\n")] == [
        row for _, row in expected
    ]


def test_compressed_files(tmp_path):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(GOOD.encode()))
    assert list(read_csv_rows(str(path), ["id"])) == rows(tmp_path / "a.csv", GOOD)


@pytest.mark.parametrize(
    "content, line, found, expected",
    [
        ("", 1, "no text", "the columns id, text"),
        ("id,txt\n", 1, "'id, txt'", "also 'text'"),
        (GOOD + "4,a\n", 6, "2 fields", "3, as line 1 has"),
        (GOOD + '4,"a,b\n5,c,d\n', 6, "a damaged row (unexpected end of data)", "CSV"),
        (GOOD + '4,"a"b,c\n', 6, "a damaged row (',' expected after '\"')", "CSV"),
    ],
)
def test_malformed_files(tmp_path, content, line, found, expected):
    path = tmp_path / "a.csv"
    with pytest.raises(ConfigurationError) as error:
        rows(path, content)
    message = str(error.value)
    assert message.startswith(f"{path}, line {line}: found {found}")
    assert message.split(", expected ")[1].startswith(expected)


@pytest.mark.parametrize(
    "bad, lines",
    [("4,a\n", [6]), ('4,"a"b,c\n', [6]), ('4,"a,b\n', [6]), ('4,"a,b\n5,c\n', [6, 7]), ("\n", [])],
)
def test_a_malformed_row_costs_itself_and_swallows_no_other(tmp_path, bad, lines):
    path, errors = tmp_path / "a.csv", []
    path.write_text(GOOD + bad + '8,"x",y\n9,z,\n')
    found = list(read_csv_rows(str(path), ["id"], leave_out=errors.append))
    assert [row["id"] for _, row in found] == ["1", "2", "3", "8", "9"]
    assert [line for line, _ in found] == [2, 3, 5, *(6 + len(bad.splitlines()) + i for i in (0, 1))]
    assert [str(error).split(":")[0] for error in errors] == [f"{path}, line {line}" for line in lines]


def test_text_that_is_not_utf_8(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(GOOD.encode() + b"4,caf\xe9,\n")
    with pytest.raises(ConfigurationError, match="line 6: found the byte 0xe9"):
        list(read_csv_rows(str(path), ["id"]))


def test_a_text_may_be_long(tmp_path):
    text = "a" * 200_000
    ((_, row),) = rows(tmp_path / "a.csv", f"id,text\n1,{text}\n")
    assert row["text"] == text
