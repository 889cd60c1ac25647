"""Compile, in a background process, the kernels that no package contains for this processor and Python.

The compiled kernels are stored like those of packages, in the user's folder; see `kernels/builder.py` of the engine.
When the kernels for the first test are ready, the process continues with those for other tests. The process ends with
Blender.
"""

from __future__ import annotations

import atexit
import time
from collections.abc import Generator, Sequence
from types import ModuleType
from typing import Any

from meshclash.clash.frame_scene import Progress
from meshclash.clash.kernel_parts import EVERYTHING
from meshclash.messages import Sentence

from . import engine

PAUSE = 0.02  # seconds between two checks of the process; long enough to end the slice of the waiting task

_running: list[Any] = []
"""The engine's `Builder`, while it runs."""
_failed: list[str] = []
"""The reason why kernels cannot be built in this session."""


def ready_steps(module: ModuleType, parts: Sequence[str]) -> Generator[Progress, None, None]:
    """Wait until the kernels for some parts of the engine's warm-up are compiled.

    If no process can compile the kernels, this function ends immediately, and the engine compiles them on first use.

    Args:
        module: the engine.
        parts: the parts that a question needs.
    """
    missing = module.jit.missing_parts(parts)
    if missing:
        module.jit.look_for_new_kernels()
        missing = module.jit.missing_parts(parts)
    if not missing or _failed:
        return
    try:
        builder = _builder_for(module, missing)
        while builder.missing(missing):
            if not builder.processes:
                _fail(module, builder.problem or "it ended before all was compiled")
                return
            state = builder.state(missing)
            yield Progress(
                state.fraction, Sentence("Compiling for this computer (only once): {left}", left=_left(state.seconds))
            )
            time.sleep(PAUSE)
    except GeneratorExit:
        end()
        raise
    except OSError as error:
        _fail(module, str(error))
    module.jit.look_for_new_kernels()


def end() -> None:
    """End the background process if it runs; kernels that are already compiled are kept."""
    while _running:
        _running.pop().stop()


def _builder_for(module: ModuleType, missing: Sequence[str]) -> Any:
    """Return a builder that compiles these parts next, and then all other missing parts; raises OSError."""
    if _running and _running[0].processes:
        _running[0].want_first(missing)
        return _running[0]
    end()
    wanted = dict.fromkeys([*missing, *module.jit.missing_parts(EVERYTHING)])
    _running.append(engine.kernel_builder().own_builder(list(wanted)))
    atexit.register(end)
    return _running[0]


def _fail(module: ModuleType, why: str) -> None:
    end()
    _failed.append(why)
    module.kernels.cache.note(f"kernels are compiled in the window: {why}")


def _left(seconds: float) -> str:
    if seconds < 60.0:
        return Sentence("about {time} s left", time=max(5, 5 * round(seconds / 5.0)))
    return Sentence("about {time} min left", time=round(seconds / 60.0))
