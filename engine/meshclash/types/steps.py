"""Generators that do long work in slices."""

from collections.abc import Callable, Generator
from typing import Any, TypeVar

from .results import Progress

_T = TypeVar("_T")


def run(steps: Generator[Any, None, _T], tell: Callable[[Any], object] | None = None) -> _T:
    """Run a generator to its end and return its result; ``tell`` is given each thing that it yields."""
    while True:
        try:
            told = next(steps)
        except StopIteration as stop:
            return stop.value
        if tell is not None:
            tell(told)


def retold(steps: Generator[Any, None, _T], tell: Callable[[Any], Any]) -> Generator[Any, None, _T]:
    """Run a stage, and yield what ``tell`` makes of each thing that it yields; closing this closes the stage."""
    try:
        while True:
            try:
                told = next(steps)
            except StopIteration as stop:
                return stop.value
            yield tell(told)
    finally:
        steps.close()


def scaled(
    steps: Generator[Any, None, _T], low: float, high: float, text: str | None = None
) -> Generator[Progress, None, _T]:
    """Run a stage as the part from ``low`` to ``high`` of the whole work.

    Args:
        steps: yields fractions, or Progress.
        low, high: where the stage begins and ends, 0 to 1.
        text: what the stage does; None leaves it to the stage's own Progress.
    """

    def tell(told: Any) -> Progress:
        fraction, words = told if isinstance(told, Progress) else (told, "")
        return Progress(low + (high - low) * fraction, words if text is None else text)

    return retold(steps, tell)


def always(value: Any, steps: Generator[Any, None, _T]) -> Generator[Any, None, _T]:
    """Run a stage, and yield one value in place of all that it yields."""
    return retold(steps, lambda _: value)
