"""Load the engine in short steps, and compile the kernels that the package does not contain."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from types import ModuleType
from typing import Any

import bpy
from meshclash.clash.frame_scene import Progress
from meshclash.messages import Sentence

from .. import engine, kernel_building, running_work

GPU_PART = "gpu"


def load_steps(cache_folder: str | None, parts: Sequence[str], gpu: bool = False) -> Generator[Any, None, ModuleType]:
    """Load the engine module, with the kernels for some parts of its work.

    A package for this platform and Python contains compiled kernels. If kernels are missing, a background process
    compiles them once, and this function waits for it. Without a window, the engine compiles kernels on first use.

    Args:
        cache_folder: folder of the kernels compiled on this machine, or None.
        parts: parts of the engine's warm-up.
        gpu: whether a GPU may be used; then its kernels are also ready at the end.

    Raises:
        EngineMissing: Numba or the engine cannot be imported.
    """
    for _ in () if engine.loaded() else engine.bytecode():
        yield Progress(0.0, "Preparing the compiler")
    for name in () if engine.loaded() else engine.PRELOADED:
        yield Progress(0.0, "Loading the compiler")
        engine.preload(name, cache_folder)
    yield Progress(0.0, "Loading the engine")
    module = engine.load(cache_folder)
    if not bpy.app.background:
        yield from kernel_building.ready_steps(module, parts)
    for progress in module.warm_up((GPU_PART,)) if gpu else ():
        yield Progress(progress.fraction, Sentence("First use on this computer: {text}", text=progress.text))
    running_work.set_engine_state(running_work.EngineState(tuple(engine.diagnose())))
    return module
