"""What a process says when it has to compile: once, on stderr, with the count on a terminal.

Nothing that is compiled imports this, so that an edit here leaves kernels valid.
"""

import contextlib
import os
import sys
import threading
import time
import warnings
from collections.abc import Callable, Sequence

from .jit import cache_problem, kernel_counts
from .kernels import cache

QUIET = "MESHCLASH_QUIET"
"""Variable of the environment: with a value nothing is said."""
COMPILING = (
    "meshclash: compiling for this processor, once; later sessions load what is kept. `python -m meshclash.kernels "
    "build --level best` compiles everything now, on all cores; wheels for one platform (cp311-none-...) bring it "
    f"compiled. {QUIET}=1 hides this."
)
_LOOK_SECONDS = 0.5
_QUIET_SECONDS = 5.0
"""Without a new kernel after which compiling is taken for done."""
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
        if sys.stderr.isatty():
            threading.Thread(target=_show_count, name="meshclash-compiling", daemon=True).start()


def _show_count() -> None:
    """Show how many kernels were compiled, until no more come."""
    start = last = time.monotonic()
    shown = 0
    with contextlib.suppress(OSError, ValueError, AttributeError):
        while time.monotonic() - last < _QUIET_SECONDS:
            time.sleep(_LOOK_SECONDS)
            count = kernel_counts()["compiled"]
            if count != shown:
                shown, last = count, time.monotonic()
                print(f"\rmeshclash: {count} kernels in {last - start:.0f} s", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr, flush=True)
