"""Getting the engine: prepared beside Blender where there is a window, loaded in short steps."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from types import ModuleType
from typing import Any

import bpy

from .. import engine, preferences, preparation, session
from ..core.frame_scene import Progress

FIRST_LOOK, LOOK = 2.0, 0.5  # seconds after the extension is enabled, and from then on while kernels are compiled


def load_steps(cache_folder: str | None, parts: Sequence[str], gpu: bool = False) -> Generator[Any, None, ModuleType]:
    """The engine module, with the kernels of some parts in the cache where another process can put them there.

    Args:
        cache_folder: folder of the compiled kernels, or None.
        parts: of the engine's warm-up.
        gpu: whether a GPU may answer; then its kernels are ready when this ends.

    Raises:
        EngineMissing: Numba or the engine cannot be imported.
    """
    if not bpy.app.background:
        begin(cache_folder, gpu, parts)
        yield from preparation.steps((*parts, preparation.GPU_PART) if gpu else parts)
    for name in () if engine.loaded() else engine.PRELOADED:
        yield Progress(0.0, "Loading the compiler")
        engine.preload(name, cache_folder)
    yield Progress(0.0, "Loading the engine")
    module = engine.load(cache_folder)
    if gpu:
        for progress in module.warm_up((preparation.GPU_PART,)):
            yield Progress(0.0, progress.text)
    session.set_engine_state(session.EngineState((*engine.diagnose(), *preparation.notes())))
    return module


def begin(cache_folder: str | None, gpu: bool, parts: Sequence[str] = ()) -> None:
    """Has other processes compile what is not in the cache yet.

    Args:
        cache_folder: folder of the compiled kernels, or None.
        gpu: whether a GPU's kernels are needed, too.
        parts: what is needed just now, of the engine's warm-up.
    """
    place = engine.location()
    kinds = [] if engine.loaded() else [preparation.ENGINE]
    kinds += [part for part in parts if part not in preparation.EVERYONES]
    if gpu and engine.has_cuda():
        kinds.append(preparation.GPU_PART)
    if place is not None:
        preparation.begin(place, cache_folder, kinds=tuple(kinds))


def _look() -> float | None:
    """Blender's timer: starts the children once, then hears them while they work."""
    begin(preferences.cache_folder(), preferences.gpu_from(bpy.context) is not None)
    return LOOK if preparation.watch() else None


def install() -> None:
    """Prepares the engine soon after the extension was enabled, where there is a window to keep fluent."""
    if not bpy.app.background:
        bpy.app.timers.register(_look, first_interval=FIRST_LOOK, persistent=True)


def look_again() -> None:
    """Prepares what is needed since a GPU was chosen."""
    if not bpy.app.background and not bpy.app.timers.is_registered(_look):
        bpy.app.timers.register(_look, first_interval=0.0, persistent=True)


def uninstall() -> None:
    """Ends the preparation."""
    if bpy.app.timers.is_registered(_look):
        bpy.app.timers.unregister(_look)
    preparation.stop()
