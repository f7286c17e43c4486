import json
import shutil

import huggingface_hub
import pytest
import yaml
from allennlp.common import file_utils
from markdown_it import MarkdownIt

from tests.safe_archives.crafted import DATA, changed, make_folder, pack, refusal, run

ANNOTATOR = {"type": "exact_match_coref"}
METRICS = {"best_validation_accuracy": 0.51234, "test_accuracy": 0.5, "training_loss": 0.125, "best_epoch": 3}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    plain = make_folder(tmp_path_factory.mktemp("card") / "plain")
    embedder = {"type": "pretrained_transformer_mismatched", "model_name": "made-up/tiny-bert"}
    changes = {
        "dataset_reader.annotator": ANNOTATOR,
        "train_data_path": "data/a|b.txt",
        "model.other": {"token_embedders": {"bert": embedder}},
    }
    trained = changed(plain, plain.parent / "trained", changes)
    (trained / "metrics.json").write_text(json.dumps(METRICS))
    return trained


def front_matter(card):
    _, head, _ = card.split("---\n", 2)
    return yaml.safe_load(head)


@pytest.mark.parametrize("packed", [False, True])
def test_a_card_tells_what_the_training_has_left(packed, folder, tmp_path, capsys):
    copy = shutil.copytree(folder, tmp_path / "my-reader")
    archive = pack(copy, copy / "model.tar.gz") if packed else copy
    status, out, _ = run(capsys, "card", archive, "--licence", "cc-by-4.0")
    assert status == 0 and out.startswith(f"{copy / 'README.md'}: a model card")
    card = (copy / "README.md").read_text()
    assert front_matter(card)["license"] == "cc-by-4.0"
    lines = card.splitlines()
    assert "# my-reader" in lines
    assert "| train | `data/a\\|b.txt` |" in lines
    assert "- `made-up/tiny-bert`" in lines
    assert "| `best_validation_accuracy` | 0.5123 |" in lines
    assert "| `test_accuracy` | 0.5 |" in lines
    assert "training_loss" not in card and "best_epoch" not in card
    reader = json.loads((copy / "config.json").read_text())["dataset_reader"]
    settings = {key: value for key, value in reader.items() if key in ("folder", "task", "max_instances")}
    blocks = [json.loads(block.split("```")[0]) for block in card.split("```json\n")[1:]]
    assert settings and blocks[:2] == [settings, ANNOTATOR]
    assert "{{" not in card and "{%" not in card


def test_a_card_asks_for_what_is_not_known(folder, tmp_path, capsys):
    copy = shutil.copytree(folder, tmp_path / "run")
    (copy / "metrics.json").unlink()
    assert "so it has no metrics" in run(capsys, "card", copy)[1]
    card = (copy / "README.md").read_text()
    assert front_matter(card)["license"] == "unknown"
    assert "*Choose a licence" in card and "*There was no `metrics.json`" in card


def test_a_model_of_structure_annotates_and_answers_nothing(folder, tmp_path, capsys):
    copy = changed(folder, tmp_path / "structure", {"model": {"type": "multitask"}})
    assert run(capsys, "card", copy)[0] == 0
    card = (copy / "README.md").read_text()
    assert "pipeline_tag" not in front_matter(card) and "coref-rc predict" not in card
    assert """--annotator '{"type": "structure_model", "archive": "ARCHIVE"}'""" in card


def test_a_card_that_somebody_has_written_stays(folder, tmp_path, capsys):
    copy = shutil.copytree(folder, tmp_path / "run")
    (copy / "README.md").write_text("mine")
    assert refusal(capsys, "card", copy) == f"{copy / 'README.md'} is there already; -f replaces it\n"
    assert (copy / "README.md").read_text() == "mine"
    assert run(capsys, "card", copy, "-f", "--title", "A reader")[0] == 0
    assert "\n# A reader\n" in (copy / "README.md").read_text()


def test_a_name_in_a_config_is_no_part_of_the_page(folder, tmp_path, capsys):
    evil = "`<img src=x onerror=alert(1)>`"
    keys = ("model.type", "dataset_reader.type", "dataset_reader.other", "train_data_path")
    copy = changed(folder, tmp_path / "evil", dict.fromkeys(keys, f"{evil}\n\n{evil}"))
    assert run(capsys, "card", copy)[0] == 0
    tokens = MarkdownIt("commonmark").parse((copy / "README.md").read_text().split("---\n", 2)[2])
    kinds = {token.type for outer in tokens for token in [outer, *(outer.children or [])]}
    assert "code_inline" in kinds and not kinds & {"html_inline", "html_block"}


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """The cache of the Hugging Face hub without a network: it holds files as links to blobs."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    # Sessions that were opened before would look for the network, several times.
    if hasattr(huggingface_hub, "close_session"):
        huggingface_hub.close_session()
    else:  # before 1.0
        huggingface_hub.configure_http_backend()
    monkeypatch.setattr(file_utils, "CACHE_DIRECTORY", str(tmp_path / "cache"))

    def publish(name, files):
        repository = tmp_path / "cache" / f"models--{name.replace('/', '--')}"
        commit = "0123456789abcdef0123456789abcdef01234567"
        (repository / "refs").mkdir(parents=True)
        (repository / "refs" / "main").write_text(commit)
        (repository / "blobs").mkdir()
        found = [path for path in files.rglob("*") if path.is_file()]
        for number, path in enumerate(found):
            shutil.copy(path, repository / "blobs" / str(number))
            link = repository / "snapshots" / commit / path.relative_to(files)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(repository / "blobs" / str(number))

    return publish


@pytest.mark.slow
def test_models_load_from_the_hub_and_are_not_trusted(hub, tmp_path, capsys):
    plain = make_folder(tmp_path / "plain")
    (plain / "vocabulary" / ".lock").touch()
    packed = tmp_path / "packed"
    packed.mkdir()
    pack(plain, packed / "model.tar.gz")
    hub("someone/folder", plain)
    hub("someone/archive", packed)
    hub("someone/stranger", changed(plain, tmp_path / "stranger", {"model.type": "stranger.Anything"}))
    for address in ("hf://someone/folder", "hf://someone/archive/model.tar.gz"):
        status, out, err = run(capsys, "evaluate", address, DATA)
        assert status == 0, err
        assert "accuracy" in out
    address = "hf://someone/stranger"
    assert refusal(capsys, "evaluate", address, DATA).startswith(
        f"{address}: found 'stranger.Anything' in its config"
    )
    address = "hf://someone/nothing"
    assert refusal(capsys, "evaluate", address, DATA).startswith(
        f"{address}: cannot get an archive from there: "
    )
