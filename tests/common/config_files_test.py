import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.common.config_files import FOLDER, load_config

TEXT = """
    local variants = import 'lib/variants.libsonnet';
    (import 'babi/ga_coref_gru.jsonnet') + variants.cg
"""


def test_a_config_in_any_folder_imports_those_of_the_package(tmp_path):
    path = tmp_path / "mine.jsonnet"
    path.write_text(TEXT)
    params = Params.from_file(str(path)).as_dict(quiet=True)
    base = Params.from_file(str(FOLDER / "babi" / "ga_coref_gru.jsonnet")).as_dict(quiet=True)
    gating = {"type": "collaborative", "gate_by": "question", "final_filtering": True}
    assert params == {**base, "model": {**base["model"], "gating": gating}}


def test_allennlp_finds_the_configs_of_the_package_by_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    expected = Params.from_file(str(FOLDER / "babi" / "quick_start.jsonnet")).params
    for name in ("babi/quick_start.jsonnet", "babi/quick_start", "training_config/babi/quick_start.jsonnet"):
        assert Params.from_file(name).params == expected
    with pytest.raises(FileNotFoundError, match="babi/other.jsonnet"):
        Params.from_file(params_file="babi/other.jsonnet")


def test_what_lies_beside_a_config_comes_first(tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "variants.libsonnet").write_text("{ cg: { mine: true } }")
    path = tmp_path / "mine.jsonnet"
    path.write_text(TEXT)
    params = Params.from_file(str(path)).as_dict(quiet=True)
    assert params["mine"] and params["model"]["gating"] == "gated_attention"


def test_a_folder_is_no_config(tmp_path):
    """Jsonnet ends the process, and this test with it."""
    with pytest.raises(ConfigurationError, match=f"^{tmp_path}: found a directory, expected a file$"):
        load_config(str(tmp_path))


@pytest.mark.parametrize(
    "name, advice",
    [
        ("babi/ga_corefgru.jsonnet", "did you mean babi/ga_coref_gru.jsonnet?"),
        ("training_config/babi/ga_corefgru", "did you mean babi/ga_coref_gru.jsonnet?"),
        ("quickstart.jsonnet", "did you mean babi/quick_start.jsonnet?"),
        ("nosuch.jsonnet", "coref-rc configs lists those that come with the package"),
        ("wikihop.jsonnet", "coref-rc configs lists those that come with the package"),
    ],
)
def test_advice_is_a_name_that_is_close(name, advice):
    with pytest.raises(ConfigurationError) as error:
        load_config(name)
    assert str(error.value) == f"{name}: no such config; {advice}"
