"""The oracle of ``impact_oracle.py`` once more in C++ (``cpp/impact_oracle.cpp``), some eight times faster."""

from __future__ import annotations

import subprocess
from fractions import Fraction
from types import TracebackType

import numpy as np
from oracles.impact_oracle import first_moment

from .native import compiled


class NativeImpacts:
    """A running oracle; a context manager.

    Raises:
        DriverUnavailable: there is no compiler, or no GMP.
    """

    def __init__(self) -> None:
        program = str(compiled("impact_oracle", ("gmp",)))
        self._process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def brackets(self, points: np.ndarray, edges: bool) -> np.ndarray:
        """Brackets (n, 2) of the first moments of points (n, 8, 3), NaN where they do not meet."""
        assert self._process.stdin is not None and self._process.stdout is not None
        head = np.array([len(points), edges], np.int64)
        self._process.stdin.write(head.tobytes() + np.ascontiguousarray(points, np.float64).tobytes())
        self._process.stdin.flush()
        answer = self._process.stdout.read(16 * len(points))
        if len(answer) != 16 * len(points):
            raise RuntimeError(f"the oracle in C++ has ended with status {self._process.wait()}")
        return np.frombuffer(answer).reshape(-1, 2)

    def __enter__(self) -> NativeImpacts:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._process.communicate()


def python_brackets(points: np.ndarray, edges: bool) -> np.ndarray:
    """The same of the oracle in Python."""
    out = np.full((len(points), 2), np.nan)
    for i, x in enumerate(points):
        moment = first_moment(x[:4], x[4:], edges)
        if moment:
            out[i] = _rounded_down(moment[0]), -_rounded_down(-moment[1])
    return out


def _rounded_down(x: Fraction) -> float:
    near = float(x)
    return near if Fraction(near) <= x else float(np.nextafter(near, -np.inf))
