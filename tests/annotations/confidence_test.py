"""How sure annotators are, and what is left of a text without what is less sure."""

import json
from dataclasses import replace
from itertools import combinations

import networkx
import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.__main__ import main
from allennlp_coref_rc.annotations import (
    AnnotatedText,
    DiscourseRelation,
    Frame,
    read_documents,
    sentence_spans,
)
from allennlp_coref_rc.annotations.alignment import transfer
from allennlp_coref_rc.annotations.annotators import (
    Annotator,
    ComposedAnnotator,
    CorruptedCoref,
    EnglishCoref,
    Structure,
)
from allennlp_coref_rc.annotations.annotators.annotator import (
    annotate_documents,
    annotate_questions,
    annotate_texts,
)
from allennlp_coref_rc.annotations.document import Document, json_line, keep_passage, write_documents
from allennlp_coref_rc.annotations.layers import Link
from tests.annotations.texts import annotated_texts

STORY = "Maria met her brother . She liked him , but he left her because it rained ."
MARIA, HER, SHE, HIM = (0, 1), (2, 3), (5, 6), (7, 8)
BROTHER = (2, 4)

SURE = AnnotatedText(
    STORY.split(),
    clusters=[[MARIA, HER, SHE], [BROTHER, HIM]],
    frames=[Frame((6, 7), [("ARG0", SHE), ("ARG1", HIM)], [0.9, 0.6]), Frame((1, 2))],
    relations=[
        DiscourseRelation("Explicit", "Contingency.Cause.Reason", [(10, 13)], [(14, 16)], [(13, 14)]),
        DiscourseRelation("Implicit", "Expansion.Conjunction", [(0, 5)], [(5, 17)], confidence=0.4),
    ],
    links=[Link(HER, MARIA, 0.5), Link(SHE, HER, 0.95), Link(HIM, BROTHER, 0.7)],
)


@pytest.mark.parametrize(
    "least, clusters, arguments, relations",
    [
        (0, [[MARIA, HER, SHE], [BROTHER, HIM]], ["ARG0", "ARG1"], 2),
        (0.5, [[MARIA, HER, SHE], [BROTHER, HIM]], ["ARG0", "ARG1"], 1),
        # "Maria" has only an unsure link.
        (0.65, [[HER, SHE], [BROTHER, HIM]], ["ARG0"], 1),
        (0.9, [[HER, SHE]], ["ARG0"], 1),
        (1, [], [], 1),
    ],
)
def test_what_is_less_sure_is_left_out(least, clusters, arguments, relations):
    left = SURE.confident(least).checked()
    assert left.clusters == clusters and len(left.relations) == relations
    assert [role for role, _ in left.frames[0].arguments] == arguments and left.frames[1] == Frame((1, 2))
    assert [link for link in SURE.links if link.confidence >= least] == left.links
    assert (left == SURE) == (least == 0) and len(SURE.relations) == 2


@st.composite
def linked_texts(draw):
    """A cluster of words, of which each is linked to some before it; also to some that are not in it."""
    size = draw(st.integers(1, 7))
    mentions = [(2 * i, 2 * i + 1) for i in range(size)]
    place, sure = st.integers(0, size - 1), st.sampled_from([0.1, 0.5, 0.9])
    drawn = draw(st.lists(st.tuples(place, place, sure), max_size=9))
    links = [Link(mentions[max(i, j)], mentions[min(i, j)], p) for i, j, p in drawn if i != j]
    outside = [Link(mentions[0], (1, 2), 0.2)]
    return AnnotatedText(["a"] * 14, clusters=[mentions, [(1, 2)]], links=links + outside)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(linked_texts())
def test_clusters_fall_into_what_is_still_linked(text):
    cluster, *others = text.clusters
    joined = {*combinations(cluster, 2)}
    for least in (0, 0.3, 0.7, 1):
        graph = networkx.Graph()
        graph.add_nodes_from(cluster)
        for mention in cluster:
            links = [
                link for link in text.links if (link.mention, link.antecedent != (1, 2)) == (mention, True)
            ]
            graph.add_edges_from((mention, link.antecedent) for link in links if link.confidence >= least)
            if not links:
                graph.add_edge(mention, cluster[0])
        parts = [sorted(part) for part in networkx.connected_components(graph)]
        expected = sorted(part for part in parts if len(part) > 1 or part == cluster)
        found = text.confident(least).clusters
        assert sorted(found) == sorted(expected + others) and (least or found == text.clusters)
        pairs = {pair for part in found for pair in combinations(part, 2)}
        assert pairs <= joined
        joined = pairs


@settings(derandomize=True, deadline=None, max_examples=60)
@given(annotated_texts())
def test_the_least_threshold_changes_nothing(text):
    assert text.confident(0, check=False) == text


def test_confidences_follow_their_annotations():
    joint = AnnotatedText.concatenate(AnnotatedText(["Hello"]), SURE)
    assert joint.confident(0.65).clusters == [[(3, 4), (6, 7)], [(3, 5), (8, 9)]]
    # Without "her"; an argument is cut into two.
    whole = replace(SURE, frames=[Frame((6, 7), [("ARG0", MARIA), ("ARG1", (7, 10))], [0.9, 0.6])])
    some = whole.select((0, 2), (3, 8), ["-"], (8, 17)).checked()
    assert some.clusters == [[MARIA, (4, 5)]] and some.links == []
    assert [*zip(some.frames[0].arguments, some.frames[0].confidences)] == [
        (("ARG0", MARIA), 0.9),
        (("ARG1", (6, 7)), 0.6),
        (("ARG1", (8, 10)), 0.6),
    ]
    assert [relation.confidence for relation in some.relations] == [None, 0.4]
    moved = transfer(SURE, AnnotatedText(STORY.replace("Maria", "Ma ria").split()))
    assert moved == AnnotatedText.from_json(json.loads(json_line(moved.to_json())))
    assert moved.links[1] == Link((6, 7), (3, 4), 0.95) and moved.frames[0].confidences == [0.9, 0.6]


class Unsure(Annotator):
    gives_confidences = True

    def annotate(self, text):
        return text.with_more(**vars(SURE.layers)) if text.tokens == SURE.tokens else text


def test_questions_bring_their_links_to_a_passage():
    class Asked(Annotator):
        def annotate(self, text):
            links = [Link(HER, MARIA, 0.1), Link((17, 18), MARIA, 0.8)]
            return text.with_more(clusters=[[MARIA, HER, (17, 18)]], links=links)

    document = Document.of(SURE, AnnotatedText("Maria who ?".split()))
    text = annotate_questions(document, Asked()).text
    assert text.clusters[0] == [MARIA, HER, SHE, (17, 18)]
    assert text.links == [*SURE.links, Link((17, 18), MARIA, 0.8)]


def composed(*annotators, least):
    config = {"type": "compose", "annotators": list(annotators), "min_confidence": least}
    return Annotator.from_params(Params(config))


def test_composed_annotators_leave_out_what_is_less_sure():
    bare = AnnotatedText(SURE.tokens)
    annotator = Annotator.by_name("compose")([Unsure()], 0.65)
    # Annotations that the text has are not added again, although some of them go.
    for given_text in (
        bare,
        SURE,
        replace(SURE, links=[replace(link, confidence=1.0) for link in SURE.links]),
    ):
        (found,) = annotate_texts([given_text], annotator)
        assert len(found.clusters) == 2 and len(found.frames) == 2 and len(found.relations) == 1
    assert annotate_texts([SURE], composed(least=0.9))[0].clusters == [[HER, SHE]]
    assert annotate_texts([bare], composed(least=0.9)) == [bare]


@pytest.mark.parametrize(
    "names, least, message",
    [
        (
            ["sieve_coref", "connective_discourse"],
            0.5,
            "without confidences (SieveCoref, ConnectiveDiscourse)",
        ),
        (["coref"], 1.5, "min_confidence is 1.5, expected 0 to 1"),
        (["coref"], float("nan"), "min_confidence is nan"),
    ],
)
def test_a_threshold_that_would_do_nothing_is_refused(names, least, message):
    with pytest.raises(ConfigurationError) as error:
        composed(*({"type": name} for name in names), least=least)
    assert message in str(error.value)


def test_a_text_without_confidences_is_refused():
    without = AnnotatedText(SURE.tokens, clusters=SURE.clusters)
    with pytest.raises(ConfigurationError, match="without confidences, expected those of coref, roles"):
        without.confident(0.5)
    with pytest.raises(ConfigurationError, match="without confidences, expected those of coref, roles"):
        annotate_texts([without], composed(least=0.5))
    assert without.confident(0.5, check=False) == without
    alone = AnnotatedText(["It", "rains"], clusters=[[(0, 1)]], frames=[Frame((1, 2))])
    assert alone.confident(0.5) == alone


def test_the_annotators_of_this_package_say_how_sure_they_are():
    """Every mention is linked to one before it, every argument and relation has a confidence."""
    (text,) = Structure(implicit=True).annotate_batch(
        [AnnotatedText.of_text(f"{STORY} It stopped at noon .")]
    )
    later = sorted(mention for cluster in text.clusters for mention in cluster[1:])
    assert later and sorted(link.mention for link in text.links) == later
    of = {mention: i for i, cluster in enumerate(text.clusters) for mention in cluster}
    assert all(
        of[one.mention] == of[one.antecedent] and one.antecedent < one.mention and 0 < one.confidence <= 1
        for one in text.links
    )
    assert all(len(frame.arguments) == len(frame.confidences) for frame in text.frames)
    assert min(p for frame in text.frames for p in frame.confidences) >= 0.4
    assert len(text.relations) > 1 and min(relation.confidence for relation in text.relations) >= 0.4
    assert text.checked().confident(0) == text and not text.confident(1).relations


# The command line


def test_the_command_leaves_out_what_is_less_sure(tmp_path):
    given_file, *outputs = (
        str(tmp_path / name) for name in ("a.txt", "all.jsonl", "some.jsonl", "again.jsonl")
    )
    (tmp_path / "a.txt").write_text(STORY)
    words, sure = ["--annotator", "coref", "--workers", "0"], ["--min-confidence", "0.9"]
    main(["annotate", given_file, outputs[0], *words])
    main(["annotate", given_file, outputs[1], *words, *sure])
    main(["annotate", outputs[0], outputs[2], "--workers", "0", *sure])
    texts = [document.text for output in outputs for _, document in read_documents(output)]
    assert texts[1] == texts[0].confident(0.9) == texts[2] and texts[0].clusters != texts[1].clusters


@pytest.mark.parametrize("least, subject", [(0.95, "She"), (0.5, "Maria")])
def test_names_replace_pronouns_that_are_surely_linked(least, subject, tmp_path, capsys):
    write_documents(str(tmp_path / "a.jsonl"), [Document(SURE)])
    main(["annotate", "--resolve", str(tmp_path / "a.jsonl"), "--min-confidence", str(least)])
    assert json.loads(capsys.readouterr().out)["tokens"][5] == subject


@pytest.mark.parametrize(
    "words, message",
    [
        ("texts.txt out.jsonl --annotator sieve_coref", "expected coref, roles, discourse"),
        ("--resolve rules.jsonl", "rules.jsonl, line 2: found annotations without confidences"),
        ("--check rules.jsonl", "--check: found --min-confidence too"),
    ],
)
def test_mistakes_are_named(words, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts.txt").write_text(STORY)
    text = replace(SURE, links=[])
    write_documents("rules.jsonl", [Document(text)])
    with pytest.raises(SystemExit):
        main(["annotate", *words.split(), "--min-confidence", "0.5"])
    assert message in " ".join(capsys.readouterr().err.split())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rules.jsonl", "texts.txt"]


@pytest.mark.parametrize("number", ["1.2", "-0.1", "nan", "much"])
def test_a_confidence_is_a_probability(number, capsys):
    with pytest.raises(SystemExit):
        main(["annotate", "a", "b", f"--min-confidence={number}"])
    assert f"--min-confidence: found {number}, expected a number, 0 to 1" in capsys.readouterr().err


def test_clusters_may_have_their_mentions_in_any_order():
    text = AnnotatedText("a b c".split(), clusters=[[(2, 3), (0, 1)]], links=[Link((2, 3), (0, 1), 0.1)])
    assert text.confident(0.9).clusters == [] and text.confident(0.1) == text


def test_a_confidence_comes_with_a_repetition():
    """A file of another release has the annotations of today, without their confidences."""

    class Unsure(Annotator):
        gives_confidences = True

        def annotate(self, text):
            return text.with_more(frames=[Frame((1, 2), [("ARG0", (0, 1))], [0.2])])

    before = AnnotatedText("Ann slept .".split(), frames=[Frame((1, 2), [("ARG0", (0, 1))])])
    (after,) = annotate_texts([before], Unsure())
    assert after.frames == [Frame((1, 2), [("ARG0", (0, 1))], [0.2])]
    (left,) = annotate_texts([before], ComposedAnnotator([Unsure()], 0.9))
    assert left.frames == [Frame((1, 2))]


def test_links_from_a_question_to_its_passage_may_be_unsure_too():
    document = Document.of(AnnotatedText(["Ann"]), AnnotatedText(["she"]))
    linked = document.text.with_more(clusters=[[(0, 1), (1, 2)]], links=[Link((1, 2), (0, 1), 0.3)])
    document = replace(document, text=linked)
    for together in (True, False):
        (left,) = annotate_documents([document], ComposedAnnotator([], 0.9), together)
        assert left.text.clusters == [] == left.text.links
        (left,) = annotate_documents([document], ComposedAnnotator([], 0.3), together)
        assert left.text == linked


def test_an_antecedent_in_a_passage_is_known_as_the_mention_there():
    given = AnnotatedText("the tall girl left".split(), clusters=[[(0, 3)]])
    annotated = AnnotatedText(
        [*given.tokens, "Did", "she", "?"], clusters=[[(1, 3), (5, 6)]], links=[Link((5, 6), (1, 3), 0.3)]
    )
    joint = replace(annotated, clusters=given.clusters, links=[])
    kept = keep_passage(joint, annotated, 4)
    assert kept.clusters == [[(0, 3), (5, 6)]] and kept.links == [Link((5, 6), (0, 3), 0.3)]
    assert kept.confident(0.9).clusters == []


def test_corrupted_clusters_have_no_links():
    text = CorruptedCoref(random_clusters=True).annotate(SURE)
    assert text.clusters != SURE.clusters and text.links == []
    assert CorruptedCoref().annotate(SURE) == SURE


def test_who_speaks_before_being_named_is_as_sure_as_the_name():
    """ "You" comes before its listener, whose own link to "her" is unsure."""
    words = (
        "She liked him , but he left her . She liked him , but he left her . Tom : I love you , Ann . "
        "Ann : You are mine , Tom . Tom : Yes . Ann : Good ."
    ).split()
    text = EnglishCoref().annotate(AnnotatedText(words, sentence_spans(words)))
    you, ann = (words.index("you"), words.index("you") + 1), (words.index("Ann"), words.index("Ann") + 1)
    (together,) = (cluster for cluster in text.clusters if you in cluster)
    assert ann in together
    if earlier := [mention for mention in together if mention < you]:
        (own,) = (link for link in text.links if link.mention == you)
        (of_name,) = (link for link in text.links if link.mention == ann and link.antecedent != you)
        assert own.confidence == of_name.confidence < 1 and own.antecedent in earlier
        assert not {*earlier} & {m for c in text.confident(1.0).clusters if you in c for m in c}
