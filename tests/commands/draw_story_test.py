import re
import shutil

import pytest
import torch

from allennlp_coref_rc.__main__ import main
from allennlp_coref_rc.pages.stories import shown_candidates
from allennlp_coref_rc.reproduction.figures.stories import load_reader
from tests.archives import untrained_archive
from tests.pages.parsed import parse
from tests.safe_archives.crafted import refusal
from tests.training_config.configs import BABI as FILES

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    folder = tmp_path_factory.mktemp("archives")
    return {
        "GA": untrained_archive(folder / "gru", 8),
        "selection": untrained_archive(folder / "selection", 8, {"model.classifier": {"type": "selection"}}),
        "extractive": untrained_archive(folder / "extractive", 2),
    }


def run(*arguments):
    main(["draw", "story", *map(str, arguments)])


def read(path):
    """The page, and the rows of each of its tables, as the texts of cells that are not empty."""
    page = parse(path.read_text())
    return page, [
        [[cell.text for cell in row.content if cell.text] for row in table.all(tag="tr")]
        for table in page.all(tag="table")
    ]


def test_pages_and_pictures_have_what_readers_believe_after_each_sentence(tmp_path, archives):
    names = "GA", "selection"
    arguments = [f"{name}={archives[name]}" for name in names]
    run(tmp_path / "out", FILES / "qa8_test.txt", *arguments, "--questions", "2", "1")
    expected = [f"question_{number}.{kind}" for number in (1, 2) for kind in ("html", "png")]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == expected
    for path in (tmp_path / "out").glob("*.png"):
        assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    page, tables = read(tmp_path / "out" / "question_2.html")
    statements = ["Julie grabbed the milk.", "Julie got the football there."]
    assert [bold.text for bold in page.all(tag="b")] == ["milk,football", *statements * 2]
    assert [cell.text for cell in page.all(tag="th", of_class="answer")] == ["milk,football"] * 2
    for name, ((*candidates,), *rows) in zip(names, tables):
        assert candidates == sorted(candidates) and "milk,football" in candidates
        assert [row[0] for row in rows] == statements
        predictor = load_reader(archives[name])
        for end, (_, *values) in enumerate(rows, start=1):
            story = {"passage": statements[:end], "question": "What is Julie carrying?"}
            believed = predictor.predict_json(story)["candidate_probabilities"]
            found = [float(value) for value in values]
            assert found == pytest.approx([believed.get(candidate, 0) for candidate in candidates], abs=6e-5)


def test_the_folder_of_a_training_is_a_reader_too(tmp_path, archives):
    shutil.unpack_archive(archives["GA"], tmp_path)
    assert load_reader(str(tmp_path))


@pytest.mark.parametrize("name", ["GA", "selection"])
def test_at_boundaries_it_is_the_encoding_there_that_answers(tmp_path, archives, name):
    story = FILES / "qa8_test.txt"
    run(tmp_path, story, f"x={archives[name]}", "--questions", "2", "--way", "boundaries")
    _, (((*candidates,), *rows),) = read(tmp_path / "question_2.html")
    predictor = load_reader(archives[name])
    layer, seen = predictor._model._answer_layer, []
    layer.register_forward_pre_hook(lambda _, arguments: seen.append(arguments))
    statements = ["Julie grabbed the milk.", "Julie got the football there."]
    predictor.predict_json({"passage": statements, "question": "What is Julie carrying?"})
    # Of five and six tokens.
    passage, query, *_ = seen[0]
    encodings = passage.vectors[0, [4, 10]]
    if name == "GA":
        encodings = encodings * query
    expected = layer._output(encodings).softmax(dim=-1)
    known = predictor._model.vocab.get_token_to_index_vocabulary("class_labels")
    found = torch.tensor([[float(value) for value in values] for _, *values in rows])
    # The correct answer is shown even to a reader that does not know it.
    assert set(candidates) == {*known, "milk,football"}
    assert (found[:, candidates.index("milk,football")] == 0).all()
    for candidate, index in known.items():
        assert torch.allclose(found[:, candidates.index(candidate)], expected[:, index], atol=6e-5)
    assert found.std() > 0.05


def test_readers_that_point_know_only_what_they_have_read(tmp_path, archives):
    run(tmp_path, "test", archives["extractive"])
    _, (((*candidates,), *rows),) = read(tmp_path / "question_1.html")
    assert [row[0] for row in rows][0] == "Julie moved to the cinema."
    values = {name: [float(row[i]) for row in rows] for i, name in enumerate(candidates, start=1)}
    # "Office" comes with the third sentence, "school" with the fourth.
    assert values["office"][:2] == [0, 0] and values["office"][2] > 0
    assert values["school"][:3] == [0, 0, 0] and values["school"][3] > 0


def test_of_many_candidates_the_probable_ones_are_shown():
    sentences = [{f"c{i:02d}": i / 100 for i in range(30)}, {"c05": 0.9, "c00": 0.0}]
    shown = shown_candidates([sentences], "c00")
    assert shown == ["c00", "c05"] + [f"c{i}" for i in range(12, 30)]


def test_what_is_wrong_is_named_and_nothing_is_written(tmp_path, capsys, archives):
    words = "draw", "story", tmp_path / "out"
    error = refusal(capsys, *words, FILES / "qa8_test.txt", f"x={archives['GA']}", "--questions", 3)
    assert re.search("qa8_test.txt: found 2 questions, expected .* of 1 to 2, not 3", error)
    error = refusal(capsys, *words, FILES / "qa2_test.txt", archives["extractive"], "--way", "boundaries")
    assert "the way boundaries: found a reader that points at words" in error
    quoref = FILES.parent / "quoref" / "train.json"
    assert f"{quoref}, line 1: found " in refusal(capsys, *words, quoref, archives["GA"])
    assert not (tmp_path / "out").exists()
