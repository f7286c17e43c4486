import configparser
import os
import signal
import subprocess
import sys
from dataclasses import replace

import pytest
import spacy
from allennlp.common import Registrable
from allennlp.common.checks import ConfigurationError
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin

from allennlp_coref_rc.allennlp_runtime.lazy_registry import register_own
from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.annotators import Annotator, SieveCoref
from allennlp_coref_rc.annotations.spacy_components import COMPONENTS
from tests.shared import PROJECT

STORY = "Dr. Mary Smith left (early). John and his dog stayed, because he was tired. Mary slept at home."

# Options that tell every kind of value: an annotator within, dictionaries, words with blanks, nothing.
OPTIONS = {
    "allennlp_coref": {"archive": "none.tar.gz", "overrides": {"dataset_reader.max_sentences": None}},
    "allennlp_srl": {"archive": "none.tar.gz", "predicates": "words"},
    "compose": {"annotators": [{"type": "sieve_coref", "all_nouns": True}, {"type": "connective_discourse"}]},
    "connective_discourse": {"connectives": {"as a result": "Result", "If": "Condition"}, "implicit": True},
    "corrupted_coref": {"annotator": {"type": "sieve_coref"}, "remove_mentions": 0.5},
    "discourse": {"implicit": True, "archive": "none.tar.gz"},
    "entity_marker_coref": {"pattern": r"@\w+", "max_clusters": 3},
    "exact_match_coref": {"entities": ["Mary", "milk"], "min_mentions": 1},
    "fastcoref_annotator": {"model": "lingmess", "device": "cpu"},
    "maverick": {"model": "litbank", "include_singletons": True},
    "precomputed": {"path": "parses/*.json", "format": "corenlp"},
    "roles": {"archive": "none.tar.gz", "verbs": True},
    "spacy_pipeline": {"spacy_model": "en_none", "spans": "coref_head_clusters"},
    "structure_model": {"archive": "none.tar.gz", "heads": ["coreference"]},
}


def pipeline(component="sieve_coref", **options):
    nlp = spacy.blank("en")
    nlp.add_pipe(component, config=options)
    return nlp


PIPELINES = [pipeline(), pipeline()]
PIPELINES[True].add_pipe("sentencizer", first=True)


def mentions(doc):
    """The words of each mention with their places among the words, which does not depend on white space."""
    words = [token.i for token in doc if not token.is_space]
    return [
        [(words.index(span.start), words.index(span.end - 1) + 1, span.text.split()) for span in group]
        for group in doc.spans.values()
    ]


def structure(doc):
    return replace(AnnotatedText.from_spacy(doc), sentences=None)


@pytest.mark.slow
def test_every_annotator_is_a_component_by_the_entry_point():
    register_own()
    own = {
        name
        for name, (annotator, _) in Registrable._registry[Annotator].items()
        if annotator.__module__.startswith("allennlp_coref_rc.")
    }
    assert set(COMPONENTS.values()) == own
    setup = configparser.ConfigParser(delimiters="=")
    setup.read(PROJECT / "setup.cfg")
    expected = ["allennlp_coref_rc", "=", "allennlp_coref_rc"]
    assert setup["options.entry_points"]["spacy_factories"].split() == expected
    assert all(map(spacy.blank("en").has_factory, COMPONENTS))


def test_pipelines_are_saved_with_their_options(tmp_path):
    nlp = spacy.blank("en")
    for component in COMPONENTS:
        nlp.add_pipe(component, config=OPTIONS.get(component, {}))
        assert OPTIONS.get(component, {}).items() <= nlp.config["components"][component].items()
    assert nlp.config["components"]["sieve_coref"] == {
        "factory": "sieve_coref",
        "all_nouns": False,
        "descriptions": True,
        "include_singletons": False,
        "max_clusters": None,
    }
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert loaded.config == nlp.config
    text = "Mary took @entity1. As a result, she dropped the milk. If Mary had milk, @entity1"
    for component in ("compose", "connective_discourse", "exact_match_coref", "entity_marker_coref"):
        with nlp.select_pipes(enable=component), loaded.select_pipes(enable=component):
            doc = nlp(text)
            assert doc.spans or doc._.discourse_relations
            assert structure(loaded(text)) == structure(doc)


@pytest.mark.parametrize("start_method", ["fork", pytest.param("spawn", marks=pytest.mark.slow)])
def test_other_processes_annotate_after_this_one(start_method):
    """OpenMP waits for ever for threads that a fork does not have."""
    program = """
import multiprocessing, sys, spacy, torch
multiprocessing.set_start_method(sys.argv[1])
torch.set_num_threads(2)
torch.rand(1_000_000).exp()
nlp = spacy.blank("en")
nlp.add_pipe("structure")
for docs in ([nlp(sys.argv[2])], nlp.pipe([sys.argv[2]] * 3, n_process=2, batch_size=2)):
    print([(len(doc._.srl_frames), len(doc.spans), len(doc._.discourse_relations), doc._.text_id) for doc in docs])
"""
    text = "Mary took the milk because she was thirsty. She drank it."
    words = [sys.executable, "-c", program, start_method, text]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            output, _ = process.communicate(timeout=200)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    assert output.splitlines() == [str([(4, 2, 1, None)] * number) for number in (1, 3)]


@settings(deadline=None, max_examples=20)
@given(
    st.lists(st.sampled_from([" ", "  ", "\n", " \n\n ", "\t", "\u3000 "]), min_size=15, max_size=30),
    st.booleans(),
)
def test_white_space_changes_nothing_and_the_tokens_stay(spaces, with_sentences):
    words = STORY.split(" ")
    text = "".join(word + space for word, space in zip(words, spaces * 2))
    nlp = PIPELINES[with_sentences]
    if not with_sentences:
        # A blank line ends a sentence.
        text = text.replace("\n\n", "\n")
    expected, doc = nlp(" ".join(words)), nlp(text)
    assert [token.text for token in doc] == [token.text for token in nlp.make_doc(text)]
    assert doc.text == text
    assert mentions(doc) == mentions(expected) != []
    assert doc.has_annotation("SENT_START") == with_sentences


def test_the_annotator_gets_words_and_sentences_alone():
    given = []

    class Recorder(Annotator):
        def annotate(self, text):
            given.append(text)
            return replace(text, clusters=[*text.clusters, [(0, 2), (2, 3)]])

    nlp = pipeline()
    nlp.get_pipe("sieve_coref").annotator = Recorder()
    words, starts = "\n Ann B  left . \n He".split(" "), [1, 0, 0, 0, 0, 0, 0, 1]
    words[3] = "\t"
    doc = Doc(nlp.vocab, words=words, sent_starts=starts)
    doc.spans["coref_clusters_7"] = [doc[1:5]]
    doc._.text_id = "x"
    doc = nlp(doc)
    visible = AnnotatedText("Ann B left . He".split(), [(0, 4), (4, 5)], id="x")
    offsets = [(2, 5), (6, 7), (10, 14), (15, 16), (19, 21)]
    assert given == [replace(visible, text=doc.text, offsets=offsets)]
    expected = [["Ann B \t left"], ["Ann B", "left"]]
    assert [[span.text for span in group] for group in doc.spans.values()] == expected
    assert [token.is_sent_start for token in doc] == [bool(start) or None for start in starts]
    nlp(" \n ")
    nlp("")
    assert len(given) == 1


def test_a_component_leaves_the_layers_alone_that_it_does_not_change():
    nlp = pipeline("connective_discourse")
    doc = nlp.make_doc("Mary left, because she was tired.")
    doc.spans["coref_clusters_1"] = [doc[0:1]]
    group = doc.spans["coref_clusters_1"]
    group.attrs["mine"] = 1
    nlp.add_pipe("corrupted_coref", config={"remove_mentions": 1.0, "min_mentions": 1})
    with nlp.select_pipes(enable="connective_discourse"):
        doc = nlp(doc)
    assert doc.spans["coref_clusters_1"].attrs == {"mine": 1}
    assert doc._.discourse_relations[0].connective[0].text == "because"
    assert not nlp(doc).spans


def test_docs_come_in_batches_and_in_order(monkeypatch):
    sizes = []

    def record(self, texts):
        sizes.append(len(texts))
        return [self.annotate(text) for text in texts]

    texts = [STORY, "", "Mary left. She slept.", " ", "No one.", STORY.lower(), "Ann saw Ben. He sat."]
    nlp = pipeline()
    expected = [structure(nlp(text)) for text in texts]
    monkeypatch.setattr(SieveCoref, "annotate_batch", record)
    docs = list(nlp.pipe(texts, batch_size=3))
    assert sizes == [2, 2, 1]
    assert [structure(doc) for doc in docs] == expected
    stored = DocBin(store_user_data=True, docs=docs).get_docs(spacy.blank("en").vocab)
    assert [structure(doc) for doc in stored] == expected
    pairs = list(nlp.pipe([(text, i) for i, text in enumerate(texts)], as_tuples=True))
    assert [(structure(doc), i) for doc, i in pairs] == list(zip(expected, range(len(texts))))


def test_what_fails_is_told_and_can_be_handled():
    class OtherTokens(Annotator):
        def annotate(self, text):
            return AnnotatedText(["other"]) if "bad" in text.tokens else text

    nlp = pipeline()
    nlp.get_pipe("sieve_coref").annotator = OtherTokens()
    with pytest.raises(ConfigurationError, match="OtherTokens gave back other texts"):
        list(nlp.pipe(["good", "bad"]))
    failed = []
    nlp.set_error_handler(
        lambda name, component, docs, error: failed.append((name, [doc.text for doc in docs]))
    )
    docs = nlp.pipe(["good", "so so", "bad", "better"], batch_size=2)
    assert [doc.text for doc in docs] == ["good", "so so", "better"]
    assert failed == [("sieve_coref", ["bad"])]


@pytest.mark.parametrize(
    "component, options, message",
    [
        ("allennlp_coref", {}, r"allennlp_coref -> archive\t(missing required argument|field required)"),
        ("allennlp_coref", {"archive": "none.tar.gz"}, r"none\.tar\.gz"),
        ("coreferee_annotator", {}, r"coreferee can't be imported .*pip install .*'coreferee=="),
        ("fastcoref_annotator", {}, r"fastcoref can't be imported .*pip install .*'fastcoref=="),
        ("maverick", {}, r"maverick can't be imported .*pip install .*'maverick-coref=="),
        ("compose", {"annotators": None}, "annotators: found null"),
        ("precomputed", {"path": None, "format": "corenlp"}, "path: found null, expected .*str"),
        ("precomputed", {"path": "none.json", "format": "corenlp"}, "'none.json': .*no such file"),
        ("sieve_coref", {"nonsense": 1}, r"unexpected argument: 'nonsense'|sieve_coref -> nonsense\textra"),
        ("sieve_coref", {"max_clusters": -1}, "max_clusters is -1, expected 0 or more"),
        ("sieve_coref", {"max_clusters": "many"}, "Expected max_clusters to be a int"),
    ],
)
def test_mistakes_are_told(component, options, message):
    with pytest.raises(Exception, match=message):
        pipeline(component, **options)("Mary left.")
