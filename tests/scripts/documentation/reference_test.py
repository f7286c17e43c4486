"""The reference's pages have every registered class."""

from types import SimpleNamespace

import pytest

from scripts.documentation import reference
from tests.documented import own_registered_classes


def test_the_classes_are_those_that_are_registered():
    found = {(each.kind, each.name, each.cls.path) for each in reference.registered()}
    assert found == own_registered_classes()


def test_every_registered_class_has_an_entry_on_the_page_of_its_kind():
    for each in reference.registered():
        (name,) = [name for name, page in reference.PAGES.items() if each.kind in page.kinds]
        assert each.cls.has_docstring, each.cls.path
        assert f"::: {each.cls.path}\n" in reference.pages()[f"reference/{name}.md"]


def test_a_class_of_an_unknown_kind_is_an_error(monkeypatch):
    new = reference.Registered(
        "Telescope", "hubble", SimpleNamespace(path="allennlp_coref_rc.telescopes.Hubble")
    )
    monkeypatch.setattr(reference, "registered", lambda: [new])
    with pytest.raises(ValueError, match="Telescope"):
        reference.contents.__wrapped__()


def test_files_of_shown_classes_have_a_place():
    expected = "reference/annotators.md#allennlp_coref_rc.annotations.annotators.annotator.Annotator"
    assert reference.places()["allennlp_coref_rc/annotations/annotators/annotator.py"] == expected
    assert "allennlp_coref_rc/common/version.py" not in reference.places()
