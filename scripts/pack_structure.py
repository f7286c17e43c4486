"""
Writes a trained model of linguistic structure into the package, its weights with 16 bits:

    coref-rc train annotators/structure.jsonnet -s output/structure
    python scripts/pack_structure.py output/structure
"""

import os
import shutil
import tempfile

import torch
from allennlp.models.archival import archive_model

from allennlp_coref_rc.annotations.annotators.structure_model import ENGLISH
from allennlp_coref_rc.common.script import ScriptParser, run


def pack(folder: str, path: str) -> None:
    """Writes the archive of a training's best weights."""
    with tempfile.TemporaryDirectory() as packed:
        shutil.copy(os.path.join(folder, "config.json"), packed)
        shutil.copytree(os.path.join(folder, "vocabulary"), os.path.join(packed, "vocabulary"))
        weights = torch.load(os.path.join(folder, "best.th"), map_location="cpu", weights_only=True)
        halved = {name: weight.half() for name, weight in weights.items()}
        torch.save(halved, os.path.join(packed, "best.th"))
        archive_model(packed, archive_path=path)


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("folder", help="of the training")
    pack(parser.parse_args().folder, ENGLISH)


if __name__ == "__main__":
    run(main)
