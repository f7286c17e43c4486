import pytest


@pytest.fixture
def forgotten():
    """Forgets, before the test and after it, what is remembered of the library, of devices and of warnings."""
    from allennlp_coref_rc.modules.recurrence import _cpp, _triton, dispatch

    caches = (_cpp._load, _triton.why_not_on, dispatch._warn_once)
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


@pytest.fixture(params=["default", "avx2", "avx512"])
def variant(request, monkeypatch):
    """Each instruction set of the compiled library that this processor has."""
    # Imported here, since `pytest_configure` has to come before Triton, which a part of PyTorch imports.
    import torch

    from allennlp_coref_rc.modules.recurrence import _cpp, _library

    names = list(_library.VARIANTS)
    found = torch.backends.cpu.get_cpu_capability().lower()
    if request.param not in names[: names.index(found if found in names else "default") + 1]:
        pytest.skip(f"this processor has no {request.param}")
    monkeypatch.setattr(_cpp, "_variant", lambda library: request.param)
