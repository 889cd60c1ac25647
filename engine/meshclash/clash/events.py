"""Events: ranges of frames in which a pair is listed, computed from the rows of successive frames."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from .column_table import COLUMNS, EVENT_MEASURES, Notes
from .pair_row import PairRow
from .verdicts import SOLID_VERDICTS

RANGE = "range"
"""The scanned frames begin or end during the event, so the event may be longer."""
CONTACT, APART = "contact", "apart"
"""An event begins, or ends, since the two come together, or part."""
APPEARS, VANISHES = "appears", "vanishes"
"""One of the two was not there in the frame before, or is not in the next one, or cannot be used there."""


@dataclass(frozen=True, eq=False)
class ClashEvent:
    """An event: one pair of objects and one range of frames in which it is listed. Lengths are in scene units.

    Attributes:
        row: the row of the worst of these frames, or of the first of several: names, verdict, faces, location.
        start, end: the first and the last frame; for a pair that meets only between two frames, these two frames.
        frames: number of tested frames; 0 for a pair that meets only between two frames.
        begins: `RANGE`, `CONTACT` or `APPEARS`.
        ends: `RANGE`, `APART` or `VANISHES`.
        depth: the greatest depth of all frames, or None.
        depth_lower, depth_upper: bounds of the greatest depth of all frames; None without a proof.
        distance: the smallest distance of all frames, or None.
        start_time: time at which the contact begins [frames]. It is after the last frame without contact and not after
            `start`, assuming that both objects move uniformly between two frames; None if unknown.
        end_time: time at which the contact ends, not before `end`.
    """

    row: PairRow
    start: int
    end: int
    frames: int
    begins: str
    ends: str
    depth: float | None = None
    depth_lower: float | None = None
    depth_upper: float | None = None
    distance: float | None = None
    start_time: float | None = None
    end_time: float | None = None

    @property
    def worst_frame(self) -> int:
        """The frame in which the event is worst."""
        return self.row.frame

    @property
    def order(self) -> tuple[Any, ...]:
        """Sort key: worst first, then by start and names."""
        return (*_badness(self.row), self.start, self.row.a.name, self.row.b.name, self.row.id)

    def as_dict(self, scale: float) -> dict[str, Any]:
        """Returns the event as in the JSON report, without status and comment; lengths in metres."""

        def of_row(*names: str) -> dict[str, Any]:
            return {name: COLUMNS[name].json_value(self.row, Notes(), scale) for name in names}

        return {
            **of_row("id", "test", "a", "b", "region", "verdict"),
            "start": self.start,
            "end": self.end,
            "frames": self.frames,
            "worst_frame": self.row.frame,
            "begins": self.begins,
            "ends": self.ends,
            "start_time": self.start_time,
            "end_time": self.end_time,
            **{column.name: _scaled(getattr(self, column.name), scale) for column in EVENT_MEASURES},
            **of_row("probability", "location", "flush", "certainty"),
        }


@dataclass
class Moments:
    """Times between two frames at which contacts begin and end, by pair id [frames].

    Attributes:
        begun: times of pairs that meet now and did not meet in the previous frame.
        ended: times of pairs that met in the previous frame and do not meet now.
        passed: rows of pairs that meet between the two frames only, and from when to when.
        before: the number of the frame before.
    """

    begun: dict[str, float] = field(default_factory=dict)
    ended: dict[str, float] = field(default_factory=dict)
    passed: list[tuple[PairRow, float, float]] = field(default_factory=list)
    before: int = 0


@dataclass
class _Run:
    """An event that may continue in the next frame."""

    worst: PairRow
    start: int
    end: int
    frames: int
    begins: str
    start_time: float | None
    depth: float | None = None
    depth_lower: float | None = None
    depth_upper: float = 0.0
    """The bound is infinite if the depth of one of the frames is unbounded."""
    distance: float | None = None

    def take(self, row: PairRow, frame: int) -> None:
        if _badness(row) < _badness(self.worst):
            self.worst = _numbered(row, frame)
        self.end, self.frames = frame, self.frames + 1
        self.depth, self.depth_lower = (
            _known(max, self.depth, row.depth),
            _known(max, self.depth_lower, row.depth_lower),
        )
        unknown = math.inf if row.verdict in SOLID_VERDICTS else 0.0
        self.depth_upper = max(self.depth_upper, unknown if row.depth_upper is None else row.depth_upper)
        self.distance = _known(min, self.distance, row.distance)

    def event(self, ends: str, end_time: float | None = None) -> ClashEvent:
        upper = self.depth_upper if 0.0 < self.depth_upper < math.inf else None
        return ClashEvent(
            self.worst, self.start, self.end, self.frames, self.begins, ends, self.depth, self.depth_lower, upper,
            self.distance, self.start_time, end_time,
        )  # fmt: skip


class EventLog:
    """Collects rows frame by frame and combines them to events; `events` may be called at any time."""

    def __init__(self) -> None:
        self._runs: dict[str, _Run] = {}
        self._ended: list[ClashEvent] = []
        self._present: Collection[str] | None = None
        self.revision = 0
        """A number that changes whenever an event begins, ends or becomes more severe."""

    def __len__(self) -> int:
        return len(self._runs) + len(self._ended)

    def add(
        self, frame: int, rows: Iterable[PairRow], present: Collection[str], moments: Moments | None = None
    ) -> None:
        """Add the rows of the next frame.

        Args:
            frame: number of the frame.
            rows: all listed pairs of the frame; their own frame numbers do not matter.
            present: names of the objects that took part.
            moments: times at which contacts begin and end between the previous frame and this one.
        """
        moments = moments or Moments()
        listed = {row.id: row for row in rows}
        for key in [key for key in self._runs if key not in listed]:
            run = self._runs.pop(key)
            gone = run.worst.a.name not in present or run.worst.b.name not in present
            self._ended.append(run.event(VANISHES if gone else APART, moments.ended.get(key)))
            self.revision += 1
        for key, row in listed.items():
            known = self._runs.get(key)
            if known is None:
                begins, time = self._beginning(row), moments.begun.get(key)
                self._runs[key] = _Run(_numbered(row, frame), frame, frame, 0, begins, time)
                self._runs[key].take(row, frame)
                self.revision += 1
            else:
                worst = known.worst
                known.take(row, frame)
                self.revision += known.worst is not worst
        for row, begin, end in moments.passed:
            run = _Run(_numbered(row, frame), moments.before, frame, 0, CONTACT, begin)
            run.take(row, frame)
            self._ended.append(replace(run.event(APART, end), frames=0))
            self.revision += 1
        self._present = present

    def events(self) -> list[ClashEvent]:
        """Return all events so far, worst first; events that have not ended yet end at the last frame."""
        found = [*self._ended, *(run.event(RANGE) for run in self._runs.values())]
        return sorted(found, key=lambda event: event.order)

    def _beginning(self, row: PairRow) -> str:
        if self._present is None:
            return RANGE
        return CONTACT if row.a.name in self._present and row.b.name in self._present else APPEARS


def _badness(row: PairRow) -> tuple[Any, ...]:
    """Return a sort key that orders two frames of a pair, or two events, worst first.

    Pairs that share volume are compared by their depth. If the depth is unknown, as for cloth and open meshes, they are
    compared by the number of faces in contact.
    """
    rank = math.inf if row.verdict in SOLID_VERDICTS else row.severity
    return (-rank, -(row.probability or 0.0), *row.depth_order, row.distance or 0.0, -row.severity, -row.count)


def _known(choose: Callable[[float, float], float], one: float | None, other: float | None) -> float | None:
    """Apply `choose` to two lengths; if one of them is None, return the other."""
    if one is None or other is None:
        return other if one is None else one
    return choose(one, other)


def _numbered(row: PairRow, frame: int) -> PairRow:
    return row if row.frame == frame else replace(row, frame=frame)


def _scaled(length: float | None, scale: float) -> float | None:
    return None if length is None else scale * length
