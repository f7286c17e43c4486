"""
Writes a model of the annotator `roles` into the package: the config, and the weights, embeddings with 8 bits
and all others with 16.

    coref-rc train annotators/roles.jsonnet -s output/roles
    python scripts/pack_roles.py output/roles
"""

import os
import shutil

import torch
from torch import nn

from allennlp_coref_rc.annotations.annotators.roles.network import RoleNetwork
from allennlp_coref_rc.annotations.annotators.roles.roles import MODEL
from allennlp_coref_rc.common.script import ScriptParser, run


def pack(folder: str, package: str) -> None:
    network = RoleNetwork.from_archive(folder).half()
    for module in network.modules():
        if isinstance(module, nn.Embedding):
            module.to(torch.float8_e4m3fn)
    os.makedirs(package, exist_ok=True)
    shutil.copy(os.path.join(folder, "config.json"), package)
    torch.save(network.state_dict(), os.path.join(package, "weights.th"))


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("folder", help="of the training")
    pack(parser.parse_args().folder, MODEL)


if __name__ == "__main__":
    run(main)
