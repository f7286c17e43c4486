"""The heads `roles` and `discourse` over vectors that stand for an encoder's."""

import itertools
import math
from dataclasses import replace

import pytest
import torch
from allennlp.data import Vocabulary
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy
from torch.nn.utils.rnn import pad_sequence

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, DiscourseRelation, Frame
from allennlp_coref_rc.annotations.annotators import ConnectiveDiscourse
from allennlp_coref_rc.data.corpora.discourse_corpora import read_rels_texts
from allennlp_coref_rc.models.structure.discourse import EXPLICIT, IMPLICIT, DiscourseHead, _likely
from allennlp_coref_rc.models.structure.roles import RolesHead
from allennlp_coref_rc.models.structure.span_labeller import Anchors
from tests.training_config.configs import FIXTURES

DIM = 16

SOLD = AnnotatedText(
    "Mary sold it to Ann . Ann paid . Why ?".split(),
    [(0, 6), (6, 9), (9, 11)],
    frames=[
        Frame((1, 2), [("ARG0", (0, 1)), ("ARG1", (2, 3)), ("ARG2", (3, 5))]),
        Frame((7, 8), [("ARG0", (6, 7))]),
    ],
)
WENT = AnnotatedText("They went".split(), frames=[Frame((1, 2), [("ARG1", (0, 1))])])
HELLO = AnnotatedText(["Hello"])


def relations():
    texts = read_rels_texts(str(FIXTURES / "annotators" / "gdtb" / "stories.rels"))
    return [text for text in texts if text.id in ("FIX_garden", "FIX_harbour")] + [HELLO]


def roles(**options):
    return made(RolesHead, roles=["ARG0", "ARG1", "ARG2"], **options)


def discourse(**options):
    return made(DiscourseHead, **options)


def made(kind, **options):
    with torch.random.fork_rng():
        torch.manual_seed(4)
        return kind(Vocabulary.empty(), input_dim=DIM, hidden_dim=24, dropout=0.0, **options)


def inputs(texts, gold=True):
    generator = torch.Generator().manual_seed(5)
    vectors = {text.tokens[0]: torch.randn(len(text), DIM, generator=generator) for text in everything()}
    rows = [vectors[text.tokens[0]] for text in texts]
    bare = [replace(text, frames=[], relations=[]) for text in texts]
    return {
        "encoded_text": pad_sequence(rows, batch_first=True, padding_value=3.0),
        "encoded_text_mask": pad_sequence([torch.ones(len(row)) for row in rows], batch_first=True) > 0,
        "text": bare,
        **({"gold": texts} if gold else {}),
    }


def everything():
    return [SOLD, WENT, *relations()]


CASES = pytest.mark.parametrize(
    "make, texts, layer", [(roles, [SOLD, WENT, HELLO], "frames"), (discourse, relations(), "relations")]
)


def train(head, texts, steps=150):
    optimizer = torch.optim.Adam(head.parameters(), lr=0.01)
    for _ in range(steps):
        optimizer.zero_grad()
        head(**inputs(texts))["loss"].backward()
        optimizer.step()
    return head.eval()


def without_confidences(found):
    return [
        [
            replace(one, **({"confidences": []} if isinstance(one, Frame) else {"confidence": None}))
            for one in of
        ]
        for of in found
    ]


def confidences(found):
    items = (one for of_text in found for one in of_text)
    return [p for x in items for p in (x.confidences if isinstance(x, Frame) else [x.confidence])]


def test_the_loss_of_roles():
    head, fields = roles(), inputs([SOLD, WENT])
    total = 0.0
    for number, text in enumerate([SOLD, WENT]):
        words = fields["encoded_text"][number, : len(text)]
        is_predicate = torch.tensor(
            [float(i in {f.predicate[0] for f in text.frames}) for i in range(len(text))]
        )
        scores = torch.stack([head.predicate(word)[0] for word in words])
        total += binary_cross_entropy_with_logits(scores, is_predicate, reduction="sum")
        for frame in text.frames:
            window = next(s for s in text.sentences if s[0] <= frame.predicate[0] < s[1])
            anchor = Anchors.of([(0, frame.predicate[0], *window)], words.device)
            total += head.labeller.loss(head.labeller(words[None], anchor)[0], anchor, [frame.arguments])
    torch.testing.assert_close(head(**fields)["loss"], total / 13)


def test_the_loss_of_discourse_relations():
    """One text of three sentences: "so" links the first two, and the third follows from the second."""
    text = AnnotatedText(
        "It rained . So we left . Nobody came .".split(),
        [(0, 3), (3, 7), (7, 10)],
        relations=[
            DiscourseRelation("Explicit", "contingency.cause.result", [(0, 2)], [(4, 6)], [(3, 4)]),
            DiscourseRelation("Implicit", "contingency.cause.result", [(4, 6)], [(7, 9)]),
        ],
    )
    head, words = discourse(), torch.randn(10, DIM, generator=torch.Generator().manual_seed(6))
    fields = {"encoded_text": words[None], "encoded_text_mask": torch.ones(1, 10) > 0}
    tags = torch.tensor([0, 0, 0, 1, 0, 0, 0, 0, 0, 0])
    total = cross_entropy(head.connective(words), tags, reduction="sum")
    anchor = Anchors.of([(0, 3, 0, 7)], words.device)
    scores, pooled = head.arguments(words[None], anchor)
    arguments = [("Arg1", (0, 2)), ("Arg2", (4, 6))]
    total = total + head.arguments.loss(scores, anchor, [arguments])
    result = "Contingency.Cause.Result"
    sense = head.sense(torch.cat([words[3], pooled[0]]))
    total = total - sense.log_softmax(-1)[EXPLICIT.index(result)]
    sentences = [head.of_sentence(words[a:b]).clamp(min=0).max(0).values for a, b in text.sentences]
    for one, two, expected in zip(sentences, sentences[1:], ("", result)):
        scores = head.implicit(torch.cat([one, two, one * two, (one - two).abs()]))
        total = total - scores.log_softmax(-1)[IMPLICIT.index(expected)]
    torch.testing.assert_close(head(text=[text], gold=[text], **fields)["loss"], total / 10)


@CASES
def test_gradients_reach_all_parameters(make, texts, layer):
    head = make()
    head(**inputs(texts))["loss"].backward()
    assert all(parameter.grad is not None and parameter.grad.any() for parameter in head.parameters())


@CASES
def test_a_batch_gives_what_single_texts_give(make, texts, layer):
    head = train(make(), texts, steps=10)
    together = head(**inputs(texts))
    alone = [head(**inputs([text])) for text in texts]
    found, expected = together[layer], [of_text for output in alone for of_text in output[layer]]
    assert without_confidences(found) == without_confidences(expected) and sum(map(len, found)) > 1
    # They have three decimals.
    assert confidences(found) == pytest.approx(confidences(expected), abs=0.0011)
    losses = sum(len(text) * output["loss"] for text, output in zip(texts, alone))
    torch.testing.assert_close(together["loss"], losses / sum(map(len, texts)))


@CASES
def test_it_learns_what_it_is_shown(make, texts, layer):
    head = train(make(), texts)
    output = head(**inputs(texts, gold=False))
    assert "loss" not in output
    if layer == "frames":
        assert without_confidences(output[layer]) == [text.frames for text in texts]
        assert len(confidences(output[layer])) == 5 and min(confidences(output[layer])) > 0.5
    # Training annotates nothing, so that there is nothing to score.
    assert head.get_metrics() == {}
    head(**inputs(texts))
    metrics = head.get_metrics(reset=True)
    assert metrics and all(value == 1 for value in metrics.values()), sorted(metrics.items())
    assert head.get_metrics() == {}


def test_an_argument_has_the_probability_of_its_span():
    """That of `B-`, and of the `I-` that follow, among the tags that may."""
    head = train(roles(least=0.0), [SOLD], steps=20)
    fields = inputs([SOLD])
    ((first, *_),) = head(**fields)["frames"]
    start, stop = SOLD.sentences[0]
    anchor = Anchors.of([(0, first.predicate[0], start, stop)], torch.device("cpu"))
    chances = head.labeller(fields["encoded_text"], anchor)[0][0].softmax(-1).tolist()
    assert len(first.confidences) == len(first.arguments) > 2
    for (role, span), confidence in zip(first.arguments, first.confidences):
        label = head.labeller.labels.index(role) + 1
        follow = [row[label + 3] / (1 - sum(row[4:]) + row[label + 3]) for row in chances]
        expected = chances[span[0]][label] * math.prod(follow[span[0] + 1 : span[1]])
        expected *= 1 - (follow[span[1]] if span[1] < stop else 0)
        assert confidence == pytest.approx(expected, abs=0.0006)


@pytest.mark.parametrize("paper_like", [False, True])
def test_the_confidence_of_relations_without_connective(paper_like, monkeypatch):
    """That there is one or, by the paper's rule, of its sense."""
    monkeypatch.setattr("allennlp_coref_rc.models.structure.discourse.LEAST_IMPLICIT", 0.0)
    head, texts = discourse(paper_like=paper_like).eval(), relations()
    text = next(text for text in texts if len(text.sentences) > 2)
    fields = inputs([text])
    found = [r.confidence for r in head(**fields)["relations"][0] if not r.connective]
    chances = head._read_neighbours(fields["encoded_text"], [text]).softmax(-1)
    senses = chances[:, 1:].amax(-1) / chances[:, 1:].sum(-1)
    assert found == pytest.approx((senses if paper_like else 1 - chances[:, 0]).tolist(), abs=0.0006)


def test_texts_without_anything_to_find():
    for head in (roles().eval(), discourse().eval()):
        output = head(**inputs([HELLO]))
        assert torch.isfinite(output.pop("loss")) and [*map(len, *output.values())] in ([0], [1])


def test_a_frame_has_a_core_role_once_and_arguments_apart():
    head = train(roles(least=0.01), [SOLD, WENT], steps=5)
    for frames in head(**inputs([SOLD, WENT]))["frames"]:
        for frame in frames:
            names = [role for role, _ in frame.arguments]
            places = [i for _, span in frame.arguments for i in range(*span)]
            assert len(names) == len({*names}) and len(places) == len({*places})


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("tokens", ["a so b c d e", "a so , b . e"])
def test_arguments_are_the_most_probable_spans(seed, tokens):
    """
    Of all spans that with the highest product of its tags' chances, without the connective, at 4, the other
    argument, and marks at its ends. Behind the connective a span may begin again.
    """
    tokens = tokens.split()
    generator = torch.Generator().manual_seed(seed)
    tags = torch.randn(6, 3, 2, generator=generator).softmax(1)
    best = []
    for outside, begin, inside in tags.permute(2, 1, 0).tolist():
        inside[2] += begin[2]
        weights = {
            (a, b): math.prod(
                outside[i] if not a <= i < b else begin[i] if i == a else inside[i] for i in (0, 2, 3, 4, 5)
            )
            for a in range(6)
            for b in range(a + 1, 7)
            if (a, b) != (1, 2)
        }
        best.append({*range(*max(weights, key=weights.get))} - {1})
    shorter, longer = sorted(best, key=len)
    longer -= shorter
    for words in best:
        kept = [place for place in words if tokens[place].isalpha()] or [min(words, default=0), 6]
        words -= {place for place in words if not kept[0] <= place <= kept[-1]}
    found = _likely(tags[:, 1:].clone(), 3, (4, 5), tokens)
    assert longer or found is None
    for spans, words in zip(found or (), best):
        assert {*itertools.chain(*itertools.starmap(range, spans))} == {3 + word for word in words}


def test_windows_of_long_sentences_end():
    """A text of one sentence of 1,000 words costs as much as its words."""
    head, text = roles(least=0.0).eval(), AnnotatedText(["fell"] * 1000)
    anchors = Anchors.of([(0, position, 0, 1000) for position in (0, 500, 999)], torch.device("cpu"))
    windows = list(zip(anchors.start.tolist(), anchors.stop.tolist()))
    assert windows == [(0, 201), (300, 701), (799, 1000)]
    frames = head(torch.ones(1, 1000, DIM), torch.ones(1, 1000) > 0, [text])["frames"][0]
    assert all(
        abs(i - f.predicate[0]) <= 200
        for f in frames
        for _, span in f.arguments
        for i in (span[0], span[1] - 1)
    )


def test_the_paper_s_rule_gets_senses_of_connectives_and_of_all_neighbours():
    texts = [replace(text, relations=[]) for text in relations()]
    head = train(discourse(paper_like=True), relations())
    rule = ConnectiveDiscourse(implicit=True, paper_like=True)
    found = head(**inputs(texts, gold=False))["relations"]
    for text, of_text in zip(texts, found):
        expected = rule.annotate(text).relations
        assert [(r.arg1, r.arg2, r.connective) for r in of_text] == [
            (r.arg1, r.arg2, r.connective) for r in expected
        ]
        assert all(r.sense in EXPLICIT if r.connective else r.sense in IMPLICIT[1:] for r in of_text)
        assert sum(not r.connective for r in of_text) == len(text.sentences) - 1
    assert not any(
        r.type != "Explicit"
        for of in discourse(implicit=False).eval()(**inputs(texts))["relations"]
        for r in of
    )


@pytest.mark.parametrize("words", [1, 2])
def test_a_connective_has_no_arguments_without_two_other_words(words):
    assert _likely(torch.full((words, 2, 2), 0.45), 3, (3, 4), ["so", "a"][:words]) is None


def test_padding_is_in_no_span():
    head = discourse(least=0.0).eval()
    for found in head(**inputs([HELLO, *relations()[:2]], gold=False))["relations"]:
        assert all(start < stop for relation in found for start, stop in relation.connective)
