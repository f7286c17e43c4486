from pathlib import Path

import pytest
from allennlp.common.checks import ConfigurationError
from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.annotations import AnnotatedText, Edge
from allennlp_coref_rc.annotations.formats import FORMATS, read_brat

FIXTURE = Path(__file__).parents[2] / "fixtures" / "formats" / "brat" / "story.ann"


def read(folder, text, *lines):
    (folder / "a.txt").write_bytes(text.encode())
    (folder / "a.ann").write_text("".join(line + "\n" for line in lines))
    (found,) = read_brat(str(folder / "a.ann"))
    return found


def test_a_pair_of_files_gives_a_text():
    (text,) = read_brat(str(FIXTURE))
    words = "Mary 's aunt left. She was tired , and so was John- Paul . The old man and the young man slept ."
    assert text == AnnotatedText(
        words.split(),
        sentences=[(0, 6), (6, 14), (14, 23)],
        # R3 and the equivalence of T4 join Mary, Paul and the young man; an event stands where its trigger
        # does.
        clusters=[[(0, 1), (12, 13), (18, 21)], [(0, 3), (4, 5)], [(6, 7), (21, 22)]],
        edges=[Edge("Who", (21, 22), (14, 21)), Edge("Part-of", (0, 1), (0, 3))],
        id="story",
    )


def test_line_ends_count_as_in_the_file(tmp_path):
    text = read(tmp_path, "He left.\r\nHe slept.", "T1\tP 0 2\tHe", "T2\tP 10 12\tHe", "*\tEquiv T1 T2")
    assert text.sentences == [(0, 2), (2, 4)] and text.clusters == [[(0, 1), (2, 3)]]


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_offsets_may_count_a_line_end_of_windows_as_one_character(tmp_path, mark):
    story = mark + "He left.\r\nHe slept.\r\nShe ran."
    rows = [("He", 0), ("He", 9), ("She", 19), ("ran", 23)]
    lines = [f"T{i}\tP {start} {start + len(word)}\t{word}" for i, (word, start) in enumerate(rows)]
    text = read(tmp_path, story, *lines, "*\tEquiv T0 T1 T2", "R1\tDoes Arg1:T2 Arg2:T3")
    assert text.tokens == "He left. He slept. She ran .".split()
    assert text.clusters == [[(0, 1), (2, 3), (4, 5)]]
    assert text.edges == [Edge("Does", (4, 5), (5, 6))]


def test_a_bad_offset_costs_what_needs_it_alone(tmp_path, caplog):
    (tmp_path / "a.txt").write_text("Ann met Bob. She left.")
    rows = ["T1\tP 0 3\tAnn", "T2\tP 8 90\tBob", "T3\tP 13 16\tShe", "T4\tV 4 7\tmet"]
    relations = "R1\tMet Arg1:T4 Arg2:T2", "R2\tWho Arg1:T4 Arg2:T1", "R3\tCoref Arg1:T2 Arg2:T4"
    rows += ["*\tEquiv T1 T2 T3", *relations]
    (tmp_path / "a.ann").write_text("\n".join(rows) + "\n")
    (text,) = FORMATS["brat"].read_all(str(tmp_path))
    tokens = [[text.tokens[start:stop] for start, stop in cluster] for cluster in text.clusters]
    assert tokens == [[["Ann"], ["She"]]] and [edge.type for edge in text.edges] == ["Who"]
    assert f"{tmp_path}: 4 malformed parts left out; the first: {tmp_path}/a.ann, line 2" in caplog.text


def test_a_byte_order_mark_counts_as_a_character_and_is_no_word(tmp_path):
    for first in ("T1\tP 1 3\tHe", "T1\tP 0 3\t\ufeffHe"):
        text = read(tmp_path, "\ufeffHe left. He slept.", first, "T2\tP 10 12\tHe", "*\tEquiv T1 T2")
        assert text.tokens == ["He", "left.", "He", "slept."] and text.clusters == [[(0, 1), (2, 3)]]
    with pytest.raises(ConfigurationError, match="a.ann, line 1: found an annotation of white space"):
        read(tmp_path, "\ufeffHe left.", "T1\tP 0 1\t\ufeff")


def test_covered_text_may_have_a_carriage_return(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"The old\r\nman left.")
    # As brat writes it: a blank in place of the line feed.
    (tmp_path / "a.ann").write_bytes(
        b"T1\tP 0 7;9 12\tThe old man\nT2\tP 4 12\told\r man\nR1\tIn Arg1:T2 Arg2:T1\n"
    )
    (text,) = read_brat(str(tmp_path / "a.ann"))
    assert text.tokens == ["The", "old", "man", "left."] and text.edges == [Edge("In", (1, 3), (0, 3))]


def test_relations_and_events_give_edges(tmp_path):
    text = read(
        tmp_path,
        "Ann 😀 told Bob to sell it",
        "R1\tKnows Arg1:T1 Arg2:T3\t",
        "T1\tPerson 0 3\tAnn",
        "T2\tTell 6 10\ttold",
        "T3\tPerson 11 14\tBob",
        "T4\tSell 18 22\tsell",
        "E1\tTell:T2 Speaker:T1 Hearer:T3 Content:E2",
        "E2\tSell:T4 ",
        "R2\tBefore Earlier:E1 Later:E2",
        "A1\tNegated R2",
        "N1\tReference T1 Wikipedia:1\tAnn",
        "#1\tAnnotatorNotes R2\tsure?",
    )
    words = [(edge.type, text.tokens[edge.source[0]], text.tokens[edge.target[0]]) for edge in text.edges]
    told = [("Speaker", "Ann"), ("Hearer", "Bob"), ("Content", "sell"), ("Before", "sell")]
    assert words == [("Knows", "Ann", "Bob"), *((type, "told", target) for type, target in told)]
    assert text.clusters == []


@st.composite
def annotations(draw):
    text = draw(st.text(alphabet="ab \n.", max_size=30))
    spans = []
    if text.strip():
        position = st.integers(0, len(text))
        spans = draw(st.lists(st.tuples(position, position).map(sorted).map(tuple), max_size=6))
        spans = [(start, stop) for start, stop in spans if text[start:stop].strip()]
    number = st.integers(0, len(spans) - 1)
    links = draw(st.lists(st.lists(number, min_size=2, max_size=3), max_size=4)) if spans else []
    return text, spans, links


@settings(derandomize=True, deadline=None, max_examples=60)
@given(case=annotations())
def test_clusters_are_what_links_reach(case, tmp_path_factory):
    text, spans, links = case
    lines = [
        f"T{i}\tX {start} {stop}\t{' '.join(text[start:stop].split())}"
        for i, (start, stop) in enumerate(spans)
    ]
    for link in links:
        # It comes before the line that it refers to, as brat allows.
        pair = f"R0\tCoref Arg1:T{link[0]} Arg2:T{link[1]}"
        lines.insert(0, pair if len(link) == 2 else "*\tEquiv " + " ".join(f"T{i}" for i in link))
    found = read(tmp_path_factory.getbasetemp(), text, *lines)
    assert "".join(found.tokens) == "".join(text.split())

    reached = {i: {i} for i in range(len(spans))}
    for _ in spans:
        for link in links:
            for i in link:
                reached[i] |= {k for j in link for k in reached[j]}
    linked = {i for link in links for i in link}
    expected = {frozenset(characters(text, *spans[j]) for j in reached[i]) for i in linked}
    starts = [sum(map(len, found.tokens[:i])) for i in range(len(found) + 1)]
    assert {frozenset((starts[s], starts[e]) for s, e in cluster) for cluster in found.clusters} == expected
    assert len(found.sentences) == sum(bool(line.strip()) for line in text.split("\n"))


def characters(text, start, stop):
    """The positions of a span's characters in the text without its white space."""
    return len("".join(text[:start].split())), len("".join(text[:stop].split()))


@pytest.mark.parametrize(
    "line, message",
    [
        ("T1 X 0 2 He", "line 2: found 'T1 X 0 2 He', expected an id, a tab and an annotation"),
        ("T1\tX 0 2\tShe", "line 2: found 'She', expected what is there, 'He'"),
        ("T9\tX 0 2\tHe", "line 2: found the id 'T9' a second time"),
        ("R1\tCoref T9 T9", "line 2: found 'Coref T9 T9', expected a relation like"),
        ("E1\tLeave:T9 Who", "line 2: found 'Leave:T9 Who', expected an event"),
        ("R1\tPart-of Arg1:T9 Arg2:T7", "line 2: found 'T7', expected the id of an annotation of the text"),
    ],
)
def test_malformed_annotations_say_where(tmp_path, line, message):
    with pytest.raises(ConfigurationError, match=f"a.ann, {message}"):
        read(tmp_path, "He left.", "T9\tP 0 2\tHe", line)


def test_other_and_missing_files_are_named(tmp_path):
    with pytest.raises(ConfigurationError, match="story.txt: found another ending, expected .ann"):
        list(read_brat(str(FIXTURE.with_suffix(".txt"))))
    (tmp_path / "lone.ann").write_text("")
    with pytest.raises(ConfigurationError, match="lone.txt: no such file"):
        list(read_brat(str(tmp_path / "lone.ann")))
