from argparse import Namespace

import pytest

from tests.scripts.scripts import load_script

benchmark_qanet = load_script("benchmarks/qanet")


@pytest.mark.parametrize("name", [benchmark_qanet.BASELINE, "dassa_sdp_exp"])
def test_updates_run(name):
    """Also with the config of allennlp-models' model, which is made from ours."""
    update = benchmark_qanet.make_update(name, Namespace(batch=1, device="cpu"), 12)
    for _ in range(2):
        update()
