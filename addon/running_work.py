"""What runs in this session: the task of the interface, Live, and what both have to know of the scene meanwhile."""

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

    task: Task | None = None
    live: LiveRun | None = None
    changed_meanwhile: set[str] = set()  # noqa: RUF012 - one per session on purpose
    ignoring: bool = False  # updates of the dependency graph that are our own doing
    own_frames: bool = False
    engine: EngineState | None = None


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


def note_changed(names: Iterable[str]) -> None:
    """Notes that objects may have changed while a task runs."""
    if _State.task is not None:
        _State.changed_meanwhile.update(names)


def changed_meanwhile() -> frozenset[str]:
    """Names of the objects that changed since the last task was started."""
    return frozenset(_State.changed_meanwhile)


def running_task() -> Task | None:
    """The task that is running in the interface, or None."""
    return _State.task


def start_task(task: Task) -> None:
    """Makes `task` the one that is running."""
    if _State.task is not None:
        raise RuntimeError("another detection is running")
    _State.task = task
    _State.changed_meanwhile = set()


def stop_task(reason: str = "Cancelled") -> None:
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


def set_engine_state(state: EngineState) -> None:
    """Remembers what came out of an attempt to load the engine."""
    _State.engine = state


def engine_state() -> EngineState | None:
    """What came out of the last attempt to load the engine; None before the first."""
    return _State.engine


def clear() -> None:
    """Stops whatever is about the open file, which is left."""
    stop_task("A file was loaded: detection stopped")
    stop_live("A file was loaded: Live is off")
