"""Settings of hypothesis for all engine tests, and what needs the compiler."""

import os

if hasattr(os, "sched_getaffinity"):  # before Numba is imported: kernels of several cores are tested on one core, too
    os.environ.setdefault("NUMBA_NUM_THREADS", str(max(2, len(os.sched_getaffinity(0)))))

import numba
import pytest
from hypothesis import HealthCheck, settings

COMMON = {
    "deadline": None,
    "database": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.filter_too_much],
}
settings.register_profile("repeatable", max_examples=60, derandomize=True, **COMMON)
settings.register_profile("random", max_examples=1000, **COMMON)
settings.register_profile("interpreted", max_examples=5, derandomize=True, **COMMON)
default = "interpreted" if numba.config.DISABLE_JIT else "repeatable"
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", default))


def pytest_configure(config):
    config.addinivalue_line("markers", "needs_jit: says something about compiled code, or takes minutes without it")


EXAMPLES = float(os.environ.get("MESHCLASH_EXAMPLES", "1"))
"""Share of the examples of each property; less where another run has asked them all."""


def ask_fewer(function):
    """Takes a share of a test's examples, however many it asks by itself."""
    chosen = getattr(function, "_hypothesis_internal_use_settings", None)
    if chosen is not None:
        fewer = max(1, round(EXAMPLES * chosen.max_examples))
        function._hypothesis_internal_use_settings = settings(chosen, max_examples=fewer)


def pytest_collection_modifyitems(items):
    if EXAMPLES != 1:
        for function in {getattr(item, "function", None) for item in items}:
            ask_fewer(function)
    if numba.config.DISABLE_JIT:
        for item in items:
            if item.get_closest_marker("needs_jit"):
                item.add_marker(pytest.mark.skip(reason="NUMBA_DISABLE_JIT is set"))
