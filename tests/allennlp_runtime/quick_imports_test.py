import gc

import pytest

from allennlp_coref_rc.allennlp_runtime.lazy_imports import quick_imports


@pytest.fixture(autouse=True)
def enabled():
    gc.enable()
    yield
    gc.enable()


def test_searches_stop_and_go_on():
    with pytest.raises(ImportError), quick_imports():
        assert not gc.isenabled()
        import nothing_of_this_name  # noqa: F401
    assert gc.isenabled()
    gc.disable()
    with quick_imports():
        pass
    assert not gc.isenabled()


def test_what_was_imported_is_set_aside_and_nothing_is_where_nothing_was(tmp_path, monkeypatch):
    (tmp_path / "module_of_one_test.py").write_text("VALUES = [[i] for i in range(1000)]\n")
    monkeypatch.syspath_prepend(tmp_path)
    frozen = gc.get_freeze_count()
    with quick_imports():
        import json  # noqa: F401  is imported already
    assert gc.get_freeze_count() == frozen
    with quick_imports():
        import module_of_one_test  # noqa: F401
    assert gc.get_freeze_count() >= frozen + 1000
