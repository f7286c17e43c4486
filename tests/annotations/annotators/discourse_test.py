"""`discourse`: its features and arguments on parses written by hand, and what its weights decide."""

import re
from dataclasses import replace

import numpy as np
import pytest
import spacy
from allennlp.common.checks import ConfigurationError
from spacy.tokens import Doc

from allennlp_coref_rc.annotations import AnnotatedText, sentence_spans
from allennlp_coref_rc.annotations.annotators import ConnectiveDiscourse, Discourse
from allennlp_coref_rc.annotations.annotators.connectives import CONNECTIVES, HARD
from allennlp_coref_rc.annotations.annotators.discourse import discourse
from allennlp_coref_rc.annotations.annotators.discourse.clauses import arguments_of
from allennlp_coref_rc.annotations.annotators.discourse.features import connective_features
from allennlp_coref_rc.annotations.annotators.parse import Parse
from allennlp_coref_rc.annotations.annotators.senses import SENSES

VOCAB = spacy.blank("en").vocab


def parsed(lines):
    """
    A parse of sentences: a line for each, with words such as "ran:VBD:0:root", heads counted from 1 in it.
    """
    words, tags, heads, labels, sentences = [], [], [], [], []
    for line in lines:
        start = len(words)
        for item in line.split():
            word, tag, head, label = item.split(":", 3)
            heads.append(start + int(head) - 1 if head != "0" else len(words))
            labels.append("ROOT" if head == "0" else label)
            words.append(word)
            tags.append(tag)
        sentences.append((start, len(words)))
    pos = ["VERB" if tag.startswith("V") else "PUNCT" if tag == "," else "NOUN" for tag in tags]
    starts = {start for start, _ in sentences}
    doc = Doc(
        VOCAB,
        words,
        tags=tags,
        pos=pos,
        heads=heads,
        deps=labels,
        sent_starts=[i in starts for i in range(len(words))],
    )
    return Parse(doc)


BEFORE = "Rain:NN:2:nsubj fell:VBD:0:root"
CASES = {
    "because": "She:PRP:2:nsubj sat:VBD:0:root because:IN:5:mark it:PRP:5:nsubj rained:VBD:2:advcl",
    "If": "If:IN:3:mark it:PRP:3:nsubj rains:VBZ:6:advcl ,:,:3:punct she:PRP:6:nsubj sits:VBZ:0:root",
    "and": "She:PRP:2:nsubj sat:VBD:0:root and:CC:5:cc he:PRP:5:nsubj stood:VBD:2:conj",
    "And": "And:CC:3:cc she:PRP:3:nsubj sat:VBD:0:root",
    "so": "He:PRP:2:nsubj wanted:VBD:0:root to:TO:4:mark stay:VB:2:xcomp so:IN:7:mark she:PRP:7:nsubj sat:VBD:4:advcl",
    "however": "She:PRP:4:nsubj ,:,:3:punct however:RB:4:advmod sat:VBD:0:root",
    "then": "She:PRP:2:nsubj sat:VBD:0:root and:CC:5:cc then:RB:5:advmod slept:VBD:2:conj",
    "despite": "She:PRP:2:nsubj sat:VBD:0:root despite:IN:4:case rain:NN:2:obl",
}


@pytest.mark.parametrize(
    "connective, arg1, arg2",
    [
        ("because", "she sat", "it rained"),
        ("If", "she sits", "it rains"),
        ("and", "she sat", "he stood"),
        ("And", "rain fell", "she sat"),
        ("so", "he wanted to stay", "she sat"),
        ("however", "rain fell", "she , sat"),
        ("then", "she sat", "and slept"),
        ("despite", "she sat", "rain"),
    ],
)
def test_arguments_are_clauses_or_the_sentence_before(connective, arg1, arg2):
    parse = parsed([BEFORE, CASES[connective]])
    place = parse.words.index(connective.lower())
    arguments = arguments_of(parse, 1, (place, place + 1))
    assert [" ".join(parse.words[i] for span in part for i in range(*span)) for part in arguments] == [
        arg1,
        arg2,
    ]


@pytest.mark.parametrize("connective", ["And", "however"])
def test_a_main_clause_without_a_sentence_before_it_has_no_first_argument(connective):
    parse = parsed([CASES[connective]])
    place = parse.words.index(connective.lower())
    assert arguments_of(parse, 0, (place, place + 1)) is None


def test_features_tell_how_a_connective_is_attached():
    clauses = parsed([CASES["and"]])
    assert [clauses.kind(i) for i in (1, 4, 3)] == ["sfv", "sfv", "---"]
    nouns = parsed(["She:PRP:2:nsubj ate:VBD:0:root bread:NN:2:obj and:CC:5:cc butter:NN:3:conj"])
    of_clauses, of_nouns = (
        set(connective_features(parse, (0, 5), span)) for parse, span in ((clauses, (2, 3)), (nouns, (3, 4)))
    )
    assert {
        "d=cc",
        "conj=VERB,VERB",
        "conj-kinds=sfv,sfv",
        "verbs=True,True",
        "+1=he",
        "path=cc/conj/ROOT",
    } <= of_clauses
    assert {"d=cc", "conj=NOUN,NOUN", "conj-kinds=---,---", "verbs=True,False", "-1=bread"} <= of_nouns
    several = parsed(["So:RB:3:advmod that:IN:1:fixed works:VBZ:0:root"])
    assert {"d=advmod", "d1=fixed", "t=RB IN"} <= set(connective_features(several, (0, 3), (0, 2)))


def text_of(words):
    tokens = words.split()
    return AnnotatedText(tokens, sentence_spans(tokens))


def senses(words, **options):
    """The sense of each connective."""
    text = text_of(words)
    return {
        " ".join(text.tokens[i] for span in relation.connective for i in range(*span)): relation.sense
        for relation in Discourse(**options).annotate(text).relations
    }


@pytest.mark.parametrize(
    "words, expected",
    [
        ("Anna likes bread and butter .", {}),
        ("Anna came home and Bob left .", {"and": "Expansion.Conjunction"}),
        ("She has lived here since 1990 .", {}),
        ("She stayed since it was raining .", {"since": "Contingency.Cause.Reason"}),
        ("He works as a teacher .", {}),
        ("It is so cold .", {}),
        ("I was tired , so I went home .", {"so": "Contingency.Cause.Result"}),
        ("If it rains , we will stay at home .", {"If": "Contingency.Condition"}),
        ("Prices rose . However , sales did not fall .", {"However": "Comparison.Concession"}),
        ("She ran for office .", {}),
        ("He stood by the door .", {}),
        ("You can save money by cooking at home .", {"by": "Expansion.Manner"}),
        ("They met in order to talk .", {"in order": "Contingency.Purpose"}),
    ],
)
def test_connectives_in_clear_sentences(words, expected):
    assert senses(words) == expected


def test_a_threshold_takes_all_or_none():
    words = "He slept . She likes bread and butter , and she ate ."
    assert senses(words, threshold=1.0) == {}
    assert list(senses(words)) == ["and"]
    assert len(Discourse(threshold=0.0).annotate(text_of(words)).relations) == 2


def test_paper_like_finds_what_the_rule_finds_and_predicts_senses():
    text = text_of("She stayed since it rained and froze . But he left . He was tired because of work .")
    rule, found = (
        make(paper_like=True, implicit=True).annotate(text).relations
        for make in (ConnectiveDiscourse, Discourse)
    )
    assert [replace(relation, sense="") for relation in found] == [
        replace(relation, sense="") for relation in rule
    ]
    by_connective = {text.tokens[r.connective[0][0]]: r.sense for r in found if r.connective}
    assert by_connective["since"] == "Contingency.Cause.Reason"
    assert {r.sense for r in rule if not r.connective} == {"Expansion.Conjunction"}


def test_implicit_relations_link_neighbours_that_no_connective_links():
    text = text_of("He ran . But he fell . She sat down . He got up .")
    found = Discourse(implicit=True).annotate(text).relations
    implicit = [relation for relation in found if relation.type in ("Implicit", "EntRel")]
    assert [(relation.arg1, relation.arg2) for relation in implicit] == [
        ([(3, 7)], [(7, 11)]),
        ([(7, 11)], [(11, 15)]),
    ]
    assert all(relation.sense in SENSES for relation in implicit)


@pytest.mark.parametrize(
    "tokens",
    [
        [],
        ["and"],
        ["."],
        ["and"] * 300,
        ["🎉", "http://a.example", "because", "\u200b", "so"],
        "the end of a table without verbs and with names".split(),
    ],
    ids=lambda tokens: f"{' '.join(tokens[:2])} {len(tokens)}",
)
def test_odd_texts(tokens):
    text = AnnotatedText(tokens, [(0, len(tokens))] if tokens else [])
    for relation in Discourse(threshold=0.0, implicit=True).annotate(text).checked().relations:
        spans = sorted(relation.arg1 + relation.arg2 + relation.connective)
        assert all(first[1] <= second[0] for first, second in zip(spans, spans[1:]))


def test_what_is_annotated_stays_and_batches_give_what_single_texts_give():
    texts = [text_of("She sat because it rained ."), text_of(""), text_of("He ran , but he fell .")]
    annotated = Discourse().annotate_batch(texts)
    assert annotated == [Discourse().annotate(text) for text in texts]
    assert Discourse().annotate(annotated[0]).relations == annotated[0].relations * 2


def test_the_weights_fit_the_features():
    weights = discourse.load_weights(str(discourse.MODEL))
    assert weights.explicit.shape[1] == len(weights.explicit_senses)
    assert weights.implicit.shape[1] == len(weights.implicit_senses)
    assert set(weights.implicit_senses) <= set(SENSES)
    assert set(weights.explicit_senses) - set(SENSES) == {
        "Contingency.Purpose",
        "Expansion.Manner",
        "Comparison.Similarity",
    }
    assert np.isfinite(weights.relation).all() and discourse.MODEL.stat().st_size < 300_000


def test_hard_connectives_are_not_among_those_of_the_rules():
    assert not HARD & CONNECTIVES.keys()


def test_mistaken_settings_are_named(tmp_path):
    with pytest.raises(ConfigurationError, match=re.escape("threshold is 2.0, expected 0 to 1")):
        Discourse(threshold=2.0)
    with pytest.raises(ConfigurationError, match=re.escape(f"{tmp_path}/none.npz")):
        discourse.load_weights(str(tmp_path / "none.npz"))
