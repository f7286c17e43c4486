"""What `coref-rc environment` finds in addition to the problems of environment_test.py."""

import configparser
import json
import re
import subprocess
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from allennlp_coref_rc.allennlp_runtime import environment, environment_report
from tests.shared import PROJECT

TORCH = {
    "instruction set": "AVX2",
    "CUDA": None,
    "devices": [],
    "compiler": "g++",
    "library": "there",
    "path": "/cache/recurrence_1.so",
    "others": 0,
}


@pytest.fixture
def versions(monkeypatch):
    """Changes the versions of installed packages. `None` stands for a package that is not installed."""
    changed, real = {}, environment.version

    def version(name):
        if changed.get(name, "") is None:
            raise environment.PackageNotFoundError(name)
        return changed.get(name) or real(name)

    monkeypatch.setattr(environment, "version", version)
    monkeypatch.setattr(environment_report, "version", version)
    return changed


@pytest.fixture
def torch(monkeypatch):
    """Replaces the process that asks PyTorch by what it would print."""
    said = dict(TORCH)

    def run(command, **_):
        return subprocess.CompletedProcess(command, 0, json.dumps(said), "")

    monkeypatch.setattr(environment_report.subprocess, "run", run)
    monkeypatch.setattr(environment_report.shutil, "which", lambda name: None)
    return said


@pytest.mark.slow
def test_this_environment():
    found = environment_report.report()
    assert found.problems == [] and found.facts["torch"] == environment.version("torch")
    assert re.search(r"\d cores, (AVX512|AVX2|DEFAULT|NO AVX|NEON|\w+)$", found.facts["processor"])
    assert re.search("recurrence_|no compiler", found.facts["compiled recurrence"])


def test_what_is_optional_comes_with_a_command_that_needs_no_clone(versions, torch):
    versions.update({"streamlit": None, "maverick-coref": None})
    optional = environment_report.report().optional
    assert (
        optional["streamlit"].startswith("the playground") and "'streamlit<2,>=1.67'" in optional["streamlit"]
    )
    assert "'maverick-coref==1.0.7' 'pytorch-lightning<2.6,>=2'" in optional["maverick-coref"]
    assert not any("clone" in what for what in optional.values())


def test_what_keeps_the_package_from_working(versions, torch):
    versions.update({"transformers": "4.47.1", "scipy": None, "spacy": "3.9.0", "conllu": "7.0"})
    found = environment_report.report()
    (first, second) = found.problems
    assert first.startswith("transformers 4.47.1 does not work")
    assert second == "scipy is missing: needs >=1.11; pip install 'scipy>=1.11'"
    assert sorted(found.remarks) == [
        "conllu 7.0 is untested: this package was tested with <7,>=5",
        "spacy 3.9.0 is untested: this package was tested with <3.9,>=3.8.8",
    ]


@pytest.mark.parametrize(
    "said, remark",
    [
        ({"compiler": None, "library": "no compiler: no c++"}, "found no compiler: no c++: training"),
        ({"library": "damaged"}, "/cache/recurrence_1.so is damaged; it will be compiled again"),
        ({"others": 3}, "/cache has 3 libraries of other versions, which can be removed"),
        ({"devices": ["NVIDIA H100"], "CUDA": "13.0"}, "triton is missing: on the GPU the recurrence"),
    ],
)
def test_remarks(versions, torch, said, remark):
    versions["triton"] = None
    torch.update(said)
    (found,) = environment_report.report().remarks
    assert found.startswith(remark)


def test_what_triton_needs_to_start(versions, torch, monkeypatch, tmp_path):
    versions["triton"] = "3.7.1"
    torch.update(devices=["NVIDIA H100"], CUDA="13.0")
    monkeypatch.setenv("CC", "my-compiler")
    monkeypatch.setattr(environment_report.shutil, "which", {"my-compiler": "/usr/bin/my-compiler"}.get)
    monkeypatch.setattr(environment_report.sysconfig, "get_path", lambda name: str(tmp_path))
    (remark,) = environment_report.report().remarks
    assert remark.startswith(f"found no {tmp_path}/Python.h: Triton cannot start") and "python3-dev" in remark
    (tmp_path / "Python.h").touch()
    assert environment_report.report().remarks == []
    monkeypatch.setenv("CC", "no-compiler")
    (remark,) = environment_report.report().remarks
    assert remark.startswith("found no compiler no-compiler: Triton cannot start")
    monkeypatch.delenv("CC")
    assert environment_report.missing_for_triton() == ["found neither gcc nor clang"]


def test_a_build_of_torch_without_the_gpu(torch, monkeypatch):
    monkeypatch.setattr(environment_report.shutil, "which", lambda name: f"/usr/bin/{name}")
    (remark,) = environment_report.report().remarks
    assert re.fullmatch("nvidia-smi is there and torch finds no GPU: .* is a build for CPUs", remark)


@pytest.mark.parametrize(
    "program, problem",
    [
        ("import sys; sys.exit('Traceback\\nImportError: libcudart.so.13')", "ImportError: libcudart.so.13"),
        ("import os; os.abort()", "its process ended with status -6"),
        ("import time; time.sleep(9)", "torch cannot be imported within 0.2 seconds"),
    ],
)
def test_torch_that_cannot_be_imported(monkeypatch, program, problem):
    run = subprocess.run
    monkeypatch.setattr(environment_report, "WAIT", 0.2 if "sleep" in program else 60)
    monkeypatch.setattr(
        environment_report.subprocess,
        "run",
        lambda words, **options: run([words[0], "-S", "-c", program], **options),
    )
    (found,) = environment_report.report().problems
    assert found.startswith("torch cannot be imported") and problem in found


@pytest.mark.parametrize(
    "python, installed, command",
    [
        ((3, 11), "2.13.0+cpu", "pip install --no-deps torchvision==0.16.2, which goes with any torch"),
        ((3, 12), "2.13.0+cpu", "UV_TORCH_BACKEND=cpu uv pip install --reinstall-package torchvision"),
        ((3, 13), "2.13.0", "uv pip install --reinstall-package torchvision torch==2.13.0 torchvision"),
    ],
)
def test_torchvision_of_another_build(torch, versions, monkeypatch, python, installed, command):
    """Its metadata do not tell it from the build that fits."""
    error = "RuntimeError: operator torchvision::nms does not exist"
    run = environment_report.subprocess.run

    def run_all(words, **options):
        done = run(words, **options)
        return subprocess.CompletedProcess(words, 1, "", error) if "import torchvision" in words else done

    monkeypatch.setattr(environment_report.subprocess, "run", run_all)
    monkeypatch.setattr(environment.sys, "version_info", python)
    versions.update({"torch": installed, "torchvision": "0.28.0"})
    monkeypatch.setattr(environment, "_torch_of_torchvision", lambda: SpecifierSet("==2.13.0"))
    (found,) = environment_report.report().problems
    beside = f"torchvision 0.28.0 does not work beside torch {installed}: it cannot be imported: {error}"
    assert found.startswith(f"{beside} (") and f"; {command}" in found


def setup_cfg():
    setup = configparser.ConfigParser()
    setup.read(PROJECT / "setup.cfg")
    return setup


def test_every_extra_for_users_is_listed():
    extras = {extra for extra, _ in environment_report.EXTRAS.values()}
    assert extras == set(setup_cfg()["options.extras_require"]) - {"docs", "dev"}


def test_bounds_are_those_of_setup_cfg():
    setup = setup_cfg()
    lines = setup["options"]["install_requires"].splitlines()
    declared = {one.name: one.specifier for one in map(Requirement, filter(bool, lines))}
    uv = tomllib.loads((PROJECT / "pyproject.toml").read_text())["tool"]["uv"]
    for one in map(Requirement, uv["override-dependencies"]):
        assert one.name == "torchvision" or one.specifier == declared[one.name], one
    lines = (PROJECT / "constraints.txt").read_text().splitlines()
    for pin in map(Requirement, (line for line in lines if line[:1] != "#")):
        (version,) = pin.specifier
        assert declared.get(pin.name, SpecifierSet()).contains(version.version), pin


def test_a_cache_that_cannot_be_written_to_is_a_remark(torch, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("ALLENNLP_CACHE_ROOT", str(tmp_path / "file"))
    assert any("ALLENNLP_CACHE_ROOT" in remark for remark in environment_report.report().remarks)
    monkeypatch.setenv("ALLENNLP_CACHE_ROOT", str(tmp_path / "folder"))
    assert not any("ALLENNLP_CACHE_ROOT" in remark for remark in environment_report.report().remarks)
