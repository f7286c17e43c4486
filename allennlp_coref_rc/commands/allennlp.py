"""AllenNLP's own commands, with the plugin loaded in whatever folder."""

import sys
from typing import List
from unittest.mock import patch

from allennlp_coref_rc.common.config_files import locate


def run(argv: List[str], verbose: bool) -> None:
    """Runs one of AllenNLP's commands, `argv[0]`; a config may be given by its name."""
    from allennlp.commands import main

    words = [locate(word) if word.endswith((".jsonnet", ".json")) else word for word in argv]
    with patch.object(sys, "argv", ["coref-rc", *words]):
        main(prog="coref-rc")
