"""Generators that do long work in slices."""

from collections.abc import Generator
from typing import Any, TypeVar

from .results import Progress

_T = TypeVar("_T")


def run(steps: Generator[Any, None, _T]) -> _T:
    """Run a generator to its end and return its result."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value


def scaled(steps: Generator[float, None, _T], low: float, high: float, text: str) -> Generator[Progress, None, _T]:
    """Turn the fractions of one stage into progress of the whole."""
    while True:
        try:
            fraction = next(steps)
        except StopIteration as stop:
            return stop.value
        yield Progress(low + (high - low) * fraction, text)


def always(value: Any, steps: Generator[Any, None, _T]) -> Generator[Any, None, _T]:
    """Yield one value in place of all that a stage yields."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value
        yield value
