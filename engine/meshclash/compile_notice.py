"""What a process says when it has to compile: once, on stderr.

Nothing that is compiled imports this, so that an edit here leaves kernels valid.
"""

import contextlib
import os
import sys
import warnings
from collections.abc import Callable, Sequence

from .jit import cache_problem
from .kernels import cache

QUIET = "MESHCLASH_QUIET"
"""Variable of the environment: with a value nothing is said."""
COMPILING = (
    "meshclash: compiling for this processor, once; later sessions load what is kept. `python -m meshclash.kernels "
    "build --level best` compiles everything now, on all cores; wheels for one platform (cp311-none-...) bring it "
    f"compiled. {QUIET}=1 hides this."
)
_who: list[str] = []


def tell_compiling(others: Sequence[Callable[[], None]] | None = None) -> None:
    """Have this process say that it compiles, before it does; the first call decides.

    Args:
        others: what is called instead, as by an application with a window of its own.
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
    with contextlib.suppress(OSError, ValueError, AttributeError):  # stderr may be closed, or none
        print(COMPILING, file=sys.stderr, flush=True)
