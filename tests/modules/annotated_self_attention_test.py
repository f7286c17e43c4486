import math

import pytest
import torch
from allennlp.data import Vocabulary

from allennlp_coref_rc.data.annotation_layers import label_namespace
from allennlp_coref_rc.modules.annotated_self_attention import AnnotatedSelfAttention, HeadViews
from allennlp_coref_rc.modules.scopes import Scopes

BATCH, LENGTH, DIM, HEADS, HEAD_DIM, LABEL_DIM = 2, 7, 12, 4, 3, 16
LABELS = {"srl": 5, "coref": 4}


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def vocabulary():
    counter = {label_namespace(layer): {str(i): 1 for i in range(n - 2)} for layer, n in LABELS.items()}
    return Vocabulary(counter=counter)


def attention(heads, **options):
    module = AnnotatedSelfAttention(DIM, HEADS * HEAD_DIM, HEADS, heads, vocabulary(), **options).double()
    # Biases of zero would hide mistakes.
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    return module


def inputs():
    return torch.randn(BATCH, LENGTH, DIM, dtype=torch.float64, requires_grad=True)


def labels_of(heads):
    return torch.cat([torch.randint(LABELS[layer], (BATCH, LENGTH, n)) for layer, n in heads.items()], dim=-1)


def views(labels, scopes):
    return HeadViews(labels, Scopes(scopes, torch.ones(BATCH, LENGTH, dtype=torch.bool)))


def assert_same(found, expected, *wanted):
    assert torch.allclose(found, expected, atol=1e-10)
    upstream = torch.randn_like(found)
    gradients = [torch.autograd.grad(out, wanted, upstream, retain_graph=True) for out in (found, expected)]
    for one, other in zip(*gradients):
        assert torch.allclose(one, other, atol=1e-9)


def tables(labels):
    """Embeddings and biases, of queries and of keys."""
    halves = labels.table.weight.chunk(2, dim=1)
    return [(half[:, :LABEL_DIM], half[:, LABEL_DIM:]) for half in halves]


def in_the_papers_form(module, x, labels, scopes, heads):
    """Equations 1 to 4, head by head: queries and keys of [x; label], then the label's bias."""
    weight, bias = (p.view(3, HEADS, HEAD_DIM, *p.shape[1:]) for p in module.projection.parameters())
    outputs, head = [], 0
    layers = [(i, j) for i, number in enumerate(heads.values()) for j in range(number)]
    for head in range(HEADS):
        queries, keys, values = (x @ weight[part, head].T + bias[part, head] for part in range(3))
        allowed = torch.ones(BATCH, LENGTH, LENGTH, dtype=torch.bool)
        if head < len(layers):
            layer, place = layers[head]
            label = labels[:, :, head]
            pair = []
            of = module.labels[layer]
            for part, (embeddings, biases) in enumerate(tables(of)):
                extended = torch.cat([x, embeddings[label]], dim=-1)
                labelled = extended @ torch.cat([weight[part, head].T, of.weight[part, place]])
                if biases.numel():
                    labelled = labelled + biases[label]
                pair.append(torch.where((label > 0).unsqueeze(-1), labelled, (queries, keys)[part]))
            queries, keys = pair
            allowed = scopes[:, :, None, head] == scopes[:, None, :, head]
        scores = queries @ keys.transpose(1, 2) / math.sqrt(HEAD_DIM)
        outputs.append(scores.masked_fill(~allowed, -torch.inf).softmax(dim=-1) @ values)
    return module.output_projection(torch.cat(outputs, dim=-1))


@pytest.mark.parametrize("label_bias", [True, False])
@pytest.mark.parametrize("heads", [{"srl": 1}, {"coref": 1, "srl": 2}, {"coref": 2, "srl": 2}])
def test_outputs_and_gradients_are_those_of_the_papers_equations(heads, label_bias):
    module, x, labels = attention(heads, label_bias=label_bias), inputs(), labels_of(heads)
    scopes = torch.randint(1, 4, labels.shape)
    expected = in_the_papers_form(module, x, labels, scopes, heads)
    found = module(x, views=views(labels, scopes))
    assert_same(found, expected, x, *module.parameters())


def test_the_weights_given_out_are_those_that_values_are_weighed_by():
    heads = {"coref": 1, "srl": HEADS - 1}
    module, x, labels = attention(heads), inputs(), labels_of(heads)
    arranged = views(labels, torch.randint(1, 4, labels.shape))
    values = (x @ module.projection.weight[2 * DIM :].T + module.projection.bias[2 * DIM :]).unflatten(
        -1, (HEADS, -1)
    )
    weighed = torch.zeros_like(values)
    for text, head, tokens, weights in module.annotated_weights(x, arranged):
        weighed[text, tokens, head] = weights @ values[text, tokens, head]
    assert torch.allclose(module.output_projection(weighed.flatten(2)), module(x, views=arranged), atol=1e-10)


def test_gradients_are_those_of_finite_differences():
    heads = {"srl": 2}
    module = attention(heads)
    labels, scopes = torch.randint(5, (1, 4, 2)), torch.tensor([[[1, 1], [1, 2], [2, 2], [2, 0]]])
    arranged = HeadViews(labels, Scopes(scopes, torch.ones(1, 4, dtype=torch.bool)))
    x = torch.randn(1, 4, DIM, dtype=torch.float64, requires_grad=True)
    names, parameters = zip(*module.named_parameters())

    def function(x, *parameters):
        return torch.func.functional_call(module, dict(zip(names, parameters)), (x, None, arranged))

    assert torch.autograd.gradcheck(function, (x, *parameters), fast_mode=True)


def test_projections_of_labels_begin_as_a_linear_layer_of_tokens_and_labels_does():
    module = AnnotatedSelfAttention(DIM, HEADS * HEAD_DIM, HEADS, {"srl": HEADS}, vocabulary())
    bound = torch.nn.Linear(DIM + LABEL_DIM, 1000).weight.abs().max().item()
    (labels,) = module.labels
    for extreme in (labels.weight.max().item(), -labels.weight.min().item()):
        assert extreme == pytest.approx(bound, rel=0.05)


def test_tables_are_as_large_as_the_vocabulary_and_grow_with_it():
    module = attention({"srl": 1, "coref": 1})
    assert [layer.table.num_embeddings for layer in module.labels] == [5, 4]
    longer = vocabulary()
    longer.add_token_to_namespace("new", label_namespace("srl"))
    for part in module.modules():
        if hasattr(part, "extend_vocab"):
            part.extend_vocab(longer)
    assert [layer.table.weight.size(0) for layer in module.labels] == [6, 4]
    labels = torch.tensor([5, 3]).expand(BATCH, LENGTH, 2)
    assert module.float()(inputs().float(), views=views(labels, torch.ones_like(labels))).isfinite().all()
