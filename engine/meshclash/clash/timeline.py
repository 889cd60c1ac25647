"""Test a range of frames one after the other, and collect the results and events."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from types import ModuleType

from ..messages import Sentence
from ..types.steps import scale_progress
from .cloud_scene import CloudScene, Prepare
from .events import ClashEvent, EventLog, Moments
from .followed import Followed
from .frame_scene import Progress, SceneSource, Skipped, SourceObject
from .moments import Between
from .options import DetectOptions, format_frames
from .pair_row import PairRow
from .statistics import RunStatistics
from .units import time_in_words
from .volumes import listed_rows

READ_SHARE, PREPARE_SHARE, ASK_SHARE, MOMENTS_SHARE = 0.3, 0.5, 0.8, 0.9  # of one frame
LEAST_FRAMES, MOST_FRAMES, TASKS = 8, 32, 32
"""Minimum and maximum number of frames of a task, and the number of tasks into which a range is divided if these limits
permit it."""
TELL_AFTER = 1.0  # seconds, from which on the remaining time is worth telling
ROWS_AT_ONCE = 256  # that are taken in in one step


@dataclass(frozen=True, eq=False)
class FrameFound:
    """The results of one frame.

    Attributes:
        frame: number of the frame.
        rows: one row for each pair that the test lists.
        names: names of the tested objects.
        sets: the letters of the sets that are not empty.
        skipped: objects that could not be tested.
        moments: when contacts began and ended since the frame before.
    """

    frame: int
    rows: list[PairRow]
    names: frozenset[str]
    sets: str
    skipped: list[Skipped]
    moments: Moments = field(default_factory=Moments)


class Timeline:
    """The results of a range of frames, from its first frame on.

    Args:
        frames: the range.
        keeps_rows: whether the rows of all frames are stored, in addition to those of the events.

    Attributes:
        log: the events.
        rows: rows of all frames.
        done: number of frames.
        sets: letters of the sets that were not empty in some frame.
    """

    def __init__(self, frames: range, keeps_rows: bool) -> None:
        self.frames, self._keeps_rows = frames, keeps_rows
        self.log = EventLog()
        self.rows: list[PairRow] = []
        self.done, self.sets = 0, ""
        self._skipped: dict[Skipped, list[int]] = {}

    def take(self, found: FrameFound) -> None:
        """Add the next frame."""
        self.log.add(found.frame, found.rows, found.names, found.moments)
        if self._keeps_rows:
            self.rows += [row if row.frame == found.frame else replace(row, frame=found.frame) for row in found.rows]
        self.sets = "".join(sorted({*self.sets, *found.sets}))
        self.done += 1
        for item in found.skipped:
            self._skipped.setdefault(item, []).append(found.frame)

    @property
    def looked_at(self) -> range:
        """The frames that are done."""
        return self.frames[: self.done]

    @property
    def events(self) -> list[ClashEvent]:
        """Events so far, worst first."""
        return self.log.events()

    @property
    def skipped(self) -> list[Skipped]:
        """Objects that could not be tested, with the frames if this does not apply to all of them."""
        found = []
        for item, frames in self._skipped.items():
            reason = item.reason
            if len(frames) != self.done:
                reason = Sentence("{why} ({frames})", why=item.reason, frames=_frames_in_words(frames))
            found.append(replace(item, reason=reason))
        return found


def _frames_in_words(frames: list[int]) -> str:
    if len(frames) == 1:
        return Sentence("frame {frame}", frame=frames[0])
    count, first, last = len(frames), frames[0], frames[-1]
    return Sentence("{count} frames from {first} to {last}", count=count, first=first, last=last)


def frames_steps(
    source: SceneSource,
    options: DetectOptions,
    engine: ModuleType,
    frames: range,
    take: Callable[[FrameFound], None],
    statistics: RunStatistics,
    *,
    before: int | None = None,
    highlights: bool = True,
    prepare: Prepare | None = None,
    clouds: CloudScene | None = None,
    passages: bool = False,
) -> Generator[Progress, None, None]:
    """Test one frame after the other; only pairs that changed since the last frame are tested again.

    The results do not depend on the beginning of a range: a task may test any part of a range.

    Args:
        source: the scene; the caller puts its frame back.
        options: the question; its own frames do not matter.
        engine: the meshclash module, warm.
        frames: the frames.
        take: function that receives each frame when it is finished.
        statistics: statistics of the work.
        before: the frame before the first one, from which times of contact are computed; None: no such frame.
        highlights: whether rows contain the data for drawing.
        prepare: as in `Followed`.
        clouds: scans that were created for other frames.
        passages: whether to search for pairs that meet only between two frames.

    Yields:
        Progress, with the time that is left.

    Raises:
        InputError: a set is wrong.
    """
    followed = Followed(engine, prepare, clouds)
    between = Between(engine, options, passages)
    if before is not None:
        unseen = RunStatistics(source.scale_length)
        yield from scale_progress(_frame_steps(source, options, followed, between, before, unseen, False), 0.0, 0.0)
    clock = _Remaining(len(frames))
    for index, number in enumerate(frames):
        low, high = index / len(frames), (index + 1) / len(frames)
        steps = _frame_steps(source, options, followed, between, number, statistics, highlights)
        take((yield from scale_progress(steps, low, high, prefix=clock.frame(number, index))))


def _frame_steps(
    source: SceneSource,
    options: DetectOptions,
    followed: Followed,
    between: Between,
    number: int,
    statistics: RunStatistics,
    highlights: bool,
) -> Generator[Progress, None, FrameFound]:
    followed.statistics, started = statistics, time.perf_counter()
    frame = yield from scale_progress(source.read_steps(options.set_a, options.set_b, number), 0.0, READ_SHARE)
    statistics.add_frame(frame, time.perf_counter() - started)
    taking = followed.take_steps(frame, options, source.scale_length)
    yield from scale_progress(taking, READ_SHARE, PREPARE_SHARE)
    before = dict(followed.pairs())
    yield from scale_progress(followed.ask_steps(), PREPARE_SHARE, ASK_SHARE)
    yield from scale_progress(followed.write_steps(highlights), ASK_SHARE, ASK_SHARE)
    rows = yield from scale_progress(followed.measured_steps(), ASK_SHARE, ASK_SHARE)
    moments = yield from scale_progress(between.moments_steps(number, followed, before), ASK_SHARE, MOMENTS_SHARE)
    large = listed_rows(rows, options, source.scale_length)
    statistics.add_smaller(len(rows) - len(large))
    statistics.add_understood(followed.world)
    members = followed.world.objects.values()
    skipped = [*followed.frame.skipped, *followed.world.skipped, *followed.clouds.skipped]
    names = frozenset(item.name for item in members)
    return FrameFound(number, large, names, letters_of(members), skipped, moments)


def letters_of(members: Iterable[SourceObject]) -> str:
    """Return the letters of the sets that contain each object."""
    found = {letter for item in members for letter in "AB" if (item.in_a if letter == "A" else item.in_b)}
    return "".join(sorted(found))


class _Remaining:
    """Estimates the remaining time of a range from the frames done so far."""

    def __init__(self, count: int) -> None:
        self._count, self._started = count, time.perf_counter()

    def frame(self, number: int, done: int) -> str:
        """Return the progress text of a frame, with the remaining time if it is known."""
        spent = time.perf_counter() - self._started
        if not done or spent < TELL_AFTER:
            return Sentence("Frame {frame}", frame=number) + ": "
        left = time_in_words(spent / done * (self._count - done))
        return Sentence("Frame {frame}, {time} left", frame=number, time=left) + ": "


@dataclass(frozen=True)
class RangeTask:
    """A part of a range of frames that can be tested separately.

    Attributes:
        frames: the part.
        before: the frame before the task's frames, None if the range begins with them.
    """

    frames: range
    before: int | None

    def __str__(self) -> str:
        return f"frames {format_frames(self.frames)}"


def tasks_of(frames: range) -> Iterator[RangeTask]:
    """Divide a range into tasks; the division does not depend on the number of processes, so that the result is the
    same.
    """
    size = max(LEAST_FRAMES, min(MOST_FRAMES, -(-len(frames) // TASKS)))
    for at in range(0, len(frames), size):
        yield RangeTask(frames[at : at + size], frames[at - 1] if at else None)
