"""The folds of Quoref's articles, and the models that are trained on them."""

import json
import random
from collections import Counter
from itertools import product
from pathlib import Path

import pytest
import torch
from allennlp.training import Checkpointer

from allennlp_coref_rc.annotations import AnnotatedText, Document, read_documents
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.dataset_readers import AnnotatedQuorefReader
from allennlp_coref_rc.reproduction.results_file import read_lines, right_answers
from tests.scripts.scripts import load_script
from tests.shared import PROJECT, QUOREF, needs_quoref

FIXTURES = PROJECT / "tests" / "fixtures" / "quoref"


class Killed(Exception):
    pass


@pytest.fixture(scope="module")
def script():
    return load_script("cross_validate_quoref")


@pytest.fixture
def path(tmp_path):
    """A file of three articles: The lighthouse (two passages), Dukes, A radio."""
    files = (json.loads((FIXTURES / f"{split}.json").read_text(encoding="utf-8")) for split in ("train", "dev"))
    (tmp_path / "quoref.json").write_text(json.dumps({"data": [article for file in files for article in file["data"]]}))
    return tmp_path / "quoref.json"


@pytest.fixture
def validate(script, path, monkeypatch, capsys):
    """Runs the script with two folds and gives its lines."""

    def run(output, *arguments):
        given = [path, "--output", output, "--folds", 2, "--annotator", '{"type": "exact_match_coref"}', *arguments]
        monkeypatch.setattr("sys.argv", ["cross_validate_quoref.py", *map(str, given)])
        script.main()
        return capsys.readouterr().out.splitlines()

    return run


def articles(*numbers):
    """Documents of articles with these numbers of passages, in turns."""
    titles = [f"article {i}" for i, number in enumerate(numbers) for _ in range(number)]
    random.Random(0).shuffle(titles)
    return [Document(AnnotatedText(["Bo"]), data={"title": title}) for title in titles]


def passages_by_fold(documents, fold_of):
    return sorted(Counter(fold_of[document.data["title"]] for document in documents).values())


@pytest.mark.parametrize(
    "numbers", [(1, 1, 1), (3, 1, 1), (4, 3, 2, 2, 1, 1), (5, 3, 3, 1, 1, 1, 1), (9, 8, *[1] * 30)]
)
@pytest.mark.parametrize("folds", [2, 3])
def test_folds_are_as_equal_as_any(script, numbers, folds):
    """As those of the best of all deals, where these can be listed; else they differ by one passage at most."""
    documents = articles(*numbers)
    fold_of = script.deal(documents, folds, seed=1)
    assert fold_of.keys() == {f"article {i}" for i in range(len(numbers))}
    found = passages_by_fold(documents, fold_of)
    assert len(found) == folds
    if len(numbers) > 8:
        assert found[-1] - found[0] <= 1
        return
    sizes = (
        [sum(number for number, fold in zip(numbers, dealt) if fold == i) for i in range(folds)]
        for dealt in product(range(folds), repeat=len(numbers))
    )
    assert found[-1] - found[0] == min(max(size) - min(size) for size in sizes)


def test_the_seed_alone_says_which_articles_are_together(script):
    documents = articles(7, 5, 3, *[2] * 6, *[1] * 40)
    first, again, other = (script.deal(documents, 5, seed) for seed in (1, 1, 2))
    assert first == again != other
    assert passages_by_fold(documents, first) == passages_by_fold(documents, other)


@pytest.mark.parametrize("folds", [1, 4])
def test_numbers_of_folds_that_cannot_be(script, folds):
    with pytest.raises(ConfigurationError, match=f"--folds: found {folds}, expected 2 to 3, the number of articles"):
        script.deal(articles(4, 2, 1), folds, seed=1)


@needs_quoref
def test_the_real_file(script):
    documents = [document for _, document in AnnotatedQuorefReader().documents(str(QUOREF))]
    fold_of = script.deal(documents, 5, seed=1)
    assert len(fold_of) == 268 and passages_by_fold(documents, fold_of) == [90, 91, 91, 91, 91]


def test_articles_need_titles(validate, path, tmp_path):
    values = json.loads(path.read_text())
    del values["data"][1]["title"]
    path.write_text(json.dumps(values))
    with pytest.raises(ConfigurationError, match=r"quoref.json, line 1, data\[1\].paragraphs\[0\]: found no title of"):
        validate(tmp_path / "folds")
    assert not (tmp_path / "folds").exists()


@pytest.mark.parametrize(
    "option, value, message",
    [
        ("--test", "2", r"--test: found \[2\], expected folds from 0 to 1"),
        ("--folds", "4", "--folds: found 4, expected 2 to 3, the number of articles"),
        ("--folds", "0", "--folds: found 0, expected 2 to 3, the number of articles"),
        ("--overrides", "trainer", "-o trainer: found no JSON"),
        ("--annotator", "siev_coref", "siev_coref"),
    ],
)
def test_a_bad_value_leaves_no_folder(validate, tmp_path, option, value, message):
    with pytest.raises(ConfigurationError, match=message):
        validate(tmp_path / "folds", option, value)
    assert not (tmp_path / "folds").exists()


def test_folds_of_earlier_versions_are_refused(validate, tmp_path):
    settings = {"annotator": "sieve_coref", "epochs": 7, "folds": 5, "overrides": "{}", "path": "a.json", "seed": 1}
    (tmp_path / "settings.json").write_text(json.dumps(settings))
    message = (
        "settings.json: found folds that an earlier version dealt by passage, expected folds dealt by article; give"
    )
    with pytest.raises(ConfigurationError, match=message):
        validate(tmp_path)
    assert json.loads((tmp_path / "settings.json").read_text()) == settings


@pytest.mark.slow
def test_cross_validation(script, validate, monkeypatch, tmp_path):
    trained, train, output = [], script.train_model, tmp_path / "folds"

    def run(*arguments):
        return validate(output, "--epochs", 1, "--write-results", tmp_path / "runs.csv", *arguments)

    def train_model(params, folder, recover):
        trained.append(Path(folder).name)
        if len(trained) == 2:
            raise KeyboardInterrupt
        return train(params, folder, recover=recover)

    monkeypatch.setattr(script, "train_model", train_model)
    with pytest.raises(KeyboardInterrupt):
        run("--models", "qanet")
    # Every question is answered once, by a model that has not seen its article.
    folds = [[document for _, document in read_documents(f"{output}/test_{fold}.jsonl")] for fold in range(2)]
    for fold in range(2):
        assert [document for _, document in read_documents(f"{output}/train_{fold}.jsonl")] == folds[1 - fold]
    assert [document.text.id for document in sum(folds, [])] == ["c0ffee", "decade", "facade", "bedbed"]
    assert [{document.data["title"] for document in fold} for fold in folds] == [
        {"The lighthouse"},
        {"Dukes", "A radio"},
    ]
    found = [json.loads(line) for line in (output / "qanet_0.jsonl").read_text().splitlines()]
    assert {(one["article"], one["passage"]) for one in found} == {
        ("The lighthouse", "c0ffee"),
        ("The lighthouse", "decade"),
    }
    # The answers are those of the model without dropout.
    model, seen = script.load_archive(f"{output}/qanet_0/model.tar.gz"), []
    model.model.register_forward_hook(lambda module, inputs, output: seen.append(module.training))
    assert script.predictions(model, f"{output}/test_0.jsonl") == found and not any(seen)
    (line,) = read_lines(f"{tmp_path}/runs.csv")
    assert line["run"] == "folds/qanet/fold_1/seed_1" and line["commit"] and line["hardware"]
    assert line["note"] == "a fold of scripts/cross_validate_quoref.py, dealt by article"
    assert float(line["test_f1"]) == pytest.approx(sum(one["f1"] for one in found) / len(found))
    assert right_answers(line) == [one["exact_match"] == 1 for one in found] and line["questions"] == str(len(found))
    # The same answers for the other fold, and another model with less in everything.
    for name, fold, less in (("qanet", 0, 0), ("qanet", 1, 0), ("gru", 0, 0.5), ("gru", 1, 0.5)):
        lines = [{**one, "id": f"{one['id']} {fold}", "f1": one["f1"] - less} for one in found]
        (output / f"{name}_{fold}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    *_, exact_match, f1 = run("--models", "qanet", "gru")
    assert exact_match.startswith("gru - qanet, exact_match: +0.00, 95 % interval +0.00 to +0.00, p = 1.000, ")
    assert f1.startswith("gru - qanet, f1: -50.00, 95 % interval -50.00 to -50.00, p = 0.000, ")
    # One fold alone, against a model of another folder.
    counts, other, exact_match, f1 = run("--models", "gru", "--test", 1, "--against", output / "qanet")
    assert counts.startswith(f"gru: {len(found)} questions, 2 passages, 1 article: ")
    assert other.startswith(f"{output}/qanet: {len(found)} questions, ")
    assert f1.startswith(f"gru - {output}/qanet, f1: -50.00, 95 % interval -50.00 to -50.00, ")
    with pytest.raises(ConfigurationError, match=r"--test: found \[2\], expected folds from 0 to 1"):
        run("--test", 2)
    # Complete folds are not trained again.
    assert trained == ["qanet_0", "qanet_1"]
    with pytest.raises(ConfigurationError, match="settings.json: found .* expected .* give another folder as --output"):
        run("--seed", "2")


def test_articles_are_drawn(script, monkeypatch, capsys, tmp_path):
    """Two articles, of which one has two passages: a sample has the one, the other, or both."""
    rows = [("q1", "a", "p1", 1.0), ("q2", "a", "p2", 0.5), ("q3", "b", "p3", 0.0)]
    for name, factor in (("qanet", 0), ("gru", 1)):
        lines = [
            {
                "id": id,
                "article": article,
                "passage": passage,
                "answer_texts": ["Bo"],
                "exact_match": 0,
                "f1": factor * f1,
            }
            for id, article, passage, f1 in rows
        ]
        (tmp_path / f"{name}_0.jsonl").write_text("\n".join(map(json.dumps, lines)))
    arguments = type("Arguments", (), {"models": ["qanet", "gru"], "output": tmp_path, "against": []})
    script.print_scores(arguments, [0])
    first, second, _, f1 = capsys.readouterr().out.splitlines()
    assert second.startswith("gru: 3 questions, 3 passages, 2 articles: exact_match 0.00, f1 50.00, ")
    # Were passages drawn, a sample could have q1 alone, and the interval would end at 100.
    assert f1.startswith("gru - qanet, f1: +50.00, 95 % interval +0.00 to +75.00, ") and f1.endswith(", 2 articles")
    # Answers of another folder whose folds were dealt by passage.
    old = [{key: value for key, value in line.items() if key != "article"} for line in lines]
    (tmp_path / "old_0.jsonl").write_text("\n".join(map(json.dumps, old)))
    arguments.against = [tmp_path / "old"]
    with pytest.raises(
        ConfigurationError, match="old_0.jsonl: found answers of folds that an earlier version dealt by"
    ):
        script.print_scores(arguments, [0])


@pytest.mark.slow
def test_a_training_that_was_killed_comes_to_the_same_digits(script, validate, monkeypatch, tmp_path):
    save, train, recovered = Checkpointer.maybe_save_checkpoint, script.train_model, []

    def save_and_die(self, trainer, epochs, batches):
        saved = save(self, trainer, epochs, batches)
        if (epochs, batches) == (3, 0):
            raise Killed
        return saved

    def train_model(params, folder, recover):
        recovered.append(recover)
        return train(params, folder, recover=recover)

    def digits(output):
        """The weights that answer, the training's metrics, and the answers."""
        model = script.load_archive(str(output / "qanet_0" / "model.tar.gz")).model
        metrics = json.loads((output / "qanet_0" / "metrics.json").read_text())
        metrics = {key: value for key, value in metrics.items() if "memory" not in key and "duration" not in key}
        return model.state_dict(), metrics, (output / "qanet_0.jsonl").read_text()

    arguments = ("--models", "qanet", "--test", 0, "--epochs", 4)
    lines = validate(tmp_path / "undisturbed", *arguments)
    with monkeypatch.context() as patched:
        patched.setattr(Checkpointer, "maybe_save_checkpoint", save_and_die)
        with pytest.raises(Killed):
            validate(tmp_path / "killed", *arguments)
    monkeypatch.setattr(script, "train_model", train_model)
    assert validate(tmp_path / "killed", *arguments)[-1] == lines[-1] and recovered == [True]
    (weights, *rest), (expected, *others) = digits(tmp_path / "killed"), digits(tmp_path / "undisturbed")
    assert rest == others and weights.keys() == expected.keys()
    assert all(torch.equal(weights[name], expected[name]) for name in expected)
