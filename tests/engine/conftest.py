"""Settings of hypothesis for all engine tests, and what needs the compiler."""

import os

import numba
import pytest
from hypothesis import HealthCheck, settings

COMMON = {"deadline": None, "database": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("local", max_examples=100, **COMMON)
settings.register_profile("ci", max_examples=100, derandomize=True, **COMMON)
settings.register_profile("interpreted", max_examples=5, derandomize=True, **COMMON)
settings.load_profile("interpreted" if numba.config.DISABLE_JIT else "ci" if os.environ.get("CI") else "local")


def pytest_configure(config):
    config.addinivalue_line("markers", "needs_jit: says something about compiled code, or takes minutes without it")


def pytest_collection_modifyitems(items):
    if numba.config.DISABLE_JIT:
        for item in items:
            if item.get_closest_marker("needs_jit"):
                item.add_marker(pytest.mark.skip(reason="NUMBA_DISABLE_JIT is set"))
