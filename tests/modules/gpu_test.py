import torch

from allennlp_coref_rc.modules.gpu import once


def test_once_for_each_mask_its_objects_and_settings():
    mask, other, annotations = torch.ones(2, 3), torch.zeros(2), {}
    calls = []

    def make():
        calls.append(None)
        return len(calls)

    def find(own=mask, objects=(annotations, other), setting="a"):
        return once(own, objects, setting, make)

    assert [find(), find(), find(setting="b"), find(mask.clone()), find(objects=({}, other)), find()] == [
        1,
        1,
        2,
        3,
        4,
        1,
    ]
    other.add_(1)
    assert find() == find() == 5
    mask.mul_(0)
    assert find() == find() == 6
    with torch.inference_mode():
        assert find(mask.clone()) == 7
