import pytest

from allennlp_coref_rc.annotations import AnnotatedText, english
from allennlp_coref_rc.annotations.annotators import (
    ComposedAnnotator,
    Discourse,
    EnglishCoref,
    Roles,
    SpacyDependencies,
    Structure,
)
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.models.structure import StructureEncoder
from tests.annotations.english_test import ODD_TEXTS
from tests.annotations.texts import text_of

STORY = text_of("Maria bought a bicycle because she liked it . However , her brother broke it on Monday .")


def test_all_layers_by_one_pass_of_the_parser_and_of_the_encoder(monkeypatch):
    passes = []
    pipe, forward = english.load_pipeline(english.MODEL).pipe, StructureEncoder.forward

    def parse(docs, **options):
        docs = list(docs)
        passes.extend(["parser"] * len(docs))
        return pipe(docs, **options)

    def encode(encoder, **inputs):
        passes.append("encoder")
        return forward(encoder, **inputs)

    monkeypatch.setattr(english.load_pipeline(english.MODEL), "pipe", parse)
    monkeypatch.setattr(StructureEncoder, "forward", encode)
    text = AnnotatedText(list(STORY.tokens), STORY.sentences)
    (annotated,) = Structure(["clusters", "frames", "relations", "edges"]).annotate_batch([text])
    assert sorted(passes) == ["encoder", "parser"]
    alone = ComposedAnnotator([EnglishCoref(), Roles(), Discourse(), SpacyDependencies()]).annotate(STORY)
    assert annotated == alone
    assert {(0, 1), (5, 6)} <= {mention for cluster in annotated.clusters for mention in cluster}
    assert ("ARG0", (0, 1)) in next(f for f in annotated.frames if f.predicate == (1, 2)).arguments
    assert {(r.sense, *r.connective) for r in annotated.relations} >= {("Contingency.Cause.Reason", (4, 5))}
    assert len(annotated.edges) == len(text) - 2


def test_layers_are_chosen():
    annotated = Structure(["frames"]).annotate(STORY)
    assert annotated.frames and not annotated.clusters + annotated.relations + annotated.edges
    with pytest.raises(ConfigurationError, match="layers is 'roles', expected one of clusters, frames"):
        Structure(["roles"])


LONG = "Ann said that she had seen Bob , because he called .".split() * 100


@pytest.mark.parametrize("tokens", [*ODD_TEXTS.values(), LONG], ids=[*ODD_TEXTS, "1,100 words"])
def test_odd_texts(tokens):
    annotator = Structure(["clusters", "frames", "relations", "edges"])
    annotated = annotator.annotate(AnnotatedText(tokens)).checked()
    assert annotated.tokens == tokens
    if len(tokens) > 1000:
        # All layers reach the end.
        mentions = [mention for cluster in annotated.clusters for mention in cluster]
        edges = [edge.target for edge in annotated.edges]
        last = [annotated.frames[-1].predicate, annotated.relations[-1].connective[-1]]
        assert min(stop for _, stop in [*last, max(mentions), max(edges)]) > len(tokens) - 11
