"""The oracle of ``oracle.py`` once more in C++ (``cpp/pair_oracle.cpp``), some twenty times faster.

Pairs whose coordinates span more bits than its integers hold are asked of the oracle in Python.
"""

from __future__ import annotations

import subprocess
from types import TracebackType

import numpy as np
from oracles.oracle import boxes_meet, classify_pairs

from .native import compiled

_TOO_WIDE = 255


class NativeOracle:
    """A running oracle; a context manager, answers as ``classify_pairs``.

    Raises:
        DriverUnavailable: there is no compiler.
    """

    def __init__(self) -> None:
        self._process = subprocess.Popen([str(compiled("pair_oracle"))], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def classify_pairs(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Exact kinds (n,) uint8 of triangles a and b, (n, 3, 3) float64, finite."""
        kinds = np.zeros(len(a), np.uint8)
        near = np.flatnonzero(boxes_meet(a, b))
        kinds[near] = self._ask(np.concatenate((a[near], b[near]), axis=1))
        wide = np.flatnonzero(kinds == _TOO_WIDE)
        kinds[wide] = classify_pairs(a[wide], b[wide])
        return kinds

    def _ask(self, corners: np.ndarray) -> np.ndarray:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(np.int64(len(corners)).tobytes() + np.ascontiguousarray(corners).tobytes())
        self._process.stdin.flush()
        answer = self._process.stdout.read(len(corners))
        if len(answer) != len(corners):
            raise RuntimeError(f"the oracle in C++ has ended with status {self._process.wait()}")
        return np.frombuffer(answer, np.uint8)

    def __enter__(self) -> NativeOracle:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._process.communicate()
