"""A test's function in several processes of one `torch.distributed` group."""

import datetime
import tempfile
from pathlib import Path

import torch


def _join(rank, size, meeting, function, arguments):
    timeout = datetime.timedelta(minutes=2)
    torch.distributed.init_process_group("gloo", f"file://{meeting}", timeout, world_size=size, rank=rank)
    function(rank, *arguments)
    torch.distributed.destroy_process_group()


def run_in_processes(size, function, *arguments):
    """
    Call `function(rank, *arguments)` in each of `size` processes; an exception in one of them is raised here.

    The processes find each other by a file. AllenNLP's `run_distributed_test` has one port for all tests, so
    two tests that run at the same time can fail with it.
    """
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(
            _join, (size, Path(folder) / "meeting", function, arguments), size, start_method="fork"
        )
