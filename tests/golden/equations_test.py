"""What the package computes is what the papers' equations give, implemented again in make_golden.py."""

import ast
from argparse import Namespace
from pathlib import Path

import numpy
import pytest

from allennlp_coref_rc.modules.seq2seq_encoders import CorefGRU
from tests.golden import __main__, coref_gru, coref_gru_lambada, mage_gru, make_golden

FOLDER = Path(__file__).parent
TOLERANCES = {"out:positions": 1e-6}
"""AllenNLP's positions are of float32; all else is of float64."""

LAYERS = {"coref_gru_layer": coref_gru.layer_differences, "mage_gru_layer": mage_gru.differences}

# Parameters and inputs that must matter.
CHANGES = [
    ("coref_gru_layer", "bwd_Watt"),
    ("coref_gru_layer", "fwd_bz"),
    ("coref_gru_layer", "X"),
    ("coref_gru_layer", "bwd_mem_init"),
    ("mage_gru_layer", "fwd_U"),
    ("ga_reader_coref_gru", "v01"),
    ("ga_reader_coref_gru", "v03"),
    ("ga_reader_coref_gru", "v79"),
    ("ga_reader_lambada", "v00"),
    ("ga_reader_lambada", "v20"),
    ("ga_reader_lambada", "v10"),
    ("cg_sba", "belief_bwd_b"),
    ("cg_sba", "question1_fwd_U"),
    ("dassa_encoder", "p:encoder_block_1.attention_layer._semantic_label_embedding_q_w.weight"),
    ("dassa_encoder", "p:encoder_block_0._conv_layers.0.1.weight"),
]


def read(name):
    with numpy.load(FOLDER / f"{name}.npz") as file:
        return dict(file)


def differences(golden):
    return __main__.differences(golden, Namespace(file="golden"))


def assert_good(differences):
    assert len(differences) > 2 and "grad" in differences
    bad = {name: value for name, value in differences.items() if not value <= TOLERANCES.get(name, 1e-12)}
    assert not bad


@pytest.mark.parametrize("name", make_golden.FILES)
def test_outputs_and_derivatives_are_those_of_the_equations(name):
    assert_good(differences(read(name)))


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("backend", ["reference", "plain", "cpp"])
def test_so_they_are_by_every_backend(name, backend):
    assert_good(LAYERS[name](read(name), backend))


@pytest.mark.parametrize("name, array", CHANGES)
def test_a_number_that_is_off_shows(name, array):
    golden = read(name)
    golden[array] = 1.01 * golden[array]
    assert max(differences(golden).values()) > 1e-7


def test_what_lambadas_code_hands_back_is_not_the_whole_memory(monkeypatch):
    monkeypatch.setattr(coref_gru_lambada, "CorefGRU", lambda *sizes, questions_padded_to: CorefGRU(*sizes))
    assert coref_gru_lambada.model_differences(read("ga_reader_lambada"))["probc"] > 1e-4


def test_lambadas_code_attends_to_all_tokens_alike_where_there_is_no_place_to_fill():
    golden = {name: array for name, array in read("ga_reader_lambada").items() if not name.startswith("grad")}
    golden["cl"] = numpy.where(numpy.arange(len(golden["cl"])) == 1, -1, golden["cl"])
    belongs = golden["cand"][1] * golden["cm"][1][:, None] > 0
    golden["probc"][1] = belongs.sum(axis=0) / belongs.any(axis=1).sum()
    of_answers = golden["probc"][range(len(golden["ans"])), golden["ans"]]
    golden.update(
        loss=-numpy.log(of_answers).mean(), acc=(golden["probc"].argmax(axis=1) == golden["ans"]).mean()
    )
    assert max(coref_gru_lambada.model_differences(golden).values()) < 1e-9


def test_more_variables_than_a_layout_has_are_not_left_out():
    for name, layout in (("ga_reader_coref_gru", coref_gru), ("ga_reader_lambada", coref_gru_lambada)):
        golden = read(name)
        golden["var_names"] = numpy.append(golden["var_names"], "v81")
        golden[f"v{len(golden['var_names']) - 1}"] = golden["v10"]
        with pytest.raises(ValueError, match="1 variables are left over"):
            layout.model_differences(golden)


@pytest.mark.parametrize("name", make_golden.FILES)
def test_the_files_are_what_the_program_makes(name):
    made, golden = make_golden.FILES[name](), read(name)
    assert set(made) == set(golden)
    for key, value in made.items():
        if golden[key].dtype.kind == "f":
            numpy.testing.assert_allclose(golden[key], value, rtol=0, atol=1e-12, err_msg=key)
        else:
            numpy.testing.assert_array_equal(golden[key], value, err_msg=key)


def test_all_files_are_made():
    assert {path.stem for path in FOLDER.glob("*.npz")} == set(make_golden.FILES)


def test_the_program_imports_nothing_of_what_it_checks():
    tree = ast.parse((FOLDER / "make_golden.py").read_text())
    nodes = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    imported = {
        name.name if isinstance(node, ast.Import) else node.module for node in nodes for name in node.names
    }
    assert imported == {"collections.abc", "math", "numpy", "pathlib", "sys", "typing"}


def test_derivatives_of_a_known_function():
    values = {"a": numpy.array([[1.0, 2.0], [-3.0, 0.5]]), "b": numpy.array([2.0])}
    found = make_golden.derivatives(lambda v: (v["a"] ** 3).sum() * numpy.exp(v["b"])[0], values)
    by_a = (3 * values["a"].ravel() ** 2 * numpy.exp(2))[found["grad_at"][:3]]
    numpy.testing.assert_allclose(found["grad"], [*by_a, (values["a"] ** 3).sum() * numpy.exp(2)], rtol=1e-14)
