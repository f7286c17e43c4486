"""Writes pictures to files, without a screen."""

from pathlib import Path
from typing import Union

import matplotlib

from allennlp_coref_rc.common.files import whole_file

matplotlib.use("agg")
# A dollar sign in a text does not begin a formula.
matplotlib.rcParams["text.parse_math"] = False
from matplotlib import pyplot  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402


def save(figure: Figure, path: Union[str, Path], dpi: int = 120) -> None:
    """Writes a picture and closes it. The file appears only when it is complete."""
    try:
        with whole_file(str(path)) as part:
            figure.savefig(part, format="png", bbox_inches="tight", dpi=dpi)
    finally:
        pyplot.close(figure)
