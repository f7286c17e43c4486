import pytest
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.data.corpora.discourse_corpora import in_fold
from allennlp_coref_rc.data.structure_corpora import AnnotatedTextsReader
from tests.training_config.configs import FIXTURES

PROPBANK = FIXTURES / "annotators" / "propbank_ewt" / "train"
GDTB = FIXTURES / "annotators" / "gdtb"


def read(path, **options):
    instances = list(AnnotatedTextsReader(token_indexers={}, **options).read(path))
    for instance in instances:
        assert [token.text for token in instance["words"]] == instance["gold"].metadata.tokens
        assert instance["text"].metadata == instance["gold"].metadata
    return [instance["gold"].metadata for instance in instances]


def words(text, span):
    return " ".join(text.tokens[slice(*span)])


@pytest.mark.parametrize(
    "max_words, lengths",
    [
        (None, [29, 21]),
        (1, [12, 3, 8, 6, 6, 6, 9]),
        (15, [15, 14, 12, 9]),
        (20, [15, 14, 12, 9]),
        ([1, 15], [12, 11, 6, 6, 15]),
    ],
)
def test_texts_are_cut_between_sentences(max_words, lengths):
    texts = read(PROPBANK, format="conll_2012", max_words=max_words)
    assert list(map(len, texts)) == lengths
    assert sum(len(text.sentences) for text in texts) == 7
    frames = [
        (words(text, frame.predicate), [(role, words(text, span)) for role, span in frame.arguments])
        for text in texts
        for frame in text.frames
    ]
    assert len(frames) == 8
    assert frames[1] == (
        "lived",
        [("ARG0", "the mice"), ("R-ARG0", "that"), ("ARGM-LOC", "in the barn")],
    )


def test_folds_of_discourse_relations():
    names = [text.id for text in read([GDTB / "stories.rels"], format="rels")]
    assert names[:2] == ["FIX_garden", "FIX_harbour"]
    first = read(GDTB, format="rels")[0]
    relation = first.relations[0]
    assert (relation.sense, words(first, relation.connective[0])) == ("contingency.cause.reason", "because")
    for fold in ("train", "valid"):
        found = [text.id for text in read(GDTB, format="rels", fold=fold)]
        assert found == [name for name in names if in_fold(name, fold)]


def test_a_relation_stays_with_its_connective():
    whole = read(GDTB, format="rels")[0]
    first, second, *_ = read(GDTB, format="rels", max_words=1)
    but = whole.relations[1]
    start = whole.sentences[1][0]
    (cut,) = second.relations
    assert (cut.sense, words(second, cut.connective[0])) == (but.sense, "But")
    assert (cut.arg1, cut.arg2) == ([], [(a - start, b - start) for a, b in but.arg2])
    # The sentence before has only its own relation, the third one no implicit relation.
    assert [relation.sense for relation in first.relations] == ["contingency.cause.reason"]


def test_a_text_to_annotate_has_no_gold():
    (text,) = read(GDTB, format="rels")[:1]
    reader = AnnotatedTextsReader("rels", {})
    assert set(reader.text_to_instance(text).fields) == {"words", "text"}


@pytest.mark.parametrize("options", [{"format": "tiger"}, {"format": "rels", "fold": "test"}])
def test_unknown_formats_and_folds_are_named(options):
    with pytest.raises(ConfigurationError, match="tiger|test"):
        AnnotatedTextsReader(token_indexers={}, **options)
