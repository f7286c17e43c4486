import re

import pytest
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.annotations.formats.conllu import read_conllu_sentences
from tests.training_config.configs import FIXTURES

PROPBANK = FIXTURES / "annotators" / "up_english_ewt" / "dev.conllu"

ROW = "{}\ta\ta\tDET\t_\t_\t0\troot\t_\t_"


def test_sentences_have_their_document_their_place_and_their_words():
    sentences = list(read_conllu_sentences(str(PROPBANK)))
    assert [sentence.document for sentence in sentences][:3] == ["weblog-one", "weblog-one", "answers-two"]
    assert sentences[0].place == f"{PROPBANK}, line 4"
    assert [word.form for word in sentences[2].words] == "She gave him a red apple yesterday .".split()
    assert sentences[2].words[1].columns[10:] == ["give.01", "V"]


def test_ranges_and_empty_nodes_are_no_words(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text("\n".join(ROW.format(id) for id in ("1-2", "1", "2", "2.1", "3")))
    (sentence,) = read_conllu_sentences(str(path))
    assert [word.line for word in sentence.words] == [2, 3, 5]
    assert sentence.document == str(path)


def test_empty_nodes_may_lack_the_columns_of_predicates(tmp_path):
    """In the test file of Universal PropBank's EWT, node 24.1 has 12 columns among words with more."""
    path = tmp_path / "a.conllu"
    word = ROW + "\t_\t_\t_\t_"
    path.write_text(
        "\n".join([word.format(1), ROW.format("1.1") + "\t_\t_", ROW.format("2-3"), word.format(2)])
    )
    (sentence,) = read_conllu_sentences(str(path))
    assert [len(word.columns) for word in sentence.words] == [14, 14]


@pytest.mark.parametrize(
    "lines, message",
    [
        ([ROW.format(1), "2\tb"], "line 2: found 2 columns, expected 10, as the word before has"),
        (["1\tb"], "line 1: found 2 columns, expected 10 or more"),
        (["# a", ROW.format("x")], "line 2: found the ID 'x', expected a number"),
        ([ROW.format(1), ROW.format(3)], "line 2: found the ID 3, expected 2"),
        ([ROW.format(1).replace("\ta", "\t ", 1)], "line 1: found an empty form, expected a word"),
    ],
)
def test_malformed_lines_are_named(tmp_path, lines, message):
    path = tmp_path / "a.conllu"
    path.write_text("\n".join(lines))
    with pytest.raises(ConfigurationError, match=re.escape(f"{path}, {message}")):
        list(read_conllu_sentences(str(path)))
