"""What lives as long as the Blender session: results, the running task and the isolated views.

The only mutable state of the extension beside the overlay's GPU batches. It holds plain Python and NumPy data keyed
by the scene's `session_uid`, never a reference to Blender data: undo and file loading free those.
"""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .core.report import DetectReport, PairRow
    from .ops.task import Task


@dataclass
class SceneResult:
    """The last report of one scene.

    Attributes:
        report: what Detect found.
        serial: different for every report; part of the overlay's signature.
        counts: number of rows of each verdict.
        outdated: why the overlay must not be drawn any more ("" while it may).
        changed: whether an object moved or changed shape since.
    """

    report: DetectReport
    serial: int
    counts: Counter[str]
    outdated: str = ""
    changed: bool = False

    def row(self, pair_id: str) -> PairRow | None:
        """The row with that id, or None."""
        return next((row for row in self.report.rows if row.id == pair_id), None)


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
    task: Task | None = None
    engine: EngineState | None = None


_serials = itertools.count(1)


def store_result(scene_uid: int, report: DetectReport) -> SceneResult:
    """Replaces the result of a scene."""
    counts = Counter(row.verdict for row in report.rows)
    _State.results[scene_uid] = SceneResult(report, next(_serials), counts)
    return _State.results[scene_uid]


def result_of(scene_uid: int) -> SceneResult | None:
    """The scene's result, or None."""
    return _State.results.get(scene_uid)


def existing_result(scene_uid: int) -> SceneResult:
    """The scene's result, for code that runs only where there is one.

    Raises:
        KeyError: there is none.
    """
    return _State.results[scene_uid]


def drop_pair(scene_uid: int, pair_id: str) -> None:
    """Takes one pair out of the scene's report."""
    old = existing_result(scene_uid)
    rows = [row for row in old.report.rows if row.id != pair_id]
    new = store_result(scene_uid, replace(old.report, rows=rows))
    new.outdated, new.changed = old.outdated, old.changed


def drop_result(scene_uid: int) -> None:
    """Forgets the scene's result."""
    _State.results.pop(scene_uid, None)


def mark_outdated(reason: str) -> None:
    """Undo may have replaced anything: no overlay of any scene is drawn until the next Detect."""
    for result in _State.results.values():
        result.outdated = reason


def isolated_views() -> dict[int, tuple[str, ...] | None]:
    """The 3D views that show only one pair: key of the view to what its local view showed before (see `view`)."""
    return _State.isolated


def running_task() -> Task | None:
    """The task that is running in the interface, or None."""
    return _State.task


def start_task(task: Task) -> None:
    """Makes `task` the one that is running."""
    if _State.task is not None:
        raise RuntimeError("another detection is running")
    _State.task = task


def stop_task(reason: str = "Detection cancelled") -> None:
    """Ends the running task, if any; `reason` is what its operator will tell the user."""
    task, _State.task = _State.task, None
    if task is not None:
        task.close(reason)


def set_engine_state(state: EngineState) -> None:
    """Remembers what came out of an attempt to load the engine."""
    _State.engine = state


def engine_state() -> EngineState | None:
    """What came out of the last attempt to load the engine; None before the first."""
    return _State.engine


def clear() -> None:
    """Forgets everything that belongs to the open file; called on load and at unregister."""
    stop_task("A file was loaded: detection stopped")
    _State.results.clear()
    _State.isolated.clear()
