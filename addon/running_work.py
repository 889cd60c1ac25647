"""The tasks that run in this session: the task of the interface, Live, and the changes of the scene that these tasks
need to know.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .ops.live import LiveRun
    from .ops.task import Task


@dataclass(frozen=True)
class EngineState:
    """Result of the last attempt to load the engine.

    Attributes:
        diagnostics: versions found, one per line.
        reason: why the engine could not be loaded; "" if it was loaded.
        remedy: what the user can do.
    """

    diagnostics: tuple[str, ...]
    reason: str = ""
    remedy: str = ""


class _State:
    """The mutable state of this module."""

    task: Task | None = None
    live: LiveRun | None = None
    changed_meanwhile: set[str] = set()  # noqa: RUF012 - one per session on purpose
    ignoring: bool = False  # updates of the dependency graph that we cause
    own_frames: bool = False
    engine: EngineState | None = None


@contextmanager
def ignored_updates() -> Iterator[None]:
    """Ignore evaluations inside the block, because the data written there does not change shapes."""
    _State.ignoring = True
    try:
        yield
    finally:
        _State.ignoring = False


def ignores_updates() -> bool:
    """Return whether evaluations are ignored."""
    return _State.ignoring


@contextmanager
def own_frames() -> Iterator[None]:
    """Mark that a scan changes frames inside the block; the scan restores the frame, so results do not become stale."""
    _State.own_frames = True
    try:
        yield
    finally:
        _State.own_frames = False


def changes_frames() -> bool:
    """Return whether a scan is changing frames."""
    return _State.own_frames


def forget_changes() -> None:
    """Forget recorded changes, when a detection without a task of the interface begins."""
    _State.changed_meanwhile = set()


def note_changed(names: Iterable[str]) -> None:
    """Record that objects may have changed while a task runs."""
    if _State.task is not None:
        _State.changed_meanwhile.update(names)


def changed_meanwhile() -> frozenset[str]:
    """Return the names of the objects that changed since the last task was started."""
    return frozenset(_State.changed_meanwhile)


def running_task() -> Task | None:
    """Return the task that is running in the interface, or None."""
    return _State.task


def start_task(task: Task) -> None:
    """Set `task` as the running task."""
    if _State.task is not None:
        raise RuntimeError("another detection is running")
    _State.task = task
    _State.changed_meanwhile = set()


def stop_task(reason: str = "Cancelled") -> None:
    """End the running task, if any; its operator reports `reason` to the user."""
    task, _State.task = _State.task, None
    if task is not None:
        task.close(reason)


def running_live() -> LiveRun | None:
    """Return Live while it is on, or None."""
    return _State.live


def start_live(run: LiveRun) -> None:
    """Set `run` as the running Live."""
    if _State.live is not None:
        raise RuntimeError("Live is already on")
    _State.live = run


def stop_live(reason: str = "") -> None:
    """End Live, if it is on; its operator reports `reason` to the user."""
    run, _State.live = _State.live, None
    if run is not None:
        run.end(reason)


def set_engine_state(state: EngineState) -> None:
    """Store the result of an attempt to load the engine."""
    _State.engine = state


def engine_state() -> EngineState | None:
    """Return the result of the last attempt to load the engine; None before the first attempt."""
    return _State.engine


def clear() -> None:
    """Stop all work on the open file, which is being closed."""
    stop_task("A file was loaded: detection stopped")
    stop_live("A file was loaded: Live is off")
