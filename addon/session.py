"""What lives as long as the Blender session: results, the running task and the isolated views.

The only mutable state of the extension beside the overlay's GPU batches. It holds plain Python and NumPy data keyed
by the scene's `session_uid`, never a reference to Blender data: undo and file loading free those.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from .core.rules import excludes
from .core.table import Mask, Positions, RowTable

if TYPE_CHECKING:
    from .core.advisor import MeasuredAdvice
    from .core.deviation import DeviationMap
    from .core.fingerprints import Seen
    from .core.levels import ShownHierarchy
    from .core.pair_row import PairRow
    from .core.report import DetectReport
    from .core.scanned import Scanned
    from .core.voxel_boxes import ShownVoxels
    from .ops.live import LiveRun
    from .ops.task import Task
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

    def is_stale(self, row: PairRow) -> bool:
        """Whether a row may no longer be true."""
        return self.loaded or not self.stale.isdisjoint((row.owner_a, row.owner_b, row.source_a, row.source_b))

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

    @property
    def stale_rows(self) -> Mask:
        """Which rows of `table` may no longer be true."""
        if self.loaded:
            return np.ones(len(self.table), np.bool_)
        return self.table.about(self.stale) if self.stale else np.zeros(len(self.table), np.bool_)


@dataclass
class Listed:
    """What the result list shows.

    Attributes:
        cells: of each row of the page, so that nothing is written to Blender twice.
        order: positions in the report of all rows that are listed, on whatever page, in the order of the list.
        owners: full names of the objects whose pairs alone are listed, or None.
        common: in how many names of the page each word occurs.
        typical: the depth or distance in whose unit those of the page are written, or None.
        common_in_events: the same of all events.
        accepted: how many pairs of each verdict are approved, with the serial of the result and the approved ids.
    """

    cells: list[dict[str, object]] = field(default_factory=list)
    order: Positions = field(default_factory=lambda: np.empty(0, np.int64))
    owners: frozenset[str] | None = None
    common: Counter[str] = field(default_factory=Counter)
    common_in_events: Counter[str] = field(default_factory=Counter)
    typical: float | None = None
    accepted: tuple[int, frozenset[str], Counter[str]] | None = None


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


@dataclass(frozen=True)
class EngineState:
    """What came out of the last attempt to load the engine.

    Attributes:
        diagnostics: the versions found, one per line.
        reason: why it could not be loaded ("": it could).
        remedy: what to do about it.
    """

    diagnostics: tuple[str, ...]
    reason: str = ""
    remedy: str = ""


class _State:
    """The mutable values behind this module's functions."""

    results: dict[int, SceneResult] = {}  # noqa: RUF012 - one per session on purpose
    # key of a 3D view: names of the objects its local view showed before, None where it was not in local view
    isolated: dict[int, tuple[str, ...] | None] = {}  # noqa: RUF012
    # the same of views that are given back while a file is saved, and what is to be isolated there again
    suspended: dict[int, tuple[tuple[str, ...] | None, tuple[str, ...]]] = {}  # noqa: RUF012
    ghosted: dict[int, dict[str, object]] = {}  # noqa: RUF012 - key of a 3D view: its shading before (`ghosting`)
    suspended_ghosts: tuple[int, ...] = ()
    task: Task | None = None
    live: LiveRun | None = None
    changed_meanwhile: set[str] = set()  # noqa: RUF012
    ignoring: bool = False  # updates of the dependency graph that are our own doing
    own_frames: bool = False
    deviations: dict[int, MeasuredDeviation] = {}  # noqa: RUF012
    suspects: dict[int, frozenset[str]] = {}  # noqa: RUF012 - marked objects that may be what they were again
    listed = Listed()
    reviews: dict[int, tuple[Reviews, bool]] = {}  # noqa: RUF012 - and whether they are still those of Blender
    engine: EngineState | None = None
    hierarchy: tuple[int, ShownHierarchy] | None = None  # with the session uid of its object
    timelines: dict[int, Scanned] = {}  # noqa: RUF012
    voxels: tuple[int, ShownVoxels] | None = None  # with the session uid of their scene
    advice: MeasuredAdvice | None = None


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


def listed() -> Listed:
    """What the result list shows."""
    return _State.listed


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


def known_reviews(scene_uid: int) -> tuple[Reviews | None, bool]:
    """What the user said of pairs when it was read last, and whether it is sure to be still so."""
    return _State.reviews.get(scene_uid, (None, False))


def keep_reviews(scene_uid: int, reviews: Reviews) -> None:
    """Remembers what the user says of pairs."""
    _State.reviews[scene_uid] = reviews, True


def doubt_reviews() -> None:
    """What the user says of pairs may have changed, in any scene: it is read again when it is asked for."""
    _State.reviews = {uid: (known, False) for uid, (known, _) in _State.reviews.items()}


def drop_result(scene_uid: int) -> None:
    """Forgets the scene's result."""
    _State.results.pop(scene_uid, None)


def mark_stale(scene_uid: int, names: Iterable[str]) -> bool:
    """Notes that objects may no longer be what they were; returns whether that is news."""
    names = frozenset(names)
    _State.suspects[scene_uid] = suspects(scene_uid) | names
    if _State.task is not None:
        _State.changed_meanwhile.update(names)
    aged = _age_deviation(scene_uid, names)
    result = _State.results.get(scene_uid)
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
    voxels = shown_voxels(scene_uid)
    named = named if voxels is None else named | voxels.owners
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


@contextmanager
def ignored_updates() -> Iterator[None]:
    """While inside, evaluations say nothing about the scene: what is being written changes no shape."""
    _State.ignoring = True
    try:
        yield
    finally:
        _State.ignoring = False


def ignores_updates() -> bool:
    """Whether evaluations are to be ignored."""
    return _State.ignoring


@contextmanager
def own_frames() -> Iterator[None]:
    """While inside, frames are changed by a scan, which puts back the one that was shown: nothing grows old by that."""
    _State.own_frames = True
    try:
        yield
    finally:
        _State.own_frames = False


def changes_frames() -> bool:
    """Whether a scan changes frames."""
    return _State.own_frames


def forget_changes() -> None:
    """A detection that runs at once, without a task of the interface, begins."""
    _State.changed_meanwhile = set()


def changed_meanwhile() -> frozenset[str]:
    """Names of the objects that changed since the last task was started."""
    return frozenset(_State.changed_meanwhile)


def isolated_views() -> dict[int, tuple[str, ...] | None]:
    """The 3D views that show only one pair: key of the view to what its local view showed before (see `view`)."""
    return _State.isolated


def suspend_views(views: dict[int, tuple[tuple[str, ...] | None, tuple[str, ...]]]) -> None:
    """Remembers 3D views that show everything for a moment."""
    _State.suspended = views


def suspended_views() -> dict[int, tuple[tuple[str, ...] | None, tuple[str, ...]]]:
    """The 3D views to isolate again: key of the view to what `isolated_views` has, and what is to be seen."""
    return _State.suspended


def ghosted_views() -> dict[int, dict[str, object]]:
    """The 3D views in which all but one pair is transparent: key of the view to its shading before."""
    return _State.ghosted


def suspend_ghosts(views: tuple[int, ...]) -> None:
    """Remembers 3D views that are as before for a moment."""
    _State.suspended_ghosts = views


def suspended_ghosts() -> tuple[int, ...]:
    """The 3D views to make transparent again."""
    return _State.suspended_ghosts


def running_task() -> Task | None:
    """The task that is running in the interface, or None."""
    return _State.task


def start_task(task: Task) -> None:
    """Makes `task` the one that is running."""
    if _State.task is not None:
        raise RuntimeError("another detection is running")
    _State.task = task
    _State.changed_meanwhile = set()


def stop_task(reason: str = "Detection cancelled") -> None:
    """Ends the running task, if any; `reason` is what its operator will tell the user."""
    task, _State.task = _State.task, None
    if task is not None:
        task.close(reason)


def running_live() -> LiveRun | None:
    """Live, while it is on, or None."""
    return _State.live


def start_live(run: LiveRun) -> None:
    """Makes `run` the one that follows its scene."""
    if _State.live is not None:
        raise RuntimeError("Live is on already")
    _State.live = run


def stop_live(reason: str = "") -> None:
    """Ends Live, if it is on; `reason` is what its operator will tell the user."""
    run, _State.live = _State.live, None
    if run is not None:
        run.end(reason)


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


def show_hierarchy(uid: int, shown: ShownHierarchy) -> None:
    """Makes `shown`, of the object with that session uid, the hierarchy that is drawn."""
    _State.hierarchy = uid, shown


def shown_hierarchy() -> ShownHierarchy | None:
    """The hierarchy that is drawn, or None."""
    return None if _State.hierarchy is None else _State.hierarchy[1]


def age_hierarchy(deformed: Iterable[int]) -> bool:
    """Notes that meshes of objects, named by their session uids, have changed; returns whether that is news."""
    if _State.hierarchy is None or _State.hierarchy[1].stale or _State.hierarchy[0] not in deformed:
        return False
    _State.hierarchy[1].stale = True
    return True


def drop_hierarchy() -> None:
    """Frees the hierarchy that is drawn."""
    _State.hierarchy = None


def show_voxels(scene_uid: int, shown: ShownVoxels) -> None:
    """Makes `shown` the voxels that are drawn, in that scene."""
    _State.voxels = scene_uid, shown


def shown_voxels(scene_uid: int) -> ShownVoxels | None:
    """The voxels that are drawn in a scene, or None."""
    return _State.voxels[1] if _State.voxels is not None and _State.voxels[0] == scene_uid else None


def age_voxels(scene_uid: int, names: Iterable[str]) -> bool:
    """Notes that objects of a scene moved or changed; returns whether that is news to the voxels that are drawn."""
    shown = shown_voxels(scene_uid)
    if shown is None or shown.stale or shown.owners.isdisjoint(names):
        return False
    shown.stale = True
    return True


def drop_voxels() -> None:
    """Frees the voxels that are drawn."""
    _State.voxels = None


def store_timeline(scene_uid: int, scanned: Scanned) -> None:
    """Makes `scanned` the last scan of the timeline of a scene; it may still run."""
    _State.timelines[scene_uid] = scanned


def timeline_of(scene_uid: int) -> Scanned | None:
    """The last scan of the timeline of a scene, or None."""
    return _State.timelines.get(scene_uid)


def drop_timeline(scene_uid: int) -> None:
    """Forgets the scan of the timeline of a scene."""
    _State.timelines.pop(scene_uid, None)


def set_advice(advice: MeasuredAdvice | None) -> None:
    """Keeps what the advisor measured last."""
    _State.advice = advice


def advice() -> MeasuredAdvice | None:
    """What the advisor measured last, or None."""
    return _State.advice


def set_engine_state(state: EngineState) -> None:
    """Remembers what came out of an attempt to load the engine."""
    _State.engine = state


def engine_state() -> EngineState | None:
    """What came out of the last attempt to load the engine; None before the first."""
    return _State.engine


def clear() -> None:
    """Forgets everything that belongs to the open file; called on load and at unregister."""
    stop_task("A file was loaded: detection stopped")
    stop_live("A file was loaded: Live is off")
    _State.results.clear()
    _State.deviations.clear()
    _State.timelines.clear()
    _State.suspects.clear()
    _State.reviews.clear()
    _State.isolated.clear()
    _State.suspended.clear()
    _State.ghosted.clear()
    _State.suspended_ghosts = ()
    drop_hierarchy()
    drop_voxels()
    set_advice(None)
