import pickle
from dataclasses import replace

import pytest
import spacy
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins
from allennlp.data.dataset_readers.dataset_utils import bio_tags_to_spans
from allennlp.models.archival import load_archive
from allennlp.predictors import Predictor

from allennlp_coref_rc.annotations import AnnotatedText, Frame
from allennlp_coref_rc.annotations.annotators import Annotator, archived_model
from allennlp_coref_rc.annotations.bio import bio_spans, frame_of
from tests import tiny_transformers
from tests.annotations.annotators.archives import COREF, SENTENCES, SRL, coref_of, make_archive, srl_of

import_plugins()

# Texts of equal and of other lengths. One is too short for any mention.
STORIES = [
    SENTENCES,
    SENTENCES[:1],
    SENTENCES[2:],
    [SENTENCES[0][::-1]],
    [["He", "went", "there"], ["Mary", "left", "."]],
    SENTENCES[::-1],
    [["Mary"]],
    [["Mary", "."]],
    [],
]


TEXTS = list(map(AnnotatedText.of_sentences, STORIES))


@pytest.fixture(autouse=True)
def plugins(monkeypatch):
    """They are imported already, and looking for them again takes a while."""
    monkeypatch.setattr(archived_model, "import_plugins", lambda: None)


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    folder = tmp_path_factory.mktemp("archives")
    transformer = tiny_transformers.make("bert", folder / "tiny-bert-uncased")
    return {
        "coref": make_archive(folder / "coref", COREF),
        "srl": make_archive(folder / "srl", SRL),
        "transformer coref": make_archive(folder / "transformer_coref", coref_of(transformer), seed=3),
        "transformer srl": make_archive(folder / "transformer_srl", srl_of(transformer), seed=3),
    }


@pytest.fixture(scope="module")
def tagger(tmp_path_factory):
    """A folder with a spaCy model that knows a few verbs, and that is named like an English one."""
    pipeline = spacy.blank("en")
    ruler = pipeline.add_pipe("attribute_ruler")
    for tag, words in {"VERB": ["went", "left", "slept", "came"], "AUX": ["was", "had"]}.items():
        ruler.add([[{"LOWER": {"IN": words}}]], {"POS": tag})
    folder = tmp_path_factory.mktemp("spacy") / "en_small"
    pipeline.to_disk(folder)
    return folder


def annotator(type, archive, **options):
    return Annotator.from_params(Params({"type": type, "archive": archive, **options}))


@pytest.mark.parametrize("name, least", [("coref", 4), ("transformer coref", 1)])
def test_clusters_are_what_the_model_says(archives, name, least):
    archive = load_archive(archives[name])
    predictor = Predictor(archive.model, archive.dataset_reader)
    coref = annotator("allennlp_coref", archives[name])
    found = 0
    for story, text in zip(STORIES, TEXTS):
        expected = []
        if len(text) > 2:  # With fewer tokens the model raises an error.
            output = predictor.predict_instance(archive.dataset_reader.text_to_instance(story))
            expected = [sorted((start, end + 1) for start, end in cluster) for cluster in output["clusters"]]
        assert coref.annotate(text) == replace(text, clusters=expected)
        found += len(expected)
    assert found >= least


@pytest.mark.parametrize("batch_size", [1, 2, 8])
def test_texts_do_not_see_one_another(archives, batch_size):
    coref = annotator("allennlp_coref", archives["coref"], batch_size=batch_size)
    marked = [
        replace(text, clusters=[[(0, 1)]] if len(text) else [], id=str(i)) for i, text in enumerate(TEXTS)
    ]
    assert coref.annotate_batch(marked) == [coref.annotate(text) for text in marked]
    srl = annotator("allennlp_srl", archives["srl"], predicates="words", batch_size=batch_size)
    assert srl.annotate_batch(TEXTS) == [srl.annotate(text) for text in TEXTS]
    assert coref.annotate_batch([]) == srl.annotate_batch([]) == []


@pytest.mark.parametrize("name", ["srl", "transformer srl"])
def test_roles_are_what_the_predictor_says(archives, tagger, monkeypatch, name):
    monkeypatch.chdir(tagger.parent)
    archive = load_archive(archives[name])
    predictor = Predictor.by_name("semantic_role_labeling")(
        archive.model, archive.dataset_reader, language="en_small"
    )
    srl = annotator("allennlp_srl", archives[name], spacy_model="en_small")
    arguments = 0
    for story, text in zip(STORIES, TEXTS):
        found = iter(srl.annotate(text).frames)
        for sentence, (offset, _) in zip(story, text.sentences):
            for verb in predictor.predict_tokenized(sentence)["verbs"]:
                spans = {
                    (role, (s + offset, e + 1 + offset)) for role, (s, e) in bio_tags_to_spans(verb["tags"])
                }
                frame = next(found)
                assert text.tokens[frame.predicate[0]] == verb["verb"]
                # A verb elsewhere is an argument, as `frame_of` says.
                assert set(frame.arguments) == spans - {("V", frame.predicate)}
                arguments += len(spans)
        assert next(found, None) is None
    assert arguments > 10


def test_predicates_are_found_as_asked_for(archives, tagger):
    text = TEXTS[0]

    def predicates(annotated, **options):
        frames = annotator("allennlp_srl", archives["srl"], **options).annotate(annotated).frames
        return [text.tokens[frame.predicate[0]] for frame in frames]

    assert predicates(text, spacy_model=str(tagger)) == ["went", "was", "had", "left", "slept", "came"]
    assert predicates(text, predicates="words") == ["went", "left", "came"]
    known = replace(text, frames=[Frame((8, 9), [("ARG0", (0, 1))]), Frame((1, 2))])
    assert predicates(known, predicates="frames") == ["went", "tired"]
    assert predicates(known, predicates="words") == ["tired", "went", "went", "left", "came"]


def test_models_are_loaded_late_and_are_not_sent(archives, tagger):
    for one in (
        annotator("allennlp_coref", archives["coref"]),
        annotator("allennlp_srl", archives["srl"], spacy_model=str(tagger)),
    ):
        size = len(pickle.dumps(one))
        expected = one.annotate_batch(TEXTS)
        assert len(pickle.dumps(one)) == size < 10_000
        assert pickle.loads(pickle.dumps(one)).annotate_batch(TEXTS) == expected


def test_the_archive_s_config_may_be_changed(archives):
    none = annotator(
        "allennlp_coref", archives["coref"], overrides={"model.spans_per_word": 0.1}, cuda_device=-1
    )
    found = none.annotate(TEXTS[0]).clusters
    assert found != annotator("allennlp_coref", archives["coref"]).annotate(TEXTS[0]).clusters


def test_sentences_that_the_model_does_not_read_are_reported(archives, caplog):
    coref = annotator("allennlp_coref", archives["coref"], overrides={"dataset_reader.max_sentences": 1})
    assert all(end <= 6 for cluster in coref.annotate(TEXTS[0]).clusters for _, end in cluster)
    assert "The model reads 1 of the text's 3 sentences" in caplog.text


@pytest.mark.parametrize(
    "type, archive, options, message",
    [
        ("coref", "none.tar.gz", {}, "none.tar.gz: no such archive"),
        ("coref", "srl", {}, "found a SemanticRoleLabeler, whose predictor is 'semantic_role_labeling'"),
        ("srl", "coref", {"predicates": "words"}, "expected a model of the predictor 'semantic_role"),
        ("srl", "srl", {"spacy_model": "en_none"}, "spacy_model is 'en_none', which is not installed"),
        ("srl", "srl", {"predicates": "verbs"}, "predicates is 'verbs', expected one of"),
        ("coref", "coref", {"batch_size": 0}, "batch_size is 0, expected 1 or more"),
    ],
)
def test_what_is_wrong_is_said(archives, type, archive, options, message):
    with pytest.raises(ConfigurationError, match=message):
        annotator(f"allennlp_{type}", archives.get(archive, archive), **options).annotate(TEXTS[0])


def test_frames_are_read_off_bio_tags():
    expected = [("A", (0, 2)), ("A", (2, 3)), ("B", (4, 5)), ("C", (5, 6)), ("V", (6, 7))]
    assert bio_spans("B-A I-A B-A O I-B I-C B-V".split()) == expected
    assert bio_spans([]) == bio_spans(["O", "", "X", "B-"]) == []
    assert frame_of(["B-V", "B-A", "B-V"]) == Frame((0, 1), [("A", (1, 2)), ("V", (2, 3))])
    assert frame_of(["B-V", "B-A", "B-V", "I-V"], 3) == Frame((2, 4), [("V", (0, 1)), ("A", (1, 2))])
    assert frame_of(["O", "B-A"], 0) == Frame((0, 1), [("A", (1, 2))])
    assert frame_of(["O", "B-A"]) is None
