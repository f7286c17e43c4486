import logging
from pathlib import Path

import pytest
from allennlp.common.checks import ConfigurationError
from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.annotations import AnnotatedText, Edge
from allennlp_coref_rc.annotations.formats import FORMATS, read_conllu

FIXTURE = Path(__file__).parents[2] / "fixtures" / "formats" / "conllu" / "viaje.conllu"


def row(id, form="w", head="_", kind="_", misc="_"):
    return f"{id}\t{form}\t_\tX\t_\t_\t{head}\t{kind}\t_\t{misc}\n"


def read(folder, text):
    path = folder / "a.conllu"
    path.write_bytes(text.encode())
    return list(read_conllu(str(path)))


def test_a_file_gives_its_documents(caplog):
    with caplog.at_level(logging.WARNING):
        first, second = read_conllu(str(FIXTURE))
    assert "viaje.conllu: 1 mentions left out that are only empty nodes" in caplog.text
    assert first.tokens == "Ana y Luis vieron al hombre del mar . Lo sabe .".split()
    assert first.sentences == [(0, 9), (9, 12)] and first.id == "viaje"
    # e2 is in e1, which is in two parts; e3 begins and e4 ends in a token of two words.
    assert sorted(first.clusters) == [[(0, 1)], [(0, 3)], [(4, 8)], [(6, 8)]]
    words = [(edge.type, first.tokens[edge.source[0]], first.tokens[edge.target[0]]) for edge in first.edges]
    expected = """
        nsubj vieron Ana, cc Luis y, conj Ana Luis, case hombre al, det hombre al, obj vieron hombre,
        case mar del, det mar del, nmod hombre mar, punct vieron ., obj sabe Lo, punct sabe .
    """
    assert words == [tuple(edge.split()) for edge in expected.split(",")]
    assert second == AnnotatedText(["Ana"], clusters=[[(0, 1)]], id="vuelta")


def test_files_of_windows_and_files_without_documents_are_read(tmp_path):
    text = "\ufeff# text = a b\n" + row(1, "a", 2, "det") + row(2, "b c", 0, "root", "Entity=(1)")
    expected = AnnotatedText(["a", "b c"], clusters=[[(1, 2)]], edges=[Edge("det", (1, 2), (0, 1))], id="a")
    assert read(tmp_path, text) == read(tmp_path, text.replace("\n", "\r\n")) == [expected]
    assert read(tmp_path, "# newdoc id = x\n\n") == []
    again = read(tmp_path, ("# newdoc id = x\n" + text[1:] + "\n") * 2)
    assert [(found.id, len(found)) for found in again] == [("x", 2)] * 2


WORDS = [("Old", "("), ("Ann", ")"), ("met", ""), ("Bob", "()"), ("she", "()"), ("smiled", "")]

ENTITIES = ["Ann", "Ann", "", "Bob", "Ann", ""]


def with_header(header, opened, closed, numbers=None):
    """The words with mentions in the form of a header. `numbers` are those of Ann and Bob."""
    numbers = numbers or {"Ann": "1", "Bob": "2"}
    text = f"# global.Entity = {header}\n" if header else ""
    for i, ((word, brackets), entity) in enumerate(zip(WORDS, ENTITIES), start=1):
        values = {"": "_", "(": "(" + opened, ")": closed + ")", "()": f"({opened})"}[brackets]
        misc = "Entity=" + values.format(numbers[entity]) if brackets else "_"
        text += row(i, word, misc=misc)
    return text


@pytest.mark.parametrize(
    "header, opened, closed",
    [
        ("eid-etype-head-other", "e{}-person-1-", "e{}"),
        ("eid", "e{}", "e{}"),
        ("GRP-etype-infstat-minspan-link-identity", "{}-person-new-2-coref-Ann", "{}"),
        ("etype-eid-infstat-minspan-link-identity", "person-{}-new-2-coref", "{}"),
        ("entity-GRP-identity", "person-{}", "{}"),
        ("entity-GRP", "person-{}", "person-{}"),
        ("entity-GRP-identity", "person-{}-A_B", "person-{}-A_B"),
        ("", "e{}-person-1-", "e{}"),
        ("", "{}", "{}"),
    ],
)
def test_the_header_says_which_value_is_the_number_of_the_entity(tmp_path, caplog, header, opened, closed):
    (text,) = read(tmp_path, with_header(header, opened, closed))
    assert text.clusters == [[(0, 2), (4, 5)], [(3, 4)]] and not caplog.records


@pytest.mark.parametrize(
    "header, values", [("etype-identity", "person-A"), ("entity", "person"), ("identity", "1")]
)
def test_without_the_number_of_the_entity_there_are_no_clusters(tmp_path, caplog, header, values):
    text = with_header(header, values, values.split("-")[0])
    found = read(tmp_path, (text + "\n") * 2 + f"# newdoc id = b\n{text}")
    assert [text.clusters for text in found] == [[], []] and [len(text) for text in found] == [12, 6]
    expected = [f"{tmp_path}/a.conllu: 9 mentions left out"]
    assert [record.getMessage().split(",")[0] for record in caplog.records] == expected


def test_a_document_without_an_id_has_the_name_of_the_file(tmp_path):
    word = "1\tAnn\t_\tPROPN\t_\t_\t0\troot\t_\t_\n\n"
    found = read(tmp_path, f"# newdoc id = x\n{word}{word}# newdoc\n{word}# newdoc\n{word}")
    assert [(text.id, len(text)) for text in found] == [("x", 2), ("a", 1), ("a:2", 1)]


def test_a_type_without_a_header_is_said_to_be_taken_for_an_entity(tmp_path, caplog):
    (text,) = read(tmp_path, with_header("", "{}", "{}", {"Ann": "person", "Bob": "place"}))
    assert text.clusters == [[(0, 2), (4, 5)], [(3, 4)]]
    assert "3 mentions whose first value is taken for the number of the entity" in caplog.text


@pytest.mark.parametrize(
    "header, form",
    [("eid-etype", "e1[{}]-person"), ("etype-eid", "person-e1[{}]"), ("GRP-etype", "1-person[{}]")],
)
def test_discontinuous_mentions_go_from_their_first_to_their_last_part(tmp_path, header, form):
    parts = [form.format(f"{i}/2") for i in (1, 2)]
    number = next(value for value in parts[0].split("-") if "1" in value.partition("[")[0])
    closed = number if "[" in number else number + "[1/2]"
    rows = [row(1, misc=f"Entity=({parts[0]}"), row(2, misc=f"Entity={closed})"), row(3)]
    rows.append(row(4, misc=f"Entity=({parts[1]})"))
    found = [text.clusters for text in read(tmp_path, f"# global.Entity = {header}\n" + "".join(rows))]
    assert found == [[[(0, 4)]]]
    with pytest.raises(ConfigurationError, match="line 2: a mention of e?1 begins here and never ends"):
        read(tmp_path, f"# global.Entity = {header}\n" + "".join(rows[:3]))


def test_what_is_malformed_costs_itself_and_is_named(tmp_path, caplog):
    path = tmp_path / "a.conllu"
    good = row(1, "Ann", 2, "nsubj", "Entity=(1)") + row(2, "left", 0, "root") + "\n"
    bad = row(1, "Bob", "x", "nsubj", "Entity=1)") + row(2, "ran", 3, "root", "Entity=(2")
    bad += row(3, "x", 2, "adv") + "\n"
    path.write_text(good + bad + row(2, "lost") + "\n" + good)
    found = list(FORMATS["conllu"].items(str(path)))
    (text,) = [item for item in found if isinstance(item, AnnotatedText)]
    assert text.tokens == "Ann left Bob ran x Ann left".split() and text.clusters == [[(0, 1), (5, 6)]]
    assert [edge.type for edge in text.edges] == ["nsubj", "root", "adv", "nsubj"]
    problems = [str(item).removeprefix(f"{path}, ") for item in found if item is not text]
    assert [problem.partition(",")[0] for problem in problems] == [
        "line 4: found the head 'x'",
        "line 4: a mention of 1 ends here and never begins",
        "line 8: found the ID 2",
        "line 5: a mention of 2 begins here and never ends",
    ]
    assert list(FORMATS["conllu"].read_all(str(path))) == [text]
    assert f"{path}: 4 malformed parts left out; the first: {path}, line 4" in caplog.text


@st.composite
def sentences(draw):
    """Numbers of words, their heads, and entities of mentions that do not cross those of the same."""
    lengths = draw(st.lists(st.integers(1, 6), min_size=1, max_size=3))
    mentions = []
    for sentence, length in enumerate(lengths):
        for start, stop in draw(
            st.lists(st.tuples(st.integers(1, length), st.integers(1, length)), max_size=4)
        ):
            mentions.append((draw(st.sampled_from("ABC")), sentence, min(start, stop), max(start, stop)))
    apart = []
    for entity, sentence, start, stop in mentions:
        if all((entity, sentence) != other[:2] or stop < other[2] or other[3] < start for other in apart):
            apart.append((entity, sentence, start, stop))
    heads = [[draw(st.integers(0, length)) for _ in range(length)] for length in lengths]
    return heads, apart


@settings(derandomize=True, deadline=None, max_examples=100)
@given(case=sentences())
def test_what_is_written_is_read(case, tmp_path_factory):
    heads, mentions = case
    text, names, clusters, edges = "", [], {}, set()
    for s, numbers in enumerate(heads):
        for i, head in enumerate(numbers, start=1):
            brackets = "".join(f"{e})" for e, t, a, b in mentions if (t, b) == (s, i) and a < b)
            brackets += "".join(f"({e}-x-1-" for e, t, a, b in mentions if (t, a) == (s, i) and a < b)
            brackets += "".join(f"({e}-x-1-)" for e, t, a, b in mentions if (t, a, b) == (s, i, i))
            text += row(i, f"{s}.{i}", head, "d", f"SpaceAfter=No|Entity={brackets}" if brackets else "_")
            names.append(f"{s}.{i}")
            if head not in (0, i):
                edges.add((f"{s}.{head}", f"{s}.{i}"))
        text += "\n"
    for entity, s, start, stop in mentions:
        clusters.setdefault(entity, set()).add((f"{s}.{start}", f"{s}.{stop}"))
    (found,) = read(tmp_path_factory.getbasetemp(), text)
    assert found.tokens == names and len(found.sentences) == len(heads)
    assert {(names[edge.source[0]], names[edge.target[0]]) for edge in found.edges} == edges
    ends = [
        frozenset((names[start], names[stop - 1]) for start, stop in cluster) for cluster in found.clusters
    ]
    assert sorted(ends, key=sorted) == sorted(map(frozenset, clusters.values()), key=sorted)


@pytest.mark.parametrize(
    "text, message",
    [
        (row(1, misc="Entity=e1"), "line 1: found 'e1', expected mentions like"),
        (row(1) + row("2.1"), "line 2: found '2.1' and the form 'w', expected an ID up to 1 and a form"),
        (row("1-2", " ") + row(1) + row(2), "line 1: found '1-2' and the form ' ', expected an ID up to 2"),
    ],
)
def test_what_is_malformed_is_named_by_file_and_line(tmp_path, text, message):
    with pytest.raises(ConfigurationError) as error:
        read(tmp_path, text)
    assert f"a.conllu, {message}" in str(error.value)
