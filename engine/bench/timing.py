"""Processor time of several sides that answer one question, asked in turn on one core of one machine."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, TypeVar

import numpy as np

SAMPLE_SECONDS = 0.005
"""Short calls are repeated until a sample takes about this long: clocks and caches matter less."""

Answer = TypeVar("Answer")
Ask = Callable[[int], tuple[float, int]]
"""Asks a question so many times: (processor seconds of all of them together, answer)."""


class Timing(NamedTuple):
    """What a side needed for one call."""

    seconds: float
    """Median over the runs of the processor time."""
    spread: float
    """Half the distance between the quartiles, as a share of the median."""
    answer: int


@contextmanager
def one_core() -> Iterator[int]:
    """Keep this process, its threads and its children to one core for a while; gives the core's number."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield max(before)
    finally:
        os.sched_setaffinity(0, before)


def called(function: Callable[[], int]) -> Ask:
    """The side that answers by a Python function of this process."""

    def ask(repeats: int) -> tuple[float, int]:
        start = time.process_time()
        for _ in range(repeats):
            answer = function()
        return time.process_time() - start, int(answer)

    return ask


def least(function: Callable[[], Answer], runs: int) -> tuple[float, Answer]:
    """The least processor time [s] of some calls, and what the last one returned: for what is asked by itself."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        answer = function()
        times.append(time.process_time() - start)
    return min(times), answer


def compare(sides: dict[str, Ask], runs: int, once: Collection[str] = ()) -> dict[str, Timing]:
    """Time all sides in turn, so many runs after a warm-up that also says how often a short call is repeated.

    Sides named in ``once`` take long: they are called once a run, and not to warm up.
    """
    repeats = {name: 1 if name in once else _repeats(ask) for name, ask in sides.items()}
    samples: dict[str, list[float]] = {name: [] for name in sides}
    answers = {}
    gc.collect()
    gc.disable()
    try:
        for _ in range(runs):
            for name, ask in sides.items():
                if repeats[name] > 1:
                    ask(1)  # what the side before left in the caches is not this side's cost
                seconds, answers[name] = ask(repeats[name])
                samples[name].append(seconds / repeats[name])
    finally:
        gc.enable()
    return {name: _timing(times, answers[name]) for name, times in samples.items()}


def _repeats(ask: Ask) -> int:
    seconds, _ = min(ask(1), ask(1))
    return max(1, min(10_000, round(SAMPLE_SECONDS / max(seconds, 1e-9))))


def _timing(samples: Sequence[float], answer: int) -> Timing:
    low, median, high = np.percentile(samples, (25, 50, 75))
    return Timing(float(median), float((high - low) / 2 / max(median, 1e-12)), answer)
