"""Weights are finite numbers of the kind of the model's own, wherever they are read."""

import json

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.nn import Initializer, InitializerApplicator

from tests.safe_archives.crafted import DATA, changed, pack, refusal, run

pytestmark = pytest.mark.slow

NAME = "_text_field_embedder.token_embedder_tokens.weight"


def with_one(value):
    def change(tensor):
        tensor = tensor.clone()
        tensor.view(-1)[-1] = value
        return tensor

    return change


CHANGES = {
    "nan": (with_one(float("nan")), "nan or infinity"),
    "infinity": (with_one(float("-inf")), "nan or infinity"),
    "too large": (lambda tensor: with_one(1e300)(tensor.double()), "nan or infinity"),
    "integers": (lambda tensor: tensor.long(), "integers"),
    "truth values": (lambda tensor: tensor > 0, "truth values"),
    "complex": (lambda tensor: tensor.to(torch.complex64), "complex numbers"),
    "sparse": (lambda tensor: tensor.to_sparse(), "no dense tensor"),
    "meta": (lambda tensor: tensor.to("meta"), "no dense tensor"),
}

LINEAR = torch.nn.Linear(1, 1)

OTHERS = {
    "list": (lambda path: torch.save([1, 2], path), "weights without names"),
    "tensor": (lambda path: torch.save(torch.zeros(2), path), "weights without names"),
    "numbers": (lambda path: torch.save({"weight": 1}, path), "1 as weight"),
    "TorchScript": (lambda path: torch.jit.script(LINEAR).save(str(path)), "a model of TorchScript"),
    "model": (lambda path: torch.save(LINEAR, path), "torch.nn.modules.linear.Linear in the weights"),
    "pickle": (lambda path: path.write_bytes(b"\x80\x04]\x94."), "damaged weights"),
}
"""Files that hold no tensors by their names. PyTorch advises to read some of them without protection."""


def rewrite(path, change, name=NAME):
    state = torch.load(path, weights_only=True)
    torch.save({**state, name: change(state[name])}, path)


@pytest.mark.parametrize("case", CHANGES)
def test_an_archive_may_not_have_them(case, folder, tmp_path, capsys):
    change, found = CHANGES[case]
    copy = changed(folder, tmp_path / "run", {})
    rewrite(copy / "weights.th", change)
    archive = pack(copy, tmp_path / "model.tar.gz")
    for command in ("evaluate", "predict"):
        message = refusal(capsys, command, archive, DATA)
        assert message == f"{archive}: found {found} in {NAME} of the weights, expected real numbers\n"


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
def test_other_precisions_are_taken(dtype, folder, tmp_path, capsys):
    copy = changed(folder, tmp_path / "run", {})
    rewrite(copy / "weights.th", lambda tensor: tensor.to(dtype))
    assert run(capsys, "evaluate", copy, DATA)[0] == 0


def initialize(path):
    initializer = Initializer.from_params(Params({"type": "pretrained", "weights_file_path": str(path)}))
    InitializerApplicator([("weight", initializer)])(torch.nn.Linear(2, 1, bias=False))


@pytest.mark.parametrize("case", CHANGES)
def test_a_training_may_not_begin_with_them(case, tmp_path):
    change, found = CHANGES[case]
    path = tmp_path / "weights.th"
    torch.save({"weight": torch.ones(1, 2)}, path)
    initialize(path)
    rewrite(path, change, "weight")
    with pytest.raises(ConfigurationError) as error:
        initialize(path)
    assert str(error.value) == f"{path}: found {found} in weight of the weights, expected real numbers"


@pytest.mark.parametrize("case", OTHERS)
def test_other_files_are_told_in_our_words(case, folder, tmp_path, capsys):
    write, found = OTHERS[case]
    copy = changed(folder, tmp_path / "run", {})
    (copy / "weights.th").unlink()
    write(copy / "weights.th")
    message = refusal(capsys, "evaluate", copy, DATA)
    assert message.startswith(f"{copy}: weights.th: found {found}, expected tensors by their names")
    with pytest.raises(ConfigurationError, match=found) as error:
        initialize(copy / "weights.th")
    assert not any(word in said for word in ("weights_only", "trust") for said in (message, str(error.value)))


@pytest.mark.parametrize("checkpointer", ["exact", "default"])
def test_nor_may_it_go_on_with_them(checkpointer, folder, tmp_path, capsys):
    words = ["train", folder / "config.json", "-s", tmp_path / "run", "-o"]
    overrides = {"trainer.checkpointer": {"type": checkpointer, "keep_most_recent_by_count": 2}}
    assert run(capsys, *words, json.dumps({**overrides, "trainer.num_epochs": 2}))[0] == 0
    for path in (tmp_path / "run").glob("model_state_*"):
        rewrite(path, with_one(float("nan")))
    message = refusal(capsys, *words, json.dumps({**overrides, "trainer.num_epochs": 3}), "--recover")
    assert f"found nan or infinity in {NAME} of the weights" in message


def test_finite_weights_give_no_answers_that_are_not_json(folder, tmp_path, capsys):
    copy = changed(folder, tmp_path / "run", {})
    state = torch.load(copy / "weights.th", weights_only=True)
    torch.save({name: 1e38 * value.sign() for name, value in state.items()}, copy / "weights.th")
    output = tmp_path / "output"
    assert "expected a finite number" in refusal(capsys, "evaluate", copy, DATA, "--output-file", output)
    assert not output.exists()
    message = refusal(capsys, "predict", copy, DATA, "--use-dataset-reader", "--output-file", output)
    assert message == "found NaN, expected JSON, which has finite numbers alone\n" and not output.exists()
    (tmp_path / "questions").write_text(
        '{"passage": "Mary went home.", "question": "Where is Mary?"}\n{"passage": "a", "question": NaN}\n'
    )
    assert run(capsys, "predict", copy, tmp_path / "questions", "--output-file", output)[0] == 1
    failed = [json.loads(line) for line in (tmp_path / "output.failed.jsonl").read_text().splitlines()]
    assert output.read_text() == "" and len(failed) == 2
    assert {line["error"] for line in failed} == {"found NaN, expected JSON, which has finite numbers alone"}
