"""The documentation: its Python runs, its commands exist, its links lead somewhere, its lists are whole."""

import argparse
import importlib
import json
import logging
import re
import shlex
from functools import lru_cache
from pathlib import Path
from unittest.mock import patch

import dask
import distributed  # noqa: F401  its settings are dask's then
import pytest
import yaml
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.data import TokenIndexer
from allennlp.modules import TokenEmbedder

from allennlp_coref_rc.__main__ import ALLENNLP
from allennlp_coref_rc.annotations.annotators import Annotator
from allennlp_coref_rc.common.config_files import FOLDER, locate
from allennlp_coref_rc.config_check.check import check_config, check_object
from allennlp_coref_rc.reproduction.condition import ColumnOptions, Row, select
from allennlp_coref_rc.reproduction.condition_files import (
    CONDITIONS,
    _Figure,
    _Table,
    read_conditions,
)
from tests import tiny_transformers
from tests.documented import PAGES, blocks, name, own_registered_classes, parser, python_files
from tests.shared import PROJECT
from tests.training_config.configs import BABI, load

pytestmark = pytest.mark.slow

GLOBAL_OPTIONS = ("--verbose", "--debug", "--help", "--version")


def commands(block):
    """The words of each call of `coref-rc` in a block of shell commands."""
    for line in block.replace("\\\n", " ").replace("done;", "").splitlines():
        words = shlex.split(line, comments=True)
        if "coref-rc" in words:
            words = words[words.index("coref-rc") + 1 :]
            yield [word for word in words if word not in GLOBAL_OPTIONS[:2]]


# A quoted word of a command may have several lines, such as the JSON of overrides.
COMMANDS = [
    pytest.param(words, id=f"{name(page)}: {' '.join(words)[:60]}")
    for page in PAGES
    for block in blocks(page, "bash")
    for words in commands(
        re.sub(r'"\{.*?\}"', lambda match: match.group(0).replace("\n", " "), block, flags=re.DOTALL)
    )
]


@lru_cache(maxsize=None)
def tables_of_papers():
    return read_conditions(CONDITIONS)


@pytest.mark.parametrize("words", COMMANDS)
def test_a_documented_command_is_one_that_can_be_given(words):
    try:
        args = parser(words[0] in ALLENNLP).parse_args(words)
    except SystemExit as error:
        assert error.code == 0, words
        return
    config = getattr(args, "param_path", None)
    if config and (FOLDER / config).parent != FOLDER and "$" not in config:
        overrides = args.overrides if "$" not in (args.overrides or "") else ""
        assert Path(locate(config)).is_file(), f"found no config {config}"
        params = Params.from_file(locate(config), params_overrides=overrides or "")
        assert check_config(params.as_dict(quiet=True), devices=False, files=False) == []
    if words[0] == "reproduce" and not args.conditions:
        select(tables_of_papers(), args.table, args.condition)
    if words[0] == "annotate" and (args.annotator or "").startswith("{"):
        assert check_object(Annotator, json.loads(args.annotator), "annotator") == []


def test_commands_are_documented():
    documented = {words[0] for parameters in COMMANDS for words in parameters.values}
    own = set(subparsers(parser(False)))
    assert own <= documented
    for command in own:
        assert f"`coref-rc {command}" in (PROJECT / "docs" / "commands.md").read_text(), command


def subparsers(of):
    (action,) = [a for a in of._actions if isinstance(a, argparse._SubParsersAction)]
    return action.choices


def test_commands_in_sentences_and_tables_have_existing_names_and_options():
    for page in PAGES:
        text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
        for command in re.findall(r"`coref-rc\s+([^`]+)`", text):
            first, *rest = command.split()
            if first in ALLENNLP or first == "COMMAND" or first in GLOBAL_OPTIONS:
                continue
            choices = subparsers(parser(False))
            assert first in choices, f"{name(page)}: coref-rc {command}"
            found = choices[first]
            while rest and any(isinstance(action, argparse._SubParsersAction) for action in found._actions):
                word = rest.pop(0)
                assert word in subparsers(found), f"{name(page)}: coref-rc {command}"
                found = subparsers(found)[word]
            for word in rest:
                if word.startswith("--") and word not in GLOBAL_OPTIONS:
                    assert word in found._option_string_actions, f"{name(page)}: coref-rc {command}"


def test_configs_in_blocks_can_be_evaluated(tmp_path, monkeypatch):
    """Those of docs/configs.md are tested with the configs. A comment in line 1 names a file for others."""
    monkeypatch.syspath_prepend(tmp_path)
    modules = {
        file: text for page in PAGES for file, text in python_files(page)[0].items() if ".register(" in text
    }
    for file, text in modules.items():
        (tmp_path / file).write_text(text)
        importlib.import_module(file.removesuffix(".py"))
    texts = [text for page in PAGES if page.name != "configs.md" for text in blocks(page, "jsonnet")]
    names = [re.match(r"// (\w+\.jsonnet)\n", text) for text in texts]
    files = [tmp_path / (named[1] if named else f"{i}.jsonnet") for i, named in enumerate(names)]
    for file, text in zip(files, texts):
        file.write_text(text)
    assert len(set(files)) == len(texts)
    for file in files:
        params = Params.from_file(str(file)).as_dict(quiet=True)
        assert check_config(params, devices=False, files=False) == []


def test_parts_of_configs_in_blocks_have_known_names_and_keys():
    (text,) = blocks(PROJECT / "docs" / "transformers.md", "json")
    parts = json.loads(text)
    for key, base in (("token_indexers", TokenIndexer), ("token_embedders", TokenEmbedder)):
        for part, value in parts.pop(key).items():
            assert check_object(base, value, f"{key}.{part}") == []
    assert not parts


def test_settings_of_dask_have_known_names():
    (text,) = blocks(PROJECT / "docs" / "security.md", "yaml")
    ((section, settings),) = yaml.safe_load(text)["distributed"].items()
    known = dask.config.get(f"distributed.{section}")
    assert settings.keys() <= known.keys() and settings["tls"].keys() <= known["tls"].keys()


def test_blocks_have_a_language_that_is_tested():
    """Blocks without a language are what a screen or a file shows."""
    text = "\n".join(page.read_text() for page in PAGES)
    found = set(re.findall(r"^```(\w+)$", text, flags=re.MULTILINE))
    assert found <= {"bash", "console", "json", "jsonl", "jsonnet", "python", "yaml"}


def anchors(page):
    """Of the headings of a page, as GitHub makes them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for heading in re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page):
    text = page.read_text()
    links = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'src="([^"]+)"', text)
    for link in links:
        if re.match(r"https?:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_the_index_lists_all_pages():
    index = PROJECT / "docs" / "index.md"
    linked = {(index.parent / link).resolve() for link in re.findall(r"\]\(([^)\s#]+)\)", index.read_text())}
    assert {page for page in (PROJECT / "docs").rglob("*.md") if page != index} <= linked


@pytest.fixture(scope="module")
def folder_with_readers(tmp_path_factory):
    """The reader of `babi/quick_start`, trained a little, under the names that the pages use."""
    folder = tmp_path_factory.mktemp("readers")
    config = PROJECT / "training_config" / "babi" / "quick_start.jsonnet"
    # Training changes the process's logging.
    with (
        patch.object(logging.getLogger(), "handlers", []),
        patch.object(logging.getLogger(), "level", logging.WARNING),
    ):
        train_model(load(config, 2, {"evaluate_on_test": False}), str(folder / "output" / "quick_start"))
    tiny_transformers.make("bert", folder / "bert-base-uncased")
    for other in ("mine", "qa2"):
        (folder / "output" / other).symlink_to("quick_start")
    (folder / "data").mkdir()
    (folder / "data" / "narrativeqa").symlink_to(PROJECT / "tests" / "fixtures" / "narrativeqa")
    return folder


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=name)
def test_the_python_of_a_page_runs_and_prints_what_it_says(page, folder_with_readers, monkeypatch):
    # A reader that is trained so little answers with a place, which may be another one.
    places = {word.lower() for word in re.findall(r"\w+", (BABI / "qa2_train.txt").read_text())}
    seen = []

    def see(expected, *values):
        printed = " ".join(map(str, values))
        seen.append(expected)
        assert printed == expected or {printed.lower(), expected} <= places

    monkeypatch.chdir(folder_with_readers)
    monkeypatch.syspath_prepend(folder_with_readers)
    files, code = python_files(page)
    for file, text in files.items():
        Path(file).write_text(text)
    shown = re.compile(r"^( *)print\((.*)\)  # (.*)$", flags=re.MULTILINE)
    seeing = shown.sub(lambda match: f"{match[1]}see({match[3]!r}, {match[2]})", code)
    exec(compile(seeing, name(page), "exec"), {"see": see})
    assert len(seen) == len(shown.findall(code))


def test_all_registered_names_are_listed():
    listed = set()
    for row in re.findall(
        r"^\| `(\w+)`[^|]*\| (.*) \|$", (PROJECT / "docs" / "names.md").read_text(), re.MULTILINE
    ):
        listed |= {(row[0], registered) for registered in re.findall(r"`([a-z_0-9]+)`", row[1])}
    assert listed == {(base, registered) for base, registered, _ in own_registered_classes()}


def test_the_description_of_experiments_can_be_read_and_explains_every_key(tmp_path):
    page = PROJECT / "docs" / "reproduction.md"
    described = tmp_path / "described.yaml"
    described.write_text("".join(blocks(page, "yaml")))
    expected = ["described.1", "described.figure_3_left"]
    assert [table.name for table in read_conditions(str(described))] == expected
    explained = set(re.findall(r"`(\w+)`", page.read_text()))
    assert {*ColumnOptions.model_fields, *Row.model_fields} - {"row", "paper"} <= explained
    for key in {*_Table.model_fields, *_Figure.model_fields} - explained:
        assert f"{key}:" in described.read_text(), key


def test_overrides_in_sentences_are_json():
    for page in PAGES:
        for overrides in re.findall(r"`-o '([^`]*)'`", page.read_text()):
            assert isinstance(json.loads(overrides), dict), overrides
