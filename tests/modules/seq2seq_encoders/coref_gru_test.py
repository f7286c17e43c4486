import re

import numpy
import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.modules import Seq2SeqEncoder

from allennlp_coref_rc.data.annotation_layers.edges import FIRST_MENTION, OTHER_SEQUENCE, PADDING
from allennlp_coref_rc.modules.pair import TokenVectors
from allennlp_coref_rc.modules.seq2seq_encoders import CorefGRU
from tests.golden.make_golden import sigmoid
from tests.modules.seq2seq_encoders.pairs import (
    CLUSTERS,
    LENGTH,
    encode_both,
    fields,
    of_text,
    ones,
    tensors,
)


def annotations(clusters, length):
    return of_text({"coref": clusters}, length)


def paper(encoder, inputs, relations, suffix, memory=None, start=None, read_first=True):
    """
    Appendix A of the paper as it stands, with a memory that has a state for each cluster, one token after the
    other, in float64. The update gate is the paper's. `memory` are the states of the clusters, `start` the
    sequential state, to begin with. Each relation, of which the clusters are given, has its part of the state
    and its key.
    """
    p = {name: value.detach().double().numpy() for name, value in encoder.named_parameters()}
    weight_ih, weight_hh, bias_ih, bias_hh, keys = (
        p[name + suffix] for name in ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0", "keys")
    )
    parts = len(keys)
    clusters = [(part, mentions) for part, own in enumerate(relations, start=1) for mentions in own]
    memory = {} if memory is None else dict(memory)
    sequential = numpy.zeros(weight_hh.shape[1] // parts) if start is None else start
    outputs = numpy.zeros((len(inputs), weight_hh.shape[1]))
    for t in reversed(range(len(inputs))) if suffix else range(len(inputs)):
        x = inputs[t]
        member = [c for c, (_, mentions) in enumerate(clusters) if any(a <= t < b for a, b in mentions)]
        read = [c for c in member if read_first or c in memory]
        sources = [(0, sequential)] + [(clusters[c][0], memory.get(c, 0)) for c in read]
        scores = numpy.exp([keys[part] @ x for part, _ in sources])
        m = numpy.zeros((parts, len(sequential)))
        for alpha, (part, state) in zip(scores / scores.sum(), sources):
            m[part] += alpha * state
        m = m.flatten()
        input_r, input_z, input_n = numpy.split(weight_ih @ x + bias_ih, 3)
        hidden_r, hidden_z, hidden_n = numpy.split(weight_hh @ m + bias_hh, 3)
        r = sigmoid(input_r + hidden_r)
        update = 1 - sigmoid(input_z + hidden_z)
        candidate = numpy.tanh(input_n + r * hidden_n)
        outputs[t] = (1 - update) * m + update * candidate
        sequential, *written = numpy.split(outputs[t], parts)
        for c in member:
            memory[c] = written[clusters[c][0] - 1]
    return outputs, memory, sequential


def made(hidden_size=8, **options):
    torch.manual_seed(1)
    encoder = CorefGRU(5, hidden_size, **options).double()
    for parameter in encoder.parameters():
        torch.nn.init.normal_(parameter, std=0.7)
    return encoder


@pytest.mark.parametrize("backend", ["reference", "plain", "auto"])
@pytest.mark.parametrize("relations", [["coref"], ["srl", "coref"]])
@pytest.mark.parametrize("read_first", [True, False])
def test_equations_of_the_paper(read_first, relations, backend):
    encoder = made(6, relations=relations, read_at_first_mention=read_first, backend=backend)
    inputs, clusters = torch.randn(1, LENGTH, 5).double(), [CLUSTERS[relation] for relation in relations]
    out = encoder(inputs, ones(LENGTH), of_text())[0].detach().numpy()
    for suffix, states in (("", out[:, :6]), ("_reverse", out[:, 6:])):
        expected, _, _ = paper(encoder, inputs[0].numpy(), clusters, suffix, read_first=read_first)
        numpy.testing.assert_allclose(states, expected, atol=1e-12)


class Pairs(torch.nn.Module):
    """
    A batch of two passages of 9 and 6 tokens, and their questions of 4 and 3, each padded, with an encoder
    for both. Some clusters have the question's last token, some only others of its tokens.
    """

    LENGTHS = [(9, 4), (6, 3)]
    CLUSTERS = [
        [[(0, 2), (3, 4), (12, 13)], [(1, 2), (5, 6), (10, 11)], [(6, 7), (12, 13)], [(9, 10)]],
        [[(0, 1), (2, 4), (8, 9)], [(4, 5), (6, 8)]],
    ]

    def __init__(self, **options):
        super().__init__()
        torch.manual_seed(2)
        self.encoder, self.question_encoder = (CorefGRU(5, 8, **options).double() for _ in range(2))
        for parameter in self.parameters():
            torch.nn.init.normal_(parameter, std=0.7)
        self.passage, self.question = torch.randn(2, 10, 5).double(), torch.randn(2, 6, 5).double()

    def forward(self, passage, question):
        made = [
            fields({"coref": clusters}, sum(lengths), lengths[0])
            for clusters, lengths in zip(self.CLUSTERS, self.LENGTHS)
        ]
        texts = []
        for inputs, lengths, of_texts in zip((passage, question), zip(*self.LENGTHS), zip(*made)):
            mask = torch.arange(inputs.size(1)) < torch.tensor(lengths)[:, None]
            texts.append(TokenVectors(inputs, mask, tensors(*of_texts, padded_to=inputs.size(1))))
        return encode_both(self.encoder, self.question_encoder, *texts)

    def parts(self, i):
        """The passage and its question without padding, each with its encoder and its part of the clusters."""
        length, question_length = self.LENGTHS[i]
        in_passage = [[(a, b) for a, b in cluster if b <= length] for cluster in self.CLUSTERS[i]]
        in_question = [
            [(a - length, b - length) for a, b in cluster if a >= length] for cluster in self.CLUSTERS[i]
        ]
        return [
            (self.encoder, self.passage[i, :length].numpy(), [in_passage]),
            (self.question_encoder, self.question[i, :question_length].numpy(), [in_question]),
        ]

    def expected(self, i, questions_padded_to):
        """The passage read backward, if the memory after one step is handed over, and of long questions."""
        passage, (encoder, question, (clusters,)) = self.parts(i)
        last = len(question) - 1
        at_last = [[(0, 1)] if any(a <= last < b for a, b in cluster) else [] for cluster in clusters]
        _, memory, state = paper(encoder, question[last:], [at_last], "_reverse")
        if len(question) < questions_padded_to:
            memory, state = None, None
        return paper(*passage, "_reverse", memory, state)[0]


def test_question_starts_from_the_memory_of_the_passage_and_the_other_way_round():
    pairs = Pairs()
    encoded = [states.detach().numpy() for states in pairs(pairs.passage, pairs.question)]
    for i in range(len(pairs.LENGTHS)):
        passage, question = zip(encoded, pairs.parts(i))
        for suffix, order in (("", (passage, question)), ("_reverse", (question, passage))):
            memory, state = None, None
            for states, part in order:
                found = states[i, :, 8:] if suffix else states[i, :, :8]
                expected, memory, state = paper(*part, suffix, memory, state)
                numpy.testing.assert_allclose(found[: len(expected)], expected, atol=1e-12)
                assert not found[len(expected) :].any()


@pytest.mark.parametrize("length", [1, 3, 4, 5])
def test_what_the_authors_code_hands_over(length):
    """The question's memory after its last token, at this length, in batches padded further."""
    pairs = Pairs(questions_padded_to=length)
    passage, question = pairs(pairs.passage, pairs.question)
    for i, (passage_length, _) in enumerate(pairs.LENGTHS):
        backward = passage[i, :, 8:].detach().numpy()
        numpy.testing.assert_allclose(backward[:passage_length], pairs.expected(i, length), atol=1e-12)
        assert not backward[passage_length:].any()

    # Everything else is as without the option, to the last digit.
    other_passage, other_question = Pairs()(pairs.passage, pairs.question)
    assert torch.equal(question, other_question) and torch.equal(passage[..., :8], other_passage[..., :8])
    assert (passage[..., 8:] - other_passage[..., 8:]).abs().amax(dim=(1, 2)).min() > 0.01


def test_gradients_of_what_the_authors_code_hands_over():
    pairs = Pairs(questions_padded_to=4)
    names = [name for name, _ in pairs.named_parameters()]
    parameters = [p.detach().clone().requires_grad_() for p in pairs.parameters()]
    inputs = pairs.passage.requires_grad_(), pairs.question.requires_grad_()

    def run(passage, question, *parameters):
        return torch.func.functional_call(pairs, dict(zip(names, parameters)), (passage, question))

    assert torch.autograd.gradcheck(run, (*inputs, *parameters), fast_mode=True)
    backward = run(*inputs, *parameters)[0][..., 8:]
    (gradient,) = torch.autograd.grad(backward.sin().sum(), pairs.question)
    assert gradient.abs().sum(dim=2).nonzero().tolist() == [[0, 3]]


def test_questions_padded_to_is_the_same_for_passage_and_question():
    pairs = Pairs(questions_padded_to=4)
    pairs.question_encoder = CorefGRU(5, 8).double()
    message = "of the question, which shares .* has questions_padded_to None, expected 4"
    with pytest.raises(ConfigurationError, match=message):
        pairs(pairs.passage, pairs.question)


@pytest.mark.parametrize("relations", [["srl", "coref"], ["coref"]])
def test_relations_are_the_same_for_passage_and_question(relations):
    """Each has its part of the state, by its place; the other encoder would read another's part."""
    encoder, other = CorefGRU(5, 12, relations=["coref", "srl"]), CorefGRU(5, 12, relations=relations)
    passage, question = (
        TokenVectors(torch.randn(1, n, 5), torch.ones(1, n).bool(), {"coref": edges, "srl": edges})
        for n, edges in ((n, annotations([], n)["coref"]) for n in (4, 3))
    )
    message = re.escape(f"has relations {relations}, expected ['coref', 'srl']")
    with pytest.raises(ConfigurationError, match=message):
        encode_both(encoder, other, passage, question)


def test_links_to_another_sequence_count_as_first_mentions_where_there_is_none():
    encoder, inputs = made(), torch.randn(1, 3, 5).double()

    def run(source):
        edges = torch.tensor([[[PADDING], [source], [1]]])
        return encoder(inputs, ones(3), {"coref": {"antecedents": edges, "descendants": edges.flip(1)}})

    torch.testing.assert_close(run(OTHER_SEQUENCE - 4), run(FIRST_MENTION))


def test_memory_does_not_grow_with_the_number_of_clusters():
    encoder = made()

    def saved_bytes(num_clusters):
        clusters = [[(i, i + 1), (i + num_clusters, i + num_clusters + 1)] for i in range(num_clusters)]
        sizes = {}

        def pack(tensor):
            sizes[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            inputs = torch.randn(1, 200, 5).double().requires_grad_()
            encoder(inputs, ones(200), annotations(clusters, 200))
        return sum(sizes.values())

    assert saved_bytes(100) == saved_bytes(2)


def test_from_params_and_errors():
    encoder = Seq2SeqEncoder.from_params(Params({"type": "coref_gru", "input_size": 128, "hidden_size": 64}))
    assert (encoder.get_input_dim(), encoder.get_output_dim(), encoder.is_bidirectional()) == (128, 128, True)
    with pytest.raises(ConfigurationError, match="hidden_size is 7, expected a positive multiple of 2"):
        CorefGRU(5, 7)
    with pytest.raises(ConfigurationError, match="hidden_size is 0, expected a positive multiple of 2"):
        CorefGRU(5, 0)
    for length in (0, -1):
        with pytest.raises(ConfigurationError, match=f"questions_padded_to is {length}, expected 1 or more"):
            CorefGRU(5, 8, questions_padded_to=length)
    with pytest.raises(ConfigurationError, match="questions_padded_to is 4 and share_memory false"):
        CorefGRU(5, 8, share_memory=False, questions_padded_to=4)
    inputs = torch.randn(1, 3, 128), torch.ones(1, 3).bool(), {"srl": {}}
    for wrong, where in (
        (encoder, "dataset_reader.annotation_layers"),
        (CorefGRU(128, 8), "the argument annotations"),
    ):
        with pytest.raises(
            ConfigurationError, match=rf"reads the annotation layer 'coref', but {where} has \['srl'\]"
        ):
            wrong(*inputs)


def test_initialised_as_in_the_authors_code():
    torch.manual_seed(3)
    for name, parameter in CorefGRU(128, 64).named_parameters():
        if name.startswith("bias"):
            assert (parameter == 0).all()
        else:
            # Of weights each gate is a matrix of 64 rows.
            deviation = 0.1 if name.startswith("keys") else (6 / (parameter.size(1) + 64)) ** 0.5
            assert abs(parameter.mean().item()) < 0.2 * deviation
            found = parameter.std().item()
            assert found == pytest.approx(deviation, rel=0.1 if name.startswith("keys") else 0.02)


@pytest.mark.parametrize("options", [{}, {"questions_padded_to": 2}])
@pytest.mark.parametrize("lengths", [(4, 0), (0, 3), (0, 0)])
def test_a_text_without_tokens_hands_nothing_over(lengths, options):
    encoders = CorefGRU(5, 8, bidirectional=True, **options), CorefGRU(5, 8, bidirectional=True, **options)
    texts = [TokenVectors(torch.randn(1, n, 5), torch.ones(1, n).bool(), annotations([], n)) for n in lengths]
    for encoded, encoder, text in zip(encode_both(*encoders, *texts), encoders, texts):
        torch.testing.assert_close(encoded, encoder(*text))
