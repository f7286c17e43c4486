"""allennlp-models' `coref` and `srl_bert` on a transformer: trained for an update, archived, loaded."""

from dataclasses import replace

import pytest
import torch
from allennlp.common import Params
from allennlp.data import Batch, DatasetReader, Token, Vocabulary
from allennlp.data.dataset_readers.dataset_utils import bio_tags_to_spans
from allennlp.models import Model
from allennlp.models.archival import archive_model, load_archive
from allennlp.predictors import Predictor

from allennlp_coref_rc.allennlp_runtime.lazy_registry import register_allennlp_models
from allennlp_coref_rc.annotations import AnnotatedText, Frame
from allennlp_coref_rc.annotations.annotators import Annotator, archived_model
from tests import tiny_transformers
from tests.annotations.annotators.archives import ROLES, SENTENCES

WORDS = tiny_transformers.HIDDEN_SIZE
SEED = 3
SPANS = 3 * WORDS + 4


def feedforward(size):
    return {"input_dim": size, "num_layers": 2, "hidden_dims": 10, "activations": "relu", "dropout": 0.3}


def coref_config(transformer):
    """A config like that of AllenNLP's coref-spanbert-large-2021.03.10, except for sizes."""
    words = {"type": "pretrained_transformer_mismatched", "model_name": transformer, "max_length": 16}
    return {
        "dataset_reader": {
            "type": "coref",
            "token_indexers": {"tokens": words},
            "max_span_width": 4,
            "max_sentences": 110,
        },
        "model": {
            "type": "coref",
            "text_field_embedder": {"token_embedders": {"tokens": words}},
            "context_layer": {"type": "pass_through", "input_dim": WORDS},
            "mention_feedforward": feedforward(SPANS),
            "antecedent_feedforward": feedforward(3 * SPANS + 4),
            "initializer": {
                "regexes": [
                    [".*_span_updating_gated_sum.*weight", {"type": "xavier_normal"}],
                    [".*linear_layers.*weight", {"type": "xavier_normal"}],
                    [".*scorer.*weight", {"type": "xavier_normal"}],
                ]
            },
            "feature_size": 4,
            "max_span_width": 4,
            "spans_per_word": 0.4,
            "max_antecedents": 50,
            "coarse_to_fine": True,
            "inference_order": 2,
        },
    }


def srl_config(transformer):
    """A config like that of AllenNLP's structured-prediction-srl-bert.2020.12.15."""
    return {
        "dataset_reader": {"type": "srl", "bert_model_name": transformer},
        "model": {"type": "srl_bert", "bert_model": transformer, "embedding_dropout": 0.1},
    }


def coref_instance(reader):
    return reader.text_to_instance(SENTENCES, [[(0, 0), (6, 6), (11, 11)], [(9, 9), (19, 19)]])


def srl_instance(reader):
    words = [Token(word) for word in SENTENCES[1]]
    return reader.text_to_instance(words, [int(i == 1) for i in range(len(words))], (ROLES * 2)[: len(words)])


def make_archive(folder, config, make_instance):
    """The archive after an update, with the positions that archives from before transformers 4.31 have."""
    reader = DatasetReader.from_params(Params(config).duplicate()["dataset_reader"])
    instance = make_instance(reader)
    reader.apply_token_indexers(instance)
    vocabulary = Vocabulary.from_instances([instance])
    torch.manual_seed(SEED)  # of a model that finds several clusters
    model = Model.from_params(Params(config).duplicate()["model"], vocab=vocabulary)
    for name, parameter in model.named_parameters():
        if "transformer_model" not in name and "bert_model" not in name:
            torch.nn.init.normal_(parameter, std=1.5)  # so that the model has opinions
    batch = Batch([instance])
    batch.index_instances(vocabulary)
    model(**batch.as_tensor_dict())["loss"].backward()
    torch.optim.Adam(model.parameters(), lr=0.01).step()
    weights = model.state_dict()
    (prefix,) = [name.removesuffix("word_embeddings.weight") for name in weights if "word_embeddings" in name]
    weights[f"{prefix}position_ids"] = torch.arange(tiny_transformers.MAX_LENGTH).unsqueeze(0)
    folder.mkdir()
    Params(config).to_file(str(folder / "config.json"))
    vocabulary.save_to_files(str(folder / "vocabulary"))
    torch.save(weights, folder / "weights.th")
    return archive_model(str(folder), weights="weights.th")


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    register_allennlp_models()
    folder = tmp_path_factory.mktemp("archives")
    transformer = tiny_transformers.make("bert", folder / "tiny-bert-uncased")
    return {
        "coref": make_archive(folder / "coref", coref_config(transformer), coref_instance),
        "srl": make_archive(folder / "srl", srl_config(transformer), srl_instance),
    }


@pytest.fixture(autouse=True)
def plugins(monkeypatch):
    """They are imported already, and looking for them again takes a while."""
    monkeypatch.setattr(archived_model, "import_plugins", lambda: None)


ENDS = [sum(map(len, SENTENCES[:i])) for i in range(len(SENTENCES) + 1)]
TEXT = AnnotatedText([word for sentence in SENTENCES for word in sentence], list(zip(ENDS, ENDS[1:])))


def annotator(type, archive, **options):
    return Annotator.from_params(Params({"type": type, "archive": archive, **options}))


def test_clusters_are_what_the_model_says(archives):
    archive = load_archive(archives["coref"])
    predictor = Predictor(archive.model, archive.dataset_reader)
    output = predictor.predict_instance(archive.dataset_reader.text_to_instance(SENTENCES))
    expected = [sorted((start, end + 1) for start, end in cluster) for cluster in output["clusters"]]
    assert len(expected) > 0
    assert annotator("allennlp_coref", archives["coref"]).annotate(TEXT) == replace(TEXT, clusters=expected)


def test_roles_are_what_the_model_says(archives):
    archive = load_archive(archives["srl"])
    predictor = Predictor(archive.model, archive.dataset_reader)
    positions = [1, 8, 10]
    known = replace(TEXT, frames=[Frame((position, position + 1)) for position in positions])
    frames = annotator("allennlp_srl", archives["srl"], predicates="frames").annotate(known).frames
    found = 0
    assert len(frames) == len(positions)
    for frame, position in zip(frames, positions):
        (index,) = [i for i, end in enumerate(ENDS[1:]) if ENDS[i] <= position < end]
        words = [Token(word) for word in SENTENCES[index]]
        verb = [int(i + ENDS[index] == position) for i in range(len(words))]
        tags = predictor.predict_instance(archive.dataset_reader.text_to_instance(words, verb))["tags"]
        spans = {(role, (s + ENDS[index], e + 1 + ENDS[index])) for role, (s, e) in bio_tags_to_spans(tags)}
        # A verb elsewhere is an argument, as `frame_of` says.
        predicate = {
            ("V", (start, end)) for role, (start, end) in spans if role == "V" and start <= position < end
        }
        assert set(frame.arguments) == spans - predicate
        found += len(frame.arguments)
    assert found > 3
