import gc

import pytest

from allennlp_coref_rc.allennlp_runtime.long_run import OBJECTS, long_run


@pytest.fixture(autouse=True)
def default_thresholds():
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)


def test_garbage_is_looked_for_less_often_while_it_lasts():
    with pytest.raises(KeyError), long_run():
        assert gc.isenabled() and gc.get_threshold() == (OBJECTS, 10, 10)
        raise KeyError
    assert gc.get_threshold() == (700, 10, 10)


@pytest.mark.parametrize("first", [0, OBJECTS + 1])
def test_a_process_that_looks_for_less_garbage_or_none_stays_as_it_is(first):
    gc.set_threshold(first, 5, 5)
    with long_run():
        assert gc.get_threshold() == (first, 5, 5)
