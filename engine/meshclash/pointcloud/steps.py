"""Progress of one part of a longer question."""

from collections.abc import Callable, Generator
from typing import TypeVar

from ..types.results import Progress

T = TypeVar("T")


def share(steps: Generator[Progress, None, T], low: float, high: float) -> Generator[Progress, None, T]:
    """The same steps with their fractions brought from 0 to 1 into ``low`` to ``high``."""
    try:
        while True:
            progress = next(steps)
            yield Progress(low + (high - low) * progress.fraction, progress.text)
    except StopIteration as stop:
        return stop.value
    finally:
        steps.close()


def node_steps(
    advance: Callable[[int], int], total: int, low: float, high: float, text: str
) -> Generator[Progress, None, None]:
    """Go on from node to node by ``advance``, in slices."""
    done = 0
    while True:
        done = advance(done)
        yield Progress(low + (high - low) * done / total, text)
        if done >= total:
            return
