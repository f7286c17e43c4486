import warnings

import pytest
import torch
from allennlp.data import Vocabulary

from allennlp_coref_rc import DASSA, CorefGRU, MageGRU, collate, label_names
from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Frame
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.annotation_layers import (
    CorefClusters,
    CorefEdges,
    CorefViews,
    SrlViews,
    WindowViews,
)

MARY = AnnotatedText(
    ["Mary", "left", ".", "She", "slept"],
    [(0, 3), (3, 5)],
    clusters=[[(0, 1), (3, 4)]],
    frames=[Frame((1, 2), [("ARG0", (0, 1))])],
)

JOHN = AnnotatedText(["John", "slept"], frames=[Frame((1, 2), [])])

LAYERS = {"coref": "coref_edges", "srl": {"type": "srl_views", "max_views": 1}}

LABELS = {"srl": ["B-ARG0", "B-V"]}


def encoders():
    block = dict(num_blocks=1, annotated_blocks=[0], num_attention_heads=2, heads={"srl": 1}, dropout_prob=0)
    torch.manual_seed(0)
    return [
        CorefGRU(6, 4),
        MageGRU(6, 8),
        DASSA(6, 8, labels=LABELS, layer_dropout_undecayed_prob=0, **block),
    ]


def test_a_batch():
    mask, annotations = collate(iter([MARY, JOHN]), LAYERS, LABELS)
    assert mask.tolist() == [[True] * 5, [True, True, False, False, False]]
    assert {name: numbers.squeeze(-1).tolist() for name, numbers in annotations["coref"].items()} == {
        "antecedents": [[-1, -2, -2, 0, -2], [-2] * 5],
        "descendants": [[3, -2, -2, -1, -2], [-2] * 5],
    }
    assert {name: numbers.squeeze(-1).tolist() for name, numbers in annotations["srl"].items()} == {
        "labels": [[2, 3, 0, 0, 0], [0, 3, -2, -2, -2]],
        "scopes": [[1, 1, 1, 2, 2], [1, 1, -2, -2, -2]],
    }
    assert label_names([MARY, JOHN], LAYERS) == LABELS
    # A label that is not among those is unknown.
    assert collate([JOHN], LAYERS, {"srl": 1})[1]["srl"]["labels"].tolist() == [[[0], [1]]]


@pytest.mark.parametrize(
    "texts, layers, message",
    [
        ("Mary left.", {}, 'found "Mary left.", expected a list of annotated texts'),
        ([], {}, r"found \[\], expected a list of annotated texts"),
        (["Mary left."], LAYERS, r'found \["Mary left."\], expected a list of annotated texts'),
        ([MARY], ["coref_edges"], r'found the layers \["coref_edges"\], expected layers by name'),
        ([MARY], {"coref": "coref_edge"}, "layers.coref.type: .*did you mean 'coref_edges'"),
        ([MARY], LAYERS, r"found no labels of \['srl'\], expected those that label_names"),
    ],
)
def test_what_is_no_batch(texts, layers, message):
    with pytest.raises(ConfigurationError, match=message):
        collate(texts, layers)


LAYERS_OF_EACH_KIND = [CorefClusters(), CorefEdges(), CorefViews(), SrlViews(), WindowViews(SrlViews())]


@pytest.mark.parametrize("layer", LAYERS_OF_EACH_KIND, ids=lambda layer: type(layer).__name__)
def test_a_layer_of_a_whole_text(layer):
    assert layer.make(MARY) == layer.make(MARY, 5)
    for wrong in (-1, 6, "5"):
        with pytest.raises(ConfigurationError, match="found the boundary .*, expected a number from 0 to 5"):
            layer.make(MARY, wrong)


def test_dassa_without_a_vocabulary():
    vocab = Vocabulary(tokens_to_add={"srl_annotations": LABELS["srl"]})
    sizes = dict(num_blocks=1, annotated_blocks=[0], num_attention_heads=2, heads={"srl": 1})
    states = [
        DASSA(6, 8, **sizes, **how).state_dict()
        for how in ({"vocab": vocab}, {"labels": LABELS}, {"labels": {"srl": 2}})
    ]
    assert len({tuple((name, value.shape) for name, value in state.items()) for state in states}) == 1
    for wrong in ({}, {"labels": {}}, {"labels": LABELS, "vocab": vocab}):
        with pytest.raises(ConfigurationError, match=r"labels is .*, expected those of \['srl'\]"):
            DASSA(6, 8, **sizes, **wrong)


def test_a_quarter_of_a_mage_gru_follows_coreference():
    sizes = {"sequential": 12, "coref": 4}
    plain, named = MageGRU(6, 16, bidirectional=False), MageGRU(6, bidirectional=False, state_sizes=sizes)
    named.load_state_dict(plain.state_dict())
    mask, annotations = collate([MARY], {"coref": CorefEdges()})
    inputs = torch.randn(1, 5, 6)
    torch.testing.assert_close(plain(inputs, mask, annotations), named(inputs, mask, annotations))
    assert MageGRU(6, 16, variant="shared").get_output_dim() == 32
    with pytest.raises(ConfigurationError, match="hidden_size is 16 and state_sizes {.*}, exp"):
        MageGRU(6, 16, state_sizes=sizes)


@pytest.mark.parametrize("encoder", encoders(), ids=lambda encoder: type(encoder).__name__)
def test_compiled_saved_and_loaded(encoder, tmp_path):
    model = torch.nn.Sequential(torch.nn.Linear(6, 6), encoder)

    def run(linear, encoder, inputs, batch):
        return encoder(linear(inputs), *batch)

    torch.save(model.state_dict(), tmp_path / "model.pt")
    loaded = torch.nn.Sequential(torch.nn.Linear(6, 6), *(e for e in encoders() if type(e) is type(encoder)))
    for parameter in loaded.parameters():
        torch.nn.init.zeros_(parameter)
    loaded.load_state_dict(torch.load(tmp_path / "model.pt"))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        # The tracing gives the warnings.
        compiled = torch.compile(run, backend="eager")
        for texts in ([MARY, JOHN], [JOHN]):
            batch = collate(texts, LAYERS, LABELS)
            inputs = torch.randn(*batch[0].shape, 6)
            expected = run(*model, inputs, batch)
            torch.testing.assert_close(run(*loaded, inputs, batch), expected)
            torch.testing.assert_close(compiled(*model, inputs, batch), expected)
    assert not [str(warning.message) for warning in said if "torch" in str(warning.filename)]
