"""Kernels that no package brought for this processor and Python: compiled once, in a process beside the window.

What they become is a store like those of packages, in the folder of this user; see `kernels/builder.py` of the engine.
The process goes on with what other questions need when the first one has got what it waited for, and ends with Blender.
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

PAUSE = 0.02  # seconds between two looks at the process; ends the slice of whoever waits

_running: list[Any] = []
"""The engine's `Builder`, while it works."""
_failed: list[str] = []
"""Why it cannot work in this session."""


def ready_steps(module: ModuleType, parts: Sequence[str]) -> Generator[Progress, None, None]:
    """Waits until the kernels of some parts of the engine's warm-up are compiled.

    Where no process can compile them, this ends at once, and the engine compiles them when they are asked for.

    Args:
        module: the engine.
        parts: what a question needs.
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
                state.fraction, Sentence("Compiling for this computer, once: {left}", left=_left(state.seconds))
            )
            time.sleep(PAUSE)
    except GeneratorExit:
        end()
        raise
    except OSError as error:
        _fail(module, str(error))
    module.jit.look_for_new_kernels()


def end() -> None:
    """Ends the process, if it runs; what is compiled stays."""
    while _running:
        _running.pop().stop()


def _builder_for(module: ModuleType, missing: Sequence[str]) -> Any:
    """The process that compiles these parts next, and then what else is missing; raises OSError."""
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
