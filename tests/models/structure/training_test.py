"""The multi-task config, from training on fixtures to annotations of plain text, over a tiny transformer."""

import io
import json
import tarfile
from dataclasses import replace

import pytest
import torch

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.annotators import StructureModel
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.corpora.discourse_corpora import read_rels_texts
from allennlp_coref_rc.data.structure_corpora.coreference import GUIDELINES
from tests import tiny_transformers
from tests.data.structure_corpora import corpora
from tests.json_lines import read_lines
from tests.scripts.scripts import load_script
from tests.training_config.configs import FIXTURES, evaluate

pytestmark = pytest.mark.slow

CORPORA = {
    "propbank_ewt/train": "propbank_ewt/train",
    "propbank_ewt/dev": "propbank_ewt/train",
    "gap/gap-validation.tsv": "../formats/gap.tsv",
}


@pytest.fixture(scope="module")
def trained(tmp_path_factory, run_command):
    """The folder of a training by `allennlp train`, in a folder with the data that the config names."""
    folder = tmp_path_factory.mktemp("structure")
    encoder = tiny_transformers.make("bert", folder / "encoder")
    for name, fixture in CORPORA.items():
        link = folder / "data" / "annotators" / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(FIXTURES / "annotators" / fixture)
    annotated = folder / "data" / "annotators"
    for part in ("train", "dev"):
        corpora.write(annotated / "ontogum" / part, "GUM_bio_ann")
        corpora.write_tree(annotated / "gum" / part, "GUM_bio_ann")
    for number in range(8):
        corpora.write(annotated / "litbank", f"novel_{number}")
    rels = (FIXTURES / "annotators" / "gdtb" / "stories.rels").read_text().splitlines(keepends=True)
    (annotated / "gdtb").mkdir()
    (annotated / "gdtb" / "garden.rels").write_text("".join(rels[:6]))
    config = evaluate(f"""
        (import 'annotators/structure.jsonnet') {{
            tasks+:: {{ coreference: $.coreference }},
            encoder:: {{ model_name: '{encoder}' }},
            backbone:: {{ lora_rank: 2, max_length: 32, overlap: 8, dropout: 0 }},
            dim:: {tiny_transformers.HIDDEN_SIZE}, steps_per_epoch:: 30, epochs:: 4, learning_rate:: 0.02,
            discourse+:: {{
                train: 'data/annotators/gdtb', reader+: {{ fold: null }}, validation_reader: self.reader,
                head+: {{ dropout: 0 }},
            }},
            roles+:: {{ head+: {{ dropout: 0 }} }},
            coreference+:: {{
                train+: {{ ontogum: 'data/annotators/ontogum/train' }}, head+: {{ dropout: 0, hidden_dim: 32 }},
            }},
        }}""")
    (folder / "structure.json").write_text(json.dumps(config))
    run = run_command("allennlp", "train", "structure.json", "-s", "output", folder=folder)
    assert run.returncode == 0, run.stderr[-2000:]
    return folder


def garden():
    texts = read_rels_texts(str(FIXTURES / "annotators" / "gdtb" / "stories.rels"))
    return next(replace(text, relations=[]) for text in texts if text.id == "FIX_garden")


def test_all_tasks_are_learnt_at_once(trained):
    metrics = json.loads((trained / "output" / "metrics.json").read_text())
    assert metrics["best_validation_roles_predicates_f1"] > 0.5
    assert metrics["best_validation_discourse_explicit_connectives_f1"] > 0.5
    assert metrics["best_validation_coreference_ontogum_f1"] > 0.5
    assert metrics["best_validation_coreference_litbank_f1"] > 0.5
    assert (
        0
        < metrics["training_loss"]
        < json.loads((trained / "output" / "metrics_epoch_0.json").read_text())["training_loss"]
    )


def test_one_pass_annotates_all_layers(trained, monkeypatch):
    archive = str(trained / "output" / "model.tar.gz")
    both, story = StructureModel(archive), garden()
    text = AnnotatedText.concatenate(story, AnnotatedText(list(corpora.WORDS), [(0, 8), (8, 12)]))
    passes = []
    both._model.model._backbone.register_forward_hook(lambda *_: passes.append(1))
    annotated, nothing, again = both.annotate_batch([text, AnnotatedText([]), text])
    assert len(passes) == 1 and nothing == AnnotatedText([]) and annotated == again
    assert annotated.frames and annotated.relations and annotated.clusters
    assert annotated.checked() is annotated
    layers = {"coreference": ["clusters", "links"], "roles": ["frames"], "discourse": ["relations"]}
    for head, added in layers.items():
        alone = StructureModel(archive, [head]).annotate(text)
        assert alone == replace(text, **{layer: getattr(annotated, layer) for layer in added})
    assert both.annotate(annotated).frames == 2 * annotated.frames


def test_evaluate_writes_predictions(trained, run_command):
    paths = json.loads((trained / "structure.json").read_text())["validation_data_path"]
    command = ["allennlp", "evaluate", "output/model.tar.gz", json.dumps(paths)]
    command += ["--predictions-output-file", "predictions.jsonl"]
    run = run_command(*command, folder=trained)
    assert run.returncode == 0, run.stderr[-2000:]
    rows = read_lines(trained / "predictions.jsonl")
    links = [link for row in rows for links in row.get("coreference_links", []) for link in links]
    assert links and all(link["antecedent"] < link["mention"] for link in links)
    assert any(
        relation["sense"]
        for row in rows
        for found in row.get("discourse_relations", [])
        for relation in found
    )


def test_clusters_follow_a_guideline(trained):
    archive, text = (
        str(trained / "output" / "model.tar.gz"),
        AnnotatedText(list(corpora.WORDS), [(0, 8), (8, 12)]),
    )
    annotator = StructureModel(archive, ["coreference"], guideline="litbank")
    (instance,) = [annotator._model.reader.readers["coreference"].inner.text_to_instance(text)]
    assert instance["coreference"].metadata.guideline == GUIDELINES.index("litbank")
    assert annotator.annotate(text).clusters
    with pytest.raises(ConfigurationError, match="guideline is 'ontonotes', expected"):
        StructureModel(archive, guideline="ontonotes").annotate(text)


def test_it_is_packed_with_16_bits(trained, tmp_path):
    archive, packed = trained / "output" / "model.tar.gz", tmp_path / "packed.tar.gz"
    load_script("pack_structure").pack(str(trained / "output"), str(packed))
    assert packed.stat().st_size < 0.6 * archive.stat().st_size
    one, two = (StructureModel(str(path)).annotate(garden()) for path in (packed, archive))
    with tarfile.open(packed) as tar:
        halved = torch.load(io.BytesIO(tar.extractfile("weights.th").read()), weights_only=True)
    best = torch.load(trained / "output" / "best.th", weights_only=True)
    assert halved.keys() == best.keys() and all(torch.equal(halved[x], best[x].half()) for x in best)
    as_halved = StructureModel(str(archive))
    as_halved._model.model.load_state_dict({x: best[x].half().float() for x in best}, strict=False)
    assert one.clusters == as_halved.annotate(garden()).clusters and one.clusters
    for text, other in ((one, two), (two, one)):
        # One of both may miss an annotation that is near the least confidence.
        arguments = [(frame.predicate, argument) for frame in other.frames for argument in frame.arguments]
        sure = text.confident(0.6)
        assert all((frame.predicate, x) in arguments for frame in sure.frames for x in frame.arguments)
        connectives = [relation.connective for relation in other.relations]
        assert all(relation.connective in connectives for relation in sure.relations)


def test_a_head_that_it_has_not_is_named(trained):
    annotator = StructureModel(str(trained / "output" / "model.tar.gz"), ["srl"])
    with pytest.raises(ConfigurationError, match="found the heads .*discourse.*, expected srl"):
        annotator.annotate(garden())


def test_a_model_of_another_kind_is_named(tmp_path, monkeypatch):
    annotator = StructureModel(str(tmp_path))
    monkeypatch.setattr(type(annotator._model), "model", object())
    with pytest.raises(ConfigurationError, match="found a object, expected a model of type 'multitask'"):
        annotator.annotate(AnnotatedText(["a"]))
