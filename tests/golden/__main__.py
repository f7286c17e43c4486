"""
Compares this package's modules with golden values: inputs, parameters and outputs in a NumPy file.

    python -m tests.golden dassa_sdp_exp.npz
    python -m tests.golden tests/golden/mage_gru_layer.npz --tolerance 1e-12

The names in a file tell which module it is for. Files of the authors' code are for QANet and DASSA
(parameters "p:…", inputs "in:…", outputs "out:…", and an attention layer's "last:…"), for a layer of
Coref-GRU, and for the GA Readers with it on WikiHop and LAMBADA. The files in this folder have values of the
papers' equations: for the same layer and readers, for MAGE-GRU, for CG+SBA and for an encoder of DASSA. Sizes
are taken from the parameters. The program prints the largest difference of each output. Its exit status is 1
if one is above --tolerance.
"""

import argparse
import zipfile
import zlib
from collections.abc import Callable, Mapping

import numpy

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.script import ScriptParser, run
from tests.golden import cg_sba, coref_gru, coref_gru_lambada, mage_gru, qanet

Golden = Mapping[str, numpy.ndarray]


def reader_differences(golden: Golden) -> dict[str, float]:
    """
    Compares a GA Reader. Its layers have 38 variables in the authors' code for WikiHop, and 40 in the code for
    LAMBADA.
    """
    variables = len(golden["var_names"]) - len(coref_gru.embeddings_of(golden))
    return (coref_gru_lambada if variables % 38 else coref_gru).model_differences(golden)


KINDS: dict[str, Callable[[Golden, argparse.Namespace], dict[str, float]]] = {
    "p:_modeling_proj_layer.weight": lambda golden, args: qanet.differences(golden, args.heads, args.block),
    "in:views_q": lambda golden, _: qanet.encoder_differences(golden),
    "fwd_Watt": lambda golden, _: coref_gru.layer_differences(golden),
    "var_names": lambda golden, _: reader_differences(golden),
    "edges": lambda golden, _: mage_gru.differences(golden),
    "embeddings": lambda golden, _: cg_sba.differences(golden),
}
"""By a name that only files of one kind have, how such files are compared."""

ERRORS = (ConfigurationError, LookupError, RuntimeError, ValueError, TypeError, AttributeError, StopIteration)
"""The errors that are raised if arrays do not fit together."""


def read(path: str) -> dict[str, numpy.ndarray]:
    try:
        with numpy.load(path) as file:
            return dict(file)
    except (OSError, EOFError, ValueError, TypeError, zipfile.BadZipFile, zlib.error) as error:
        raise ConfigurationError(
            f"{path}: expected a file of arrays, as numpy.savez writes them: {error}"
        ) from error


def differences(golden: Golden, args: argparse.Namespace) -> dict[str, float]:
    kind = next((kind for kind in KINDS if kind in golden), None)
    if kind is None:
        raise ConfigurationError(
            f"{args.file}: found {sorted(golden)[:5]} and more, expected golden values, which have one of {list(KINDS)}"
        )
    try:
        return KINDS[kind](golden, args)
    except ERRORS as error:
        reason = str(error) if isinstance(error, ConfigurationError) else repr(error)
        raise ConfigurationError(f"{args.file}: its arrays do not fit together: {reason}") from error


def main() -> int:
    parser = ScriptParser(__doc__)
    parser.add_argument("file")
    parser.add_argument("--tolerance", type=float, default=1e-4, help="default: %(default)s")
    parser.add_argument("--heads", type=int, default=8, help="of QANet's attention, if no head is annotated")
    parser.add_argument(
        "--block", type=int, default=1, help='the block of the modelling layer that gave "last:…"'
    )
    args = parser.parse_args()
    largest = differences(read(args.file), args)
    for name, difference in largest.items():
        print(f"{name:24}{difference:12.3g}")
    # This is written so that NaN fails.
    good = all(difference <= args.tolerance for difference in largest.values())
    print(
        f"{'good' if good else 'BAD'}: the largest is {max(largest.values()):.3g}, allowed {args.tolerance:g}"
    )
    return 0 if good else 1


if __name__ == "__main__":
    run(main)
