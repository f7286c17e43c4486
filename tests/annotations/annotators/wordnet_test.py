"""With a WordNet of eight senses, in the real one's files."""

import pickle

import nltk.corpus
import pytest
from allennlp.common.checks import ConfigurationError
from nltk.corpus.reader import WordNetCorpusReader
from nltk.corpus.util import LazyCorpusLoader

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.annotators import WordNet

# By part of speech: the words of each sense, and its pointers: symbol and the number of another sense.
SENSES = {
    "noun": [
        (["animal"], []),
        (["dog", "hound"], [("@", 0)]),
        (["poodle"], [("@", 1)]),
        (["hand"], []),
        (["finger"], [("#p", 3)]),
        (["dog", "frank"], []),
    ],
    "adj": [(["big", "large"], [("!", 1)]), (["small"], [("!", 0)])],
    "verb": [],
    "adv": [],
}


def write_wordnet(folder):
    """The files of wndb(5WN). An offset is the position of a line in its file, of eight digits."""
    folder.mkdir(parents=True)
    for name in ("cntlist.rev", "index.sense", *(f"{pos}.exc" for pos in SENSES)):
        (folder / name).write_text("")
    (folder / "lexnames").write_text("00\tall\t1\n")
    (folder / "noun.exc").write_text("paws hand\n")
    for pos, senses in SENSES.items():
        offsets = [0] * len(senses)
        for i in range(len(senses)):
            offsets[i] = sum(len(data_line(pos, j, offsets)) for j in range(i))
        (folder / f"data.{pos}").write_text("".join(data_line(pos, i, offsets) for i in range(len(senses))))
        places = {}
        for (words, _), offset in zip(senses, offsets):
            for word in words:
                places.setdefault(word, []).append(f"{offset:08d}")
        index = [f"{word} {pos[0]} {len(at)} 0 {len(at)} 0 {' '.join(at)}\n" for word, at in places.items()]
        (folder / f"index.{pos}").write_text("".join(index))


def data_line(pos, number, offsets):
    words, pointers = SENSES[pos][number]
    # Antonyms lead from the first word to the first word, other pointers from sense to sense.
    ends = [f"{mark} {offsets[to]:08d} {pos[0]} {'0101' if mark == '!' else '0000'}" for mark, to in pointers]
    spelled = " ".join(f"{word} 0" for word in words)
    return " ".join(
        [f"{offsets[number]:08d} 00 {pos[0]} {len(words):02x}", spelled, f"{len(ends):03d}", *ends, "|\n"]
    )


@pytest.fixture
def wordnet(tmp_path, monkeypatch):
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    monkeypatch.setattr(nltk.corpus, "wordnet", LazyCorpusLoader("wordnet", WordNetCorpusReader, None))
    write_wordnet(tmp_path / "corpora" / "wordnet")


def found(words, **options):
    text = WordNet(**options).annotate(AnnotatedText(words.split()))
    return [(text.tokens[edge.source[0]], edge.type, text.tokens[edge.target[0]]) for edge in text.edges]


@pytest.mark.filterwarnings("ignore:The multilingual functions")
def test_related_words_are_linked(wordnet):
    expected = [("Poodles", "hypernym", "hound"), ("hound", "hypernym", "animal")]
    assert found("the Poodles and its hound saw an animal") == expected
    assert found("poodle animal", levels=1) == []
    expected = [("finger", "part_of", "hand"), ("finger", "part_of", "paws"), ("fingers", "part_of", "paws")]
    assert found("hand finger paws fingers") == expected
    expected = [("big", "synonym", "large"), ("small", "antonym", "big"), ("big", "antonym", "small")]
    assert found("large big small big") == expected
    assert found("frank dog") == [("dog", "synonym", "frank")] and found("frank dog", senses=1) == []
    assert found("large small poodle dog", relations=["hypernym"] * 2) == [("poodle", "hypernym", "dog")]
    assert found("dog dogs Dog") == found("") == []


@pytest.mark.filterwarnings("ignore:The multilingual functions")
def test_processes_load_it_for_themselves(wordnet):
    annotator = WordNet()
    once = annotator.annotate(AnnotatedText(["poodle", "dog"]))
    copy = pickle.loads(pickle.dumps(annotator))
    assert len(once.edges) == 1 and copy.annotate(AnnotatedText(["poodle", "dog"])) == once
    assert len(copy.annotate(once).edges) == 2


def test_missing_files_and_bad_options_are_said(tmp_path, monkeypatch):
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    monkeypatch.setattr(nltk.corpus, "wordnet", LazyCorpusLoader("wordnet", WordNetCorpusReader, None))
    with pytest.raises(ConfigurationError, match="found no WordNet .*nltk.downloader wordnet"):
        WordNet().annotate(AnnotatedText(["dog"]))
    with pytest.raises(ConfigurationError, match="relations has 'hyponym', .*antonym, hypernym"):
        WordNet(relations=["hyponym"])
    for key, value in (("senses", 0), ("levels", -1)):
        with pytest.raises(ConfigurationError, match=f"wordnet: {key} is {value}, expected 1 or more"):
            WordNet(**{key: value})
