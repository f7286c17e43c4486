import json
import sys

from allennlp_coref_rc.annotations import AnnotatedText, Document
from allennlp_coref_rc.annotations.annotated_text import DiscourseRelation
from allennlp_coref_rc.annotations.document import write_documents
from tests.scripts.scripts import load_script

script = load_script("screenshots")

RELATION = DiscourseRelation("Explicit", "Comparison.Contrast", [(0, 2)], [(3, 4)], [(2, 3)])


def test_without_a_browser_it_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(script, "BROWSERS", ("no_such_browser",))
    monkeypatch.setattr(sys, "argv", ["screenshots.py", str(tmp_path / "out"), "--pages", "x=x.html"])
    script.main()
    assert "found no browser, expected one of no_such_browser" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_every_page_is_shot(tmp_path):
    texts = [AnnotatedText("a b but c".split(), relations=relations) for relations in ([], [RELATION])]
    write_documents(str(tmp_path / "texts.jsonl"), map(Document, texts))
    shots = [*script.document_shots("texts", str(tmp_path / "texts.jsonl"), tmp_path / "texts")]
    assert [shot.name for shot in shots] == ["texts_index", "texts_1", "texts_2", "texts_2_relation"]
    prediction = {"answer": "b", "passage_tokens": ["a", "b"], "question_tokens": ["c"], "attention": [0.0, 1.0]}
    lines = (prediction, {**prediction, "answer": None})
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    shots += script.explanation_shots("answers", str(tmp_path / "answers.jsonl"), tmp_path / "answers")
    assert [shot.name for shot in shots[4:]] == ["answers_1", "answers_1_attention", "answers_2"]
    assert all(shot.page.is_file() for shot in shots)
