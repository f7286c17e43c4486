import itertools

import numpy
import pytest
import torch
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.data.annotation_layers.edges import FIRST_MENTION, OTHER_SEQUENCE, PADDING
from allennlp_coref_rc.modules.gpu import one_pass
from allennlp_coref_rc.modules.pair import TokenVectors
from allennlp_coref_rc.modules.seq2seq_encoders import CorefGRU, MageGRU
from tests.golden.make_golden import sigmoid
from tests.modules.seq2seq_encoders.pairs import (
    BOUNDARY,
    CLUSTERS,
    LENGTH,
    encode_both,
    fields,
    of_text,
    ones,
    tensors,
)

SIZES = {"sequential": 3, "srl": 2, "coref": 1}
WHOLE = {"sequential": 6, "srl": 6, "coref": 6}
VARIANTS = {
    "mage": {"state_sizes": SIZES},
    "mage, previous": {"state_sizes": SIZES, "carry": "previous"},
    "shared": {"state_sizes": WHOLE, "variant": "shared"},
    "dag_rnn": {"state_sizes": WHOLE, "variant": "dag_rnn"},
}
all_variants = pytest.mark.parametrize("variant", VARIANTS)


def make(variant, seed=1, **options):
    torch.manual_seed(seed)
    encoder = MageGRU(5, **VARIANTS[variant], **options).double()
    for parameter in encoder.parameters():
        torch.nn.init.normal_(parameter, std=0.7)
    return encoder


def paper(encoder, variant, inputs, clusters, suffix="", memory=None, previous=None):
    """
    Equation 2 as it stands, with a matrix product for each edge and a memory that has a state for each
    cluster, in float64. Returns the outputs, the memory and the last state; `memory` and `previous` are those
    to begin with.
    """
    weight_ih, weight_hh, bias_ih, bias_hh = (
        getattr(encoder, name + suffix).detach().numpy()
        for name in ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
    )
    split, gates = variant.startswith("mage"), 1 if variant == "dag_rnn" else 3
    size = len(weight_ih) // gates
    types = ["sequential", "coref", "srl"]
    sizes = [VARIANTS[variant]["state_sizes"][name] for name in types]
    columns = {name: slice(sum(sizes[:i]), sum(sizes[: i + 1])) for i, name in enumerate(types)}
    part = {name: columns[name] if split else slice(0, size) for name in types}
    memory = {} if memory is None else dict(memory)
    previous = numpy.zeros(size) if previous is None else previous
    outputs = numpy.zeros((len(inputs), size))
    for t in reversed(range(len(inputs))) if suffix else range(len(inputs)):
        mentions = [
            (name, c, span) for name in clusters for c, spans in enumerate(clusters[name]) for span in spans
        ]
        member = [(name, c) for name, c, (start, stop) in mentions if start <= t < stop]
        incoming = [("sequential", previous)] + [(key[0], memory[key]) for key in member if key in memory]
        hidden = bias_hh + sum(weight_hh[:, columns[name]] @ state[part[name]] for name, state in incoming)
        hidden, inputs_t = numpy.split(hidden, gates), numpy.split(weight_ih @ inputs[t] + bias_ih, gates)
        if variant == "dag_rnn":
            outputs[t] = numpy.tanh(inputs_t[0] + hidden[0])
        else:
            r, keep = sigmoid(inputs_t[0] + hidden[0]), sigmoid(inputs_t[1] + hidden[1])
            carry = numpy.zeros(size)
            for name, state in incoming:
                carry[part[name]] += state[part[name]]
            if variant != "mage":
                carry = previous
            outputs[t] = keep * carry + (1 - keep) * numpy.tanh(inputs_t[2] + r * hidden[2])
        previous = outputs[t]
        memory.update(dict.fromkeys(member, outputs[t]))
    return outputs, memory, previous


def assert_is(output, *expected):
    numpy.testing.assert_allclose(
        output.detach().numpy(), numpy.concatenate(expected, axis=-1), rtol=0, atol=1e-12
    )


@all_variants
@pytest.mark.parametrize("backend", ["reference", "plain", "auto"])
def test_equation_2(variant, backend):
    encoder = make(variant, backend=backend)
    inputs = torch.randn(1, LENGTH, 5).double()
    output = encoder(inputs, ones(LENGTH), of_text())[0]
    assert_is(output, *(paper(encoder, variant, inputs[0].numpy(), CLUSTERS, s)[0] for s in ("", "_reverse")))


def pair_inputs(question_first=False, padding=0):
    """A passage and a question of one text; padding of the passage must not move links across."""
    passage_field, question_field = fields(CLUSTERS, LENGTH, BOUNDARY, question_first)
    inputs = torch.randn(1, LENGTH, 5).double()
    padded = torch.cat([inputs[:, :BOUNDARY], torch.randn(1, padding, 5).double()], dim=1)
    mask = torch.arange(BOUNDARY + padding).unsqueeze(0) < BOUNDARY
    passage = TokenVectors(padded, mask, tensors(passage_field, padded_to=BOUNDARY + padding))
    question = TokenVectors(inputs[:, BOUNDARY:], ones(LENGTH - BOUNDARY), tensors(question_field))
    return inputs[0].numpy(), passage, question


IN_PASSAGE = {name: [[s for s in c if s[1] <= BOUNDARY] for c in CLUSTERS[name]] for name in CLUSTERS}
IN_QUESTION = {
    name: [[(a - BOUNDARY, b - BOUNDARY) for a, b in c if a >= BOUNDARY] for c in CLUSTERS[name]]
    for name in CLUSTERS
}


def simulate(passage_encoder, question_encoder, variant, inputs, joint=False, question_first=False):
    """What reading two texts in a row, with one memory of clusters, gives for passage and question."""
    encoders, parts = (passage_encoder, question_encoder), (inputs[:BOUNDARY], inputs[BOUNDARY:])
    texts = list(zip(encoders, parts, (IN_PASSAGE, IN_QUESTION)))
    states = ([], [])
    for suffix in ("", "_reverse"):
        memory = previous = None
        for i in (1, 0) if bool(suffix) != question_first else (0, 1):
            encoder, x, clusters = texts[i]
            output, memory, previous = paper(encoder, variant, x, clusters, suffix, memory, previous)
            previous = previous if joint else None
            states[i].append(output)
    return states


@all_variants
def test_a_pair_shares_the_states_of_clusters_but_not_the_sequential_state(variant):
    encoder, question_encoder = make(variant), make(variant, seed=2)
    inputs, passage, question = pair_inputs(padding=3)
    outputs = encode_both(encoder, question_encoder, passage, question)
    expected = simulate(encoder, question_encoder, variant, inputs)
    assert_is(outputs[0][0, :BOUNDARY], *expected[0])
    assert_is(outputs[1][0], *expected[1])
    assert outputs[0][0, BOUNDARY:].abs().max() == 0


@all_variants
@pytest.mark.parametrize("one_encoder", [True, False])
def test_joint_reads_passage_and_question_as_one_sequence_in_random_order(variant, one_encoder):
    encoder = make(variant, joint=True)
    question_encoder = encoder if one_encoder else make(variant, seed=2, joint=True)
    inputs, passage, question = pair_inputs(question_first=True, padding=2)
    first = [simulate(encoder, question_encoder, variant, inputs, True, swapped) for swapped in (False, True)]

    encoder.eval()
    outputs = encode_both(encoder, question_encoder, passage, question)
    assert_is(outputs[0][0, :BOUNDARY], *first[0][0])
    assert_is(outputs[1][0], *first[0][1])
    if one_encoder:
        whole = encoder(torch.tensor(inputs).unsqueeze(0), ones(LENGTH), of_text())[0]
        assert_is(torch.cat([outputs[0][0, :BOUNDARY], outputs[1][0]]), whole.detach().numpy())

    encoder.train()
    seen = set()
    for seed in range(10):
        torch.manual_seed(seed)
        outputs = encode_both(encoder, question_encoder, passage, question)
        swapped = not numpy.allclose(outputs[0][0, :BOUNDARY, 0].detach().numpy(), first[0][0][0][:, 0])
        assert_is(outputs[0][0, :BOUNDARY], *first[swapped][0])
        assert_is(outputs[1][0], *first[swapped][1])
        seen.add(swapped)
    assert seen == {False, True}


def test_layers_of_different_settings_have_edges_of_their_own():
    """In a pass, layers of equal settings share theirs."""
    _, passage, question = pair_inputs(question_first=True)
    settings = {}, {"joint": True}, {"carry": "previous"}, {"variant": "shared"}, {"variant": "dag_rnn"}
    layers = [MageGRU(5, state_sizes=WHOLE, **options) for options in settings]
    of_attention = {}, {"read_at_first_mention": False}, {"relations": ["srl"]}, {"questions_padded_to": 4}
    layers += [CorefGRU(5, 8, **options) for options in of_attention]
    layers = [layer.double().eval() for layer in layers]

    @one_pass
    def read(*layers):
        return [encode_both(layer, layer, passage, question) for layer in layers][-1]

    for first, second in itertools.permutations(layers, 2):
        for states, expected in zip(read(first, second), read(second)):
            assert torch.equal(states, expected)


def test_memory_is_not_shared_unless_both_share_it():
    _, passage, question = pair_inputs()
    encoder = make("mage")
    unlike = CorefGRU(5, 6, relations=["coref", "srl"]).eval().double()
    for other in (make("mage", share_memory=False), unlike):
        first, second = encode_both(encoder, other, passage, question)
        assert torch.equal(first, encoder(*passage)) and torch.equal(second, other(*question))


@all_variants
def test_a_first_mention_and_no_edge_read_zeros(variant):
    encoder = make(variant)
    inputs = torch.randn(1, 4, 5).double()

    def run(source):
        edges = torch.tensor([[[PADDING], [PADDING], [source], [PADDING]]])
        layer = {"antecedents": edges, "descendants": edges}
        return encoder(inputs, ones(4), {"coref": layer, "srl": layer})

    torch.testing.assert_close(run(FIRST_MENTION), run(PADDING))
    # If there is no other sequence, an edge from it has nothing to read.
    torch.testing.assert_close(run(OTHER_SEQUENCE - 1), run(PADDING))
    assert not torch.allclose(run(0), run(PADDING))


def test_the_order_in_which_state_sizes_are_given_does_not_matter():
    encoder = make("mage")
    other = MageGRU(5, state_sizes=dict(sorted(SIZES.items(), reverse=True))).double()
    other.load_state_dict(encoder.state_dict())
    inputs = torch.randn(1, LENGTH, 5).double()
    assert torch.equal(other(inputs, ones(LENGTH), of_text()), encoder(inputs, ones(LENGTH), of_text()))


def test_initialised_as_in_the_authors_code():
    torch.manual_seed(3)
    encoder = MageGRU(128, state_sizes={"sequential": 48, "coref": 16})
    for name, parameter in encoder.named_parameters():
        if name.startswith("bias"):
            assert (parameter == 0).all()
        else:
            assert abs(parameter.std().item() - 0.1) < 0.003 and abs(parameter.mean().item()) < 0.003


@pytest.mark.parametrize(
    "options, message",
    [
        ({"carry": "previous", "variant": "shared"}, "carry is 'previous', .* variant 'shared'"),
        ({"state_sizes": {"coref": 8}}, r"state_sizes is {'coref': 8}, expected .* 'sequential'"),
        ({"variant": "dag_rnn"}, "state_sizes is .* variant 'dag_rnn'"),
        ({"joint": True, "share_memory": False}, "joint is true and share_memory false"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ConfigurationError, match=f"mage_gru: {message}"):
        MageGRU(5, **{"state_sizes": {"sequential": 4, "coref": 2}, **options})


def test_wrong_pairs_and_annotations():
    _, passage, question = pair_inputs()
    with pytest.raises(ConfigurationError, match="of the question, .* has state_sizes .*'coref': 2"):
        other = MageGRU(5, state_sizes={"sequential": 2, "coref": 2, "srl": 2}).double()
        encode_both(make("mage"), other, passage, question)
    with pytest.raises(ConfigurationError, match="has joint True, expected False"):
        encode_both(make("mage"), make("mage", joint=True), passage, question)
    with pytest.raises(ConfigurationError, match="question_first: true .* annotations.coref"):
        encode_both(make("mage", joint=True), make("mage", joint=True), passage, question)
    with pytest.raises(ConfigurationError, match="coref makes .'clusters'.; .* edges"):
        make("mage")(
            passage.vectors, passage.mask, {"coref": {"clusters": torch.zeros(1, BOUNDARY, 1)}, "srl": {}}
        )
