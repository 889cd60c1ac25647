"""What was found in this session: reports, heat maps, scans of the timeline, what users say of pairs, what grew old.

With `running_work`, `shown_things` and the overlay's batches this is the only mutable state of the extension. All of it
is plain Python and NumPy data keyed by `session_uid`, never a reference to Blender data: undo and file loading free
those.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
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
        found: what Detect found.
        report: the same without the pairs that were excluded since; what is listed, drawn and exported.
        serial: different for every report; part of the overlay's signature.
        counts: number of rows of each verdict in `report`.
        rows: the rows of `report` by their ids.
        live: whether it comes from Live, which follows the scene.
        incomplete: whether it is an answer in first-contact mode: who meets, and no more.
        loaded: whether it came with the file: a list without faces, of a scene that may have changed since.
        stale: full names of objects that moved, changed shape or are gone since.
        checked: ids of pairs that were checked again since objects changed.
        ways: how B is moved out of A, by ids of pairs, as far as it was asked.
        solids: volumes of common solids that were looked at, and whether they contradict what is proved, by pair.
        refined: whether depths have got closer bounds since the rows were sorted.
    """

    found: DetectReport
    report: DetectReport
    serial: int
    counts: Counter[str]
    rows: dict[str, PairRow]
    live: bool = False
    incomplete: bool = False
    loaded: bool = False
    stale: frozenset[str] = frozenset()
    refined: bool = False
    checked: frozenset[str] = frozenset()
    ways: dict[str, Way] = field(default_factory=dict)
    solids: dict[str, tuple[float, bool]] = field(default_factory=dict)

    def contradicts(self, pair_id: str) -> bool:
        """Whether the common solid of a pair contradicts what is proved of it; then what is proved holds."""
        return self.solids.get(pair_id, (0.0, False))[1]

    def is_stale(self, row: PairRow) -> bool:
        """Whether a row may no longer be true."""
        return row.id not in self.checked and (self.loaded or not self.stale.isdisjoint(row.owners))

    def is_fresh(self, pair_id: str) -> bool:
        """Whether there is a row with that id, and it is still true."""
        row = self.row(pair_id)
        return row is not None and not self.is_stale(row)

    def row(self, pair_id: str) -> PairRow | None:
        """The row with that id, or None."""
        return self.rows.get(pair_id)

    @cached_property
    def table(self) -> RowTable:
        """The rows of `report` as columns; made when first asked for, since Live replaces results all the time."""
        return RowTable(self.report.rows)

    @cached_property
    def known_groups(self) -> dict[str, list[dict[str, Any]]]:
        """The groups of `report`, by the ways that were asked for."""
        return {}

    def groups(self, way: str) -> list[dict[str, Any]]:
        """The groups of `report`; each way looks at all of its clashes, once."""
        if way not in self.known_groups:
            self.known_groups[way] = self.report.groups(way)
        return self.known_groups[way]

    @cached_property
    def test_counts(self) -> Counter[str]:
        """Number of rows of each named test."""
        return Counter(row.test for row in self.report.rows)

    @property
    def stale_rows(self) -> Mask:
        """Which rows of `table` may no longer be true."""
        stale = np.full(len(self.table), self.loaded)
        if self.stale:
            stale |= self.table.about(self.stale)
        stale[[self.table.positions[pair] for pair in self.checked if pair in self.table.positions]] = False
        return stale


@dataclass
class MeasuredDeviation:
    """The last heat map of one scene.

    Attributes:
        serial: its number.
        found: what was measured.
        stale: full names of its objects that moved, changed shape or are gone since.
    """

    serial: int
    found: DeviationMap
    stale: frozenset[str] = frozenset()


class _State:
    """The mutable values behind this module's functions; by the session uid of their scene."""

    results: dict[int, SceneResult] = {}  # noqa: RUF012 - one per session on purpose
    deviations: dict[int, MeasuredDeviation] = {}  # noqa: RUF012
    suspects: dict[int, frozenset[str]] = {}  # noqa: RUF012 - marked objects that may be what they were again
    reviews: dict[int, tuple[Reviews, bool]] = {}  # noqa: RUF012 - and whether they are still those of Blender
    timelines: dict[int, Scanned] = {}  # noqa: RUF012
    refused: dict[int, str] = {}  # noqa: RUF012 - why lists that came with the file are not shown
    followed: tuple[int, Followed] | None = None


_serials = itertools.count(1)


def store_result(
    scene_uid: int, report: DetectReport, live: bool = False, incomplete: bool = False, loaded: bool = False
) -> SceneResult:
    """Replaces the result of a scene; the flags are those of `SceneResult`."""
    made = SceneResult(report, report, next(_serials), *_counted(report), live, incomplete, loaded)
    _State.results[scene_uid] = made
    return made


def _counted(report: DetectReport) -> tuple[Counter[str], dict[str, PairRow]]:
    return Counter(row.verdict for row in report.rows), {row.id: row for row in report.rows}


def result_of(scene_uid: int) -> SceneResult | None:
    """The scene's result, or None."""
    return _State.results.get(scene_uid)


def existing_result(scene_uid: int) -> SceneResult:
    """The scene's result, for code that runs only where there is one.

    Raises:
        KeyError: there is none.
    """
    return _State.results[scene_uid]


def exclude(scene_uid: int, pairs: Collection[tuple[str, str]]) -> bool:
    """Leaves exactly these pairs of names out of the scene's report; returns whether that changes it.

    A pair that is excluded no longer comes back as it was found.
    """
    result = _State.results.get(scene_uid)
    if result is None:
        return False
    excluded = excludes(pairs)
    rows = [row for row in result.found.rows if not excluded(row)]
    if len(rows) == len(result.rows) and all(row.id in result.rows for row in rows):
        return False
    report = replace(result.found, rows=rows)
    counts, by_id = _counted(report)
    _State.results[scene_uid] = replace(result, report=report, serial=next(_serials), counts=counts, rows=by_id)
    return True


def take_followed(scene_uid: int, engine: ModuleType) -> Followed | None:
    """What the last detection knows of a scene, for the next one by the same engine, which keeps it again."""
    known, _State.followed = _State.followed, None
    if known is None or known[0] != scene_uid or known[1].engine is not engine:
        return None
    return known[1]


def keep_followed(scene_uid: int, followed: Followed) -> None:
    """Keeps what a detection knows of a scene, and forgets all others; massive files are not kept open."""
    _State.followed = None if followed.frame.massive else (scene_uid, followed)


def forget_followed() -> None:
    """Frees what the last detection knows."""
    _State.followed = None


def known_followed(scene_uid: int) -> Followed | None:
    """What the last detection knows of a scene, which stays kept."""
    known = _State.followed
    return None if known is None or known[0] != scene_uid else known[1]


def refine(scene_uid: int, rows: Iterable[PairRow]) -> None:
    """Puts rows with closer bounds of their depths in the place of those with the same ids; nothing is sorted."""
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
    """Puts what was found when a pair was checked again in the place of its rows; it stands where it stood."""
    result = _State.results[scene_uid]
    result.ways.pop(pair_id, None)

    def changed(report: DetectReport) -> DetectReport:
        at = next((at for at, row in enumerate(report.rows) if row.id == pair_id), 0)
        left = [row for row in report.rows if row.id != pair_id]
        return replace(report, rows=[*left[:at], *rows, *left[at:]])

    found, report = changed(result.found), changed(result.report)
    counts, by_id = _counted(report)
    _State.results[scene_uid] = replace(
        result, found=found, report=report, serial=next(_serials), counts=counts, rows=by_id,
        checked=result.checked | {row.id for row in rows},
    )  # fmt: skip


def note_solid(scene_uid: int, pair_id: str, volume: float, contradicts: bool) -> None:
    """Remembers how large the common solid of a pair is, for its row [cubic Blender units]."""
    result = _State.results.get(scene_uid)
    if result is not None:
        result.solids[pair_id] = volume, contradicts


def sort_again(scene_uid: int) -> None:
    """Sorts rows whose depths have got closer bounds since they were sorted."""
    result = _State.results.get(scene_uid)
    if result is None or not result.refined:
        return
    report = replace(result.report, rows=sorted(result.report.rows, key=lambda row: row.order))
    _State.results[scene_uid] = replace(result, report=report, serial=next(_serials), refined=False)


def known_reviews(scene_uid: int) -> tuple[Reviews | None, bool]:
    """What the user said of pairs when it was read last, and whether it is sure to be still so."""
    return _State.reviews.get(scene_uid, (None, False))


def keep_reviews(scene_uid: int, reviews: Reviews) -> None:
    """Remembers what the user says of pairs."""
    _State.reviews[scene_uid] = reviews, True


def doubt_reviews() -> None:
    """What the user says of pairs may have changed, in any scene: it is read again when it is asked for."""
    _State.reviews = {uid: (known, False) for uid, (known, _) in _State.reviews.items()}


def refuse_list(scene_uid: int, why: str) -> None:
    """Notes why the list that came with a scene is not shown."""
    _State.refused[scene_uid] = why


def refused_list(scene_uid: int) -> str:
    """Why the list that came with a scene is not shown; "" where it is, where there is none, and after Detect."""
    return "" if scene_uid in _State.results else _State.refused.get(scene_uid, "")


def drop_result(scene_uid: int) -> None:
    """Forgets the scene's result."""
    _State.results.pop(scene_uid, None)


def mark_stale(scene_uid: int, names: Iterable[str]) -> bool:
    """Notes that objects may no longer be what they were; returns whether that is news."""
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
    """Full names of marked objects that may be again what they were."""
    return _State.suspects.get(scene_uid, frozenset())


def suspect_all(scene_uid: int) -> bool:
    """Any marked object may be what it was again; returns whether there is one."""
    result, deviation = _State.results.get(scene_uid), _State.deviations.get(scene_uid)
    marked = (found.stale for found in (result, deviation) if found is not None)
    _State.suspects[scene_uid] = suspects(scene_uid).union(*marked)
    return bool(_State.suspects[scene_uid])


def doubts(scene_uid: int) -> list[tuple[Seen, frozenset[str]]]:
    """What the answers of a scene were found for, each with the marked objects to look at again."""
    result, deviation = _State.results.get(scene_uid), _State.deviations.get(scene_uid)
    answers = [] if result is None or result.report.seen is None else [(result.report.seen, result.stale)]
    answers += [] if deviation is None else [(deviation.found.seen, deviation.stale)]
    return [(seen, stale & suspects(scene_uid)) for seen, stale in answers if stale & suspects(scene_uid)]


def cleared(scene_uid: int, seen: Seen, names: frozenset[str]) -> bool:
    """Takes the mark from objects that are what `seen` says; returns whether that is news."""
    result, deviation = _State.results.get(scene_uid), _State.deviations.get(scene_uid)
    if result is not None and result.report.seen is seen:
        result.stale -= names
    elif deviation is not None and deviation.found.seen is seen:
        deviation.stale -= names
    return bool(names)


def looked_at(scene_uid: int) -> None:
    """All suspects of a scene were looked at."""
    _State.suspects.pop(scene_uid, None)


def named_objects(scene_uid: int) -> frozenset[str]:
    """Full names of the objects that the result, the heat map and the voxels of a scene are about."""
    result, deviation = _State.results.get(scene_uid), _State.deviations.get(scene_uid)
    named: frozenset[str] = frozenset() if result is None else result.table.owner_names
    voxels, solid = shown_things.voxels.of(scene_uid), shown_things.solid.of(scene_uid)
    named = named if voxels is None else named | voxels.owners
    named = named if solid is None else named | solid.owners
    return named if deviation is None else named | deviation.found.owners


def store_deviation(scene_uid: int, found: DeviationMap) -> int:
    """Makes `found` the heat map of a scene; returns its number, by which the scene remembers it through undo."""
    serial = next(_serials)
    _State.deviations[scene_uid] = MeasuredDeviation(serial, found)
    return serial


def deviation_of(scene_uid: int, serial: int) -> DeviationMap | None:
    """The scene's heat map of that number; None where another one was measured since, or undo has gone before it."""
    found = _State.deviations.get(scene_uid)
    return found.found if found is not None and found.serial == serial else None


def deviation_is_stale(scene_uid: int) -> bool:
    """Whether an object has changed since the scene's heat map was made."""
    found = _State.deviations.get(scene_uid)
    return found is not None and bool(found.stale)


def _age_deviation(scene_uid: int, names: frozenset[str]) -> bool:
    """Notes that objects may have changed; returns whether that makes the heat map untrue just now."""
    measured = _State.deviations.get(scene_uid)
    if measured is None:
        return False
    before, measured.stale = measured.stale, measured.stale | (measured.found.names & names)
    return bool(measured.stale) and not before


def live_ended(scene_uid: int, unanswered: frozenset[str], seen: Seen | None) -> None:
    """From now on the result of the scene is like one of Detect: it grows stale.

    Args:
        scene_uid: the scene.
        unanswered: full names of objects that may have changed since the last answer.
        seen: what the objects were at that answer, or None.
    """
    result = _State.results.get(scene_uid)
    if result is not None:
        result.live = False
        result.found, result.report = replace(result.found, seen=seen), replace(result.report, seen=seen)
        mark_stale(scene_uid, unanswered)


def store_timeline(scene_uid: int, scanned: Scanned) -> None:
    """Makes `scanned` the last scan of the timeline of a scene; it may still run."""
    _State.timelines[scene_uid] = scanned


def timeline_of(scene_uid: int) -> Scanned | None:
    """The last scan of the timeline of a scene, or None."""
    return _State.timelines.get(scene_uid)


def drop_timeline(scene_uid: int) -> None:
    """Forgets the scan of the timeline of a scene."""
    _State.timelines.pop(scene_uid, None)


def clear() -> None:
    """Forgets everything that belongs to the open file."""
    _State.refused.clear()
    for known in (_State.results, _State.deviations, _State.timelines, _State.suspects, _State.reviews):
        known.clear()
    _State.followed = None
