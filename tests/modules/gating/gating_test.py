import numpy
import pytest
import torch
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.modules.gating import CollaborativeGating, GatedAttention
from allennlp_coref_rc.modules.pair import Pair, TokenVectors
from tests.golden.make_golden import softmax


def pair():
    torch.manual_seed(0)
    passage_mask = torch.tensor([[True] * 4, [True, True, True, False]])
    question_mask = torch.tensor([[True] * 3, [True, True, False]])
    return Pair(
        TokenVectors(torch.randn(2, 4, 5).double(), passage_mask),
        TokenVectors(torch.randn(2, 3, 5).double(), question_mask),
    )


@pytest.mark.parametrize("gate_by", ["question", "filtered_question"])
def test_collaborative_gating_one_token_after_the_other(gate_by):
    inputs = pair()
    gated, (beta, alpha) = CollaborativeGating(gate_by)(inputs)
    final, (final_beta,) = CollaborativeGating(gate_by).final_question(inputs)
    assert (beta.kind, beta.side, beta.to) == ("gating", "question", "passage") == final_beta[:3]
    assert (alpha.kind, alpha.side, alpha.to) == ("gating", "passage", "question")
    for b in range(2):
        tokens = inputs.passage.vectors[b][inputs.passage.mask[b]].numpy()
        words = inputs.question.vectors[b][inputs.question.mask[b]].numpy()
        betas = [softmax(tokens @ word) for word in words]
        filtered = numpy.stack([word * (beta @ tokens) for word, beta in zip(words, betas)])
        numpy.testing.assert_allclose(final[b, : len(words)], filtered, atol=1e-12)
        numpy.testing.assert_allclose(beta.weights[b, : len(words), : len(tokens)], betas)
        assert torch.equal(beta.weights, final_beta.weights)
        for i, token in enumerate(tokens):
            expected = softmax(filtered @ token)
            summary = expected @ (words if gate_by == "question" else filtered)
            numpy.testing.assert_allclose(gated[b, i], token * summary, atol=1e-12)
            numpy.testing.assert_allclose(alpha.weights[b, i, : len(words)], expected, atol=1e-12)


def test_without_final_filtering_the_question_stays():
    inputs = pair()
    question, weights = CollaborativeGating(final_filtering=False).final_question(inputs)
    assert question is inputs.question.vectors and weights == []


def test_gradients():
    inputs = pair()
    leaves = [text.vectors.requires_grad_() for text in inputs]

    def run(passage, question):
        pair = inputs.with_vectors(passage, question)
        return CollaborativeGating()(pair)[0], CollaborativeGating().final_question(pair)[0]

    assert torch.autograd.gradcheck(run, leaves)


OPERATIONS = {
    "product": numpy.multiply,
    "sum": numpy.add,
    "concatenation": lambda token, summary: numpy.concatenate([token, summary]),
}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_gated_attention_one_token_after_the_other(operation):
    inputs, gate = pair(), GatedAttention(operation)
    gated, (alpha,) = gate(inputs)
    assert (alpha.kind, alpha.side, alpha.to) == ("gating", "passage", "question")
    assert gated.size(-1) == gate.get_output_dim(5)
    for b in range(2):
        words = inputs.question.vectors[b][inputs.question.mask[b]].numpy()
        for i, token in enumerate(inputs.passage.vectors[b].numpy()):
            expected = softmax(words @ token)
            numpy.testing.assert_allclose(alpha.weights[b, i, : len(words)], expected, atol=1e-12)
            expected = OPERATIONS[operation](token, expected @ words)
            numpy.testing.assert_allclose(gated[b, i], expected, atol=1e-12)


def test_unknown_choices_are_refused():
    with pytest.raises(ConfigurationError, match="gate_by is 'z', expected one of"):
        CollaborativeGating("z")
    with pytest.raises(ConfigurationError, match="operation is 'minus', expected one of"):
        GatedAttention("minus")
