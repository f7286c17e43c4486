"""
Compares this package's modules with golden values of the authors' code: inputs, parameters and outputs in a NumPy file.

    python scripts/check_golden.py dassa_sdp_exp.npz

Files of four kinds are known, by the names in them: of QANet and of DASSA (parameters "p:…", inputs "in:…", outputs
"out:…", and an attention layer's "last:…"), of a layer of Coref-GRU, and of a GA Reader with it. Sizes are those of the
parameters. For each output the largest difference is printed; the exit status is 1 if one is above --tolerance.
"""

import argparse
import sys
import zipfile
import zlib
from pathlib import Path
from typing import Callable, Dict, Mapping

import numpy

from allennlp_coref_rc.common.errors import ConfigurationError

# The adapters are beside the tests that use them too.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.golden import coref_gru as golden_coref_gru
from tests.golden import qanet as golden_qanet

Compare = Callable[[Mapping[str, numpy.ndarray]], Dict[str, float]]


def read(path: str) -> Dict[str, numpy.ndarray]:
    try:
        with numpy.load(path) as file:
            return dict(file)
    except (OSError, EOFError, ValueError, TypeError, zipfile.BadZipFile, zlib.error) as error:
        raise ConfigurationError(f"{path}: expected a file of arrays, as numpy.savez writes them: {error}") from error


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--tolerance", type=float, default=1e-4)
    parser.add_argument("--heads", type=int, default=8, help="of QANet's attention, where no head is annotated")
    parser.add_argument("--block", type=int, default=1, help='of the modelling layer, which "last:…" is of')
    arguments = parser.parse_args()

    def qanet(golden: Mapping[str, numpy.ndarray]) -> Dict[str, float]:
        return golden_qanet.differences(golden, arguments.heads, arguments.block)

    kinds: Dict[str, Compare] = {
        "p:_modeling_proj_layer.weight": qanet,
        "fwd_Watt": golden_coref_gru.layer_differences,
        "var_names": golden_coref_gru.model_differences,
    }
    try:
        golden = read(arguments.file)
        compare = next((compare for name, compare in kinds.items() if name in golden), None)
        if compare is None:
            raise ConfigurationError(
                f"{arguments.file}: found {sorted(golden)[:5]} and more, expected golden values, which have one of "
                f"{list(kinds)}"
            )
        try:
            differences = compare(golden)
        except (LookupError, RuntimeError, ValueError, TypeError, AttributeError, StopIteration) as error:
            raise ConfigurationError(f"{arguments.file}: its arrays do not fit together: {error!r}") from error
    except ConfigurationError as error:
        parser.error(str(error))
    for name, difference in differences.items():
        print(f"{name:24}{difference:12.3g}")
    # Written so that NaN is too far.
    good = all(difference <= arguments.tolerance for difference in differences.values())
    print(
        f"{'good' if good else 'BAD'}: the largest is {max(differences.values()):.3g}, allowed {arguments.tolerance:g}"
    )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
