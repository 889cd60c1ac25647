"""Generators that do long work in slices."""

from collections.abc import Generator
from typing import Any, TypeVar

_T = TypeVar("_T")


def run(steps: Generator[Any, None, _T]) -> _T:
    """Run a generator to its end and return its result."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value
