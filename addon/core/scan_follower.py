"""How Live keeps up to date what scans do to each other and to meshes: pairs of which an object changed are asked."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable
from typing import Any, NamedTuple

from .cloud_pairs import (
    LEAST_SECONDS_OF_SCANS,
    Finding,
    Limits,
    Side,
    apart_steps,
    estimate,
    finding_steps,
    limits_of,
    pairs_in_question,
    scan_row_steps,
    surely_steps,
)
from .cloud_scene import CloudScene
from .frame_scene import FrameScene, Progress, Skipped, SourceObject
from .pair_row import PairRow
from .queries.asked import Asked
from .steps import within
from .verdicts import CONTACT

Pair = tuple[str, str]


class _Known(NamedTuple):
    """What was last found of a pair."""

    items: tuple[SourceObject, SourceObject]
    """The two as they were; the source of Live makes a new one of what has changed."""
    complete: bool


class ScanFollower:
    """What is known of the pairs of scans, for one question.

    Args:
        asked: the question.
        clouds: keeps the engine's clouds from frame to frame.

    Attributes:
        rows: by the identities of the two objects.
    """

    def __init__(self, asked: Asked, clouds: CloudScene) -> None:
        self.rows: dict[Pair, PairRow] = {}
        self._engine, self._clouds = asked.engine, clouds
        self._limits: Limits = limits_of(asked.options, asked.metres_per_unit)
        self._pairs: dict[Pair, tuple[Side, Side]] = {}
        self._known: dict[Pair, _Known] = {}

    @property
    def uncertain(self) -> int:
        """Pairs of which only a probability is known."""
        return sum(not known.complete for known in self._known.values()) if self._estimates else 0

    @property
    def skipped(self) -> Iterable[Skipped]:
        """Scans that have no surface."""
        return self._clouds.skipped

    @property
    def _estimates(self) -> bool:
        return self._limits.budget is not None

    def follow_steps(self, asked: Asked, frame: FrameScene) -> Generator[Any, None, None]:
        """Takes up the scans of a frame, and forgets pairs that are none any more; the engine is warm for them."""
        if not (frame.scans or self._clouds.placed):
            return
        yield from self._clouds.update_steps(frame)
        pairs = pairs_in_question(asked.world, self._clouds, asked.options.rules, self._limits.reach)
        self._pairs = {(scan.item.identity, other.item.identity): (scan, other) for scan, other in pairs}
        for pair in self._known.keys() - self._pairs.keys():
            del self._known[pair]
            self.rows.pop(pair, None)

    def ask_steps(self, frame: int, seconds: float | None, highlights: bool = True) -> Generator[Any, None, None]:
        """Asks about the pairs that changed; closing the generator loses the pair in hand only.

        Args:
            frame: its number.
            seconds: that may be spent on telling who meets, for all pairs together. None: everything is found out.
            highlights: whether rows carry what is drawn.
        """
        due = [pair for pair in self._pairs if self._is_due(pair, hurry=seconds is not None)]
        left = 0.0 if seconds is None else seconds
        for count, pair in enumerate(due):
            scan, other = self._pairs[pair]
            share = max(left, LEAST_SECONDS_OF_SCANS) / (len(due) - count)
            started = time.thread_time()
            if seconds is not None:
                finding, complete = yield from self._hurried_steps(scan, other, share)
            else:
                finding, complete = (yield from self._whole_steps(scan, other)), True
            left -= time.thread_time() - started
            row = None
            if finding is not None:
                row = yield from scan_row_steps(self._engine, scan, other, finding, frame, highlights)
            self.rows.pop(pair, None)
            if row is not None:
                self.rows[pair] = row
            self._known[pair] = _Known((scan.item, other.item), complete)
            yield Progress((count + 1) / len(due), f"{scan.item.name} and {other.item.name}")

    def _is_due(self, pair: Pair, hurry: bool) -> bool:
        known, sides = self._known.get(pair), self._pairs[pair]
        if known is None or any(old is not side.item for old, side in zip(known.items, sides, strict=True)):
            return True
        return not (known.complete or hurry)

    def _whole_steps(self, scan: Side, other: Side) -> Generator[Any, None, Finding | None]:
        """Everything that the test asks of a pair."""
        steps = surely_steps if self._limits.surfaces else finding_steps
        return (yield from within(steps(self._engine, scan, other, self._limits), 0.0, 1.0))

    def _hurried_steps(
        self, scan: Side, other: Side, seconds: float
    ) -> Generator[Any, None, tuple[Finding | None, bool]]:
        """What that many seconds tell of a pair, and whether it is all that the test asks for.

        Whether a scan lies inside of what it does not meet is left open; where gaps are asked for, they are measured.
        """
        found = estimate(self._engine, scan, other, seconds)
        if self._estimates:
            return found, found is None or found.contacts > 0
        if found is not None and (found.contacts or (found.probability or 0.0) >= 0.5):
            distance = 0.0 if self._limits.measures else None
            return Finding(CONTACT, found.members, found.contacts, found.location, distance=distance), False
        apart = apart_steps(self._engine, scan, other, self._limits)
        return (yield from within(apart, 0.0, 1.0)), False
