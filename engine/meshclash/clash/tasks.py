"""Divide a range of frames into tasks for other processes, and exchange them as text.

This process or several processes get the same tasks and return the same results in the same order, so the report does
not depend on the number of processes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable
from dataclasses import asdict, dataclass, fields
from types import ModuleType
from typing import Any, Protocol

import numpy as np

from ..types.steps import scale_progress
from .cloud_scene import CloudScene, Prepare
from .events import Moments
from .frame_scene import Progress, SceneSource, Skipped
from .options import DetectOptions
from .pair_row import PairRow, PairSide, Point
from .rules import Rules
from .statistics import RunStatistics
from .timeline import FrameFound, RangeTask, frames_steps

_DRAWN = frozenset({"highlight", "whole", "curves", "dots", "dot_radius"})
"""Data for drawing a row, which stays in the process that found the row."""
_ARRAYS = ("faces", "original_faces", "points")


@dataclass(frozen=True, eq=False)
class TaskAnswer:
    """The result of a task.

    Attributes:
        frames: frames in ascending order.
        statistics: statistics of the work.
    """

    frames: list[FrameFound]
    statistics: RunStatistics


class Workers(Protocol):
    """Interface for running tasks: in this process, in several processes, or on a cluster."""

    def run_steps(
        self, tasks: Iterable[RangeTask], total: int, take: Callable[[TaskAnswer], None]
    ) -> Generator[Progress, None, None]:
        """Run tasks.

        Args:
            tasks: tasks in the order of their frames.
            total: number of their frames.
            take: function that receives the results in the order of the tasks, each as soon as all earlier results
                exist.

        Raises:
            DetectError: a task cannot be processed; the message names it.
        """
        ...


class ThisProcess:
    """Runs the tasks one after the other in this process.

    Args:
        source: the scene.
        options: the question.
        engine: the meshclash module, warm.
        highlights: whether rows contain the data for drawing.
        prepare: as in `Followed`.
    """

    def __init__(
        self,
        source: SceneSource,
        options: DetectOptions,
        engine: ModuleType,
        highlights: bool = False,
        prepare: Prepare | None = None,
    ) -> None:
        self._source, self._options, self._engine = source, options, engine
        self._highlights, self._prepare = highlights, prepare
        self._clouds = CloudScene(engine, *options.clouds(source.scale_length))

    def run_steps(
        self, tasks: Iterable[RangeTask], total: int, take: Callable[[TaskAnswer], None]
    ) -> Generator[Progress, None, None]:
        """Implement `Workers.run_steps`."""
        done = 0
        for task in tasks:
            low, done = done / total, done + len(task.frames)
            take((yield from scale_progress(self.task_steps(task), low, done / total)))

    def task_steps(self, task: RangeTask) -> Generator[Progress, None, TaskAnswer]:
        """Run one task."""
        found: list[FrameFound] = []
        statistics = RunStatistics(self._source.scale_length)
        yield from frames_steps(
            self._source, self._options, self._engine, task.frames, found.append, statistics, before=task.before,
            highlights=self._highlights, prepare=self._prepare, clouds=self._clouds,
        )  # fmt: skip
        return TaskAnswer(found, statistics)


def options_text(options: DetectOptions) -> str:
    """Write options as text for another process."""
    frames = None if options.frames is None else [options.frames.start, options.frames.stop, options.frames.step]
    rules = {**asdict(options.rules), "listed_pairs": sorted(options.rules.listed_pairs)}
    plain = {item.name: getattr(options, item.name) for item in fields(options)}
    return json.dumps({**plain, "frames": frames, "rules": rules})


def options_of(text: str) -> DetectOptions:
    """Read the text of `options_text`."""
    given = json.loads(text)
    rules = given.pop("rules")
    listed = frozenset((a, b) for a, b in rules.pop("listed_pairs"))
    frames = given.pop("frames")
    return DetectOptions(
        **given, frames=None if frames is None else range(*frames), rules=Rules(**rules, listed_pairs=listed)
    )


def task_text(task: RangeTask) -> str:
    """Write a task as one line of text."""
    frames = task.frames
    return json.dumps([[frames.start, frames.stop, frames.step], task.before])


def task_of(line: str) -> RangeTask:
    """Read the text of `task_text`."""
    frames, before = json.loads(line)
    return RangeTask(range(*frames), before)


def answer_text(answer: TaskAnswer) -> str:
    """Write a result as text, with all digits and without the geometry to draw."""
    frames = [
        {
            "frame": found.frame,
            "rows": [_plain_row(row) for row in found.rows],
            "names": sorted(found.names),
            "sets": found.sets,
            "skipped": [asdict(item) for item in found.skipped],
            "moments": asdict(found.moments),
        }
        for found in answer.frames
    ]
    return json.dumps({"frames": frames, "statistics": answer.statistics.state()})


def answer_of(text: str) -> TaskAnswer:
    """Read the text of `answer_text`."""
    given = json.loads(text)
    frames = [
        FrameFound(
            item["frame"], [_row(row) for row in item["rows"]], frozenset(item["names"]), item["sets"],
            [Skipped(**skipped) for skipped in item["skipped"]], Moments(**item["moments"]),
        )
        for item in given["frames"]
    ]  # fmt: skip
    return TaskAnswer(frames, RunStatistics.from_state(given["statistics"]))


def _plain_row(row: PairRow) -> dict[str, Any]:
    return {**_plain(row), "a": _plain(row.a), "b": _plain(row.b)}


def _plain(thing: PairRow | PairSide) -> dict[str, Any]:
    """Return the fields of a row or of a side, without the geometry to draw."""
    values = {item.name: getattr(thing, item.name) for item in fields(thing) if item.name not in _DRAWN}
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in values.items()}


def _row(given: dict[str, Any]) -> PairRow:
    sides = {letter: _side(given[letter]) for letter in "ab"}
    return PairRow(**{**given, **sides, "location": _tuple(given["location"])})


def _side(given: dict[str, Any]) -> PairSide:
    arrays = {name: None if given[name] is None else _indices(given[name]) for name in _ARRAYS}
    return PairSide(**{**given, **arrays, "point": _tuple(given["point"])})


def _indices(given: list[int]) -> np.ndarray:
    """Convert indices to int32 if they fit: a massive file may have more triangles."""
    found = np.array(given, np.int64)
    return found.astype(np.int32) if found.max(initial=0) <= np.iinfo(np.int32).max else found


def _tuple(given: list[float] | None) -> Point | None:
    return None if given is None else (given[0], given[1], given[2])
