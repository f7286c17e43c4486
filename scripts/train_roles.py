"""
Trains the model of the annotator `roles`, and writes it into the package:

    python scripts/train_roles.py output/roles

This runs `coref-rc train annotators/roles.jsonnet -s output/roles`, which takes about ten minutes on one core. The
package gets the config, and the weights: embeddings with 8 bits, all others with 16. The same command gives the same
bytes on the same machine.
"""

import os
import shutil

import torch

from allennlp_coref_rc.__main__ import main as coref_rc
from allennlp_coref_rc.annotations.english import ROLES
from allennlp_coref_rc.common.script import ScriptParser, run
from allennlp_coref_rc.safe_archives.archives import config_and_weights

EIGHT_BITS = torch.float8_e4m3fn

EMBEDDINGS = ("embedding", "dependents", "path", "longer_path", "flags")
"""Those of `RoleNetwork` that are large."""


def is_embedding(name: str) -> bool:
    return name.removeprefix("network.").removesuffix(".weight") in EMBEDDINGS


def pack(folder: str, package: str) -> None:
    """Copies the model of a training's folder, with smaller weights."""
    _, weights = config_and_weights(folder)
    os.makedirs(package, exist_ok=True)
    shutil.copy(os.path.join(folder, "config.json"), package)
    small = {name: values.to(EIGHT_BITS if is_embedding(name) else torch.float16) for name, values in weights.items()}
    torch.save(small, os.path.join(package, "weights.th"))


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("folder", help="of the training, which must not exist yet")
    parser.add_argument("--package", default=os.fspath(ROLES), help="where the model is written (default: %(default)s)")
    args = parser.parse_args()
    coref_rc(["train", "annotators/roles.jsonnet", "-s", args.folder])
    pack(args.folder, args.package)


if __name__ == "__main__":
    run(main)
