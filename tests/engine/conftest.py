"""Settings of hypothesis for all engine tests, and what needs the compiler."""

import os

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


def pytest_collection_modifyitems(items):
    if numba.config.DISABLE_JIT:
        for item in items:
            if item.get_closest_marker("needs_jit"):
                item.add_marker(pytest.mark.skip(reason="NUMBA_DISABLE_JIT is set"))
