"""The state of Live: its successive results, and the reports created from these results."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from meshclash.clash.followed import Followed
from meshclash.clash.frame_scene import FrameScene, Progress
from meshclash.clash.options import DetectOptions
from meshclash.clash.queries.question import DetectAnswer
from meshclash.clash.report import DetectReport, now
from meshclash.clash.statistics import RunStatistics

from .changes import Changes

if TYPE_CHECKING:
    from .live import LiveScene


class Answers(Followed):
    """Repeats the same test for a changing scene.

    Args:
        engine: the meshclash module.
        source: the scene.
        publish: function that receives every result, and whether the result is incomplete.
        prepare: compiles or loads parts of the engine's warm-up.
    """

    def __init__(
        self,
        engine: ModuleType,
        source: LiveScene,
        publish: Callable[[DetectReport, bool], None],
        prepare: Callable[[Sequence[str]], Generator[Any, None, None]],
    ) -> None:
        super().__init__(engine, prepare)
        self._source, self._publish = source, publish

    @property
    def taken_up(self) -> tuple[DetectOptions, FrameScene]:
        """Return the options and the scene of the last result."""
        return self.question.options, self.frame

    def follow_steps(self, options: DetectOptions, changes: Changes) -> Generator[Progress, None, None]:
        """Update the engine's scene to match Blender's."""
        scale = self._source.scale_length
        self.statistics = RunStatistics(scale)
        started = time.perf_counter()
        frame = yield from self._source.read_steps(options, changes)
        self.statistics.add_frame(frame, time.perf_counter() - started)
        yield from self.take_steps(frame, options, scale)

    def publish_steps(self, incomplete: bool) -> Generator[Progress, None, None]:
        """Publish all rows; they are made and sorted only when they are shown."""
        question = self.question
        yield from self.bring_up_steps()
        rows, statistics = self.rows_when_shown(), self.statistics
        report = DetectReport(
            self._source.file, question.metres_per_unit, question.options, rows, statistics.skipped,
            statistics.as_dict(), created=now(),
        )  # fmt: skip
        self._publish(report, incomplete)

    def _add(self, answer: DetectAnswer) -> None:
        """Add the statistics of a result, and replace the list of pairs left out."""
        self.statistics.forget_left_out()
        super()._add(answer)
