"""
Writes a trained model of linguistic structure into the package, with weights of 16 bits and windows of 128
pieces, in which `roles` is better than in those of the training: it learns from parts of 100 words.

    coref-rc train annotators/structure.jsonnet -s output/structure
    python scripts/pack_structure.py output/structure
"""

import json
import os
import shutil
import tempfile

import torch
from allennlp.models.archival import archive_model

from allennlp_coref_rc.annotations.annotators.structure_model import ENGLISH_MODEL
from allennlp_coref_rc.common.script import ScriptParser, run


def pack(folder: str, path: str) -> None:
    """Writes the archive of a training's best weights."""
    with tempfile.TemporaryDirectory() as packed:
        with open(os.path.join(folder, "config.json")) as file:
            config = json.load(file)
        config["model"]["backbone"]["max_length"] = min(
            128, config["model"]["backbone"].get("max_length", 256)
        )
        with open(os.path.join(packed, "config.json"), "w") as file:
            json.dump(config, file, indent=4)
        shutil.copytree(os.path.join(folder, "vocabulary"), os.path.join(packed, "vocabulary"))
        weights = torch.load(os.path.join(folder, "best.th"), map_location="cpu", weights_only=True)
        halved = {name: weight.half() for name, weight in weights.items()}
        torch.save(halved, os.path.join(packed, "best.th"))
        archive_model(packed, archive_path=path)


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("folder", help="of the training")
    pack(parser.parse_args().folder, ENGLISH_MODEL)


if __name__ == "__main__":
    run(main)
