"""A scan of the timeline: its events, heat map and progress, which remain available if the scan is stopped."""

from __future__ import annotations

from collections.abc import Callable, Generator
from types import ModuleType
from typing import Any

from meshclash.clash.cloud_scene import Prepare
from meshclash.clash.errors import DetectError
from meshclash.clash.events import ClashEvent
from meshclash.clash.frame_scene import SceneSource
from meshclash.clash.job import require_members
from meshclash.clash.options import DetectOptions
from meshclash.clash.pair_row import PairRow
from meshclash.clash.report import DetectReport, now
from meshclash.clash.statistics import RunStatistics
from meshclash.clash.timeline import FrameFound, Timeline, frames_steps
from meshclash.messages import Sentence

from .heat import HeatMap


class Scanned:
    """The results of a scan so far.

    Args:
        file: path of the .blend file; "" if it was never saved.
        scale_length: metres per Blender unit.
        options: the options, with frames.
        passages: whether to search for contacts that occur only between two frames.

    Attributes:
        timeline: the frames and their events.
        heat: the faces.
        statistics: statistics of the work.
        created: when the scan began.
        running: whether the scan is running.
        listener: receives the number and the rows of each frame; may be None.
    """

    def __init__(self, file: str, scale_length: float, options: DetectOptions, passages: bool = False) -> None:
        assert options.frames is not None
        self.passages = passages
        self.file, self.scale_length, self.options = file, scale_length, options
        self.timeline, self.heat = Timeline(options.frames, keeps_rows=False), HeatMap()
        self.statistics = RunStatistics(scale_length)
        self.created, self.running = now(), True
        self.listener: Callable[[int, list[PairRow]], None] | None = None
        self._events: tuple[int, list[ClashEvent]] = (-1, [])

    @property
    def complete(self) -> bool:
        """Whether all frames are done."""
        return self.timeline.done == len(self.timeline.frames)

    @property
    def events(self) -> list[ClashEvent]:
        """The events so far, worst first; computed again after each new frame."""
        if self._events[0] != self.timeline.done:
            self._events = self.timeline.done, self.timeline.events
        return self._events[1]

    def take(self, found: FrameFound) -> None:
        """Add the results of the next frame."""
        self.timeline.take(found)
        self.heat.take(found.rows)
        if self.listener is not None:
            self.listener(found.frame, found.rows)

    def report_at(self, frame: int) -> DetectReport:
        """Return a report of the events whose worst frame is the given one, as a detection in that frame would return
        it.
        """
        rows = sorted((event.row for event in self.events if event.worst_frame == frame), key=lambda row: row.order)
        unique = list({row.id: row for row in reversed(rows)}.values())[::-1]
        return DetectReport(
            self.file, self.scale_length, self.options, unique, [], self.statistics.as_dict(), created=self.created
        )


def scan_steps(
    scanned: Scanned, source: SceneSource, engine: ModuleType, prepare: Prepare | None
) -> Generator[Any, None, Scanned]:
    """Scan the frames. The source's frame is restored and results are kept also after errors.

    Raises:
        InputError: a set is invalid, or has no usable object in any frame.
        DetectError: the engine raised another error.
    """
    options, timeline = scanned.options, scanned.timeline
    try:
        yield from frames_steps(
            source, options, engine, timeline.frames, scanned.take, scanned.statistics, highlights=True,
            prepare=prepare, passages=scanned.passages,
        )  # fmt: skip
        require_members(options, timeline.sets, timeline.skipped)
        return scanned
    except engine.errors.MeshClashError as error:
        raise DetectError(Sentence("the engine reported an error: {why}", why=error)) from error
    finally:
        scanned.running = False
        source.restore()
