import json
from types import SimpleNamespace

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common.checks import ConfigurationError

from allennlp_coref_rc.training import Bfloat16
from tests.training_config.configs import CONFIGS, load_small


@pytest.mark.slow
def test_weights_stay_float32_and_losses_are_close(tmp_path):
    losses = []
    for callbacks in ([], ["bfloat16"]):
        params = load_small(CONFIGS / "babi" / "ga_coref_gru.jsonnet")
        params["trainer"]["num_epochs"] = 2
        params["trainer"]["callbacks"] = callbacks
        folder = tmp_path / f"{len(callbacks)}"
        model = train_model(params, str(folder))
        metrics = json.loads((folder / "metrics.json").read_text())
        losses.append([metrics["training_loss"], metrics["validation_loss"]])
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}
    assert "forward" not in vars(model)
    # Eight bits of a number.
    assert losses[1] == pytest.approx(losses[0], rel=0.02) and losses[1] != losses[0]


def test_not_beside_use_amp():
    with pytest.raises(ConfigurationError, match="found bfloat16 beside trainer.use_amp"):
        Bfloat16("").on_start(SimpleNamespace(_use_amp=True))
