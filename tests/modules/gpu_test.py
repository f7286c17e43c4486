import contextlib
from types import SimpleNamespace
from unittest import mock

import torch

from allennlp_coref_rc.modules import gpu
from allennlp_coref_rc.modules.gpu import in_parallel, once, one_pass


def test_once_in_a_pass_for_each_mask_its_objects_and_settings():
    mask, other, annotations = torch.ones(2, 3), torch.zeros(2), {}
    calls = []

    def make():
        calls.append(None)
        return len(calls)

    def find(own=mask, objects=(annotations, other), setting="a"):
        return once(own, objects, setting, make)

    @one_pass
    def forward():
        layers = [find(), find(), find(setting="b"), find(mask.clone()), find(objects=({}, other)), find()]
        return layers, inner()

    @one_pass
    def inner():
        return find()

    assert forward() == ([1, 1, 2, 3, 4, 1], 1)
    assert forward() == ([5, 5, 6, 7, 8, 5], 5)
    assert [find(), find()] == [9, 10]


def test_streams_wait_for_what_they_read_and_are_waited_for():
    events, current = [], ["main"]

    def stream(name):
        return SimpleNamespace(
            name=name, wait_stream=lambda other: events.append(f"{name} waits for {other.name}")
        )

    @contextlib.contextmanager
    def inside(chosen):
        current.append(chosen.name)
        yield
        current.pop()

    def call(name):
        events.append(f"{name} in {current[-1]}")
        return (mock.Mock(record_stream=lambda of: events.append(f"result of {name} is read in {of.name}")),)

    given = mock.Mock(record_stream=lambda of: events.append(f"given is read in {of.name}"))
    with (
        mock.patch.object(gpu, "_side_streams", lambda device, number: [stream("side")][:number]),
        mock.patch("torch.cuda.current_stream", lambda device: stream("main")),
        mock.patch("torch.cuda.stream", inside),
    ):
        results = in_parallel([given], [lambda: call("first"), lambda: call("second")])
        assert len(results) == 2
        assert events == [
            "side waits for main",
            "second in side",
            "given is read in side",
            "first in main",
            "main waits for side",
            "result of second is read in main",
        ]
        events.clear()
        in_parallel([given], [lambda: call("only")])
        assert events == ["only in main"]
