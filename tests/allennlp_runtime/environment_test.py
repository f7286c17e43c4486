import subprocess
import sys

import pytest

from allennlp_coref_rc.allennlp_runtime import environment
from tests.shared import PROJECT


def test_this_environment_works():
    assert environment.problems() == []


@pytest.mark.parametrize(
    "package, installed, message",
    [
        ("transformers", "4.39.3", r"transformers 4.39.3 does not work: .* 'transformers<6,>=4.48'"),
        ("allennlp", "2.9.3", r"allennlp 2.9.3 .*; pip install --no-deps 'allennlp==2.10.1'"),
        ("torch", "1.12.1+cu113", "torch 1.12.1.cu113 does not work"),
        ("torch", "2.5.1", r"torch 2.5.1 does not work: needs >=2.6; pip install 'torch>=2.6'"),
    ],
)
def test_a_version_that_does_not_work_is_named(monkeypatch, package, installed, message):
    real = environment.version
    monkeypatch.setattr(environment, "version", lambda name: installed if name == package else real(name))
    with pytest.raises(ImportError, match=message):
        environment.check_environment()


@pytest.mark.parametrize(
    "torchvision, needs, torch, works",
    [
        ("0.16.2", "torch ==2.1.2", "2.13.0+cpu", True),
        ("0.28.0+cu130", "torch==2.13.0", "2.13.0+cu130", True),
        ("0.29.2", "torch (>=2.14.0,<2.16)", "2.15.0+cpu", True),
        ("0.29.2", "torch>=2.14.0", "2.13.0", False),
        ("0.17.0", "torch ==2.2.0", "2.13.0", False),
    ],
)
def test_torchvision_has_to_fit_torch(monkeypatch, torchvision, needs, torch, works):
    required = {"torchvision": ["numpy", needs, "gdown>=4.7.3; extra == 'gdown'"]}
    monkeypatch.setattr(environment, "requires", lambda name: required.get(name, []))
    versions = {"torchvision": torchvision, "torch": torch}
    real = environment.version
    monkeypatch.setattr(environment, "version", lambda name: versions.get(name) or real(name))
    expected = [] if works else [f"torchvision {torchvision} does not work beside torch {torch}"]
    assert [problem.split(":")[0] for problem in environment.problems()] == expected


def test_the_check_runs_where_nothing_is_installed():
    """As `make` runs it: one line a problem, no stack trace."""
    program = PROJECT / "allennlp_coref_rc" / "allennlp_runtime" / "environment.py"
    result = subprocess.run([sys.executable, "-S", "-I", program], capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("packaging is missing: ")
    assert len(result.stderr.splitlines()) == 1
