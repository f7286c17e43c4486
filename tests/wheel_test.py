"""The wheel, installed where there is no source: every command runs, from simulated stories to an answer."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from tests.command_line import command_line
from tests.shared import PROJECT

pytestmark = pytest.mark.slow

SOURCES = "allennlp_coref_rc training_config setup.cfg setup.py pyproject.toml README.md LICENSE".split()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built of a copy of the source that is gone when it is built."""
    folder = tmp_path_factory.mktemp("source")
    for name in SOURCES:
        source = PROJECT / name
        if source.is_dir():
            shutil.copytree(
                source, folder / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__")
            )
        else:
            shutil.copy(source, folder)
    wheels = tmp_path_factory.mktemp("wheels")
    build = f"from setuptools import build_meta; build_meta.build_wheel({str(wheels)!r})"
    # To optimise takes most of a compilation.
    compiler = wheels / "compiler"
    compiler.write_text(f'#!/bin/sh\nexec {os.environ.get("CXX", "c++")} "$@" -O0\n')
    compiler.chmod(0o755)
    quick = {**os.environ, "CXX": str(compiler)}
    subprocess.run([sys.executable, "-c", build], cwd=folder, env=quick, check=True, capture_output=True)
    shutil.rmtree(folder)
    (path,) = wheels.glob("*.whl")
    return path


def site_packages(environment):
    return environment / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"


def pip(environment, *words):
    """Runs uv, if it is here, or else pip, for an environment."""
    uv, python = Path(sys.executable).parent / "uv", str(environment / "bin" / "python")
    if uv.exists():
        command = [str(uv), "pip", words[0], "--offline", "--python", python, *words[1:]]
    else:
        yes = ["--yes"] if words[0] == "uninstall" else []
        command = [sys.executable, "-m", "pip", "--python", python, *words, *yes]
    subprocess.run(command, check=True, capture_output=True)


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """An environment that has the wheel, what it needs from this environment, and not the source."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    pip(folder, "install", "--no-deps", str(wheel))
    # Only now, as pip would find the package there. A path in a .pth file is searched, but the .pth files
    # there, such as that of an editable install, are not read.
    (site_packages(folder) / "needed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An empty folder, which is no clone."""
    return tmp_path_factory.mktemp("elsewhere")


LIGHT = ("card", "compare", "configs", "data")
"""Commands that start in a moment."""


@pytest.fixture(scope="module")
def environment():
    """Environment variables that lead neither to the source nor to a compiler."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return {**kept, "CXX": "no-compiler"}


@pytest.fixture(scope="module")
def run_module(installed, environment):
    """Runs a module as `python -m` does."""
    with command_line(str(installed / "bin" / "python"), environment) as run:
        yield run


@pytest.fixture(scope="module")
def coref_rc(installed, environment, run_module, folder):
    def run(name, *arguments):
        """What the command prints; it has to succeed."""
        if name in LIGHT:
            words = [str(installed / "bin" / "coref-rc"), name, *map(str, arguments)]
            done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)
        else:
            done = run_module("allennlp_coref_rc", name, *arguments, folder=folder)
        assert done.returncode == 0, f"{done.args}: {done.stdout[-2000:]} {done.stderr[-3000:]}"
        return done.stdout

    return run


@pytest.fixture(scope="module")
def run_script(run_module, folder):
    def run(name, *lines):
        """What a script of these lines prints; it has to succeed."""
        (folder / f"{name}.py").write_text("\n".join(lines))
        done = run_module(name, folder=folder)
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    return run


@pytest.fixture(scope="module")
def trained(coref_rc, folder):
    """A reader of simulated stories, and its answers."""
    coref_rc("data", "simulate", "stories", "--tasks", 2, "--train", 40, "--valid", 10, "--test", 10)
    overrides = {"dataset_reader.folder": "stories", "dataset_reader.task": 2, "trainer.num_epochs": 2}
    coref_rc("train", "babi/ga_coref_gru.jsonnet", "-s", "run", "-o", json.dumps(overrides))
    return folder / "run" / "model.tar.gz"


def test_allennlp_imports_the_installed_package_for_its_patches(installed, environment, folder):
    """The source is not there."""
    program = "import allennlp, sys; print(sys.modules['allennlp_coref_rc'].__file__)"
    words = [str(installed / "bin" / "python"), "-c", program]
    found = subprocess.run(
        words, cwd=folder, env=environment, check=True, capture_output=True, text=True
    ).stdout
    assert found.startswith(str(installed))


def test_uninstalling_leaves_nothing(wheel, tmp_path):
    """Above all no .pth file, which every Python of the environment runs."""
    venv.create(tmp_path, symlinks=True)
    before = {*tmp_path.rglob("*"), tmp_path / ".lock"}
    pip(tmp_path, "install", "--no-deps", str(wheel))
    assert (site_packages(tmp_path) / "allennlp_coref_rc.pth").exists()
    assert (tmp_path / "bin" / "coref-rc").exists()
    pip(tmp_path, "uninstall", "allennlp_coref_rc")
    assert {*tmp_path.rglob("*")} <= before


def test_the_recurrence_is_compiled_for_every_python_of_this_platform(wheel):
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    assert wheel.name.endswith(f"-py3-none-{platform}.whl")


def test_training_to_an_answer(coref_rc, trained, folder):
    coref_rc("evaluate", trained, "test", "--output-file", "metrics.json")
    accuracy = json.loads((folder / "metrics.json").read_text())["accuracy"]
    assert accuracy == json.loads((folder / "run" / "metrics.json").read_text())["test_accuracy"]
    arguments = ("--use-dataset-reader", "--predictor-args", '{"explain": true}', "--silent")
    coref_rc("predict", trained, "test", *arguments, "--output-file", "answers.jsonl")
    answers = list(map(json.loads, (folder / "answers.jsonl").read_text().splitlines()))
    assert all(answer["answer"] in answer["candidate_probabilities"] for answer in answers)
    assert "10 questions" in coref_rc("compare", "a=answers.jsonl", "b=answers.jsonl") and len(answers) == 10
    coref_rc("compare", "--ensemble", "ensemble.jsonl", "answers.jsonl")
    assert len((folder / "ensemble.jsonl").read_text().splitlines()) == 10
    coref_rc("draw", "explanations", "answers.jsonl", "explanations")
    assert (folder / "explanations" / "001.html").exists()
    coref_rc("draw", "story", "story", "test", f"GA={trained}")
    assert (folder / "story" / "question_1.html").exists()
    coref_rc("draw", "curves", "training", "curves", "--curve", "C-GRU", "run")
    assert (folder / "curves.png").exists()


def test_a_model_card(coref_rc, trained, folder):
    coref_rc("card", trained)
    assert "| `best_validation_accuracy` |" in (folder / "run" / "README.md").read_text()


def test_configs_and_experiments(coref_rc, folder):
    assert "babi/ga_coref_gru.jsonnet" in coref_rc("configs")
    coref_rc("configs", "--copy", "mine")
    found = sorted(path.name for path in (folder / "mine" / "lib").iterdir())
    assert found == sorted(path.name for path in (PROJECT / "training_config" / "lib").iterdir())
    assert "no errors" in coref_rc("check", "babi/quick_start.jsonnet")
    listed = coref_rc("reproduce", "--list")
    assert "coref_gru.1" in listed and "mage_gru.1" in listed


def test_annotating(coref_rc, folder):
    (folder / "texts.txt").write_text("Mary left. She was tired.\nPaul stayed. He slept.\n")
    coref_rc("annotate", "texts.txt", "texts.jsonl", "--annotator", "sieve_coref")
    assert "documents" in coref_rc("annotate", "--check", "texts.jsonl")


@pytest.mark.usefixtures("trained")
def test_python(installed, run_script):
    """A component of spaCy, which spaCy finds by itself, and then the reader."""
    component, *printed = run_script(
        "python",
        "import spacy",
        "nlp = spacy.blank('en')",
        "nlp.add_pipe('sieve_coref', config={'all_nouns': True})",
        "print(dict(nlp.pipe_factories), list(nlp('Mary left. She was tired.').spans))",
        "import allennlp_coref_rc",
        "passage = allennlp_coref_rc.annotate('Mary took the milk. She went to the office.', 'sieve_coref')",
        "print(passage, allennlp_coref_rc.load('run').answer(passage, 'Where is the milk?'), sep='\\n')",
        # So are a reader, the template and the compiled recurrence.
        "print(allennlp_coref_rc.load().answer(passage, 'Where is the milk?').answer)",
        "print(len(passage._repr_html_()) > 1000)",
        "from allennlp_coref_rc.modules.recurrence import _cpp",
        "print(_cpp._load()[0]._name)",
    ).splitlines()
    assert component == "{'sieve_coref': 'sieve_coref'} ['coref_clusters_1']"
    assert printed[:2] == [
        "AnnotatedText of 11 tokens: Mary took the milk. She went to the office.",
        "  cluster: Mary, She",
    ]
    assert printed[2].startswith("Answer: ") and printed[-3:-1] == ["office", "True"]
    assert printed[-1].startswith(str(installed))


def test_data(coref_rc, folder):
    coref_rc("data", "simulate", "worlds", "--tasks", 1, "--train", 20, "--valid", 20, "--test", 20)
    coref_rc("data", "mix", "worlds", "mixed", "--tasks", 1)
    assert (folder / "mixed" / "qa1_train.txt").exists()
    shutil.copytree(PROJECT / "tests" / "fixtures" / "cnn_dailymail" / "questions", folder / "questions")
    coref_rc("data", "to-jsonl", "questions/test", "questions.jsonl")
    assert len((folder / "questions.jsonl").read_text().splitlines()) == 10
    assert "babi: " in coref_rc("data", "download", "--list")
