"""Loops of the host backend: what the threads of a kernel do, one after the other or shared out to several cores.

Indices of ``prange`` are unsigned, and Numba makes floats of unsigned and signed numbers together: hence ``np.int64``.
"""

from types import FunctionType
from typing import Any

from meshclash.jit import kernel, parallel_kernel

LOOPS: dict[str, tuple[Any, Any]] = {}
"""Name of a kernel -> its loop for one core, and for several."""


def loop(function: Any, name: str = "") -> tuple[Any, Any]:
    """Compile a loop over ``prange`` both ways, under the function's name or another one."""
    name = name or function.__name__
    LOOPS[name] = kernel(_named(function, name)), parallel_kernel(_named(function, f"{name}_shared"))
    return LOOPS[name]


def serial_loop(function: Any) -> tuple[Any, Any]:
    """Compile a loop whose parts write to the same place: for one core, always."""
    compiled = kernel(function)
    LOOPS[function.__name__] = compiled, compiled
    return LOOPS[function.__name__]


def _named(function: Any, name: str) -> Any:
    """The same function by another name, which is that of its file in the cache."""
    copied = FunctionType(function.__code__, function.__globals__, name, None, function.__closure__)
    copied.__qualname__ = name
    return copied
