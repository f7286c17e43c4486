import os
import subprocess
import sys

import pytest
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.annotators.lexicon import FEMALE, GIVEN_NAMES, MALE, SINGULAR
from allennlp_coref_rc.annotations.formats import read_gap
from allennlp_coref_rc.data.corpora.discourse_corpora import in_fold
from allennlp_coref_rc.data.structure_corpora import CoreferenceReader
from allennlp_coref_rc.data.structure_corpora.coreference import TYPES, Mention, describe
from tests.data.structure_corpora.corpora import WORDS, write, write_tree
from tests.training_config.configs import FIXTURES

GAP = FIXTURES / "formats" / "gap.tsv"


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "ontogum", "GUM_bio_ann")
    write_tree(tmp_path / "gum", "GUM_bio_ann")
    for number in range(8):
        write(tmp_path / "litbank", f"novel_{number}")
    return tmp_path


def read(paths, **options):
    instances = list(CoreferenceReader({}, **options).read(paths))
    return [([token.text for token in i["words"]], i["coreference"].metadata) for i in instances]


def test_mentions_have_heads_by_the_tree_and_coordinations_their_conjunction(folder):
    ((words, text),) = read({"ontogum": str(folder / "ontogum")}, folder=str(folder / "gum"))
    assert words == WORDS
    assert sorted(text.mentions) == [
        Mention(0, 0, 0, 2),
        Mention(2, 1, 0, 4),
        Mention(5, 0, 5, 6),
        Mention(8, 1, 8, 9),
    ]
    assert [sorted(cluster) for cluster in text.gold.clusters] == [[(0, 2), (5, 6)], [(0, 4), (8, 9)]]
    person, animal, place = (1 + TYPES.index(type) for type in ("person", "animal", "place"))
    assert text.types.tolist() == [person, 0, 0, person, 0, person, animal, 0, 0, 0, place, 0]
    assert (text.guideline, text.corpus, text.sentences.tolist()) == (0, "ontogum", [0] * 8 + [1] * 4)


def test_a_mention_whose_head_is_taken_is_left_out(folder):
    columns = ["(1", "1)", "-", "-", "-", "(1)", "-", "-", "(2)", "-", "-", "-"]
    columns[0] = "(1|(2)"
    write(folder / "ontogum", "GUM_bio_ann", columns)
    reader = CoreferenceReader({}, folder=str(folder / "gum"))
    (instance,) = reader.read({"ontogum": str(folder / "ontogum")})
    assert sorted(m[2:] for m in instance["coreference"].metadata.mentions) == [(0, 1), (5, 6), (8, 9)]
    assert reader.skipped == {"ontogum": 1}


def test_texts_without_trees_are_parsed(folder):
    texts = read({"litbank": str(folder / "litbank")}, folder=str(folder / "gum"))
    assert len(texts) == 8
    for _, text in texts:
        assert (0, 0, 2) in [(m.head, m.start, m.stop) for m in text.mentions] and text.guideline == 1


def test_folds_and_repeats(folder):
    paths = {"litbank": str(folder / "litbank"), "ontogum": [str(folder / "ontogum" / "GUM_*_*.conll")]}
    valid = sum(in_fold(f"novel_{number}", "valid") for number in range(8))
    assert 0 < valid < 8
    counts = [len(read(paths, fold=fold, repeats={"ontogum": 3})) for fold in ("train", "valid")]
    assert counts == [8 - valid + 3, valid + 3]


def test_repeated_documents_have_other_names(folder):
    paths = {"ontogum": str(folder / "ontogum")}
    texts = read(paths, repeats={"ontogum": 3}, exchange_names=True)
    given = [(words[0], words[3]) for words, _ in texts]
    assert given[0] == ("Ann", "Bob") and len(set(given)) == 3
    for (ann, bob), (words, text) in zip(given, texts):
        assert words == [{"Ann": ann, "Bob": bob}.get(word, word) for word in WORDS] == text.gold.tokens
        assert GIVEN_NAMES[ann.lower()] == FEMALE and GIVEN_NAMES[bob.lower()] == MALE
        assert text.mentions == texts[0][1].mentions


def test_other_names_are_the_same_in_every_process():
    program = (
        "from allennlp_coref_rc.annotations import AnnotatedText as T\n"
        "from allennlp_coref_rc.data.structure_corpora.coreference import with_other_names as other\n"
        "print(other(T('Ann met Bob and Mary .'.split()), 'seed').tokens)"
    )
    texts = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in "12"
    ]
    assert texts[0] == texts[1]


def test_corpora_are_mixed(folder):
    paths = {"litbank": str(folder / "litbank"), "ontogum": str(folder / "ontogum")}
    texts = [text for _, text in read(paths, repeats={"ontogum": 4})]
    assert [text.guideline for text in texts] == [1, 1, 0] * 4


def test_passages_of_gap_keep_names_that_are_alone():
    passages = list(read_gap(str(GAP)))
    texts = read({"gap": str(GAP)})
    assert len(texts) == len(passages) > 0
    for passage, (words, text) in zip(passages, texts):
        assert words == passage.tokens and text.gold.clusters == passage.clusters
        assert sorted(m[1:] for m in text.mentions) == sorted(
            (number, *span) for number, cluster in enumerate(text.gold.clusters) for span in cluster
        )


def test_names_and_quotations():
    text = AnnotatedText('The old Mrs Ann Lee said : " Ann is old . "'.split())
    described = describe(text, "ontogum")
    numbers = {word: i for i, word in enumerate(dict.fromkeys(w.lower() for w in text.tokens))}

    def names(position):
        return [number for number in described.names[position].tolist() if number >= 0]

    assert names(1) == [numbers["old"]]
    assert names(0) == [numbers["the"]]
    assert names(3) == [numbers[word] for word in ("ann", "mrs", "lee")]
    assert names(8) == [numbers["ann"]]
    assert described.quotes.tolist() == [0] * 8 + [1] * 4 + [0]


def test_what_rules_know():
    text = AnnotatedText("Mrs Ann Lee slept . She and the old man woke . Ann smiled at him .".split())
    litbank, ontogum = (describe(text, guideline).rules.tolist() for guideline in ("litbank", "ontogum"))
    ann, man = litbank[0][0], litbank[9][0]
    assert [row[0] for row in litbank] == [ann] * 3 + [-1] * 2 + [ann] + 3 * [-1] + [man] + 2 * [-1] + [
        *(ann, -1, -1, man, -1)
    ]
    assert ann != man and min(ann, man) >= 0
    # Pronouns of the third person have no entity by OntoGUM's guideline, but they have their gender.
    assert [row[0] for row in ontogum] == [-1 if i in (5, 15) else row[0] for i, row in enumerate(litbank)]
    assert [ontogum[i][1:] for i in (0, 5, 9, 15)] == [
        [gender, gender, SINGULAR] for gender in (FEMALE, FEMALE, MALE, MALE)
    ]
    assert ontogum[3] == [-1, 0, 0, 0]


def test_data_paths_and_options_that_are_wrong(folder):
    with pytest.raises(ConfigurationError, match="found the data path 'x', expected a mapping"):
        read("x")
    with pytest.raises(ConfigurationError, match="litbankk"):
        read({"litbankk": "x"})
    (folder / "gum" / "GUM_bio_ann.conllu").write_text("1\tAnn\t_\tX\tX\t_\t0\troot\t_\t_\n\n")
    with pytest.raises(
        ConfigurationError, match="found 1 words, expected as many as .*GUM_bio_ann.conll has"
    ):
        read({"ontogum": str(folder / "ontogum")}, folder=str(folder / "gum"))
    with pytest.raises(ConfigurationError, match="folder is .*nowhere, expected that of files in CoNLL-U"):
        read({"ontogum": str(folder / "ontogum")}, folder=str(folder / "nowhere"))
    (folder / "gum" / "GUM_bio_ann.conllu").unlink()
    with pytest.raises(ConfigurationError, match="GUM_bio_ann.conllu: no such file"):
        read({"ontogum": str(folder / "ontogum")}, folder=str(folder / "gum"))
    for options in ({"fold": "test"}, {"guideline": "other"}):
        with pytest.raises(ConfigurationError, match="other|test"):
            CoreferenceReader({}, **options)
