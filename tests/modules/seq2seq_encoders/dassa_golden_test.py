"""Golden values of the authors' code, in evaluation mode."""

import numpy
import pytest
import torch
from allennlp.data import Vocabulary

from allennlp_coref_rc.annotations.layers import label_namespace
from allennlp_coref_rc.modules.seq2seq_encoders import Dassa
from tests.qanet_state import qanet_state
from tests.shared import GOLDEN, needs_golden


@pytest.fixture(scope="module")
def golden():
    with numpy.load(GOLDEN / "dassa_sdp_exp.npz") as file:
        return dict(file)


def vocabulary_of(num_labels):
    labels = {str(i): 1 for i in range(num_labels - 2)}
    return Vocabulary(counter={label_namespace("views"): labels})


@needs_golden
def test_attention_of_block_1_in_its_third_application(golden):
    prefix = "p:_modeling_layer."
    views = [torch.tensor(golden[f"in:passage_sem_views_{part}"]).long().transpose(1, 2) for part in "qk"]
    parameters = {name[len(prefix) :]: value for name, value in golden.items() if name.startswith(prefix)}
    num_labels = parameters["encoder_block_1.attention_layer._semantic_label_embedding_q_w.weight"].shape[0]
    encoder = Dassa(
        128, heads={"views": views[0].size(-1)}, join_unannotated=True, vocab=vocabulary_of(num_labels)
    ).eval()
    encoder.load_state_dict(qanet_state(parameters, views[0].size(-1)))
    mask = torch.tensor(golden["in:passage:tokens"]) != 0
    head_views = encoder._views({"views": {"labels": views[0], "scopes": views[1]}}, mask)
    outputs = encoder.blocks[1].attention(torch.tensor(golden["last:att_in"]), None, head_views)
    difference = (outputs - torch.tensor(golden["last:att_out"])).abs().max()
    assert mask.all() and difference < 1e-5


def linear(parameters, name, inputs):
    return torch.nn.functional.linear(inputs, parameters[f"{name}.weight"], parameters.get(f"{name}.bias"))


def embedded(parameters, golden, part):
    characters = torch.tensor(golden[f"in:{part}:token_characters"])
    embedder = "_text_field_embedder.token_embedder_"
    vectors = parameters[f"{embedder}token_characters._embedding._module.weight"][characters]
    vectors = (vectors * (characters > 0).unsqueeze(-1)).flatten(0, 1).transpose(1, 2)
    convolution = f"{embedder}token_characters._encoder._module.conv_layer_0"
    vectors = torch.nn.functional.conv1d(
        vectors, parameters[f"{convolution}.weight"], parameters[f"{convolution}.bias"]
    )
    words = parameters[f"{embedder}tokens.weight"][torch.tensor(golden[f"in:{part}:tokens"])]
    inputs = torch.cat([vectors.relu().amax(dim=-1).view(*words.shape[:2], -1), words], dim=-1)
    inputs = linear(parameters, "_embedding_proj_layer", inputs)
    for i in range(2):
        changed, gate = linear(parameters, f"_highway_layer._layers.{i}", inputs).chunk(2, dim=-1)
        inputs = gate.sigmoid() * inputs + (1 - gate.sigmoid()) * changed.relu()
    return linear(parameters, "_encoding_proj_layer", inputs)


def encoder_of(parameters, layer, *args, num_views=0, **options):
    encoder = Dassa(*args, **options).eval()
    prefix = f"{layer}."
    own = {name[len(prefix) :]: value for name, value in parameters.items() if name.startswith(prefix)}
    encoder.load_state_dict(qanet_state(own, num_views))
    return encoder


@needs_golden
@pytest.mark.parametrize("name", ["dassa_baseline_qanet", "dassa_sdp_exp"])
def test_logits_of_qanet_around_the_encoder(name):
    """The rest of QANet is written out here."""
    with numpy.load(GOLDEN / f"{name}.npz") as file:
        golden = dict(file)
    parameters = {key[2:]: torch.tensor(value) for key, value in golden.items() if key.startswith("p:")}
    options, annotations = {}, None
    if "in:passage_sem_views_q" in golden:
        labels, scopes = (torch.tensor(golden[f"in:passage_sem_views_{x}"]).long().transpose(1, 2) for x in "qk")
        annotations = {"views": {"labels": labels, "scopes": scopes}}
        table = parameters["_modeling_layer.encoder_block_1.attention_layer._semantic_label_embedding_q_w.weight"]
        num_views = labels.size(-1)
        options = dict(
            heads={"views": num_views}, join_unannotated=True, vocab=vocabulary_of(len(table)), num_views=num_views
        )
    phrases = encoder_of(parameters, "_phrase_layer", 200, num_blocks=1, num_convs_per_block=4, conv_kernel_size=7)
    modeling = encoder_of(parameters, "_modeling_layer", 128, **options)
    with torch.no_grad():
        masks = {part: torch.tensor(golden[f"in:{part}:tokens"]) != 0 for part in ("passage", "question")}
        passage, question = (phrases(embedded(parameters, golden, part), mask) for part, mask in masks.items())
        weights = parameters["_matrix_attention._weight_vector"].split(128)
        scores = (passage @ weights[0]).unsqueeze(2) + (question @ weights[1]).unsqueeze(1)
        scores = scores + (passage * weights[2]) @ question.transpose(1, 2) + parameters["_matrix_attention._bias"]
        to_question = scores.masked_fill(~masks["question"].unsqueeze(1), -1e9).softmax(dim=2)
        to_passage = scores.masked_fill(~masks["passage"].unsqueeze(2), -1e9).softmax(dim=1)
        read = to_question @ question
        again = to_question @ to_passage.transpose(1, 2) @ passage
        merged = torch.cat([passage, read, passage * read, passage * again], dim=-1)
        models = [linear(parameters, "_modeling_proj_layer", merged)]
        for _ in range(3):
            models.append(modeling(models[-1], masks["passage"], annotations))
        for which, last in (("start", 2), ("end", 3)):
            logits = linear(parameters, f"_span_{which}_predictor", torch.cat([models[1], models[last]], dim=-1))
            logits = logits.squeeze(-1).masked_fill(~masks["passage"], 0.0)
            expected = torch.tensor(golden[f"out:span_{which}_logits"]).masked_fill(~masks["passage"], 0.0)
            assert (logits - expected).abs().max() < 1e-4
