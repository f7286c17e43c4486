"""fastcoref, Coreferee and Maverick as modules that behave alike (none is installed); spaCy pipelines."""

import json
import logging
import pickle
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy
import pytest
import spacy
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from spacy.language import Language
from spacy.tokens import Doc

from allennlp_coref_rc.annotations import AnnotatedText, Edge
from allennlp_coref_rc.annotations.annotators import Annotator, SieveCoref, maverick, optional_package
from allennlp_coref_rc.annotations.annotators.optional_package import import_optional

TEXTS = [
    AnnotatedText("Mary left . She and John slept .".split(), [(0, 3), (3, 8)], clusters=[[(0, 1)]], id="x"),
    AnnotatedText([]),
    AnnotatedText("Mary and She".split()),
    AnnotatedText("Nobody left .".split()),
]


class CorefResult:
    """As fastcoref 2.1.6: spans by way of a map, in which special tokens have none."""

    def __init__(self, text, text_idx):
        self.text_idx = text_idx
        places = [i for i, word in enumerate(text) if word in ("Mary", "She")]
        self.clusters = [[(numpy.int64(i), numpy.int64(i)) for i in places] + [(-1, -1)]] if places else []

    def get_clusters(self, as_strings=True):
        assert not as_strings, "strings have no places"
        return [
            [None if end < 0 else (start, end + 1) for start, end in cluster] for cluster in self.clusters
        ]


class FCoref:
    made = []

    def __init__(
        self,
        model_name_or_path="biu-nlp/f-coref",
        device=None,
        nlp="en_core_web_sm",
        enable_progress_bar=True,
    ):
        if model_name_or_path == "none":
            raise OSError("none is not a local folder")
        FCoref.made.append((type(self).__name__, model_name_or_path, device, nlp, enable_progress_bar))

    def predict(self, texts, is_split_into_words=False, max_tokens_in_batch=10000, output_file=None):
        assert is_split_into_words and all(texts) and isinstance(texts[0], list)
        assert max_tokens_in_batch == 1
        return [CorefResult(text, i) for i, text in enumerate(texts) if len(text) < 50]


class LingMessCoref(FCoref):
    pass


@pytest.fixture
def fastcoref(monkeypatch):
    module = ModuleType("fastcoref")
    module.FCoref, module.LingMessCoref = FCoref, LingMessCoref
    monkeypatch.setitem(sys.modules, "fastcoref", module)
    FCoref.made.clear()


def of(type, **options):
    return Annotator.from_params(Params({"type": type, **options}))


def test_fastcoref_annotates_words(fastcoref):
    annotator = of("fastcoref", model="lingmess", device="cpu")
    found = annotator.annotate_batch(TEXTS)
    assert [text.clusters for text in found] == [[[(0, 1)], [(0, 1), (3, 4)]], [], [[(0, 1), (2, 3)]], []]
    assert [text.tokens for text in found] == [text.tokens for text in TEXTS] and found[0].id == "x"
    assert found == [annotator.annotate(text) for text in TEXTS]
    spans = [span for text in found for cluster in text.clusters for span in cluster]
    assert {type(place) for span in spans for place in span} == {int}
    assert FCoref.made == [("LingMessCoref", "biu-nlp/lingmess-coref", "cpu", None, False)]


def test_fastcoref_is_loaded_late_and_not_sent(fastcoref):
    annotator = of("fastcoref", model_name_or_path="mine")
    assert FCoref.made == []
    annotator.annotate(TEXTS[0])
    other = pickle.loads(pickle.dumps(annotator))
    assert len(FCoref.made) == 1
    assert other.annotate(TEXTS[2]).clusters == [[(0, 1), (2, 3)]]
    assert FCoref.made == [("FCoref", "mine", None, None, False)] * 2


def test_fastcoref_says_what_is_wrong(fastcoref, monkeypatch):
    long = AnnotatedText(["Mary"] * 50, id="y")
    with pytest.raises(ConfigurationError, match="50 tokens in the text 'y', .*biu-nlp/f-coref"):
        of("fastcoref").annotate_batch([TEXTS[0], long, TEXTS[2]])
    with pytest.raises(ConfigurationError, match="model is 'big', .*fcoref, lingmess"):
        of("fastcoref", model="big")
    with pytest.raises(ConfigurationError, match="fastcoref: none .*: none is not a local folder"):
        of("fastcoref", model_name_or_path="none").annotate(TEXTS[0])
    monkeypatch.setitem(sys.modules, "fastcoref", None)
    with pytest.raises(ConfigurationError, match="install it with pip install 'fastcoref==2.1.6'"):
        of("fastcoref").annotate(TEXTS[0])


class CorefereeBroker:
    """As Coreferee 1.5.0: mentions know the indexes of their heads; errors are printed, not raised."""

    def __init__(self, nlp, name):
        if nlp.meta["name"] == "unknown":
            raise RuntimeError("spaCy model en_unknown is not supported by Coreferee")

    def __call__(self, doc):
        if "Nobody" in [token.text for token in doc]:
            return doc
        mentions = [[token.i] for token in doc if token.text in ("Mary", "She")]
        mentions += [
            [token.i - 1, token.i + 1] for token in doc if token.text == "and" and not token.is_sent_start
        ]
        chains = [[SimpleNamespace(token_indexes=indexes) for indexes in mentions[::-1]]] if mentions else []
        doc._.coref_chains = chains
        return doc


@pytest.fixture
def coreferee(monkeypatch, tmp_path):
    had = Doc.has_extension("coref_chains")
    Doc.set_extension("coref_chains", default=None, force=True)
    Language.factory("coreferee", func=lambda nlp, name: CorefereeBroker(nlp, name))
    monkeypatch.setitem(sys.modules, "coreferee", ModuleType("coreferee"))
    for name in ("known", "unknown"):
        pipeline = spacy.blank("en")
        pipeline.meta["name"] = name
        pipeline.to_disk(tmp_path / name)
    yield tmp_path
    if not had:
        Doc.remove_extension("coref_chains")


def test_coreferee_annotates_heads(coreferee):
    annotator = of("coreferee", spacy_model=str(coreferee / "known"))
    found = annotator.annotate_batch(TEXTS[:3])
    expected = [[[(0, 1)], [(0, 1), (3, 4), (3, 6)]], [], [[(0, 1), (0, 3), (2, 3)]]]
    assert [text.clusters for text in found] == expected
    assert found == [annotator.annotate(text) for text in TEXTS[:3]]
    assert pickle.loads(pickle.dumps(annotator)).annotate_batch(TEXTS[:3]) == found
    assert len(pickle.dumps(annotator)) < 1000


class RealMaverick:
    """As maverick-coref 1.0.7: prints what it loads; a mention's end is included; a cluster may be empty."""

    made = []

    def __init__(self, hf_name_or_path="sapienzanlp/maverick-mes-ontonotes", device="cuda"):
        print(hf_name_or_path, "loading")
        if hf_name_or_path == "none":
            raise FileNotFoundError("none")
        RealMaverick.made.append((hf_name_or_path, device))

    def predict(
        self, sample, singletons=False, add_gold_clusters=None, predefined_mentions=None, speakers=None
    ):
        assert sample and all(isinstance(sentence, list) for sentence in sample), (
            "words alone need another model"
        )
        tokens = [token for sentence in sample for token in sentence]
        women = tuple((i, i) for i, token in enumerate(tokens) if token in ("Mary", "She"))
        pairs = tuple((i - 1, i + 1) for i, token in enumerate(tokens) if token == "and")
        clusters = [women[::-1], ()] + ([pairs] if singletons else [])
        text = [[" ".join(tokens[start : end + 1]) for start, end in cluster] for cluster in clusters]
        found = {"tokens": tokens, "clusters_token_offsets": clusters, "clusters_token_text": text}
        return {**found, "clusters_char_offsets": None, "clusters_char_text": None}


@pytest.fixture
def installed_maverick(monkeypatch):
    module = ModuleType("maverick")
    module.Maverick = RealMaverick
    monkeypatch.setitem(sys.modules, "maverick", module)
    RealMaverick.made.clear()
    maverick._tell_licence.cache_clear()


def test_maverick_annotates_sentences_of_words(installed_maverick, capsys):
    annotator = of("maverick", device="cpu")
    assert RealMaverick.made == []
    found = annotator.annotate_batch(TEXTS)
    assert [text.clusters for text in found] == [[[(0, 1)], [(0, 1), (3, 4)]], [], [[(0, 1), (2, 3)]], []]
    assert [replace(text, clusters=before.clusters) for text, before in zip(found, TEXTS)] == TEXTS
    assert found == [annotator.annotate(text) for text in TEXTS]
    assert pickle.loads(pickle.dumps(annotator)).annotate_batch(TEXTS) == found
    assert RealMaverick.made == [("sapienzanlp/maverick-mes-ontonotes", "cpu")] * 2
    # Documents may go to the output.
    assert capsys.readouterr().out == ""
    annotator = of("maverick", model="litbank", include_singletons=True)
    assert annotator.annotate(TEXTS[0]).clusters == [[(0, 1)], [(0, 1), (3, 4)], [(3, 6)]]
    assert RealMaverick.made[2][0] == "sapienzanlp/maverick-mes-litbank"


def test_maverick_says_its_licence_once(installed_maverick, caplog):
    with caplog.at_level(logging.WARNING):
        of("maverick")
        of("maverick")
    expected = ["maverick: its code and weights are for non-commercial use only (CC BY-NC-SA 4.0)"]
    assert [record.message for record in caplog.records] == expected


@Language.component("test_groups")
def write_groups(doc):
    """As spacy-experimental's span resolver, with groups of its own beside, and one that is empty."""
    women = [doc[token.i : token.i + 1] for token in doc if token.text in ("Mary", "She")]
    doc.spans["coref_clusters_2"], doc.spans["coref_clusters_10"] = women[::-1] + women[:1], [doc[:2]]
    doc.spans["coref_clusters_11"], doc.spans["coref_head_clusters_1"] = [], [doc[2:3]]
    return doc


@pytest.fixture
def saved(tmp_path):
    def save(*components, **meta):
        pipeline = spacy.blank("en")
        for component in components:
            pipeline.add_pipe(component)
        folder = tmp_path / f"pipeline_{'_'.join(components)}"
        pipeline.to_disk(folder)
        path = folder / "meta.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **meta}))
        return str(folder)

    return save


def test_a_pipeline_of_our_own_component_finds_the_same(saved):
    annotator = of("spacy_pipeline", spacy_model=saved("sieve_coref"))
    found = annotator.annotate_batch(TEXTS)
    assert found == [SieveCoref().annotate(text) for text in TEXTS]
    assert found[0].clusters == [[(0, 1)], [(0, 1), (3, 4)]]
    assert pickle.loads(pickle.dumps(annotator)).annotate_batch(TEXTS) == found
    assert len(pickle.dumps(annotator)) < 1000
    text = AnnotatedText("Mary slept because she could .".split())
    (relation,) = of("spacy_pipeline", spacy_model=saved("connective_discourse")).annotate(text).relations
    assert relation.connective == [(2, 3)]


def test_a_pipelines_span_groups_are_clusters(saved):
    text = AnnotatedText("Mary left . She slept .".split(), [(0, 3), (3, 6)])
    model = saved("test_groups")
    assert of("spacy_pipeline", spacy_model=model).annotate(text).clusters == [[(0, 1), (3, 4)], [(0, 2)]]
    heads = of("spacy_pipeline", spacy_model=model, spans="coref_head_clusters")
    assert heads.annotate(text).clusters == [[(2, 3)]]


@Language.component("test_parser")
def parse(doc):
    """The first word of each sentence is the subject of the second one, the others are what it says."""
    for sentence in doc.sents:
        for i, token in enumerate(sentence):
            token.head = sentence[min(1, len(sentence) - 1)]
            token.dep_ = ("nsubj", "ROOT", "punct")[min(i, 2)]
    return doc


def test_dependencies_lead_from_heads_to_what_depends_on_them(saved):
    model = saved("test_parser")
    found = of("spacy_dependencies", spacy_model=model).annotate_batch(TEXTS)
    assert [len(text.edges) for text in found] == [7 - 1, 0, 2, 2]
    expected = [Edge("nsubj", (1, 2), (0, 1)), Edge("punct", (1, 2), (2, 3)), Edge("nsubj", (4, 5), (3, 4))]
    assert found[0].edges[:3] == expected
    assert found[0].clusters == TEXTS[0].clusters and found[0].tokens == TEXTS[0].tokens
    with pytest.raises(ConfigurationError, match="spacy_model is .*no parser"):
        of("spacy_dependencies", spacy_model=saved("sieve_coref")).annotate(TEXTS[0])
    with pytest.raises(ConfigurationError, match="spacy_model is 'en_none'"):
        of("spacy_dependencies", spacy_model="en_none").annotate(TEXTS[0])


def test_a_pipeline_says_what_is_wrong(saved, caplog):
    with pytest.raises(ConfigurationError, match="spacy_model is 'en_none', .*spacy download en_none"):
        of("spacy_pipeline", spacy_model="en_none").annotate(TEXTS[0])
    merging = of("spacy_pipeline", spacy_model=saved("test_merge"))
    with pytest.raises(ConfigurationError, match="other tokens in the text 'x' .*"):
        merging.annotate(TEXTS[0])
    old = of("spacy_pipeline", spacy_model=saved(spacy_version=">=3.0,<3.1"))
    with pytest.warns(UserWarning, match="W095"), caplog.at_level(logging.WARNING):
        old.annotate(TEXTS[0])
    assert caplog.records[-1].message.endswith("expects >=3.0,<3.1")
    unknown = saved("sieve_coref")
    config = Path(unknown, "config.cfg")
    config.write_text(config.read_text().replace('factory = "sieve_coref"', 'factory = "experimental_coref"'))
    with pytest.raises(ConfigurationError, match="experimental_coref.*packages of its components"):
        of("spacy_pipeline", spacy_model=unknown).annotate(TEXTS[0])


@Language.component("test_merge")
def merge(doc):
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[:2])
    return doc


@pytest.mark.parametrize(
    "found, is_right", [("2.1", True), ("2.1.6", True), ("2.10.0", False), ("1.0", False)]
)
def test_a_wrong_version_says_so(fastcoref, monkeypatch, found, is_right):
    monkeypatch.setattr(optional_package, "version", lambda package: found)
    if is_right:
        assert import_optional("fastcoref", "2.1") is sys.modules["fastcoref"]
    else:
        with pytest.raises(ConfigurationError, match=f"fastcoref: .*{found}, expected 2.1"):
            import_optional("fastcoref", "2.1")
