"""The folds of Quoref's articles."""

import hashlib
import json
import os
import random
from collections import Counter
from itertools import product

import pytest

from allennlp_coref_rc.annotations import read_documents, write_documents
from allennlp_coref_rc.annotations.annotators import ExactMatchCoref
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.dataset_readers import AnnotatedQuorefReader
from allennlp_coref_rc.data.folds import deal, write_folds
from tests.shared import PROJECT, QUOREF, needs_quoref

FIXTURES = PROJECT / "tests" / "fixtures" / "quoref"


@pytest.fixture
def path(tmp_path):
    """A file of three articles: The lighthouse (two passages), Dukes, A radio."""
    files = (
        json.loads((FIXTURES / f"{split}.json").read_text(encoding="utf-8")) for split in ("train", "dev")
    )
    (tmp_path / "quoref.json").write_text(
        json.dumps({"data": [article for file in files for article in file["data"]]})
    )
    return tmp_path / "quoref.json"


def articles(*numbers):
    """Titles with these numbers of passages."""
    return {f"article {i}": number for i, number in enumerate(numbers)}


def passages_by_fold(passages, fold_of):
    sizes = Counter()
    for title, fold in fold_of.items():
        sizes[fold] += passages[title]
    return sorted(sizes.values())


@pytest.mark.parametrize(
    "numbers", [(1, 1, 1), (3, 1, 1), (4, 3, 2, 2, 1, 1), (5, 3, 3, 1, 1, 1, 1), (9, 8, *[1] * 30)]
)
@pytest.mark.parametrize("folds", [2, 3])
def test_folds_are_as_equal_as_any(numbers, folds):
    """As those of the best of all deals, where these can be listed; else within one passage."""
    fold_of = deal(articles(*numbers), folds, seed=1)
    assert fold_of.keys() == articles(*numbers).keys() and set(fold_of.values()) == set(range(1, folds + 1))
    sizes = passages_by_fold(articles(*numbers), fold_of)
    if len(numbers) > 8:
        assert sizes[-1] - sizes[0] <= 1
        return
    all_sizes = (
        [sum(number for number, fold in zip(numbers, dealt) if fold == i) for i in range(folds)]
        for dealt in product(range(folds), repeat=len(numbers))
    )
    assert sizes[-1] - sizes[0] == min(max(size) - min(size) for size in all_sizes)


def test_the_seed_alone_says_which_articles_are_together():
    passages = articles(7, 5, 3, *[2] * 6, *[1] * 40)
    random_state = random.getstate()
    first, again, other = (deal(passages, 5, seed) for seed in (1, 1, 2))
    assert first == again != other
    assert passages_by_fold(passages, first) == passages_by_fold(passages, other)
    assert random.getstate() == random_state


def test_every_article_is_tested_in_one_fold_and_trained_in_all_others(path, tmp_path):
    written = list(write_folds(str(path), str(tmp_path / "folds"), 2))
    names = [f"fold_{fold}/{name}.json" for fold in (1, 2) for name in ("train", "test")]
    assert written == [(str(tmp_path / "folds" / name), 2) for name in names]
    (train_1, test_1, train_2, test_2) = (
        json.loads((tmp_path / "folds" / name).read_text()) for name in names
    )
    assert train_1 == test_2 and train_2 == test_1
    assert [article["title"] for article in test_1["data"]] == ["The lighthouse"]
    assert test_1["data"] + test_2["data"] == json.loads(path.read_text())["data"]


def test_folds_of_another_division_are_not_left_beside(path, tmp_path):
    (tmp_path / "fold_3").mkdir()
    with pytest.raises(
        ConfigurationError, match="fold_3: found a fold of another division, expected 2 folds"
    ):
        list(write_folds(str(path), str(tmp_path), 2))


def test_annotated_files_have_the_same_folds(path, tmp_path):
    plain = list(write_folds(str(path), str(tmp_path / "plain"), 2))
    reader = AnnotatedQuorefReader(annotator=ExactMatchCoref())
    documents = [document for _, document in reader.documents(str(path))]
    write_documents(str(tmp_path / "annotated"), documents, {"reader": "annotated_quoref"})
    annotated = {document.text.id: document for _, document in read_documents(str(tmp_path / "annotated"))}
    assert any(document.text.clusters for document in annotated.values())
    written = list(write_folds(str(tmp_path / "annotated"), str(tmp_path / "folds"), 2))
    assert [number for _, number in written] == [number for _, number in plain]
    assert [os.path.basename(name) for name, _ in written] == ["train.jsonl", "test.jsonl"] * 2
    for (plain_path, _), (annotated_path, _) in zip(plain, written):
        expected = [document.text.id for _, document in AnnotatedQuorefReader().documents(plain_path)]
        found = [document for _, document in AnnotatedQuorefReader().documents(annotated_path)]
        assert found == [annotated[id] for id in expected]


@needs_quoref
def test_the_published_results_have_these_folds(tmp_path):
    """The digests are of the ids of each fold's questions in the runs of docs/results/quoref.md."""
    passages = [
        number for path, number in write_folds(str(QUOREF), str(tmp_path)) if path.endswith("test.json")
    ]
    assert passages == [91, 91, 91, 91, 90]
    questions, titles = [], []
    for fold in range(1, 6):
        train, test = (
            json.loads((tmp_path / f"fold_{fold}/{name}.json").read_text())["data"]
            for name in ("train", "test")
        )
        questions.append(
            [question["id"] for article in test for part in article["paragraphs"] for question in part["qas"]]
        )
        titles.append([{article["title"] for article in articles} for articles in (train, test)])
    assert [len(ids) for ids in questions] == [509, 524, 484, 405, 496]
    digests = [hashlib.sha256("\n".join(ids).encode()).hexdigest()[:12] for ids in questions]
    assert digests == ["57212bc02e2a", "512c949a3bf1", "8140c07c87dc", "ff1a937ce0fb", "8b31020768a8"]
    assert all(not train & test and len(train | test) == 268 for train, test in titles)


@pytest.mark.parametrize("folds", [0, 1, 4])
def test_numbers_of_folds_that_cannot_be(path, tmp_path, folds):
    with pytest.raises(ConfigurationError, match=f"--folds: found {folds}, expected 2 to 3"):
        list(write_folds(str(path), str(tmp_path / "folds"), folds))
    assert not (tmp_path / "folds").exists()


def test_articles_need_titles(path, tmp_path):
    values = json.loads(path.read_text())
    del values["data"][1]["title"]
    path.write_text(json.dumps(values))
    with pytest.raises(ConfigurationError, match=r"quoref.json, data\[1\]: .* 'title'"):
        list(write_folds(str(path), str(tmp_path / "folds"), 2))
    assert not (tmp_path / "folds").exists()
