import pytest
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.annotations.formats import FORMATS, read_gap
from tests.shared import SHARED

HEADER = "ID Text Pronoun Pronoun-offset A A-offset A-coref B B-offset B-coref URL".replace(" ", "\t") + "\n"
GAP = SHARED / "data" / "annotators" / "gap"


def row(
    text='Ann said "hi" to Eve Lee; she left.',
    pronoun="she\t26",
    first="Ann\t0\tTRUE",
    second="Eve Lee\t17\tFALSE",
):
    return "\t".join(["x-1", text, pronoun, first, second, "http://a.b"]) + "\n"


def read(folder, text):
    path = folder / "a.tsv"
    path.write_text(text)
    return list(read_gap(str(path)))


def test_a_passage_has_the_pronoun_first(tmp_path):
    first, second, third = read(
        tmp_path,
        HEADER + row() + row(second="Eve Lee\t17\tTrue", first="Ann\t0\tfalse") + row(first="Ann\t0\tFALSE"),
    )
    assert first.tokens == 'Ann said " hi " to Eve Lee ; she left .'.split() and first.id == "x-1"
    assert first.clusters == [[(9, 10), (0, 1)], [(6, 8)]]
    assert second.clusters == [[(9, 10), (6, 8)], [(0, 1)]]
    assert third.clusters == [[(9, 10)], [(0, 1)], [(6, 8)]]
    assert FORMATS["gap"].list_files(str(tmp_path)) == [str(tmp_path / "a.tsv")]


def test_folders_in_a_folder_are_told_of(tmp_path, caplog):
    for name in ("a.tsv", "test/b.tsv", "test/more/c.tsv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(HEADER + row())
    assert [text.id for text in FORMATS["gap"].read_all(str(tmp_path))] == ["x-1"]
    (record,) = caplog.records
    every = f"{tmp_path}/**/*.tsv*"
    assert record.getMessage() == f"{tmp_path}: 2 files in its folders left out; '{every}' has them too"
    assert len(FORMATS["gap"].list_files(every)) == 3


def test_a_text_that_two_files_have_is_told_of(tmp_path, caplog):
    for name in ("a.tsv", "b.tsv", "c.tsv"):
        (tmp_path / name).write_text(HEADER + row())
    assert len(list(FORMATS["gap"].items(str(tmp_path)))) == 3
    (record,) = caplog.records
    assert record.getMessage() == f"{tmp_path}/b.tsv: found the text 'x-1', which {tmp_path}/a.tsv has too"


@pytest.mark.parametrize(
    "line, named",
    [
        (row(pronoun="she\t25"), "she.*25"),
        (row(first="Ann\t1" + "0" * 5000 + "\tTRUE"), "Ann.*100"),
        (row(first="Ann\t0\tyes"), "A-coref 'yes'"),
        ("a\tb\n", "found 2 fields, expected 11"),
    ],
)
def test_a_malformed_row_is_named(tmp_path, line, named):
    with pytest.raises(ConfigurationError, match=rf"a\.tsv, line 3: .*{named}"):
        read(tmp_path, HEADER + row() + line)


def test_a_missing_column_is_named(tmp_path):
    with pytest.raises(ConfigurationError, match="line 1: .*'B-coref'"):
        read(tmp_path, HEADER.replace("\tB-coref", ""))


@pytest.mark.skipif(not GAP.is_dir(), reason="needs GAP")
def test_the_published_passages_are_read():
    texts = list(read_gap(str(GAP / "gap-validation.tsv")))
    assert len(texts) == 454
    pronouns = {text.tokens[text.clusters[0][0][0]].lower() for text in texts}
    assert pronouns == {"he", "him", "his", "she", "her"}
