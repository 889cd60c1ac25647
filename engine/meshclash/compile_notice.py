"""The notice that a process prints once to stderr before it compiles.

No compiled code imports this module, so that editing it does not invalidate kernels.
"""

import contextlib
import os
import sys
import warnings
from collections.abc import Callable, Sequence

from .jit import cache_problem
from .kernels import cache

QUIET = "MESHCLASH_QUIET"
"""Environment variable: with a value, the notice is not printed."""
COMPILING = (
    "meshclash: compiling for this processor, once; later sessions load what is kept. `python -m meshclash.kernels "
    "build --level best` compiles everything now, on all cores; wheels for one platform (cp311-none-...) bring it "
    f"compiled. {QUIET}=1 hides this."
)
_who: list[str] = []


def tell_compiling(others: Sequence[Callable[[], None]] | None = None) -> None:
    """Print a notice before this process compiles; only the first call has an effect.

    Args:
        others: functions to call instead, for example by an application with its own window.
    """
    if not _who:
        _who.append("told")
        cache.before_compiling[:] = [_tell] if others is None else others


def _tell() -> None:
    if os.environ.get(QUIET):
        return
    problem = cache_problem()
    if problem:
        warnings.warn(f"meshclash: {problem}", RuntimeWarning, stacklevel=2)
    with contextlib.suppress(OSError, ValueError, AttributeError):  # stderr may be closed or None
        print(COMPILING, file=sys.stderr, flush=True)
