"""A stranger's archive must not run code, reach files or use the network. Each case here once did."""

import io
import json
import os
import shutil
import sys
from contextlib import suppress
from unittest.mock import Mock

import pytest
from allennlp.common import Params, file_utils
from allennlp.common.checks import ConfigurationError
from allennlp.models import Model
from allennlp_models.structured_prediction.dataset_readers.srl import SrlReader

from allennlp_coref_rc.__main__ import main
from allennlp_coref_rc.annotations.annotators import ExactMatchCoref
from allennlp_coref_rc.api.annotate import annotate
from allennlp_coref_rc.api.load import load as load_answering
from allennlp_coref_rc.data.dataset_readers import AnnotatedBabiReader
from allennlp_coref_rc.playground.reader_session import Question, ReaderSession
from allennlp_coref_rc.reproduction.figures.stories import load_reader
from allennlp_coref_rc.safe_archives.archives import load, trusting
from tests.annotations.annotators.archives import SRL, make_archive
from tests.safe_archives.crafted import (
    DATA,
    changed,
    escaping_tar,
    load_refusal,
    pack,
    refusal,
    run,
)

pytestmark = pytest.mark.slow

STRANGER = {"type": "stranger.Anything"}

PLACES = {
    "dataset_reader": STRANGER,
    "dataset_reader.annotator": STRANGER,
    "dataset_reader.token_indexers": {"tokens": STRANGER},
    "dataset_reader.annotation_layers": {"edges": STRANGER},
    "validation_dataset_reader": STRANGER,
    "model": STRANGER,
    "model.text_field_embedder.token_embedders.tokens": STRANGER,
    "model.type": "stranger.Anything",
    "vocabulary": STRANGER,
    "data_loader": STRANGER,
    "data_loader.batch_sampler": "stranger.Anything",
    "validation_data_loader": STRANGER,
    "evaluation": STRANGER,
    "evaluation.batch_serializer": STRANGER,
}
"""Where a config can name a class."""


@pytest.fixture
def stranger(tmp_path, monkeypatch):
    """A module that tells when it is imported: by a file."""
    told = tmp_path / "told"
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "stranger.py").write_text(
        f"open({str(told)!r}, 'w').close()\nclass Anything: pass\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path / "modules"))
    yield told
    sys.modules.pop("stranger", None)


@pytest.fixture
def archive_with(folder, tmp_path):
    def make(changes):
        return pack(changed(folder, tmp_path / "changed", changes), tmp_path / "model.tar.gz")

    return make


def evaluate(capsys, archive, *more):
    return refusal(capsys, "evaluate", archive, DATA, *more)


@pytest.mark.parametrize("place", PLACES)
def test_nothing_is_imported_that_a_config_names(place, archive_with, stranger, capsys):
    archive = archive_with({"validation_data_loader": None, place: PLACES[place]})
    message = evaluate(capsys, archive)
    assert message.startswith(f"{archive}: found 'stranger.Anything' in its config where a ")
    assert "add --trust" in message
    assert not stranger.exists()


def test_a_folder_is_trusted_no_more(folder, tmp_path, stranger, capsys):
    copy = changed(folder, tmp_path / "run", {"dataset_reader.annotator": STRANGER})
    assert evaluate(capsys, copy).startswith(f"{copy}: found 'stranger.Anything'")
    assert not stranger.exists()


def test_a_stranger_is_trusted_if_the_user_says_so(archive_with, stranger, capsys):
    archive = archive_with({"evaluation": {"type": "stranger.Anything"}})
    assert "Anything() takes no arguments" in refusal(capsys, "evaluate", archive, DATA, "--trust")
    assert stranger.exists()


def test_trusted_classes_work_by_their_dotted_names(archive_with, tmp_path, capsys):
    name = f"{AnnotatedBabiReader.__module__}.{AnnotatedBabiReader.__name__}"
    archive = archive_with({"dataset_reader.type": name})
    output = tmp_path / "predictions.jsonl"
    words = ["predict", archive, DATA, "--use-dataset-reader", "--output-file", output]
    assert f"found '{name}'" in refusal(capsys, *words) and not output.exists()
    assert run(capsys, *words, "--trust")[0] == 0
    assert json.loads(output.read_text().splitlines()[0])["answer"]


def test_own_configs_may_name_classes_anywhere(folder, tmp_path, capsys):
    config = json.loads((folder / "config.json").read_text())
    config["dataset_reader"]["type"] = f"{AnnotatedBabiReader.__module__}.{AnnotatedBabiReader.__name__}"
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert run(capsys, "train", tmp_path / "config.json", "-s", tmp_path / "run", "--dry-run")[0] == 0
    assert (tmp_path / "run" / "vocabulary").is_dir()


def test_overrides_need_trust_too(folder, tmp_path, stranger, capsys):
    archive = pack(folder, tmp_path / "model.tar.gz")
    message = evaluate(capsys, archive, "-o", json.dumps({"dataset_reader.annotator": STRANGER}))
    assert "found 'stranger.Anything'" in message and not stranger.exists()


def test_paths_in_overrides_are_the_users_own(folder, tmp_path, capsys):
    archive = pack(
        changed(folder, tmp_path / "moved", {"dataset_reader.folder": "nowhere"}), tmp_path / "model.tar.gz"
    )
    parts = json.dumps({"dataset_reader.folder": os.path.dirname(DATA)})
    assert run(capsys, "evaluate", archive, "test", "-o", parts)[0] == 0


NO_FILE = "no file, folder or program"
ANNOTATOR = "dataset_reader.annotator"
TOKENIZER = "dataset_reader.tokenizer"
PRETRAINED = {"type": "pretrained", "weights_file_path": "/x"}


@pytest.mark.parametrize(
    "key, value, reason",
    [
        ("model.evalb_directory_path", "/tmp; touch x", NO_FILE),
        ("model.srl_eval_path", "run/vocabulary/evil.pl", NO_FILE),
        ("dataset_reader.feature_cache_dir", "/home", NO_FILE),
        ("dataset_reader.token_indexers.tokens.pretrained_file", "/etc/passwd", NO_FILE),
        ("model.vocab.directory", "/home", NO_FILE),
        ("model.vocab.pretrained_files", {"tokens": "/etc/passwd"}, NO_FILE),
        ("model.initializers.regexes", [[".*", PRETRAINED]], NO_FILE),
        ("evaluation.files", ["/etc/passwd"], NO_FILE),
        ("data_loader.data_path", "/etc/passwd", NO_FILE),
        (ANNOTATOR, {"type": "fastcoref", "model_name_or_path": "x"}, NO_FILE),
        ("model.tokenizer_kwargs", {"trust_remote_code": True}, "only add_prefix_space, "),
        ("model.transformer_kwargs", {"weights_only": False}, "only add_prefix_space, "),
        ("model.embedder.trust_remote_code", True, "no code may come with a model"),
        (f"{ANNOTATOR}.archive", "https://stranger.org/x.tar.gz", "nothing on the network"),
        (f"{ANNOTATOR}.path", "s3://stranger/x.json", "nothing on the network"),
        ("model.model_name", "https://stranger.org/bert", "nothing on the network"),
        (TOKENIZER, {"type": "spacy", "language": "./evil_model"}, "expected a spaCy model"),
        (TOKENIZER, {"type": "spacy", "language": "no_such_model"}, "expected a spaCy model"),
        (f"{ANNOTATOR}.spacy_model", "/tmp/evil_model", "expected a spaCy model"),
        (f"{ANNOTATOR}.overrides", '{"model.x.trust_remote_code": true}', "would be run as Jsonnet"),
        (f"{ANNOTATOR}.overrides", {"model.x.trust_remote_code": True}, "no code may come with a model"),
        (f"{ANNOTATOR}.overrides", {"model.a.x_kwargs.revision": "b"}, "only add_prefix_space, "),
        (f"{ANNOTATOR}.overrides", {"model.a.files": "/etc/passwd"}, NO_FILE),
    ],
)
def test_registered_classes_are_kept_to_the_archive_too(key, value, reason, archive_with):
    archive = archive_with({key: value})
    message = load_refusal(archive)
    assert message.startswith(f"{archive}: found {key}") and reason in message and "add --trust" in message


@pytest.fixture
def asked(monkeypatch):
    """What was asked of the network. Nothing answers."""
    asked = []

    def ask(*address, **options):
        asked.append(address)
        raise OSError("no network")

    monkeypatch.setattr("socket.getaddrinfo", ask)
    monkeypatch.setattr("socket.create_connection", ask)
    monkeypatch.setattr("subprocess.run", ask)
    monkeypatch.setattr("urllib3.util.Retry.sleep", Mock())
    return asked


WORDS = {"tokenizer": "whitespace", "token_indexers": {"tokens": "single_id"}}


ELMO = {"type": "elmo_token_embedder"}
CLASSIFICATION = {"type": "text_classification_json", "tokenizer": "spacy"}


@pytest.mark.parametrize(
    "key, value, named",
    [
        ("model.text_field_embedder.token_embedders.tokens", ELMO, "https://allennlp.s3.amazonaws.com"),
        ("dataset_reader", CLASSIFICATION, "spaCy model en_core_web_sm"),
    ],
)
def test_no_default_asks_the_network(key, value, named, archive_with, asked, monkeypatch):
    monkeypatch.setattr("spacy.load", Mock(side_effect=OSError("no model")))
    archive = archive_with({key: value})
    message = load_refusal(archive)
    assert message.startswith(f"{archive}: ") and named in message and not asked
    with pytest.raises((ConfigurationError, SystemExit)):
        load(archive, trust=True)
    assert asked


@pytest.mark.parametrize(
    "reader, split, host",
    [
        ("visual-entailment", "dev", "storage.googleapis.com"),
        ("gqa", "testdev_all", "nlp.stanford.edu"),
        ("vqav2", "balanced_real_val", "s3.amazonaws.com"),
    ],
)
@pytest.mark.parametrize("command", [["evaluate"], ["predict", "--use-dataset-reader"]], ids=" ".join)
def test_nor_does_a_reader_when_it_reads(command, reader, split, host, archive_with, asked, capsys):
    archive = archive_with({"dataset_reader": {"type": reader, "image_dir": None, **WORDS}})
    name, *options = command
    message = refusal(capsys, name, archive, split, *options)
    assert f"found https://{host}/" in message and "add --trust" in message and not asked
    with suppress(Exception, SystemExit):
        main([name, str(archive), split, *options, "--trust"])
    assert asked


def test_what_the_user_names_is_downloaded(archive_with, asked):
    address = "https://storage.googleapis.com/allennlp-public-data/snli-ve/snli_ve_dev.jsonl.gz"
    archive = archive_with({"dataset_reader": {"type": "visual-entailment", "image_dir": None, **WORDS}})
    with suppress(Exception, SystemExit):
        main(["evaluate", str(archive), address])
    assert asked


def download(*_):
    file_utils.cached_path("https://stranger.org/x")


def test_nor_does_the_archive_of_an_annotator_when_it_annotates(tmp_path, asked, monkeypatch, capsys):
    archive = make_archive(tmp_path / "srl", SRL)
    annotator = {"type": "allennlp_srl", "archive": archive, "predicates": "words"}
    monkeypatch.setattr(SrlReader, "apply_token_indexers", download)
    with pytest.raises(ConfigurationError, match="found https://stranger.org/x, and an archive may"):
        annotate("She left.", annotator)
    (tmp_path / "texts.txt").write_text("She left.\n")
    words = ["annotate", tmp_path / "texts.txt", tmp_path / "out.jsonl", "--annotator", json.dumps(annotator)]
    assert run(capsys, *words, "--workers", 0)[0] == 1 and not asked
    assert "found https://stranger.org/x" in (tmp_path / "out.jsonl.failed.jsonl").read_text()
    run(capsys, *words, "--workers", 0, "--trust", "--force")
    assert asked


def test_nor_does_a_reader_that_answers(folder, tmp_path, asked, monkeypatch):
    archive = changed(folder, tmp_path / "run", {"dataset_reader.annotator": "exact_match_coref"})
    monkeypatch.setattr(ExactMatchCoref, "annotate", download)
    question = Question("She went home.", "Where is she?")
    with pytest.raises(ConfigurationError, match="found https://stranger.org/x, and an archive may"):
        ReaderSession(str(archive)).read(question)
    assert not asked
    for reader in (
        load_answering(archive, trust=True),
        load_answering(archive).with_annotator(ExactMatchCoref()),
    ):
        with pytest.raises(OSError):
            reader.answer("She went home.", "Where is she?")
        assert asked
        asked.clear()


def test_a_language_of_spacy_is_no_model(archive_with):
    tokenizer = {"type": "blank_spacy", "language_code": "de"}
    reader = {"type": "text_classification_json", "tokenizer": tokenizer}
    words = load(archive_with({"dataset_reader": reader}), trust=False).dataset_reader._tokenizer.tokenize(
        "z.B. so"
    )
    assert [word.text for word in words] == ["z.B.", "so"]


def test_a_local_archive_needs_no_cache(archive_with, monkeypatch):
    monkeypatch.setattr("allennlp.common.file_utils.CACHE_DIRECTORY", "/proc/nowhere")
    assert load(archive_with({}), trust=False).model


@pytest.mark.parametrize("reader", ["gqa", "vqav2", "vgqa"])
def test_readers_of_pictures_unpack_nothing(reader, archive_with, outside, tmp_path):
    """Their `answer_vocab` may be an archive, for instance the stranger's own."""
    evil = escaping_tar(tmp_path / "evil.tgz", "chained links")
    words = {"tokenizer": "whitespace", "token_indexers": {"tokens": "single_id"}}
    reader_config = {"type": reader, "image_dir": None, "answer_vocab": str(evil), **words}
    archive = archive_with({"dataset_reader": reader_config})
    message = load_refusal(archive)
    assert message.startswith(f"{archive}: found dataset_reader.answer_vocab")
    assert "may be the name of a file" in message
    with pytest.raises(ConfigurationError, match="evil.tgz: found the .*nothing is used"):
        load(archive, trust=True)
    assert os.listdir(outside) == []


def test_a_class_of_a_package_that_is_not_imported(archive_with, monkeypatch):
    """The names that are known stand in the middle of the message, and may be many."""
    monkeypatch.setattr("allennlp_coref_rc.safe_archives.archives.LONGEST", 500)
    archive = archive_with({"dataset_reader.type": "unheard_of"})
    message = load_refusal(archive)
    assert "unheard_of not in acceptable choices for dataset_reader.type" in message
    assert "--include-package" in message
    assert len(message) <= len(f"{archive}: ") + 500


def test_nobody_is_asked_whether_to_run_a_transformers_code(archive_with, tmp_path, monkeypatch, capsys):
    """The answer may be the first line of a stranger's questions."""
    told, transformer = tmp_path / "told", tmp_path / "transformer"
    transformer.mkdir()
    (transformer / "code.py").write_text(f"open({str(told)!r}, 'w').close()\n")
    code = {"AutoConfig": "code.Config", "AutoModel": "code.Model"}
    (transformer / "config.json").write_text(json.dumps({"model_type": "strange", "auto_map": code}))
    embedder = {"type": "pretrained_transformer", "model_name": str(transformer)}
    archive = archive_with({"model.text_field_embedder.token_embedders.tokens": embedder})
    monkeypatch.setattr("sys.stdin", io.StringIO("y\ny\n"))
    assert "found no model that can be loaded" in evaluate(capsys, archive)
    assert not told.exists() and sys.stdin.read() == "y\ny\n"


@pytest.mark.parametrize(
    "text", ["import 'x.jsonnet'", "{ a: importstr '/etc/passwd' }", "{ a: std.extVar('HOME') }"]
)
def test_a_config_is_plain_json(text, folder, tmp_path):
    copy = changed(folder, tmp_path / "run", {})
    (copy / "config.json").write_text(text)
    archive = pack(copy, tmp_path / "model.tar.gz")
    assert load_refusal(archive).startswith(f"{archive}: found a config.json that is not plain JSON: ")


def test_the_embeddings_that_training_began_with_are_not_asked_for(archive_with, capsys):
    embedding = "model.text_field_embedder.token_embedders.tokens.pretrained_file"
    archive = archive_with(
        {embedding: "https://nlp.stanford.edu/data/glove.6B.zip", "model.initializer": "x.y"}
    )
    assert run(capsys, "evaluate", archive, DATA)[0] == 0


@pytest.mark.parametrize("name", ["vocabulary", "vocabulary/.lock"])
def test_the_lock_of_a_vocabulary_empties_no_other_file(name, folder, tmp_path, capsys):
    copy = changed(folder, tmp_path / "run", {})
    if name == "vocabulary":
        (copy / "vocabulary").rename(tmp_path / "elsewhere")
        (copy / "vocabulary").symlink_to(tmp_path / "elsewhere")
    else:
        (tmp_path / "letters").write_text("of value")
        (copy / "vocabulary" / ".lock").unlink(missing_ok=True)
        (copy / "vocabulary" / ".lock").symlink_to(tmp_path / "letters")
    message = evaluate(capsys, copy)
    assert message.startswith(f"{copy}: found the link {name}, which leads elsewhere")
    assert name == "vocabulary" or (tmp_path / "letters").read_text() == "of value"


def test_stories_are_not_drawn_by_strangers(archive_with, stranger, tmp_path, capsys):
    archive = archive_with({"dataset_reader.annotator": STRANGER})
    words = ["draw", "story", tmp_path / "drawn", DATA, f"x={archive}"]
    assert "found 'stranger.Anything'" in refusal(capsys, *words) and not stranger.exists()
    name = f"{AnnotatedBabiReader.__module__}.{AnnotatedBabiReader.__name__}"
    shutil.rmtree(tmp_path / "changed")
    assert load_reader(str(archive_with({"dataset_reader.type": name})), trust=True)


@pytest.fixture
def annotate_words(tmp_path):
    """A command that annotates with an archive, which names a class by its place."""
    archive = make_archive(tmp_path / "srl", SRL)
    config = json.loads((tmp_path / "srl" / "config.json").read_text())
    config["model"]["encoder"]["type"] = "allennlp.modules.seq2seq_encoders.LstmSeq2SeqEncoder"
    (tmp_path / "srl" / "config.json").write_text(json.dumps(config))
    pack(tmp_path / "srl", archive)
    (tmp_path / "texts.txt").write_text("She went home.\nHe left.\n")
    annotator = json.dumps({"type": "allennlp_srl", "archive": archive, "predicates": "words"})
    files = tmp_path / "texts.txt", tmp_path / "out.jsonl"
    return ["annotate", *files, "--annotator", annotator, "--chunk-size", 1]


@pytest.mark.parametrize("workers", [0, 2])
def test_documents_are_not_annotated_by_strangers_unless_they_are_trusted(
    workers, annotate_words, tmp_path, capsys
):
    words = [*annotate_words, "--workers", workers]
    assert "found 'allennlp.modules.seq2seq_encoders.LstmSeq2SeqEncoder'" in refusal(capsys, *words)
    assert not os.path.exists(tmp_path / "out.jsonl")
    status, _, err = run(capsys, *words, "--trust")
    assert status == 0 and not os.path.exists(tmp_path / "out.jsonl.failed.jsonl"), err


def test_trust_does_not_pass_from_a_stranger_to_another(archive_with, folder, stranger, tmp_path):
    """An annotator of an archive loads another archive when it is first used, long after the first."""
    inner = pack(
        changed(folder, tmp_path / "inner", {"dataset_reader.annotator": STRANGER}), tmp_path / "inner.tar.gz"
    )
    annotator = {"type": "allennlp_srl", "archive": str(inner), "predicates": "words"}
    archive = archive_with({"dataset_reader.annotator": annotator})
    reader = load(archive).dataset_reader
    with pytest.raises(ConfigurationError, match="inner.tar.gz: found 'stranger.Anything'"):
        list(reader.read(DATA))
    assert not stranger.exists()


def test_a_config_that_is_trained_may_begin_with_a_strangers_model(folder, tmp_path, stranger):
    """Within `coref-rc train` the archives that a config names are not trusted."""
    inner = pack(
        changed(folder, tmp_path / "inner", {"dataset_reader.annotator": STRANGER}), tmp_path / "inner.tar.gz"
    )
    config = {"type": "from_archive", "archive_file": str(inner)}
    with trusting(False), pytest.raises(ConfigurationError, match="found 'stranger.Anything'"):
        Model.from_params(Params(config))
    assert not stranger.exists()
