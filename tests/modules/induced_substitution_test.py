import json
import re

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models.archival import load_archive

from allennlp_coref_rc.__main__ import main
from allennlp_coref_rc.data.babi.simulated_world import simulate_task
from allennlp_coref_rc.data.dataset_readers.annotated_babi import AnnotatedBabiReader
from allennlp_coref_rc.data.exchangeable_words import exchangeable_words
from allennlp_coref_rc.data.question_contexts import asked_questions
from allennlp_coref_rc.modules.induced_substitution import FOUND, InducedSubstitution
from tests.shared import PROJECT

BEST = PROJECT / "training_config" / "babi" / "best.jsonnet"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("babi")
    for split, questions in (("train", 300), ("valid", 10), ("test", 10)):
        (folder / f"qa2_{split}.txt").write_text("\n".join([*simulate_task(2, questions, seed=1), ""]))
    return folder


def params(folder, **more):
    overrides = {
        "dataset_reader.folder": str(folder),
        "dataset_reader.task": 2,
        "trainer.num_epochs": 1,
        "trainer.cuda_device": -1,
        "evaluate_on_test": False,
        **more,
    }
    return Params.from_file(str(BEST), overrides)


def words_of(group):
    return {word for forms in group for word in forms}


@pytest.mark.slow
def test_a_training_finds_its_words_and_its_archive_needs_none(folder, tmp_path):
    train_model(params(folder), str(tmp_path))
    found = json.loads((tmp_path / FOUND).read_text())
    assert any("mary" in words_of(group) for group in found["groups"]) and not found["class_groups"]
    model = load_archive(str(tmp_path / "model.tar.gz")).model
    instance = next(iter(AnnotatedBabiReader(folder=str(folder), task=2).read("test")))
    assert model.forward_on_instance(instance)["answer"]


@pytest.mark.slow
def test_words_of_classes_are_exchanged_in_answers(folder):
    reader = AnnotatedBabiReader(folder=str(folder), task=2, answer_type="classification")
    instances = list(reader.read("train"))
    for instance in instances:
        reader.apply_token_indexers(instance)
    vocab = Vocabulary.from_instances(instances)
    substitution = InducedSubstitution(vocab)
    names = vocab.get_token_to_index_vocabulary()
    text = {"tokens": {"tokens": torch.tensor([[names["mary"], names["kitchen"]]] * 50)}}
    places = vocab.get_token_to_index_vocabulary("class_labels")
    answer = torch.tensor([places["kitchen"]] * 50)
    assert substitution([text], answer)[1].tolist() == answer.tolist()
    # Also if a training in this process has found words already.
    substitution.induce(instances)
    found = substitution.induce(instances)
    assert any("kitchen" in words_of(group) for group in found["class_groups"])
    (exchanged,), answers = substitution([text], answer)
    words, labels = ({i: word for word, i in known.items()} for known in (names, places))
    seen = [words[i] for i in exchanged["tokens"]["tokens"][:, 1].tolist()]
    assert seen == [labels[i] for i in answers.tolist()]
    assert len(set(answers.tolist())) > 1


@pytest.mark.slow
def test_the_command_prints_the_same_groups_and_why_others_are_refused(folder, capsys):
    overrides = {"dataset_reader.folder": str(folder), "dataset_reader.task": 2}
    main(["data", "exchangeable", str(BEST), "-o", json.dumps(overrides)])
    printed = capsys.readouterr().out.splitlines()
    questions = asked_questions(AnnotatedBabiReader(folder=str(folder), task=2).read("train"))
    groups = exchangeable_words(questions).groups
    assert printed[0] == f"300 questions, {len(groups)} groups of words that can be exchanged:"
    expected = ["  " + ", ".join("/".join(forms) for forms in group) for group in groups]
    assert printed[1 : 1 + len(groups)] == expected
    assert any({"mary", "john"} <= words_of(group) for group in groups)
    assert not any({"got", "dropped"} <= words_of(group) for group in groups)
    assert any(re.fullmatch(r"  .*dropped.*: p = \de-\d+, .*: .*", line) for line in printed)


@pytest.mark.slow
def test_a_model_without_it_is_refused(folder, tmp_path):
    with pytest.raises(ConfigurationError, match="induce_substitution: found no substitution to induce"):
        train_model(params(folder, **{"model.entity_substitution": None}), str(tmp_path))
