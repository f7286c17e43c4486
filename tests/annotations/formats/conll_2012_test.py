import pytest
from allennlp.common.checks import ConfigurationError
from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.annotations import AnnotatedText, Frame
from allennlp_coref_rc.annotations.formats import FORMATS, read_conll_2012
from tests.shared import LITBANK, needs_litbank

# Columns as in the shared task's files: blanks between them, one argument column for each predicate of a
# sentence.
STORY = """\
#begin document (nw/made/00/made_0001); part 000
nw/made/00/made_0001 0 0 The   DT  (TOP(S(NP*   -      -   -  -    *        (ARG0*   *       (0
nw/made/00/made_0001 0 1 old   JJ  *            -      -   -  -    *        *        *       -
nw/made/00/made_0001 0 2 man   NN  *)           -      -   -  -    *        *)       *       0)
nw/made/00/made_0001 0 3 gave  VBD (VP*         give   01  1  -    *        (V*)     *       -
nw/made/00/made_0001 0 4 up    RP  *            -      -   -  -    *        (C-V*)   *       -
nw/made/00/made_0001 0 5 and   CC  *            -      -   -  -    *        *        *       -
nw/made/00/made_0001 0 6 sold  VBD *            sell   01  -  -    *        *        (V*)    -
nw/made/00/made_0001 0 7 his   PR  *            -      -   -  -    *        *        (ARG1*  (0)|(1
nw/made/00/made_0001 0 8 house NN  *            -      -   -  -    *        *        *)      1)
nw/made/00/made_0001 0 9 .     .   *))          -      -   -  -    *        *        *       -

nw/made/00/made_0001 0 0 He    PR  (TOP(S*      -      -   -  -    *        (ARG1*)  (0)
nw/made/00/made_0001 0 1 died  VBD *            die    01  -  -    *        (V*)     -
nw/made/00/made_0001 0 2 .     .   *))          -      -   -  -    *        *        -

#end document
#begin document (nw/made/00/made_0001); part 001
nw/made/00/made_0001 1 0 London NNP * - - - - * (1)

#end document
"""

TABS = """\
#begin document (novel); part 0
novel\t0\t0\tMary\t_\t_\t_\t_\t_\t_\t_\t_\t(0|(0)
novel\t0\t1\t's\t_\t_\t_\t_\t_\t_\t_\t_\t
novel\t0\t2\tMary\t_\t_\t_\t_\t_\t_\t_\t_\t(0)|(0)|(5|0)

novel\t0\t0\tand\t_\t_\t_\t_\t_\t_\t_\t_\t
novel\t0\t1\t#\t_\t_\t_\t_\t_\t_\t_\t_\t5)
#end document
"""


def read(tmp_path, text, name="file.conll"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(read_conll_2012(str(path)))


def row(mentions, word="word"):
    return f"d 0 0 {word} - - - - - - * {mentions}\n"


def written(text):
    """The other direction, for what the format can say: mentions of a cluster that nest or do not meet."""
    lines = ["#begin document (d); part 0\n"]
    for start, stop in text.sentences:
        for token in range(start, stop):
            parts = []
            for number, cluster in enumerate(text.clusters):
                parts += [f"({number}" for first, last in cluster if first == token != last - 1]
                parts += [f"({number})" for first, last in cluster if first == token == last - 1]
                parts += [f"{number})" for first, last in cluster if first != token == last - 1]
            lines.append(row("|".join(parts) or "-", text.tokens[token]))
        lines.append("\n")
    return "".join(lines + ["#end document\n"])


def test_sentences_clusters_and_frames_are_read_and_every_part_is_a_text(tmp_path):
    first, second = read(tmp_path, STORY)
    assert first == AnnotatedText(
        "The old man gave up and sold his house . He died .".split(),
        [(0, 10), (10, 13)],
        [[(0, 3), (7, 8), (10, 11)], [(7, 9)]],
        [
            Frame((3, 4), [("ARG0", (0, 3)), ("C-V", (4, 5))]),
            Frame((6, 7), [("ARG1", (7, 9))]),
            Frame((11, 12), [("ARG1", (10, 11))]),
        ],
        id="nw/made/00/made_0001_0",
    )
    assert second == AnnotatedText(["London"], clusters=[[(0, 1)]], id="nw/made/00/made_0001_1")


def test_a_column_without_its_verb_belongs_to_the_frameset_of_the_same_order(tmp_path):
    text, _ = read(tmp_path, STORY.replace("(V*)", "*   "))
    assert [frame.predicate for frame in text.frames] == [(3, 4), (6, 7), (11, 12)]


def test_columns_between_tabs_may_be_empty_and_mentions_nest_and_leave_the_sentence(tmp_path):
    (text,) = read(tmp_path, TABS)
    assert text.tokens == ["Mary", "'s", "Mary", "and", "#"]
    assert text.sentences == [(0, 3), (3, 5)]
    assert text.clusters == [[(0, 1), (0, 3), (2, 3)], [(2, 5)]]
    assert text.frames == []


def test_a_word_may_have_a_space_that_is_no_blank(tmp_path):
    rows = row("(0)", "5\u00a0000") + "\n" + row("(0)", "５\u3000０").replace("\n", " \r\n")
    (text,) = read(tmp_path, BEGIN + rows + END)
    assert text == AnnotatedText(["5\u00a0000", "５\u3000０"], [(0, 1), (1, 2)], [[(0, 1), (1, 2)]], id="d_0")


KEY = """#begin document (LuoTestCase);
test1\t0\t0\ta1\t(0
test1\t0\t1\ta2\t0)
test1\t0\t2\tb1\t(1(2
test1\t0\t3\tb2\t1)2)

test2\t0\t0\tc\t(1)
test2\t0\t1\t.\t-\t
#end document
"""


def test_keys_of_the_scorer_have_five_columns(tmp_path):
    clusters = [[(0, 2)], [(2, 4), (4, 5)], [(2, 4)]]
    expected = AnnotatedText("a1 a2 b1 b2 c .".split(), [(0, 4), (4, 6)], clusters, id="LuoTestCase")
    assert read(tmp_path, KEY) == read(tmp_path, KEY.replace("\t\n", "\n").replace("\t", "  ")) == [expected]


def test_a_malformed_part_costs_itself(tmp_path):
    story = STORY.replace("nw/made/00/made_0001", "a") + BEGIN + "d 0 0 word\n" + END + STORY
    story = story.replace("(V*)", "(V", 1)
    path = tmp_path / "a.conll"
    path.write_text(story)
    found = list(FORMATS["conll_2012"].items(str(path)))
    texts = [item for item in found if isinstance(item, AnnotatedText)]
    whole = read(tmp_path, STORY)
    assert [text.tokens for text in texts] == [text.tokens for text in whole * 2] and texts[2:] == whole
    assert len(texts[0].frames) == len(whole[0].frames) - 1 and texts[0].clusters == whole[0].clusters
    problems = [str(item) for item in found if not isinstance(item, AnnotatedText)]
    assert len(problems) == 2 and "found no end of the argument V" in problems[0]
    assert "found 4 columns, expected 5, or 12 or more" in problems[1]


@st.composite
def texts(draw):
    tokens = draw(st.lists(st.sampled_from(["a", "#", "(1)", "é"]), min_size=1, max_size=6))
    cuts = sorted(draw(st.sets(st.integers(1, len(tokens)), max_size=2)) - {len(tokens)})
    clusters = []
    for _ in range(draw(st.integers(0, 3))):
        mentions = set()
        for start, stop in draw(
            st.lists(st.tuples(st.integers(0, 5), st.integers(1, 6)), min_size=1, max_size=4)
        ):
            stop = min(stop, len(tokens))
            crossing = any(a < start < b < stop or start < a < stop < b for a, b in mentions)
            # Brackets of one cluster that meet at a token can't say which of them they are.
            touching = any(a == start or b == stop or a == stop - 1 or b - 1 == start for a, b in mentions)
            if start < stop and not crossing and not touching:
                mentions.add((start, stop))
        if mentions:
            clusters.append(sorted(mentions))
    return AnnotatedText(tokens, list(zip([0] + cuts, cuts + [len(tokens)])), clusters, id="d_0")


@given(texts())
@settings(max_examples=200, derandomize=True, deadline=None)
def test_what_is_written_is_read(tmp_path_factory, text):
    assert read(tmp_path_factory.mktemp("conll"), written(text)) == [text]


BEGIN, END = "#begin document (d); part 0\n", "#end document\n"


@pytest.mark.parametrize(
    "text, message",
    [
        (row("-"), "line 1: found 'd 0 0 word"),
        (BEGIN + row("-") + BEGIN + END, "line 1: found #begin without #end"),
        (BEGIN + row("-") + row("* -") + END, "line 3: found 13 columns, expected 12"),
        (BEGIN + "d\t0\t0\t" + "\t-" * 8 + "\n" + END, "line 2: found no word in column 4"),
        (BEGIN + row("(1)*(2)") + END, "line 2: found '(1)*(2)', expected mentions like"),
        (BEGIN + row("(A*) -") + "\n" + END, "line 2: found no predicate in column 12"),
        (BEGIN + row("A -") + "\n" + END, "line 2: found 'A' in column 12, expected arguments like"),
    ],
)
def test_what_is_malformed_is_named_by_file_and_line(tmp_path, text, message):
    with pytest.raises(ConfigurationError) as error:
        read(tmp_path, text)
    assert f"file.conll, {message}" in str(error.value)


@needs_litbank
def test_all_documents_of_litbank_are_read():
    texts = [text for path in sorted(LITBANK.glob("*.conll")) for text in read_conll_2012(str(path))]
    assert len(texts) == 80
    assert sum(map(len, texts)) == 168638
    # As many as opening brackets in the files.
    lines = [line for path in LITBANK.glob("*.conll") for line in path.read_text().splitlines()]
    brackets = sum(line.rsplit("\t", 1)[-1].count("(") for line in lines if "\t" in line)
    assert sum(len(cluster) for text in texts for cluster in text.clusters) == brackets
    assert texts[0].id.endswith("_brat_0") and not texts[0].frames


def test_all_files_of_a_folder_are_read_in_order_of_their_names(tmp_path):
    for name in ("b.conll", "a.v4_gold_conll", "notes.txt"):
        (tmp_path / name).write_text(STORY.replace("nw/made/00/made_0001", name))
    read_all = FORMATS["conll_2012"].read_all
    files = [str(tmp_path / name) for name in ("a.v4_gold_conll", "b.conll", "notes.txt")]
    assert list(read_all(str(tmp_path))) == [text for file in files[:2] for text in read_conll_2012(file)]
    assert list(read_all(files[2])) == list(read_conll_2012(files[2])) != []
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigurationError, match=r"found no files like \*conll\*"):
        list(read_all(str(tmp_path / "empty")))


@pytest.mark.parametrize(
    "rows, line, clusters",
    [
        (row("(1") + row("(1") + row("1)") + row("(1)"), 2, [[(1, 3), (3, 4)]]),
        (row("(1)") + row("1)") + row("(1)"), 3, [[(0, 1), (2, 3)]]),
    ],
)
def test_a_bracket_without_its_other_end_costs_its_mention_alone(tmp_path, caplog, rows, line, clusters):
    path = tmp_path / "a.conll"
    path.write_text(BEGIN + rows + END)
    (text,) = FORMATS["conll_2012"].read_all(str(path))
    assert text.clusters == clusters
    expected = f"1 malformed part left out; the first: {path}, line {line}: found a bracket of cluster 1"
    assert expected in caplog.text
