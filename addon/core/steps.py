"""Generators of progress values as parts of a longer job."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

from .frame_scene import Progress

T = TypeVar("T")


def within(steps: Generator[Any, None, T], low: float, high: float, prefix: str = "") -> Generator[Progress, None, T]:
    """Runs `steps` as the part of a longer job from `low` to `high`."""
    try:
        while True:
            progress = next(steps)
            yield Progress(low + (high - low) * progress.fraction, prefix + progress.text)
    except StopIteration as done:
        return done.value
    finally:
        steps.close()
