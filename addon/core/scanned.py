"""A scan of the timeline in the window: its events, heat map and progress, which are there also when it is stopped."""

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
    """What a scan has found so far.

    Args:
        file: path of the .blend file, "" when it was never saved.
        scale_length: metres per Blender unit.
        options: what is asked; with frames.
        passages: whether to look for what meets between two frames only.

    Attributes:
        timeline: the frames and their events.
        heat: the faces.
        statistics: of the work.
        created: when the scan began.
        running: whether it goes on.
        listener: is given the number of each frame and its rows; may be None.
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
        """The events so far, worst first; made anew when a frame was done since."""
        if self._events[0] != self.timeline.done:
            self._events = self.timeline.done, self.timeline.events
        return self._events[1]

    def take(self, found: FrameFound) -> None:
        """Takes in the next frame."""
        self.timeline.take(found)
        self.heat.take(found.rows)
        if self.listener is not None:
            self.listener(found.frame, found.rows)

    def report_at(self, frame: int) -> DetectReport:
        """The report of the events that are worst in a frame, as a detection in that frame would have it."""
        rows = sorted((event.row for event in self.events if event.worst_frame == frame), key=lambda row: row.order)
        unique = list({row.id: row for row in reversed(rows)}.values())[::-1]
        return DetectReport(
            self.file, self.scale_length, self.options, unique, [], self.statistics.as_dict(), created=self.created
        )


def scan_steps(
    scanned: Scanned, source: SceneSource, engine: ModuleType, prepare: Prepare | None
) -> Generator[Any, None, Scanned]:
    """Scans the frames; whatever happens, the source's frame is put back and what was found stays.

    Raises:
        InputError: a set is wrong, or holds nothing that can be used in any frame.
        DetectError: the engine refused something else.
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
        raise DetectError(Sentence("the engine refused: {why}", why=error)) from error
    finally:
        scanned.running = False
        source.restore()
