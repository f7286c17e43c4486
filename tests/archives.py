"""Archives of readers that are not trained."""

import torch
from allennlp.models.archival import archive_model

from tests.models.ga_reader_test import BABI, build
from tests.training_config.configs import load


def untrained_archive(folder, task=2, more=None, config="bi_gru"):
    """The archive of a reader of bAbI. Its random weights are large, so that its answers differ clearly."""
    model, _, _ = build(config, task, more)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    folder.mkdir()
    load(BABI / f"{config}.jsonnet", task, more).to_file(str(folder / "config.json"))
    model.vocab.save_to_files(str(folder / "vocabulary"))
    torch.save(model.state_dict(), folder / "weights.th")
    return archive_model(str(folder), weights="weights.th")
