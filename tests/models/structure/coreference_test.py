"""The head `coreference` against plain loops, over random vectors."""

import itertools
import math
from dataclasses import replace

import pytest
import torch
from allennlp.data import Vocabulary

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.structure_corpora.coreference import Mention, describe
from allennlp_coref_rc.models.structure import coreference
from allennlp_coref_rc.models.structure.coreference import Candidates, CoreferenceHead, same_entity

DIM = 6
TEXT = AnnotatedText(
    'Ann Lee met Bob . " She likes Lee ! " Bob saw the old man and Mrs Lee in the house . It burnt'.split(),
    [(0, 5), (5, 11), (11, 23), (23, 25)],
)
MENTIONS = [
    Mention(0, 0, 0, 2),
    Mention(3, 1, 3, 4),
    Mention(6, 0, 6, 7),
    Mention(8, 0, 8, 9),
    Mention(11, 1, 11, 12),
]


def head(seed=0, **options):
    torch.manual_seed(seed)
    made = CoreferenceHead(
        Vocabulary(), DIM, 5, **{"share": 1.0, "candidates": 99, "dropout": 0.0, **options}
    )
    torch.nn.init.normal_(made.guidelines.weight)
    return made.double()


def vectors(text=TEXT, seed=1):
    return torch.randn(1, len(text), DIM, dtype=torch.double, generator=torch.Generator().manual_seed(seed))


def known(text=TEXT, mentions=None, corpus="litbank", types=None):
    described = describe(text, "litbank")
    if mentions is not None:
        numbers = sorted({mention.cluster for mention in mentions})
        clusters = [[m[2:] for m in mentions if m.cluster == number] for number in numbers]
        described.gold = replace(text, clusters=clusters)
        described.mentions, described.corpus, described.types = mentions, corpus, types
    return described


def run(made, text=TEXT, **gold):
    mask = torch.ones(1, len(text), dtype=torch.bool)
    return made(vectors(text), mask, [known(text, **gold)])


def share_a_name(i, j):
    """Whether words are equal, or capitalised ones beside them are."""
    parts = {0: {"ann", "lee"}, 1: {"ann", "lee"}, 17: {"mrs", "lee"}, 18: {"mrs", "lee"}}
    of = [parts.get(k, {TEXT.tokens[k].lower()}) for k in (i, j)]
    return bool(of[0] & of[1])


def pair_score(made, x, i, j):
    """The score of the antecedent i for the word j, one number at a time."""
    likely = [made.mention(x[k]).item() for k in (i, j)]
    score = sum(likely) + (x[j] @ made.bilinear(x[i])).item() / math.sqrt(DIM)
    sentence = [next(n for n, (a, b) in enumerate(TEXT.sentences) if a <= k < b) for k in (i, j)]
    quoted = [6 <= k < 10 for k in (i, j)]
    features = torch.zeros(coreference.FEATURES, dtype=torch.double)
    features[int(math.log2(j - i + 1))] = 1
    features[10 + int(math.log2(sentence[1] - sentence[0] + 1))] = 1
    features[20 + 1] = 1
    flags = [
        share_a_name(i, j),
        TEXT.tokens[i].lower() == TEXT.tokens[j].lower(),
        all(quoted),
        False,
        quoted == [True, False],
        quoted == [False, True],
    ]
    (entity, *bits), (other, *other_bits) = (known().rules[k].tolist() for k in (i, j))
    flags += [entity == other >= 0, entity != other and min(entity, other) >= 0]
    for own, its in zip(bits, other_bits):
        flags += [own == its > 0, own > 0 < its and own & its == 0]
    features[22:] = torch.tensor(flags)
    product = made.product(made.projection(x[i]) * made.projection(x[j]))
    hidden = made.earlier(x[i]) + made.later(x[j]) + product + made.features(features)
    return score + made.pair(hidden).item()


@torch.no_grad()
def all_scores(made):
    x = vectors()[0] + made.guidelines.weight[1]
    return {(i, j): pair_score(made, x, i, j) for j in range(len(TEXT)) for i in range(j)}


def given_scores(made):
    x = vectors()[0] + made.guidelines.weight[1]
    found = made._antecedents(x, known())
    rows = zip(found.words.tolist(), found.antecedents.tolist(), found.scores.tolist())
    places = found.words.tolist()
    return {
        (places[i], word): score
        for word, antecedents, scores in rows
        for i, score in zip(antecedents, scores)
        if score > -math.inf
    }


@pytest.mark.parametrize("block, named", [(512, 15), (5, 15), (7, 1)])
def test_scores_of_pairs_are_those_of_a_loop(monkeypatch, block, named):
    monkeypatch.setattr(coreference, "BLOCK", block)
    made = head(named=named).eval()
    expected, given = all_scores(made), given_scores(made)
    assert given.keys() == expected.keys()
    for pair, score in expected.items():
        assert given[pair] == pytest.approx(score, abs=1e-9), pair


def test_candidates_are_the_best_and_the_last_of_the_same_name():
    made = head(candidates=2, named=1).eval()
    x = vectors()[0] + made.guidelines.weight[1]
    coarse = {
        (i, j): (made.mention(x[i]) + made.mention(x[j]) + x[j] @ made.bilinear(x[i]) / math.sqrt(DIM)).item()
        for j in range(len(TEXT))
        for i in range(j)
    }
    entity = known().rules[:, 0].tolist()
    expected = set()
    for j in range(len(TEXT)):
        best = sorted(range(j), key=lambda i: -coarse[i, j])[:2]
        alike = [i for i in range(j) if share_a_name(i, j) or entity[i] == entity[j] >= 0]
        others = [i for i in alike if i not in best]
        expected |= {(i, j) for i in [*best, *others[-1:]]}
    assert given_scores(made).keys() == expected


def test_far_antecedents_are_left_out(monkeypatch):
    monkeypatch.setattr(coreference, "BLOCK", 4)
    monkeypatch.setattr(coreference, "REACH", 6)
    made = head().eval()
    assert {j - i for i, j in given_scores(made)} == set(range(1, 6))


def edge_losses(made, x, mention):
    """The negative logarithms of the probabilities of a mention's first and last word."""
    start, stop = next(bounds for bounds in TEXT.sentences if bounds[0] <= mention.head < bounds[1])
    padded = torch.cat([x.new_zeros(1, DIM), x, x.new_zeros(1, DIM)])
    sides = [(range(start, mention.head + 1), mention.start), (range(mention.head, stop), mention.stop - 1)]
    for side, (places, gold) in enumerate(sides):
        scores = {}
        for k in places:
            beside = padded[k + 1 + (1 if side else -1)]
            hidden = made.edges[side](torch.cat([x[k], beside])) + made.span_head(x[mention.head])
            hidden = hidden + made.offsets[side].weight[abs(k - mention.head)]
            scores[k] = made.edge_scores[side](hidden.relu())
        yield torch.stack(list(scores.values())).logsumexp(0) - scores[gold]


@torch.no_grad()
def test_the_loss_is_that_of_a_loop():
    made = head()
    x, scores = vectors()[0] + made.guidelines.weight[1], all_scores(made)
    entity = {mention.head: mention.cluster for mention in MENTIONS}
    loss = torch.zeros(1, dtype=torch.double)
    for j in range(len(TEXT)):
        likely = made.mention(x[j]).sigmoid()
        loss -= (likely if j in entity else 1 - likely).log()
        options = {None: 1.0} | {i: math.exp(scores[i, j]) for i in range(j)}
        right = [i for i in range(j) if j in entity and entity.get(i) == entity[j]] or [None]
        loss -= math.log(sum(options[i] for i in right) / sum(options.values()))
    for mention in MENTIONS:
        loss += sum(edge_losses(made, x, mention))
    types = torch.arange(len(TEXT)) % 11
    loss -= sum(made.types(x[j]).log_softmax(0)[types[j]] for j in range(len(TEXT)))
    assert run(made, mentions=MENTIONS, types=types)["loss"].item() == pytest.approx(loss.item() / len(TEXT))


def test_the_chance_of_one_entity_is_that_of_all_choices():
    scores = torch.tensor(
        [[-torch.inf] * 3, [0.3, -torch.inf, -torch.inf], [-0.5, 1.0, -torch.inf], [0.1, 0.7, -1.2]]
    )
    antecedents = torch.tensor([[0, 0, 0], [0, 1, 1], [0, 1, 2], [0, 1, 2]])
    found = Candidates(torch.arange(4), antecedents, scores, torch.zeros(4))
    expected = torch.zeros(4, 4)
    for choice in itertools.product(*(range(-1, j) for j in range(4))):
        chance, entity = 1.0, []
        for j, i in enumerate(choice):
            weights = [1.0, *scores[j, :j].exp().tolist()]
            chance *= weights[i + 1] / sum(weights)
            entity.append(j if i < 0 else entity[i])
        number = torch.tensor(entity)
        expected += chance * (number == number[:, None])
    torch.testing.assert_close(same_entity(found), expected)


def test_passages_of_gap_learn_which_name_the_pronoun_is():
    made = head()
    mentions = [Mention(6, 0, 6, 7), Mention(0, 0, 0, 2), Mention(3, 1, 3, 4)]
    optimizer = torch.optim.Adam(made.parameters(), lr=0.02)
    for _ in range(60):
        optimizer.zero_grad()
        run(made, mentions=mentions, corpus="gap")["loss"].backward()
        optimizer.step()
    together = same_entity(made._antecedents(vectors()[0] + made.guidelines.weight[1], known()))
    assert together[6, 0] > 0.8 and together[6, 3] < 0.2 and together[3, 0] < 0.2


def test_a_text_is_learnt_and_its_clusters_are_found():
    made = head()
    optimizer = torch.optim.Adam(made.parameters(), lr=0.02)
    for _ in range(150):
        optimizer.zero_grad()
        run(made, mentions=MENTIONS, types=torch.zeros(len(TEXT), dtype=torch.long))["loss"].backward()
        optimizer.step()
    assert all(parameter.grad is not None for parameter in made.parameters())
    output = run(made.eval(), mentions=MENTIONS)
    assert output["clusters"] == [[[(0, 2), (6, 7), (8, 9)], [(3, 4), (11, 12)]]]
    assert [len(output["links"][0]), min(link.confidence for link in output["links"][0]) > 0.5] == [3, True]
    metrics = made.get_metrics(reset=True)
    assert metrics["litbank_f1"] == metrics["mean_f1"] == 1
    assert "litbank_f1" not in made.get_metrics()


def test_a_text_has_the_same_clusters_whatever_is_beside_it():
    made = head(seed=3).eval()
    long, short = vectors(), vectors(seed=2)[:, :7]
    batch = torch.cat([long, torch.cat([short, torch.full((1, len(TEXT) - 7, DIM), 9.0)], 1)])
    mask = torch.ones(2, len(TEXT), dtype=torch.bool)
    mask[1, 7:] = False
    texts = [known(), known(AnnotatedText(TEXT.tokens[:7], [(0, 5), (5, 7)]))]
    together = made(batch, mask, texts)
    alone = [
        made(x, torch.ones(x.shape[:2], dtype=torch.bool), [text]) for x, text in zip((long, short), texts)
    ]
    assert together["clusters"] == [output["clusters"][0] for output in alone]
    assert together["clusters"][0]
    assert "loss" not in together


def test_spans_stay_in_their_sentence_and_are_in_one_cluster():
    for seed in range(5):
        made = head(seed).eval()
        output = run(made)
        spans = [span for cluster in output["clusters"][0] for span in cluster]
        assert len(spans) == len(set(spans))
        assert all(any(a <= start < stop <= b for a, b in TEXT.sentences) for start, stop in spans)


def test_a_text_of_one_word():
    assert run(head().eval(), AnnotatedText(["Ann"]))["clusters"] == [[]]


def test_a_training_of_several_processes_is_refused(monkeypatch):
    monkeypatch.setattr(coreference, "is_distributed", lambda: True)
    run(head().eval())
    with pytest.raises(ConfigurationError, match="found `distributed`, expected a training in one process"):
        run(head())
