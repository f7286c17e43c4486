"""Writes pictures to files, without a screen."""

import os
from pathlib import Path
from typing import Union

import matplotlib

matplotlib.use("agg")
# A dollar sign in a text does not begin a formula.
matplotlib.rcParams["text.parse_math"] = False
from matplotlib import pyplot  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402


def save(figure: Figure, path: Union[str, Path], dpi: int = 120) -> None:
    """Writes a picture and closes it. The file appears only when it is complete."""
    temporary = f"{path}.part"
    try:
        figure.savefig(temporary, format="png", bbox_inches="tight", dpi=dpi)
        os.replace(temporary, path)
    finally:
        pyplot.close(figure)
        if os.path.exists(temporary):
            os.unlink(temporary)
