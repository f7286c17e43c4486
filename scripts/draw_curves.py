"""
Draws curves of finished runs, the folders that `allennlp train -s FOLDER` has written: mean and standard deviation over
the runs of a curve, as a picture OUTPUT.png with its numbers in OUTPUT.csv.

    python scripts/draw_curves.py ablation output/figure_3_left \\
        --curve 'GA w/ C-GRU' output/removed-* --curve 'GA w/ GRU' output/gru-*

draws a metric against what the configs say, by default accuracy on test against the share of coreference mentions
removed or replaced (Coref-GRU, Dhingra et al., NAACL 2018, Figure 3, left). A run whose config does not say it counts
as 0; a curve none of whose runs says it is a level line.

    python scripts/draw_curves.py training output/figure_3_right \\
        --curve '1K C-GRU' output/coref_gru-1k-* --curve '1K GRU' output/gru-1k-*

draws exp(-loss), the geometric mean of the correct answers' probabilities, after each epoch (there, right). A run that has
ended counts with its last value.
"""

import argparse
import os
from pathlib import Path
from typing import List

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.reproduction.figures.curves import Curve, write_curves
from allennlp_coref_rc.reproduction.figures.run_curves import (
    AXES,
    SHARES,
    SPLITS,
    X_NAME,
    ablation_curve,
    training_curve,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    ablation = kinds.add_parser("ablation", help="a metric against what the configs say")
    ablation.add_argument("--metric", default="test_accuracy", help="of metrics.json (default: test_accuracy)")
    ablation.add_argument(
        "--against",
        nargs="+",
        default=SHARES,
        metavar="KEY",
        help=f"a number in config.json, under one of these keys (default: {' '.join(SHARES)})",
    )
    ablation.add_argument("--x-name", default=X_NAME, help="what the horizontal axis is called")
    training = kinds.add_parser("training", help="exp(-loss) after each epoch")
    training.add_argument("--splits", nargs="+", choices=SPLITS, default=["validation"], help="default: validation")
    for kind in (ablation, training):
        kind.add_argument("output", help="OUTPUT.png and OUTPUT.csv are written")
        kind.add_argument(
            "--curve",
            nargs="+",
            action="append",
            required=True,
            metavar=("NAME", "FOLDER"),
            help="a curve's name and the folders of its runs; again for each curve",
        )
    arguments = parser.parse_args()

    curves: List[Curve] = []
    try:
        for name, *paths in arguments.curve:
            folders = [Path(path) for path in paths]
            if not folders:
                raise ConfigurationError(f"--curve {name}: found a name alone, expected folders of runs after it")
            for folder in folders:
                if folders.count(folder) > 1:
                    raise ConfigurationError(f"--curve {name}: found {folder} twice, expected every run once")
            if arguments.kind == "ablation":
                curves.append(ablation_curve(name, folders, arguments.metric, arguments.against))
            else:
                curves.extend(training_curve(name, folders, split) for split in arguments.splits)
        axes = (arguments.x_name, arguments.metric) if arguments.kind == "ablation" else AXES
        os.makedirs(os.path.dirname(os.path.abspath(arguments.output)), exist_ok=True)
        write_curves(arguments.output, curves, *axes)
        print(f"{arguments.output}.png and {arguments.output}.csv: {len(curves)} curves")
    except (ConfigurationError, OSError) as error:
        parser.exit(2, f"{parser.prog}: error: {error}\n")


if __name__ == "__main__":
    main()
