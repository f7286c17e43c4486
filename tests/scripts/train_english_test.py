import pytest
import spacy
from spacy.tokens import DocBin

from allennlp_coref_rc.annotations.english import load_pipeline
from tests.scripts.scripts import load_script

train_english = load_script("train_english")

# Form, lemma, part of speech, tag, morphology, head, dependency, and the last column.
STORY = """
The the DET DT Definite=Def|PronType=Art 2 det Entity=(1-person-new-nn-cf1-2-coref
dogs dog NOUN NNS Number=Plur 3 nsubj Entity=1)
chased chase VERB VBD Tense=Past|VerbForm=Fin 0 root _
it it PRON PRP Number=Sing 3 obj Entity=(2-animal-giv:act-nn-cf2-1-ana)|SpaceAfter=No
. . PUNCT . _ 3 punct _

New New PROPN NNP Number=Sing 2 compound Entity=(3-place-new-nn-cf1-1,2-coref
York York PROPN NNP Number=Sing 0 root Entity=3)
and and CCONJ CC _ 5 cc _
old old ADJ JJ Degree=Pos 5 amod Entity=(4-object-new-nn-cf1-1,3-sgl
boxes box NOUN NNS Number=Plur 2 conj _
( ( PUNCT ( _ 7 punct _
women woman NOUN NNS Number=Plur 5 appos Entity=(5-person-new-nn-cf1-1-sgl)4)
"""


def conllu(story, name="d", gum=True):
    lines = [f"# newdoc id = {name}"]
    for sentence in story.strip().split("\n\n"):
        for number, line in enumerate(sentence.splitlines(), start=1):
            form, lemma, pos, tag, morph, head, dep, misc = line.split()
            misc = misc if gum else "SpaceAfter=No" if "SpaceAfter" in misc else "_"
            lines.append("\t".join([str(number), form, lemma, pos, tag, morph, head, dep, "_", misc]))
        lines.append("")
    return "\n".join(lines) + "\n"


def test_documents_become_docs(tmp_path):
    (tmp_path / "a.conllu").write_text(conllu(STORY) + conllu(STORY, "e"))
    doc, again = train_english.read_docs(str(tmp_path / "a.conllu"), spacy.blank("en").vocab)
    assert doc.text == again.text == "The dogs chased it. New York and old boxes ( women "
    assert [sentence.end for sentence in doc.sents] == [5, 12]
    expected = [("compound", "York"), ("ROOT", "York"), ("cc", "boxes"), ("amod", "boxes"), ("conj", "York")]
    assert [(token.dep_, token.head.text) for token in doc[5:10]] == expected
    assert [token.lemma_ for token in doc[:3]] == ["the", "dog", "chase"]
    assert (doc[1].tag_, doc[1].pos_, str(doc[1].morph)) == ("NNS", "NOUN", "Number=Plur")
    # The pronoun is left out; minimal spans with a gap, or without the head, give the head.
    expected = [("dogs", "person"), ("New York", "place"), ("boxes", "object"), ("women", "person")]
    assert [(entity.text, entity.label_) for entity in doc.ents] == expected
    (tmp_path / "b.conllu").write_text(conllu(STORY, gum=False))
    (doc,) = train_english.read_docs(str(tmp_path / "b.conllu"), spacy.blank("en").vocab)
    assert not doc.has_annotation("ENT_IOB")


def test_lemmas_are_those_of_the_rules_the_index_and_the_exceptions(tmp_path):
    verb = "{0} {1} VERB VBD Tense=Past|VerbForm=Fin 0 root _\n\n"
    words = [
        ("hoped", "hope"),
        ("hopes", "hope"),
        ("hops", "hop"),
        ("hops", "hop"),
        ("went", "go"),
        ("Went", "go"),
    ]
    (tmp_path / "a.conllu").write_text(conllu(STORY) + conllu("".join(verb.format(*word) for word in words)))
    nlp = spacy.blank("en")
    docs = list(train_english.read_docs(str(tmp_path / "a.conllu"), nlp.vocab))
    train_english.add_lemmatizer(nlp, docs)
    lemmatizer = nlp.get_pipe("lemmatizer")

    def lemma(word, pos="VERB"):
        return lemmatizer(spacy.tokens.Doc(nlp.vocab, [word], pos=[pos]))[0].lemma_

    words = ["hoping", "hopping", "Went", "stopped", "danced", "relies", "misses", "looked"]
    assert [lemma(word) for word in words] == ["hope", "hop", "go", "stop", "dance", "rely", "miss", "look"]
    nouns = ["cats", "foxes", "ladies", "Firemen", "women", "dog"]
    assert [lemma(word, "NOUN") for word in nouns] == ["cat", "fox", "lady", "fireman", "woman", "dog"]
    assert [lemma("Rome", "PROPN"), lemma("AND", "CCONJ"), lemma("!", "PUNCT")] == ["Rome", "and", "!"]


@pytest.mark.slow
def test_a_pipeline_is_trained_to_the_same_bytes(tmp_path, monkeypatch, evaluate):
    data = tmp_path / "data"
    for name in (
        "ud_ewt/a-train",
        "ud_ewt/a-dev",
        "gum/train/GUM_news_a",
        "gum/train/GUM_fiction_a",
        "gum/dev/GUM_essay_a",
    ):
        path = data / f"{name}.conllu"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(conllu(STORY, path.stem, gum="GUM" in name) * 10)  # the parser leaves out rare labels
    for output in ("one", "two"):
        evaluate("train_english", data, tmp_path / output)
    small, large = (tmp_path / "one" / name for name in ("model", "model-best"))
    files = [path for path in small.rglob("*") if path.is_file()]
    different = [
        path
        for path in files
        if path.read_bytes() != (tmp_path / "two" / path.relative_to(small.parent)).read_bytes()
    ]
    assert different == [] and len(files) > 15
    # GUM's fiction is left out.
    assert len(DocBin().from_disk(tmp_path / "one" / "train.spacy")) == 20
    sizes = [(folder / "tok2vec" / "model").stat().st_size for folder in (small, large)]
    assert sizes[0] < 0.51 * sizes[1]
    pipeline = load_pipeline(str(small))
    assert pipeline.pipe_names == ["tok2vec", "tagger", "morphologizer", "parser", "ner", "lemmatizer"]
    assert [token.text for token in pipeline("The dogs sat.")] == ["The", "dogs", "sat", "."]
    labels = {pipe: pipeline.get_pipe(pipe).labels for pipe in ("tagger", "morphologizer", "ner")}
    assert labels == {pipe: spacy.load(large).get_pipe(pipe).labels for pipe in labels}
    rows = evaluate("evaluate_annotator", "exact_match_coref", data / "gum" / "dev", "--pipeline", small)
    assert "| LAS, sentences given |" in rows and "| entities, sentences found |" in rows
