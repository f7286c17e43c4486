import pytest
import spacy

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.english import parse
from allennlp_coref_rc.common.errors import ConfigurationError

DENIAL = "The mayor of Tampico , Angela Reyes , denied the charges . She said that they were false .".split()


def text(*sentences):
    return AnnotatedText.of_sentences([sentence.split() for sentence in sentences])


def test_a_sentence_has_tags_lemmas_dependencies_and_types_of_entities():
    (doc,) = parse([text("Maria gave the old dogs a bone .", "She lives in Paris .")])
    assert [token.tag_ for token in doc] == "NNP VBD DT JJ NNS DT NN . PRP VBZ IN NNP .".split()
    assert [token.head.i for token in doc] == [1, 1, 4, 4, 1, 6, 1, 1, 9, 9, 11, 9, 9]
    assert [token.dep_ for token in doc][:5] == ["nsubj", "ROOT", "det", "amod", "iobj"]
    assert doc[4].morph.get("Number") == ["Plur"] and doc[1].morph.get("Tense") == ["Past"]

    assert {("Maria", "person"), ("Paris", "place")} <= {(entity.text, entity.label_) for entity in doc.ents}


def test_names_of_companies_and_couples_are_one_entity():
    (doc,) = parse([text("Ernst & Young fired Mr. and Mrs. Lee in Paris .", "Acme , Inc. hired Ben .")])
    found = [(entity.text, entity.label_) for entity in doc.ents]
    assert found == [
        ("Ernst & Young", "organization"),
        ("Mr. and Mrs. Lee", "person"),
        ("Paris", "place"),
        ("Acme , Inc.", "organization"),
        ("Ben", "person"),
    ]


def test_a_doc_keeps_tokens_and_sentences():
    given = AnnotatedText(DENIAL, [(0, 5), (5, 12), (12, len(DENIAL))])
    (doc,) = parse([given])
    assert [token.text for token in doc] == DENIAL
    assert [(sentence.start, sentence.end) for sentence in doc.sents] == given.sentences


def test_a_text_is_parsed_alone_as_among_others():
    texts = [text("She saw it ."), AnnotatedText([]), text("The dog barked .", "It was loud .")]
    together = parse(texts)
    for one, doc in zip(texts, together):
        (alone,) = parse([AnnotatedText(list(one.tokens), one.sentences)])
        assert [(t.dep_, t.head.i, t.tag_) for t in alone] == [(t.dep_, t.head.i, t.tag_) for t in doc]


def test_the_last_texts_are_parsed_once():
    one, other = text("She saw it ."), text("The dog barked .")
    docs = parse([one, other])
    again = parse([other, one])
    assert again[0] is docs[1] and again[1] is docs[0]
    # Other sentences or white space need another parse.
    assert parse([AnnotatedText(one.tokens, one.sentences).located("".join(one.tokens))])[0] is not docs[0]
    parse([one, other])
    assert parse([AnnotatedText(one.tokens, [(0, 2), (2, 4)])])[0] is not docs[0]
    parse([one, other])
    one.tokens[0] = "He"
    other.sentences[:] = [(0, 8)]
    changed, joined = parse([one, other])
    assert changed[0].text == "He" and len(list(joined.sents)) == 1


ODD_TEXTS = {
    "empty": [],
    "emoji": ["\U0001f600"],
    "table": ["https://example.org/?a=b", "|", "3.5", "|", "\n", "\t", "me@example.org", "\u200b"],
    "languages": "Der Hund bellte . 彼女 は 見た 。 قال إنه رآها".split(),
}


@pytest.mark.parametrize("tokens", [*ODD_TEXTS.values(), ["x"] * 3000, ["a", "", "b"]])
def test_odd_texts_have_a_parse(tokens):
    (doc,) = parse([AnnotatedText(tokens)])
    assert [token.text for token in doc] == [token or "_" for token in tokens]


def test_another_pipeline_needs_a_parser_and_the_same_tokens(tmp_path):
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(ConfigurationError, match="blank.*no parser"):
        parse([text("She saw it .")], str(tmp_path / "blank"))
    with pytest.raises(ConfigurationError, match="en_none.*spacy download en_none"):
        parse([text("She saw it .")], "en_none")
