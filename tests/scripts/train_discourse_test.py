"""The training of the weights of `discourse`."""

import json

import numpy as np
import pytest

from allennlp_coref_rc.annotations.annotators import Discourse
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.corpora.discourse_corpora import read_rels_texts
from tests.scripts.scripts import load_script
from tests.shared import PROJECT

GDTB = PROJECT / "tests" / "fixtures" / "annotators" / "gdtb"
CONLL = PROJECT / "tests" / "fixtures" / "formats" / "conll_2016" / "relations.json"


@pytest.fixture
def train(monkeypatch, tmp_path):
    def run(name, corpus, *options):
        monkeypatch.setattr("sys.argv", ["train_discourse.py", str(corpus), str(tmp_path / name), *options])
        load_script("train_discourse").main()
        return tmp_path / name

    return run


def test_two_trainings_give_the_same_bytes_and_learn_their_relations(train):
    first, second = train("a.npz", GDTB), train("b.npz", GDTB)
    assert first.read_bytes() == second.read_bytes()
    (story,) = (text for text in read_rels_texts(str(GDTB / "stories.rels")) if text.id == "FIX_garden")
    expected = [relation.connective for relation in story.relations if relation.connective]
    bare = type(story)(story.tokens, story.sentences)
    assert [
        relation.connective for relation in Discourse(model=str(first)).annotate(bare).relations
    ] == expected


def test_documents_are_chosen(train, tmp_path, capsys):
    (tmp_path / "documents").mkdir()
    for name in ("FIX_garden", "FIX_harbour", "FIX_market", "FIX_letter", "other"):
        (tmp_path / "documents" / f"{name}.conllu").touch()
    options = ("--documents", str(tmp_path / "documents"))
    train("a.npz", GDTB, *options)
    train("b.npz", GDTB, *options, "--genres", "garden", "harbour", "market", "winter")
    assert [line.split(",")[0] for line in capsys.readouterr().out.splitlines()] == [
        "4 documents",
        "3 documents",
    ]


def test_conll_2016(train, tmp_path):
    """A text of CoNLL-2016 with two explicit relations, and an "and" that expresses none."""
    sentences = ["He left because she cried .", "But he likes bread and butter .", "He came .", "She slept ."]
    words = [sentence.split() for sentence in sentences]
    parses = {"a": {"sentences": [{"words": [[word, {}] for word in sentence]} for sentence in words]}}
    (tmp_path / "parses.json").write_text(json.dumps(parses))

    def relation(type, sense, *parts):
        arguments = zip(("Arg1", "Connective", "Arg2"), parts)
        return {
            "DocID": "a",
            "Type": type,
            "Sense": [sense],
            **{name: {"TokenList": part} for name, part in arguments},
        }

    relations = [
        relation("Explicit", "Contingency.Cause.Reason", [0, 1], [2], [3, 4]),
        relation("Explicit", "Comparison.Contrast", [0, 1, 2, 3, 4], [6], [7, 8, 9, 10, 11]),
        relation("Implicit", "Expansion.Conjunction", [7, 8], [], [13, 14]),
        relation("Implicit", "EntRel", [13, 14], [], [16, 17]),
    ]
    (tmp_path / "relations.json").write_text("\n".join(map(json.dumps, relations)))
    weights = np.load(train("a.npz", tmp_path / "relations.json"))
    assert set(weights["explicit_senses"]) == {"Comparison.Contrast", "Contingency.Cause.Reason"}
    assert set(weights["implicit_senses"]) == {"EntRel", "Expansion.Conjunction"}


def test_too_few_relations_are_refused(train):
    with pytest.raises(ConfigurationError, match=r"conll_2016/relations.json: found only {True}"):
        train("a.npz", CONLL)
