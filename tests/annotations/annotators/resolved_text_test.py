import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.__main__ import main
from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.annotators.resolved_text import best_name, resolve
from allennlp_coref_rc.annotations.document import Document, write_documents

TOKENS = "Anne sat . Her sister saw the girl and Anne Elliot saw her . She hurt herself . He slept .".split()
CLUSTERS = [[(0, 1), (3, 4), (6, 8), (9, 11), (12, 13), (14, 15), (16, 17)], [(3, 5)], [(18, 19)]]


def test_names_stand_for_pronouns_and_noun_phrases():
    tokens, alignment, _ = resolve(AnnotatedText(TOKENS, clusters=CLUSTERS))
    resolved = (
        "Anne Elliot 's sister saw Anne Elliot and Anne Elliot saw her . "
        "Anne Elliot hurt herself . He slept ."
    )
    assert tokens == ["Anne", "sat", ".", *resolved.split()]
    assert alignment[:7] == [(0, 1), (1, 2), (2, 3), (3, 4), (3, 4), (3, 4), (4, 5)]
    assert alignment[8:10] == [(6, 8), (6, 8)]


@pytest.mark.parametrize(
    "text, spans, name",
    [
        ("Anne and Anne and Anne Elliot", [(0, 1), (2, 3), (4, 6)], "Anne"),
        ("Anne and Anne Elliot", [(0, 1), (2, 4)], "Anne Elliot"),
        ("The girl and she", [(0, 2), (3, 4)], None),
        ("Her Anne and I", [(0, 2), (3, 4)], None),
        ("Anne , who left , and she", [(0, 5), (6, 7)], "Anne"),
        ("Acme ( ACM ) and it", [(0, 4), (5, 6)], "Acme"),
        ("Al Fox , the chief , and he", [(0, 5), (7, 8)], "Al Fox"),
    ],
)
def test_the_best_name_is_the_most_frequent_and_then_the_longest(text, spans, name):
    assert best_name(text.split(), spans) == (name and name.split())


def resolved(source, *clusters):
    """The text in which mentions, given as texts in order, are resolved."""
    text = AnnotatedText.of_text(source)
    for cluster in clusters:
        spans, end = [], 0
        for words in cluster:
            start = source.index(words, end)
            end = start + len(words)
            first = next(i for i, place in enumerate(text.offsets) if place[0] == start)
            spans.append((first, next(i for i, place in enumerate(text.offsets) if place[1] == end) + 1))
        text.clusters.append(spans)
    return resolve(text).text


@pytest.mark.parametrize(
    "source, cluster, expected",
    [
        (
            "Jenny doesn't  sleep.\n> She \U0001f634.\n",
            "Jenny|She",
            "Jenny doesn't  sleep.\n> Jenny \U0001f634.\n",
        ),
        ("The chief, Al Fox, sat. He left.", "The chief|Al Fox|He", "The chief, Al Fox, sat. Al Fox left."),
        ("Al Fox sat. The chief left.", "Al Fox|The chief", "Al Fox sat. Al Fox left."),
        ("George, the neighbour, was a welder.", "George|the neighbour|a welder", None),
        ("Ann met Bo. He is not the boss.", "Bo|He|the boss", "Ann met Bo. Bo is not the boss."),
        ("Rain in the Hague. It is old.", "the Hague|It", "Rain in the Hague. The Hague is old."),
        ("The Union met. Ann left its house.", "The Union|its", "The Union met. Ann left the Union's house."),
        ("She slept. Ann lay still; I'm Ann.", "She|Ann|I", None),
        ("Ann sat. Bo sold her car.", "Ann|her", "Ann sat. Bo sold Ann's car."),
        (
            "JPMorgan doubts that it can pay. It is old.",
            "JPMorgan|it|It",
            "JPMorgan doubts that it can pay. JPMorgan is old.",
        ),
        ("Ann sat. She sold her car.", "Ann|She|her", "Ann sat. Ann sold her car."),
        ("Ann sat. Bo saw her yesterday.", "Ann|her", "Ann sat. Bo saw Ann yesterday."),
        ("Ann sat. Bo saw her very old car.", "Ann|her", "Ann sat. Bo saw Ann's very old car."),
        ("Ann sat. The girl's book fell.", "Ann|The girl's", "Ann sat. Ann's book fell."),
        ("Al Fox, who left, sat. He ate.", "Al Fox, who left,|He", "Al Fox, who left, sat. Al Fox ate."),
    ],
)
def test_the_source_stays_outside_of_replacements(source, cluster, expected):
    assert resolved(source, cluster.split("|")) == (expected or source)


@given(st.data())
@settings(max_examples=50, derandomize=True, deadline=None)
def test_the_alignment_covers_the_text_in_order(data):
    words = st.sampled_from("Anne Elliot her she the girl 's . I".split())
    tokens = data.draw(st.lists(words, min_size=1, max_size=12))
    position = st.integers(0, len(tokens) - 1)
    span = st.tuples(position, position).map(lambda pair: (min(pair), max(pair) + 1))
    clusters = data.draw(st.lists(st.lists(span, min_size=1, max_size=4), max_size=3))
    new, alignment, _ = resolve(AnnotatedText(tokens, clusters=clusters))
    assert len(new) == len(alignment)
    pieces = list(dict.fromkeys(alignment))
    assert [stop for _, stop in pieces[:-1]] == [start for start, _ in pieces[1:]]
    assert (pieces[0][0], pieces[-1][1]) == (0, len(tokens))
    for token, (start, stop) in zip(new, alignment):
        assert token in tokens[start:stop] or token in ("Anne", "Elliot", "'s", "the", "The")


def test_the_command_prints_resolved_documents(tmp_path, capsys):
    path = str(tmp_path / "a.jsonl")
    write_documents(path, [Document.of(AnnotatedText(TOKENS, clusters=CLUSTERS), id="x")])
    main(["annotate", "--resolve", path])
    (line,) = capsys.readouterr().out.splitlines()
    values = json.loads(line)
    assert values["id"] == "x" and values["text"].startswith("Anne sat . Anne Elliot's sister")
    assert len(values["tokens"]) == len(values["alignment"])
