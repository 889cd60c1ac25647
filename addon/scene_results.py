"""Results of this session: reports, heat maps, scans of the timeline, reviews, and stale objects.

Together with `running_work`, `shown_things` and the overlay's batches, this module contains the whole mutable state of
the extension. The state consists of plain Python and NumPy data by `session_uid`, without references to Blender data,
which undo and loading a file free.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Generator, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from meshclash.clash.row_list import sorted_rows
from meshclash.clash.rules import excludes

from . import running_work, shown_things
from .core.table import Mask, RowTable

if TYPE_CHECKING:
    from types import ModuleType

    from meshclash.clash.fingerprints import Seen
    from meshclash.clash.followed import Followed
    from meshclash.clash.pair_row import PairRow
    from meshclash.clash.report import DetectReport

    from .core.deviation import DeviationMap
    from .core.scanned import Scanned
    from .core.way_out import Way
    from .reviews import Reviews


@dataclass
class SceneResult:
    """The last report of one scene.

    Attributes:
        found: the report of Detect.
        report: the report without pairs that were excluded since; this report is listed, drawn and exported.
        serial: number that is different for every report; part of the overlay's signature.
        live: whether the result comes from Live, which follows the scene.
        incomplete: whether the result was computed in first-contact mode, with only one contact of each pair.
        loaded: whether the result was loaded with the file: a list without faces, of a scene that may have changed
            since.
        stale: full names of objects that have moved, changed shape or are gone since.
        checked: ids of pairs that were checked again since objects changed.
        ways: moves of B out of A, by pair id, as far as computed.
        solids: volumes of common solids that were computed, and whether they contradict the proved bounds, by pair id.
        refined: whether depths have closer bounds since the rows were sorted.
    """

    found: DetectReport
    report: DetectReport
    serial: int
    live: bool = False
    incomplete: bool = False
    loaded: bool = False
    stale: frozenset[str] = frozenset()
    refined: bool = False
    checked: frozenset[str] = frozenset()
    ways: dict[str, Way] = field(default_factory=dict)
    solids: dict[str, tuple[float, bool]] = field(default_factory=dict)

    def contradicts(self, pair_id: str) -> bool:
        """Return whether the common solid of a pair contradicts its proved bounds; then the bounds are right."""
        return self.solids.get(pair_id, (0.0, False))[1]

    def is_stale(self, row: PairRow) -> bool:
        """Return whether the result in a row may be outdated."""
        return row.id not in self.checked and (self.loaded or not self.stale.isdisjoint(row.owners))

    def is_fresh(self, pair_id: str) -> bool:
        """Return whether there is a row with an id, and the row is not stale."""
        row = self.row(pair_id)
        return row is not None and not self.is_stale(row)

    def row(self, pair_id: str) -> PairRow | None:
        """Return the row with an id, or None."""
        return self.rows.get(pair_id)

    @cached_property
    def counts(self) -> Counter[str]:
        """The number of rows of each verdict in `report`."""
        return Counter(row.verdict for row in self.report.rows)

    @cached_property
    def rows(self) -> dict[str, PairRow]:
        """The rows of `report` by id."""
        return {row.id: row for row in self.report.rows}

    @cached_property
    def table(self) -> RowTable:
        """The rows of `report` as columns, made on first use, since Live replaces results frequently."""
        return RowTable(self.report.rows)

    def table_steps(self) -> Generator[None, None, None]:
        """Make `table` in steps, unless it was made before, or between two steps."""
        steps = RowTable.steps(self.report.rows)
        while "table" not in vars(self):
            try:
                next(steps)
            except StopIteration as made:
                self.table = made.value
            else:
                yield

    @cached_property
    def known_groups(self) -> dict[str, list[dict[str, Any]]]:
        """The groups of `report` computed so far, by kind of grouping."""
        return {}

    def groups(self, way: str) -> list[dict[str, Any]]:
        """Return the groups of `report` for a kind of grouping; computed once."""
        if way not in self.known_groups:
            self.known_groups[way] = self.report.groups(way)
        return self.known_groups[way]

    @cached_property
    def test_counts(self) -> Counter[str]:
        """The number of rows of each named test."""
        return Counter(row.test for row in self.report.rows)

    @property
    def stale_rows(self) -> Mask:
        """Return which rows of `table` may be outdated."""
        stale = np.full(len(self.table), self.loaded)
        if self.stale:
            stale |= self.table.about(self.stale)
        stale[[self.table.positions[pair] for pair in self.checked if pair in self.table.positions]] = False
        return stale


@dataclass
class MeasuredDeviation:
    """The last heat map of one scene.

    Attributes:
        serial: number of the heat map.
        found: the measured deviations.
        stale: full names of its objects that have moved, changed shape or are gone since.
    """

    serial: int
    found: DeviationMap
    stale: frozenset[str] = frozenset()


class _State:
    """The mutable state of this module, by session uid of the scene."""

    results: dict[int, SceneResult] = {}  # noqa: RUF012 - one per session on purpose
    deviations: dict[int, MeasuredDeviation] = {}  # noqa: RUF012
    suspects: dict[int, frozenset[str]] = {}  # noqa: RUF012 - marked objects that may be as before again
    reviews: dict[int, tuple[Reviews, bool]] = {}  # noqa: RUF012 - and whether they are still those of Blender
    timelines: dict[int, Scanned] = {}  # noqa: RUF012
    refused: dict[int, str] = {}  # noqa: RUF012 - why lists that came with the file are not shown
    followed: tuple[int, Followed] | None = None


_serials = itertools.count(1)


def store_result(
    scene_uid: int, report: DetectReport, live: bool = False, incomplete: bool = False, loaded: bool = False
) -> SceneResult:
    """Replace the result of a scene; the flags are those of `SceneResult`."""
    made = SceneResult(report, report, next(_serials), live, incomplete, loaded)
    _State.results[scene_uid] = made
    return made


def result_of(scene_uid: int) -> SceneResult | None:
    """Return the scene's result, or None."""
    return _State.results.get(scene_uid)


def existing_result(scene_uid: int) -> SceneResult:
    """Return the scene's result, for code that runs only if a result exists.

    Raises:
        KeyError: the scene has no result.
    """
    return _State.results[scene_uid]


def exclude(scene_uid: int, pairs: Collection[tuple[str, str]]) -> bool:
    """Leave exactly the pairs with these names out of the scene's report; return whether the report changes.

    A pair that is no longer excluded appears again unchanged.
    """
    result = _State.results.get(scene_uid)
    if result is None:
        return False
    excluded = excludes(pairs)
    rows = [row for row in result.found.rows if not excluded(row)]
    if len(rows) == len(result.rows) and all(row.id in result.rows for row in rows):
        return False
    report = replace(result.found, rows=rows)
    _State.results[scene_uid] = replace(result, report=report, serial=next(_serials))
    return True


def take_followed(scene_uid: int, engine: ModuleType) -> Followed | None:
    """Return and remove the data of the last detection, for the next detection by the same engine, which stores the
    data again.
    """
    known, _State.followed = _State.followed, None
    if known is None or known[0] != scene_uid or known[1].engine is not engine:
        return None
    return known[1]


def keep_followed(scene_uid: int, followed: Followed) -> None:
    """Store the data of a detection, and discard those of other scenes; no data is stored for massive files."""
    _State.followed = None if followed.frame.massive else (scene_uid, followed)


def forget_followed() -> None:
    """Free the data of the last detection."""
    _State.followed = None


def known_followed(scene_uid: int) -> Followed | None:
    """Return the data of the last detection in a scene, without removing it."""
    known = _State.followed
    return None if known is None or known[0] != scene_uid else known[1]


def refine(scene_uid: int, rows: Iterable[PairRow]) -> None:
    """Replace rows by rows with the same ids and closer depth bounds, without sorting."""
    result = _State.results[scene_uid]
    new = {row.id: row for row in rows}
    for report in (result.found,) if result.report is result.found else (result.found, result.report):
        report.rows[:] = [new.get(row.id, row) for row in report.rows]
    result.refined = True
    for key, row in new.items():
        if key in result.rows:
            result.rows[key] = row
            result.table.refine(result.table.positions[key], row)


def replace_pair(scene_uid: int, pair_id: str, rows: Sequence[PairRow]) -> None:
    """Replace the rows of a pair that was checked again; its position stays the same."""
    result = _State.results[scene_uid]
    result.ways.pop(pair_id, None)

    def changed(report: DetectReport) -> DetectReport:
        at = next((at for at, row in enumerate(report.rows) if row.id == pair_id), 0)
        left = [row for row in report.rows if row.id != pair_id]
        return replace(report, rows=[*left[:at], *rows, *left[at:]])

    found, report = changed(result.found), changed(result.report)
    _State.results[scene_uid] = replace(
        result, found=found, report=report, serial=next(_serials),
        checked=result.checked | {row.id for row in rows},
    )  # fmt: skip


def note_solid(scene_uid: int, pair_id: str, volume: float, contradicts: bool) -> None:
    """Store the volume of a pair's common solid for its row [cubic Blender units]."""
    result = _State.results.get(scene_uid)
    if result is not None:
        result.solids[pair_id] = volume, contradicts


def sort_again(scene_uid: int) -> None:
    """Sort the rows if depths have closer bounds since they were sorted."""
    result = _State.results.get(scene_uid)
    if result is None or not result.refined:
        return
    report = replace(result.report, rows=sorted_rows(result.report.rows))
    _State.results[scene_uid] = replace(result, report=report, serial=next(_serials), refined=False)


def known_reviews(scene_uid: int) -> tuple[Reviews | None, bool]:
    """Return the reviews as last read, and whether they are certainly up to date."""
    return _State.reviews.get(scene_uid, (None, False))


def keep_reviews(scene_uid: int, reviews: Reviews) -> None:
    """Store the reviews."""
    _State.reviews[scene_uid] = reviews, True


def doubt_reviews() -> None:
    """Mark the reviews of all scenes as possibly changed, so that they are read again at their next use."""
    _State.reviews = {uid: (known, False) for uid, (known, _) in _State.reviews.items()}


def refuse_list(scene_uid: int, why: str) -> None:
    """Store why the list saved with a scene is not shown."""
    _State.refused[scene_uid] = why


def refused_list(scene_uid: int) -> str:
    """Return why the list saved with a scene is not shown; "" if the list is shown, does not exist, or was replaced by
    Detect.
    """
    return "" if scene_uid in _State.results else _State.refused.get(scene_uid, "")


def drop_result(scene_uid: int) -> None:
    """Discard the scene's result."""
    _State.results.pop(scene_uid, None)


def mark_stale(scene_uid: int, names: Iterable[str]) -> bool:
    """Mark objects as stale, because they may have changed; return whether any mark is new."""
    names = frozenset(names)
    _State.suspects[scene_uid] = suspects(scene_uid) | names
    running_work.note_changed(names)
    aged = _age_deviation(scene_uid, names)
    result = _State.results.get(scene_uid)
    if result is not None and result.checked:
        checked = (result.row(pair) for pair in result.checked)
        result.checked = frozenset(row.id for row in checked if row is not None and names.isdisjoint(row.owners))
    if result is None or result.stale.issuperset(names):
        return aged
    result.stale |= names
    return True


def suspects(scene_uid: int) -> frozenset[str]:
    """Return the full names of marked objects that may have returned to their former state."""
    return _State.suspects.get(scene_uid, frozenset())


def suspect_all(scene_uid: int) -> bool:
    """Record that any marked object may have returned to its former state; return whether any object is marked."""
    result, deviation = _State.results.get(scene_uid), _State.deviations.get(scene_uid)
    marked = (found.stale for found in (result, deviation) if found is not None)
    _State.suspects[scene_uid] = suspects(scene_uid).union(*marked)
    return bool(_State.suspects[scene_uid])


def doubts(scene_uid: int) -> list[tuple[Seen, frozenset[str]]]:
    """Return the object states at the time of a scene's results, each with the marked objects to check again."""
    result, deviation = _State.results.get(scene_uid), _State.deviations.get(scene_uid)
    answers = [] if result is None or result.report.seen is None else [(result.report.seen, result.stale)]
    answers += [] if deviation is None else [(deviation.found.seen, deviation.stale)]
    return [(seen, stale & suspects(scene_uid)) for seen, stale in answers if stale & suspects(scene_uid)]


def cleared(scene_uid: int, seen: Seen, names: frozenset[str]) -> bool:
    """Unmark objects that have returned to the state in `seen`; return whether objects were unmarked."""
    result, deviation = _State.results.get(scene_uid), _State.deviations.get(scene_uid)
    if result is not None and result.report.seen is seen:
        result.stale -= names
    elif deviation is not None and deviation.found.seen is seen:
        deviation.stale -= names
    return bool(names)


def looked_at(scene_uid: int) -> None:
    """Clear the suspects of a scene, after they were checked."""
    _State.suspects.pop(scene_uid, None)


def named_objects(scene_uid: int) -> frozenset[str]:
    """Return the full names of the objects in the result, the heat map and the voxels of a scene."""
    result, deviation = _State.results.get(scene_uid), _State.deviations.get(scene_uid)
    named: frozenset[str] = frozenset() if result is None else result.table.owner_names
    voxels, solid = shown_things.voxels.of(scene_uid), shown_things.solid.of(scene_uid)
    named = named if voxels is None else named | voxels.owners
    named = named if solid is None else named | solid.owners
    return named if deviation is None else named | deviation.found.owners


def store_deviation(scene_uid: int, found: DeviationMap) -> int:
    """Store the heat map of a scene; return its number, which the scene stores so that undo finds it."""
    serial = next(_serials)
    _State.deviations[scene_uid] = MeasuredDeviation(serial, found)
    return serial


def deviation_of(scene_uid: int, serial: int) -> DeviationMap | None:
    """Return the scene's heat map with a number; None if the map was replaced, or if undo went back to a time before
    the map.
    """
    found = _State.deviations.get(scene_uid)
    return found.found if found is not None and found.serial == serial else None


def deviation_is_stale(scene_uid: int) -> bool:
    """Return whether an object has changed since the scene's heat map was made."""
    found = _State.deviations.get(scene_uid)
    return found is not None and bool(found.stale)


def _age_deviation(scene_uid: int, names: frozenset[str]) -> bool:
    """Mark objects of the heat map as stale; return whether the heat map becomes stale."""
    measured = _State.deviations.get(scene_uid)
    if measured is None:
        return False
    before, measured.stale = measured.stale, measured.stale | (measured.found.names & names)
    return bool(measured.stale) and not before


def live_ended(scene_uid: int, unanswered: frozenset[str], seen: Seen | None) -> None:
    """Treat the result of Live like a result of Detect from now on, so that it can become stale.

    Args:
        scene_uid: the scene.
        unanswered: full names of objects that may have changed since the last result.
        seen: state of the objects at that result, or None.
    """
    result = _State.results.get(scene_uid)
    if result is not None:
        result.live = False
        result.found, result.report = replace(result.found, seen=seen), replace(result.report, seen=seen)
        mark_stale(scene_uid, unanswered)


def store_timeline(scene_uid: int, scanned: Scanned) -> None:
    """Store `scanned` as the last scan of a scene's timeline; it may still run."""
    _State.timelines[scene_uid] = scanned


def timeline_of(scene_uid: int) -> Scanned | None:
    """Return the last scan of a scene's timeline, or None."""
    return _State.timelines.get(scene_uid)


def drop_timeline(scene_uid: int) -> None:
    """Discard the scan of a scene's timeline."""
    _State.timelines.pop(scene_uid, None)


def clear() -> None:
    """Discard all state of the open file."""
    _State.refused.clear()
    for known in (_State.results, _State.deviations, _State.timelines, _State.suspects, _State.reviews):
        known.clear()
    _State.followed = None
